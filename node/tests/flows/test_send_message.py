from __future__ import annotations

from typing import Any

import pytest

from csbond.flows.send_message import PEER_ADDRESS, send_message
from csbond.protocol.errors import CsbError, RemoteProtocolError, Unavailable
from csbond.protocol.messages.caller import OWNER
from csbond.protocol.messages.extensions import CONTEXT_SUMMARY, SENDER, SESSION_CONTEXT
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.part import text_part
from csbond_tests.requirements import requirement
from csbond_tests.stories import world_of

BO = "https://bo.example"


class Bo:
    """An agent that answers everything in the session it knows, until a test lets it fail."""

    def __init__(self) -> None:
        self.heard: list[Message] = []
        self.fault: Exception | None = None
        self.metadata: dict[str, Any] = {}

    async def send(self, url: str, message: Message) -> tuple[str, Message]:
        self.heard.append(message)
        if self.fault:
            raise self.fault
        session = message.context_id or f"session-of-{url}"
        parts = (text_part(f"My answer to {message.text}"),)
        return "Bo", Message(f"a-{len(self.heard)}", "agent", parts, session, metadata=self.metadata)


@pytest.fixture
def world() -> Any:
    return world_of(peers=Bo())


async def said_in_thread(world, thread_id: str) -> list[tuple[str, str]]:
    kept = await world.ledger.thread_messages(thread_id, "owner", None, 50)
    return [(each.sender.name, each.message.text) for each in kept]


@requirement("NODE-006")
async def test_both_sides_of_a_talk_are_kept_in_a_thread_of_their_own(world) -> None:
    talk = await send_message(world, BO, "Do you keep bees?", "", OWNER)
    assert (talk.peer_name, talk.answer.text) == ("Bo", "My answer to Do you keep bees?")
    assert await said_in_thread(world, talk.thread_id) == [
        ("Luna", "Do you keep bees?"),
        ("Bo", "My answer to Do you keep bees?"),
    ]
    records = [record.body for record in world.ledger.records]
    assert [body["type"] for body in records] == ["message_sent", "message_answer"]
    assert {body["action"]["target"] for body in records} == {BO}


@requirement("DRAFT-008", "DRAFT-010")
async def test_the_other_agent_is_told_who_speaks_and_in_which_thread(world) -> None:
    talk = await send_message(world, BO, "hello", "th-1", OWNER)
    (heard,) = world.peers.heard
    assert heard.metadata[SENDER] == {"name": "Luna", "did": "did:key:zLuna"}
    assert heard.metadata[SESSION_CONTEXT] == {"thread_id": "th-1", "continuity_ref": None}
    assert talk.thread_id == "th-1"


async def test_a_talk_goes_on_in_its_session_with_each_agent(world) -> None:
    await send_message(world, BO, "one", "th-1", OWNER)
    await send_message(world, "https://mei.example", "aside", "th-1", OWNER)
    await send_message(world, BO, "two", "th-1", OWNER)
    assert [message.context_id for message in world.peers.heard] == ["", "", f"session-of-{BO}"]
    assert world.peers.heard[2].metadata[SESSION_CONTEXT]["continuity_ref"] == f"session-of-{BO}"


async def test_an_agent_may_give_every_talk_the_same_session(world) -> None:
    for text, thread in (("one", "th-1"), ("two", "th-2"), ("three", "th-2"), ("four", "th-1")):
        await send_message(world, BO, text, thread, OWNER)
    session = f"session-of-{BO}"
    assert [message.context_id for message in world.peers.heard] == ["", "", session, session]
    assert [text for _, text in await said_in_thread(world, "th-2")] == [
        "two",
        "My answer to two",
        "three",
        "My answer to three",
    ]


async def test_the_answer_leaves_a_memory_and_what_was_said_does_not(world) -> None:
    await send_message(world, BO, "Our boat is called Tern.", "", OWNER)
    (entry,) = [record.body for record in world.ledger.records if record.body["details"]["memories"]]
    assert entry["type"] == "message_answer"
    assert (await world.ledger.counts())["entries"] == 1


