"""Whatever JSON a client sends as params: it is canonical afterwards, or it is refused as invalid params."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from csbond.protocol.errors import CsbError
from csbond.protocol.messages.dialects import METHODS, lifted
from csbond.protocol.messages.json_rest_v0_3 import rest_push_up, rest_send_up
from csbond_tests.requirements import requirement

ODD: tuple[Any, ...] = (None, True, 0, 5, 1.5, "", "x", [], [1], ["x"], [[]], {}, {"a": 1}, {"uri": 1})

_PUSH = {"id": "w", "url": "u", "token": "k", "authentication": {"schemes": ["Bearer"], "credentials": "s"}}
FULL: dict[str, Any] = {
    "id": "t-1",
    "taskId": "t-1",
    "sessionId": "s-1",
    "message": {
        "kind": "message",
        "messageId": "m",
        "role": "user",
        "contextId": "c",
        "taskId": "t",
        "parts": [
            {"kind": "text", "text": "hi", "metadata": {"a": 1}},
            {"kind": "data", "data": {"value": 1}, "metadata": {"data_part_compat": True}},
            {"kind": "file", "file": {"bytes": "aGk=", "mimeType": "a/b", "name": "n"}},
        ],
        "metadata": {"a": 1},
        "sender": "Heng",
        "parent_id": "m-0",
        "referenceTaskIds": ["t-0"],
        "extensions": ["e"],
    },
    "sender": {"name": "Heng"},
    "parent_id": "m-0",
    "history_length": 3,
    "metadata": {"a": 1},
    "authority": {"level": "execute"},
    "session_context": {"thread_id": "th"},
    "federation_message": {"a": 1},
    "configuration": {
        "blocking": False,
        "historyLength": 1,
        "acceptedOutputModes": ["text/plain"],
        "pushNotificationConfig": _PUSH,
        "pushNotification": _PUSH,
    },
    "pushNotification": _PUSH,
    "pushNotificationConfig": _PUSH,
    "pushNotificationConfigId": "w",
    "historyLength": 2,
    "config": {"pushNotificationConfig": _PUSH},
    "configId": "w",
    "request": {"role": "user", "content": [{"text": "hi"}]},
}
"""Params with every field that any dialect reads."""


def paths_in(value: Any, so_far: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield so_far
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from paths_in(inner, (*so_far, name))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from paths_in(inner, (*so_far, number))


def changed(path: tuple[Any, ...], odd: Any) -> Any:
    if not path:
        return odd
    params = copy.deepcopy(FULL)
    holder = params
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = odd
    return params


CASES = [(path, odd) for path in paths_in(FULL) for odd in ODD]


def outcome(read: Any, *arguments: Any) -> Any:
    """What is read, or the code and field of the refusal."""
    try:
        return read(*arguments)
    except CsbError as refused:
        return refused.code.name, refused.field


def is_clear(found: Any) -> bool:
    """Whether it is an object, or a refusal that names a field."""
    return isinstance(found, dict) or (found[0] == "invalid_params" and found[1] != "")


@requirement("A2A-SEND-016", "V03-015", "FAULT-26")
@pytest.mark.parametrize("name", [method.name for method in METHODS])
def test_params_with_anything_anywhere_are_read_or_refused(name: str) -> None:
    method = next(each for each in METHODS if each.name == name)
    for path, odd in CASES:
        assert is_clear(outcome(lifted, method, changed(path, odd), "fresh")), (path, odd)


@requirement("A2A-SEND-016")
@pytest.mark.parametrize("up", [rest_send_up, rest_push_up])
def test_bodies_with_anything_anywhere_are_read_or_refused(up: Any) -> None:
    for path, odd in CASES:
        assert is_clear(outcome(up, changed(path, odd), "fresh")), (path, odd)
