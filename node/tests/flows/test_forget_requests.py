from __future__ import annotations

import pytest

from csbond.flows.changes import ForgetRequests, RememberRequest
from csbond.flows.forget_requests import BATCH, forget_requests
from csbond.flows.limits import Limits
from csbond.flows.write_memory import MemoryRequest, write_memory
from csbond.protocol.memory.entry_json import draft_from_json
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.messages.caller import OWNER
from csbond.protocol.messages.task import TaskState
from csbond_tests.ledger_samples import home
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW, small_world
from csbond_tests.stories import answered, incoming, world_of

LIMITS = Limits(repeat_window_s=10)


async def test_message_ids_older_than_the_window_are_forgotten_and_others_kept(ledger) -> None:
    world = small_world(ledger, limits=LIMITS)
    for age in (0, 9_999, 10_000, 10_001, 500_000):
        await ledger.commit(home(RememberRequest("owner", f"m-{age}", "d", "task-1", NOW - age)))
    await forget_requests(world)
    kept = [age for age in (0, 9_999, 10_000, 10_001, 500_000) if await ledger.repeated_request("owner", f"m-{age}")]
    assert kept == [0, 9_999, 10_000]


async def test_many_are_forgotten_in_transactions_of_bounded_size(ledger) -> None:
    world = small_world(ledger, limits=LIMITS)
    old = (RememberRequest("owner", f"m-{number}", "d", "task-1", 1) for number in range(2 * BATCH + 1))
    await ledger.commit(home(*old))
    ledger.changes.clear()
    await forget_requests(world)
    assert not await ledger.requests_before(NOW)
    assert [change.writes for change in ledger.changes] == [(ForgetRequests(NOW - 10_000, BATCH),)] * 3
    assert {change.space for change in ledger.changes} == {"node"}


async def test_what_is_still_recognised_as_a_repeat_is_so_after_forgetting() -> None:
    world = world_of(limits=LIMITS)
    message = incoming("hello")
    first = (await answered(world, message)).task
    world.clock.advance(10_000)
    await forget_requests(world)
    assert (await answered(world, message)).task.id == first.id
    world.clock.advance(10_001)
    await forget_requests(world)
    again = (await answered(world, message)).task
    assert (again.id == first.id, again.state) == (False, TaskState.COMPLETED)


@requirement("MEM-003-idempotent")
@pytest.mark.parametrize("key, fields", [("k", {}), ("", {"id": "mem_1_a"})])
async def test_a_repeated_write_of_memory_is_known_after_forgetting(ledger, key, fields):
    world = world_of(ledger=ledger, limits=LIMITS)

    async def written():
        draft = draft_from_json({"content": "It is kept.", **fields}, world.clock.now(), LevelNames())
        (outcome,) = await write_memory(world, (MemoryRequest(draft, key, "same"),), OWNER, INTENT)
        return outcome

    first = await written()
    world.clock.advance(1_000_000)
    await forget_requests(world)
    assert await written() == first
