"""What a skill is given of the thread its message belongs to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from csbond.protocol.continuity.thread import ThreadMessage
from csbond.protocol.messages.caller import ANONYMOUS, OWNER, Caller
from csbond.protocol.messages.extensions import SESSION_CONTEXT
from csbond.protocol.messages.part import text_part
from csbond_tests.requirements import requirement
from csbond_tests.stories import HeldLedger, answered, ask_then_echo, incoming, world_of


class ReadLedger(HeldLedger):
    """Remembers which threads were read."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[str] = []

    async def thread_messages(self, thread_id, caller_key, before_seq, limit):
        self.read.append(thread_id)
        return await super().thread_messages(thread_id, caller_key, before_seq, limit)


async def test_nothing_is_read_for_a_message_that_begins_its_thread() -> None:
    ledger = ReadLedger()
    world = world_of(ask_then_echo, ledger)
    await answered(world, incoming("one"))
    assert ledger.read == []
    assert world.skill.turns[0].window == ()


@pytest.mark.parametrize("by", ["task", "context", "thread"])
async def test_a_message_that_goes_on_is_given_what_was_said_before(by: str) -> None:
    world = world_of(ask_then_echo, ReadLedger())
    task = (await answered(world, incoming("one"))).task
    goes_on = {
        "task": {"task_id": task.id},
        "context": {"context_id": task.context_id},
        "thread": {"message_metadata": {SESSION_CONTEXT: {"thread_id": task.thread_id}}},
    }[by]
    await answered(world, incoming("two", **goes_on))
    assert [kept.message.text for kept in world.skill.turns[1].window] == ["one", "and after one?"]


async def test_a_session_named_by_its_caller_is_read_even_when_it_is_new() -> None:
    ledger = ReadLedger()
    await answered(world_of(ask_then_echo, ledger), incoming("one", context_id="mine"))
    assert ledger.read == ["mine"]


def window_of_turn(world, number: int) -> list[str]:
    return [kept.message.text for kept in world.skill.turns[number].window]


@requirement("A2A-004-4.3-place")
@pytest.mark.parametrize("effects", [True, False])
@pytest.mark.parametrize("caller", [OWNER, ANONYMOUS], ids=lambda caller: caller.kind)
async def test_a_message_id_that_is_given_again_takes_nothing_out_of_the_window(caller: Caller, effects: bool) -> None:
    world = world_of(effects=effects)
    for text in ("one", "two", "three"):
        await answered(world, incoming(text, id="1", context_id="mine"), caller)
    assert window_of_turn(world, 2) == ["one", "one", "two", "two"]


@requirement("A2A-004-4.3-place")
async def test_a_message_of_the_same_id_in_the_same_task_is_still_in_mind() -> None:
    world = world_of(ask_then_echo)
    task = (await answered(world, incoming("one", id="1"), ANONYMOUS)).task
    await answered(world, incoming("two", id="1", task_id=task.id), ANONYMOUS)
    assert window_of_turn(world, 1) == ["one", "and after one?"]


class LateReader(HeldLedger):
    """Reads a thread only when somebody else has spoken in it."""

    def __init__(self) -> None:
        super().__init__()
        self.meanwhile: list[ThreadMessage] = []

    async def thread_messages(self, thread_id, caller_key, before_seq, limit):
        said = await super().thread_messages(thread_id, caller_key, before_seq, limit)
        later = [replace(kept, seq=10_000 + number) for number, kept in enumerate(self.meanwhile)]
        return (*said, *(kept for kept in later if before_seq is None or kept.seq < before_seq))


@requirement("A2A-004-4.3-place")
@pytest.mark.parametrize("effects", [True, False])
async def test_what_is_said_after_a_message_is_not_what_was_said_before_it(effects: bool) -> None:
    ledger = LateReader()
    world = world_of(effects=effects, ledger=ledger)
    await answered(world, incoming("one", context_id="mine"))
    (said, _) = await ledger.thread_messages("mine", OWNER.key, None, 9)
    ledger.meanwhile = [replace(said, task_id="another", message=replace(said.message, parts=(text_part("later"),)))]
    await answered(world, incoming("two", context_id="mine"))
    assert window_of_turn(world, 1) == ["one", "one"]


@requirement("A2A-004-4.2-history-length", "A2A-004-4.3-window")
@pytest.mark.parametrize("window, wish", [(20, {"history_length": 0}), (0, {})])
async def test_of_a_window_of_nothing_a_summary_tells_all(window: int, wish: dict[str, int]) -> None:
    world = world_of(window=window, summarises=True)
    await answered(world, incoming("We decided to meet on Friday in the old library.", context_id="mine"))
    await answered(world, incoming("two", context_id="mine", message_metadata=wish))
    turn = world.skill.turns[1]
    assert turn.window == ()
    assert turn.summary["key_decisions"] == ["We decided to meet on Friday in the old library."]


async def test_a_skill_without_window_and_summary_reads_nothing() -> None:
    ledger = ReadLedger()
    await answered(world_of(ledger=ledger, window=0, summarises=False), incoming("one", context_id="mine"))
    assert ledger.read == []
