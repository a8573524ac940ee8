"""Parts of all four kinds come back unchanged: from a dialect to the canonical form and back, and the other way."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csbond.protocol.errors import CsbError
from csbond.protocol.messages.dialects import BY_NAME, lifted
from csbond.protocol.messages.extensions import SENDER
from csbond.protocol.messages.json_draft import draft_event_down, draft_send_up
from csbond.protocol.messages.json_rest_v0_3 import rest_message_down, rest_send_up
from csbond.protocol.messages.json_v0_3 import message_down, message_up, part_down, part_up
from csbond.protocol.messages.message import message_from_json, message_to_json
from csbond.protocol.messages.part import part_from_json, part_to_json
from csbond_tests.canonical import PARTS, json_objects, messages, names, parts, words
from csbond_tests.requirements import requirement

FRESH = "fresh"
MIXED = list(PARTS.values())


def from_draft(message: dict[str, Any]) -> Any:
    return draft_send_up({"message": message}, FRESH)["message"]


def to_draft(message: dict[str, Any]) -> Any:
    return draft_event_down({"message": message})["message"]


def from_rest(message: dict[str, Any]) -> Any:
    return rest_send_up({"message": message}, FRESH)["message"]


def from_stored(message: Any) -> Any:
    return message_to_json(message)


WAYS: dict[str, tuple[Any, Any]] = {
    "inside": (message_from_json, from_stored),
    "v0.3": (message_down, lambda message: message_up(message, FRESH)),
    "v0.3 HTTP": (rest_message_down, from_rest),
    "draft": (to_draft, from_draft),
}
"""Dialect → (out of the canonical form, into it)."""


@requirement("A2A-DATA-004", "V03-005", "V03-016", "DRAFT-004")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", [*PARTS, "mixed"])
def test_parts_alone_and_mixed_come_back(kind: str, way: str) -> None:
    message = {"messageId": "m", "role": "ROLE_USER", "parts": MIXED if kind == "mixed" else [PARTS[kind]]}
    out, back = WAYS[way]
    assert back(out(message)) == message


@requirement("A2A-DATA-004")
@pytest.mark.parametrize("way", WAYS)
@settings(deadline=None, max_examples=60)
@given(message=messages)
def test_a_message_of_any_content_comes_back(way: str, message: dict[str, Any]) -> None:
    out, back = WAYS[way]
    assert back(out(message)) == message


_facts_03 = st.fixed_dictionaries({}, optional={"mimeType": names, "name": names})
_parts_03 = st.one_of(
    words.map(lambda text: {"kind": "text", "text": text}),
    json_objects.map(lambda data: {"kind": "data", "data": data}),
    _facts_03.map(lambda facts: {"kind": "file", "file": {"bytes": "aGk=", **facts}}),
    st.tuples(words, _facts_03).map(lambda pair: {"kind": "file", "file": {"uri": pair[0], **pair[1]}}),
)


@requirement("A2A-DATA-004", "V03-005")
@given(part=_parts_03, metadata=st.none() | json_objects)
def test_what_v0_3_says_in_a_part_is_said_back_to_it(part: dict[str, Any], metadata: dict[str, Any] | None) -> None:
    spoken = part if metadata is None else {**part, "metadata": metadata}
    assert part_down(part_up(spoken)) == spoken


@requirement("DRAFT-004")
@pytest.mark.parametrize(
    "spoken, canonical",
    [
        ("hi", {"text": "hi"}),
        ({"text": "hi"}, {"text": "hi"}),
        ({"type": "text", "text": "hi"}, {"text": "hi"}),
        ({"kind": "text", "text": "hi"}, {"text": "hi"}),
        ({"kind": "text", "type": "other", "text": "hi"}, {"text": "hi"}),
        ({"data": {"a": 1}}, {"data": {"a": 1}}),
        ({"type": "data", "data": [1]}, {"data": [1]}),
        ({"type": "file", "file": {"bytes": "aGk=", "mimeType": "a/b"}}, {"raw": "aGk=", "mediaType": "a/b"}),
        ({"file": {"uri": "https://x.example/"}}, {"url": "https://x.example/"}),
        ({"type": "file", "raw": "aGk="}, {"raw": "aGk="}),
        ({"raw": "aGk=", "mediaType": "a/b", "filename": "f"}, {"raw": "aGk=", "mediaType": "a/b", "filename": "f"}),
        ({"type": "url", "url": "https://x.example/"}, {"url": "https://x.example/"}),
        ({"url": "https://x.example/"}, {"url": "https://x.example/"}),
    ],
)
def test_a_part_of_the_drafts_is_read_by_type_kind_or_content(spoken: Any, canonical: dict[str, Any]) -> None:
    assert part_up(spoken) == canonical


@requirement("DRAFT-004")
@pytest.mark.parametrize(
    "spoken",
    [
        {"type": "text", "text": "hi"},
        {"type": "data", "data": {"a": 1}},
        {"type": "file", "file": {"bytes": "aGk=", "mimeType": "text/plain", "name": "a.txt"}},
        {"type": "url", "url": "https://x.example/a.pdf"},
    ],
    ids=lambda part: part["type"],
)
def test_a_draft_client_finds_its_own_part_in_what_comes_back(spoken: dict[str, Any]) -> None:
    message = from_draft({"role": "user", "parts": [spoken]})
    (part,) = to_draft(message)["parts"]
    assert spoken.items() <= part.items(), "the part a draft client sent is not the part it reads"
    assert part_up(part) == part_up(spoken)


@requirement("FAULT-33", "V03-015")
@pytest.mark.parametrize(
    "part",
    [
        {},
        None,
        7,
        [],
        {"kind": "text"},
        {"kind": "text", "text": 5},
        {"kind": "video", "text": "hi"},
        {"kind": "data"},
        {"kind": "file"},
        {"kind": "file", "file": "x"},
        {"kind": "file", "file": {}},
        {"kind": "file", "file": {"bytes": "aGk=", "uri": "https://x.example/"}},
        {"kind": "file", "file": {"bytes": 5}},
        {"kind": "url", "text": "hi"},
        {"kind": "text", "text": "hi", "metadata": "about"},
    ],
    ids=repr,
)
def test_a_part_that_is_none_is_refused(part: Any) -> None:
    with pytest.raises(CsbError) as refused:
        message_up({"role": "user", "messageId": "m", "parts": [part]}, FRESH)
    assert refused.value.code.name == "invalid_params"
    assert refused.value.field.startswith("message.parts")


@requirement("A2A-DATA-003")
@pytest.mark.parametrize("raw", [{}, {"text": "a", "url": "b"}, {"data": 1, "raw": "aGk="}, {"filename": "x"}])
def test_a_part_has_exactly_one_content(raw: dict[str, Any]) -> None:
    with pytest.raises(CsbError) as refused:
        part_from_json(raw)
    assert refused.value.code.name == "invalid_params"


@requirement("A2A-DATA-004")
@settings(deadline=None)
@given(part=parts)
def test_a_part_that_is_kept_is_written_as_it_was_read(part: dict[str, Any]) -> None:
    assert part_to_json(part_from_json(part)) == part


@requirement("DRAFT-010")
@pytest.mark.parametrize("sender", ["Heng", {"name": "Heng", "did": "did:key:z6"}], ids=["text", "object"])
def test_a_sender_is_found_beside_and_inside_the_message(sender: Any) -> None:
    message = {"role": "user", "parts": [{"text": "hi"}]}
    beside = lifted(BY_NAME["tasks/send"], {"message": message, "sender": sender}, FRESH)["message"]
    inside = lifted(BY_NAME["tasks/send"], {"message": {**message, "sender": sender}}, FRESH)["message"]
    assert beside["metadata"] == inside["metadata"] == {SENDER: sender}


@requirement("DRAFT-009")
def test_parent_and_history_length_are_found_beside_the_message() -> None:
    message = {"role": "user", "parts": [{"text": "hi"}], "metadata": {"history_length": 9}}
    params = {"message": message, "parent_id": "m-0", "history_length": 3}
    up = lifted(BY_NAME["tasks/send"], params, FRESH)
    assert up["message"]["metadata"] == {"history_length": 9, "parent_id": "m-0"}, "what the message says itself wins"


@requirement("DRAFT-005", "DRAFT-011")
@pytest.mark.parametrize("role", ["user", "USER", "ROLE_USER", "role_user", None])
def test_a_draft_message_is_read_in_every_spelling_of_its_role(role: str | None) -> None:
    message: dict[str, Any] = {"parts": [{"text": "Hello!"}]} | ({} if role is None else {"role": role})
    assert from_draft(message) == {"messageId": FRESH, "role": "ROLE_USER", "parts": [{"text": "Hello!"}]}


@requirement("DRAFT-005", "DRAFT-011")
def test_a_draft_message_may_have_one_part_or_a_text_alone() -> None:
    one = {"messageId": FRESH, "role": "ROLE_USER", "parts": [{"text": "Hello!"}]}
    assert from_draft({"parts": {"type": "text", "text": "Hello!"}}) == one
    assert from_draft({"text": "Hello!"}) == one
    assert from_draft({"parts": "Hello!"}) == one


@requirement("FAULT-33")
@pytest.mark.parametrize("role", [None, "system", "", 1, ["user"]])
def test_a_v0_3_message_without_a_role_is_refused(role: Any) -> None:
    message: dict[str, Any] = {"messageId": "m", "parts": [{"kind": "text", "text": "hi"}]}
    if role is not None:
        message["role"] = role
    with pytest.raises(CsbError) as refused:
        lifted(BY_NAME["message/send"], {"message": message}, FRESH)
    assert refused.value.field == "message.role"
