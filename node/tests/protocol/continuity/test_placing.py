from __future__ import annotations

import pytest

from csbond.protocol.continuity.placing import NAME_MAX, is_private, parent_of, place_of, sender_of
from csbond.protocol.continuity.session_context import ID_MAX
from csbond.protocol.continuity.thread import Sender, Session
from csbond.protocol.errors import RemoteProtocolError
from csbond.protocol.messages.extensions import SENDER, SESSION_CONTEXT
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.part import text_part
from csbond_tests.requirements import requirement

KNOWN = Session("s-1", "t-1", "owner", 0)


def message(context_id="", **metadata):
    return Message("m-1", "user", (text_part("hello"),), context_id, metadata=metadata)


def in_thread(thread_id, context_id="", **changes):
    return message(context_id, **{SESSION_CONTEXT: {"thread_id": thread_id, **changes}})


@requirement("A2A-004-4.1-thread")
def test_a_message_that_names_nothing_opens_a_session_and_a_thread():
    place = place_of(message(), None, "fresh")
    assert (place.context_id, place.thread_id) == ("fresh", "fresh")


@requirement("A2A-004-4.1-thread")
def test_a_message_of_a_known_session_stays_in_its_thread():
    place = place_of(message("s-1"), KNOWN, "fresh")
    assert (place.context_id, place.thread_id) == ("s-1", "t-1")


@requirement("CSB-1.2.2-thread", "A2A-004-4.3-shared")
def test_a_new_session_goes_on_with_the_thread_it_names():
    raw = {"continuity_ref": "s-1", "agent_lifespan": 38, "importance": 0.7}
    place = place_of(in_thread("t-1", "s-2", **raw), None, "fresh")
    assert (place.context_id, place.thread_id, place.continuity_ref) == ("s-2", "t-1", "s-1")
    assert (place.agent_lifespan, place.importance) == (38.0, 0.7)


def test_a_session_does_not_move_to_another_thread():
    with pytest.raises(RemoteProtocolError) as refusal:
        place_of(in_thread("t-2", "s-1"), KNOWN, "fresh")
    assert refusal.value.field == "session_context.thread_id"


def test_a_session_id_that_is_too_long_is_refused():
    with pytest.raises(RemoteProtocolError) as refusal:
        place_of(message("x" * (ID_MAX + 1)), None, "fresh")
    assert refusal.value.field == "message.contextId"


@requirement("A2A-004-4.2-parent")
def test_the_message_that_is_answered_is_its_parent():
    assert parent_of(message(parent_id="m-0")) == "m-0"
    assert parent_of(message()) == ""


@pytest.mark.parametrize("parent_id", [7, None, ["m-0"], "x" * (ID_MAX + 1)])
def test_a_parent_that_is_no_id_is_refused(parent_id):
    with pytest.raises(RemoteProtocolError) as refusal:
        parent_of(message(parent_id=parent_id))
    assert refusal.value.field == "metadata.parent_id"


@pytest.mark.parametrize(
    "metadata, sender",
    [
        ({}, Sender()),
        ({SENDER: {"name": "青烛 🕯️", "did": "did:key:zA"}}, Sender("青烛 🕯️", "did:key:zA")),
        ({"sender": " Bo "}, Sender("Bo")),
        ({"sender": {"id": "x"}}, Sender()),
        ({"original_sender": "Bo"}, Sender("Bo")),
        ({SENDER: {"name": "Ann"}, "sender": "Bo"}, Sender("Ann")),
        ({"sender": "x" * 500}, Sender("x" * NAME_MAX)),
        ({"sender": {"name": 7, "did": "did:key:zA"}}, Sender("", "did:key:zA")),
        ({"sender": 7}, Sender()),
    ],
)
def test_the_sender_is_who_the_message_says_in_any_of_the_places(metadata, sender):
    assert sender_of(message(**metadata)) == sender


@pytest.mark.parametrize("value, private", [(True, True), (False, False), ("true", False), (None, False)])
def test_only_a_clear_yes_makes_a_message_private(value, private):
    assert is_private(message(private=value)) is private
