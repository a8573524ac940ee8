from __future__ import annotations

from typing import Any

import pytest

from csbond.protocol.continuity.placing import (
    Place,
    parent_of,
    place_of,
    sender_of,
)
from csbond.protocol.continuity.thread import Sender, Session
from csbond.protocol.errors import CsbError
from csbond.protocol.messages.extensions import SENDER, SESSION_CONTEXT
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.part import text_part
from csbond_tests.requirements import requirement

KNOWN = Session("c-1", "th-1", "owner", opened_at=1)


def message(context_id: str = "", **metadata: Any) -> Message:
    return Message("m", "user", (text_part("hi"),), context_id, metadata=metadata)


def stated(thread_id: str, **more: Any) -> dict[str, Any]:
    return {SESSION_CONTEXT: {"thread_id": thread_id, **more}}


@requirement("A2A-SEND-009")
def test_a_message_that_says_nothing_opens_a_session_and_a_thread_of_its_own() -> None:
    assert place_of(message(), None, "fresh") == Place("fresh", "fresh", "", 0.0, 0.5)


@requirement("A2A-SEND-010")
def test_a_session_of_the_client_is_kept_and_is_its_own_thread() -> None:
    place = place_of(message("c-1"), None, "fresh")
    assert (place.context_id, place.thread_id) == ("c-1", "c-1")


def test_a_known_session_goes_on_in_its_thread() -> None:
    place = place_of(message("c-1"), KNOWN, "fresh")
    assert (place.context_id, place.thread_id) == ("c-1", "th-1")


@requirement("DRAFT-008")
def test_a_session_context_names_the_thread_and_what_goes_with_it() -> None:
    context = stated("th-9", continuity_ref="c-0", agent_lifespan=38, importance=0.7)
    place = place_of(message("c-1", **context), None, "fresh")
    assert place == Place("c-1", "th-9", "c-0", 38.0, 0.7)


def test_a_session_stays_in_its_thread() -> None:
    assert place_of(message("c-1", **stated("th-1")), KNOWN, "fresh").thread_id == "th-1"
    with pytest.raises(CsbError) as refused:
        place_of(message("c-1", **stated("th-2")), KNOWN, "fresh")
    assert refused.value.field == "session_context.thread_id"


@requirement("CSB-1.2.2-apart")
@pytest.mark.parametrize("known, thread_id", [(None, "c-1"), (KNOWN, "th-1")])
def test_a_session_context_without_a_thread_leaves_the_thread_to_the_session(
    known: Session | None, thread_id: str
) -> None:
    place = place_of(message("c-1", **{SESSION_CONTEXT: {"importance": 0.9}}), known, "fresh")
    assert place == Place("c-1", thread_id, "", 0.0, 0.9)


def test_a_broken_session_context_is_refused() -> None:
    with pytest.raises(CsbError):
        place_of(message(**{SESSION_CONTEXT: "th-1"}), None, "fresh")


@requirement("FAULT-30")
def test_ids_of_up_to_256_characters_are_taken() -> None:
    assert place_of(message("c" * 256), None, "fresh").context_id == "c" * 256
    with pytest.raises(CsbError) as refused:
        place_of(message("c" * 257), None, "fresh")
    assert refused.value.field == "message.contextId"
    assert parent_of(message(parent_id="p" * 256)) == "p" * 256
    with pytest.raises(CsbError):
        parent_of(message(parent_id="p" * 257))


@requirement("DRAFT-010")
@pytest.mark.parametrize(
    "metadata, sender",
    [
        ({}, Sender()),
        ({SENDER: "Heng"}, Sender("Heng")),
        ({"sender": "  Heng "}, Sender("Heng")),
        ({"original_sender": "Heng"}, Sender("Heng")),
        ({SENDER: {"name": "若兰 🌸", "did": "did:key:z6"}}, Sender("若兰 🌸", "did:key:z6")),
        ({SENDER: {"did": "did:key:z6"}}, Sender("", "did:key:z6")),
        ({SENDER: "Heng", "sender": "Other"}, Sender("Heng")),
        ({SENDER: " ", "sender": "Other"}, Sender("Other")),
        ({SENDER: {}, "sender": "Other"}, Sender("Other")),
        ({SENDER: 7, "sender": ["x"]}, Sender()),
        ({SENDER: {"name": 7, "did": []}}, Sender()),
        ({SENDER: "n" * 500}, Sender("n" * 128)),
        ({SENDER: "Ada\r\nof\x00the ferry\n"}, Sender("Ada of the ferry")),
        ({SENDER: {"name": "Ada\x1b", "did": "did:\x00"}}, Sender("Ada", "did:")),
        ({SENDER: "\x00", "sender": "Other"}, Sender("Other")),
    ],
)
def test_a_sender_is_a_claim_in_any_of_its_places(metadata: dict[str, Any], sender: Sender) -> None:
    assert sender_of(message(**metadata)) == sender


@requirement("DRAFT-009")
def test_the_parent_is_a_message_id() -> None:
    assert parent_of(message(parent_id="m-0")) == "m-0"
    assert parent_of(message()) == ""
    with pytest.raises(CsbError) as refused:
        parent_of(message(parent_id=["m-0"]))
    assert refused.value.field == "metadata.parent_id"


@pytest.mark.parametrize("said", [None, ""])
def test_no_parent_may_be_said_in_words(said: str | None) -> None:
    assert parent_of(message(parent_id=said)) == ""


def test_a_parent_of_another_kind_than_text_is_refused_for_its_kind() -> None:
    with pytest.raises(CsbError, match="must be a text"):
        parent_of(message(parent_id=5))


@requirement("CSB-1.2.3-asked-again")
def test_no_id_of_a_message_has_a_control_character() -> None:
    for take, field in (
        (lambda: place_of(message("c\x00"), None, "fresh"), "message.contextId"),
        (lambda: place_of(message(**stated("t\n")), None, "fresh"), "session_context.thread_id"),
        (
            lambda: place_of(message(**stated("t", continuity_ref="\x7f")), None, "fresh"),
            "session_context.continuity_ref",
        ),
        (lambda: parent_of(message(parent_id="m\x00")), "metadata.parent_id"),
    ):
        with pytest.raises(CsbError) as refused:
            take()
        assert refused.value.field == field
