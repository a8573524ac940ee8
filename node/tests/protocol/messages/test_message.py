from __future__ import annotations

from typing import Any

import pytest

from csbond.protocol.messages.message import Message, message_from_json, message_to_json
from csbond.protocol.messages.part import Part, PartKind, text_part
from csbond_tests.canonical import MESSAGE
from csbond_tests.requirements import requirement


@requirement("A2A-SEND-018")
def test_a_message_is_written_as_it_was_read() -> None:
    full = {**MESSAGE, "referenceTaskIds": ["t-0", "t-9"]}
    assert message_to_json(message_from_json(full)) == full


def test_empty_fields_are_left_out() -> None:
    assert message_to_json(Message("m", "agent", (text_part("hi"),))) == {
        "messageId": "m",
        "role": "ROLE_AGENT",
        "parts": [{"text": "hi"}],
    }


def test_the_text_of_a_message_is_its_text_parts_a_line_each() -> None:
    parts = (text_part("one"), Part(PartKind.DATA, "no text"), text_part("two\n"), text_part("three"))
    assert Message("m", "user", parts).text == "one\ntwo\nthree"
    assert Message("m", "user", (Part(PartKind.URL, "https://x.example/"),)).text == ""


@pytest.mark.parametrize("missing", ["messageId", "role", "parts"])
def test_the_required_fields_are_expected_to_be_there(missing: str) -> None:
    raw: dict[str, Any] = {name: value for name, value in MESSAGE.items() if name != missing}
    with pytest.raises(KeyError, match=missing):
        message_from_json(raw)