async def test_the_name_in_the_answer_counts_before_that_of_the_card(world) -> None:
    world.peers.metadata = {SENDER: {"name": "Bo the beekeeper", "did": "did:key:zBo"}}
    talk = await send_message(world, BO, "hello", "", OWNER)
    (_, (name, _text)) = await said_in_thread(world, talk.thread_id)
    assert name == "Bo the beekeeper"


async def test_an_answer_remembers_where_it_came_from(world) -> None:
    talk = await send_message(world, BO, "hello", "", OWNER)
    kept = (await world.ledger.thread_messages(talk.thread_id, "owner", None, 5))[1]
    assert kept.message.metadata[PEER_ADDRESS] == BO


@pytest.mark.parametrize(
    "fault",
    [Unavailable("peer_unreachable", "nobody answers"), RemoteProtocolError("peer_broke_protocol", "no card")],
)
async def test_what_was_said_to_an_agent_that_does_not_answer_is_kept(world, fault: CsbError) -> None:
    world.peers.fault = fault
    with pytest.raises(CsbError) as refused:
        await send_message(world, BO, "hello", "th-1", OWNER)
    assert refused.value is fault
    assert await said_in_thread(world, "th-1") == [("Luna", "hello")]
    assert [record.body["type"] for record in world.ledger.records] == ["message_sent"]


@pytest.mark.parametrize("text, thread", [("", ""), (" \n", ""), ("hello", "t" * 257), ("hello", "t\x00")])
async def test_nothing_to_say_and_a_thread_that_is_none_are_refused(world, text: str, thread: str) -> None:
    with pytest.raises(CsbError) as refused:
        await send_message(world, BO, text, thread, OWNER)
    assert refused.value.code.name == "invalid_params"
    assert not world.peers.heard
    assert not world.ledger.records


@pytest.mark.parametrize(
    "url",
    [
        "",
        "x",
        "file:///etc/passwd",
        "javascript:1",
        "http://a\x00b/",
        "http://\ud800/",
        "https://bo.example/" + "a" * 70_000,
        "https://bo:geheim@bo.example",
    ],
)
async def test_an_address_that_is_none_or_carries_a_password_is_refused_and_kept_nowhere(world, url: str) -> None:
    with pytest.raises(CsbError) as refused:
        await send_message(world, url, "hello", "th-1", OWNER)
    assert (refused.value.code.name, refused.value.field) == ("invalid_params", "url")
    assert "geheim" not in refused.value.reason
    assert not world.peers.heard
    assert not world.ledger.records
    assert await said_in_thread(world, "th-1") == []


async def test_a_text_that_is_longer_than_a_message_may_be_is_not_said(world) -> None:
    await send_message(world, BO, "x" * world.limits.text_length, "th-1", OWNER)
    with pytest.raises(CsbError) as refused:
        await send_message(world, BO, "x" * (world.limits.text_length + 1), "th-1", OWNER)
    assert refused.value.code.name == "body_too_large"
    assert len(world.peers.heard) == 1


@requirement("NODE-003")
async def test_a_draining_node_begins_no_talk(world) -> None:
    world.live.draining = True
    with pytest.raises(CsbError) as refused:
        await send_message(world, BO, "hello", "", OWNER)
    assert refused.value.code.name == "draining"


@requirement("A2A-004-4.4-flag")
@pytest.mark.parametrize("mark, private", [({"private": True}, True), ({"private": "yes"}, True), ({}, False)])
async def test_an_answer_that_is_marked_private_is_kept_as_such(world, mark: dict[str, Any], private: bool) -> None:
    world.peers.metadata = mark
    talk = await send_message(world, BO, "hello", "", OWNER)
    kept = (await world.ledger.thread_messages(talk.thread_id, "owner", None, 5))[1]
    assert kept.private is private


@requirement("DRAFT-014")
async def test_a_long_talk_brings_a_summary_of_what_lies_beyond_its_window(world) -> None:
    for number in range(12):
        await send_message(world, BO, f"We decided on step {number} of the harbour plan.", "th-1", OWNER)
    assert CONTEXT_SUMMARY not in world.peers.heard[0].metadata
    assert CONTEXT_SUMMARY in world.peers.heard[-1].metadata
