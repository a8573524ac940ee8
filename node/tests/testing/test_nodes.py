"""Two nodes in one process are enough to see agents talk and remember."""

from __future__ import annotations

import pytest

from csbond.protocol.errors import Unavailable
from csbond.protocol.messages.caller import ANONYMOUS
from csbond.testing.nodes import two_nodes


async def test_a_node_answers_from_what_it_was_told() -> None:
    mira, _ = two_nodes()
    await mira.hear("The red bicycle is in the cellar.")
    assert "cellar" in await mira.hear("Where is the red bicycle?")


async def test_two_nodes_talk_and_each_keeps_its_own_side() -> None:
    mira, bo = two_nodes()
    first = await mira.talk_to(bo, "小船的钥匙在木箱里。")
    second = await mira.talk_to(bo, "小船的钥匙在哪里？", first.thread_id)
    assert "木箱" in second.answer.text
    at_mira = await mira.world.ledger.thread_messages(first.thread_id, "owner", None, 10)
    at_bo = await bo.world.ledger.thread_messages(first.thread_id, "anonymous", None, 10)
    assert [len(at_mira), len(at_bo)] == [4, 4]
    assert at_bo[0].sender.did == mira.world.agent.did


async def test_what_the_owner_told_is_not_told_to_anybody() -> None:
    mira, _ = two_nodes()
    await mira.hear("The safe opens with 4711.")
    assert "4711" not in await mira.hear("How does the safe open?", ANONYMOUS)


async def test_nobody_at_an_address_is_said_and_what_was_said_stays() -> None:
    mira, bo = two_nodes()
    bo.url = "http://gone.example"
    with pytest.raises(Unavailable):
        await mira.talk_to(bo, "Is anybody there, I have news for you.", "thread-1")
    kept = await mira.world.ledger.thread_messages("thread-1", "owner", None, 10)
    assert [message.message.text for message in kept] == ["Is anybody there, I have news for you."]


async def test_a_long_talk_carries_a_summary_of_what_lies_beyond_the_window() -> None:
    mira, bo = two_nodes()
    talk = await mira.talk_to(bo, "We decided to moor the boat at the north pier.")
    for number in range(12):
        talk = await mira.talk_to(bo, f"Lamp number {number} has a new bulb and shines well.", talk.thread_id)
    summary = talk.said.metadata["context_summary"]
    assert "We decided to moor the boat at the north pier." in summary["key_decisions"]
    assert summary["ratio"] <= 0.70
