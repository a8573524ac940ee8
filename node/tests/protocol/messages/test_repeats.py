from __future__ import annotations

from dataclasses import replace

import pytest

from csbond.protocol.messages.caller import ANONYMOUS, OWNER, Caller, CallerKind
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.part import Part, PartKind, text_part
from csbond.protocol.messages.repeats import request_digest, trusts_message_id
from csbond_tests.requirements import requirement

ANN = Caller(CallerKind.PRINCIPAL, "ann")
MESSAGE = Message("m", "user", (text_part("hi"), Part(PartKind.FILE, b"x"), Part(PartKind.DATA, {"a": 1})))


@requirement("A2A-SEND-015")
@pytest.mark.parametrize("caller", [OWNER, ANN])
def test_a_message_id_names_a_message_of_a_caller_who_is_known(caller: Caller) -> None:
    assert trusts_message_id("m", caller)
    assert not trusts_message_id("", caller)


def test_a_short_message_id_of_anybody_names_nothing() -> None:
    assert not trusts_message_id("1", ANONYMOUS)


@requirement("A2A-SEND-015")
def test_a_message_is_the_same_when_everything_of_it_is() -> None:
    same = Message("m", "user", (text_part("hi"), Part(PartKind.FILE, b"x"), Part(PartKind.DATA, {"a": 1})))
    assert request_digest(same) == request_digest(MESSAGE)


@requirement("A2A-SEND-015")
@pytest.mark.parametrize(
    "changes",
    [
        {"parts": (text_part("hi"),)},
        {"parts": (text_part("hi"), Part(PartKind.FILE, b"y"), Part(PartKind.DATA, {"a": 1}))},
        {"context_id": "c"},
        {"task_id": "t"},
        {"metadata": {"a": 1}},
        {"role": "agent"},
        {"extensions": ("e",)},
    ],
)
def test_a_message_that_differs_anywhere_is_another(changes) -> None:
    assert request_digest(replace(MESSAGE, **changes)) != request_digest(MESSAGE)
