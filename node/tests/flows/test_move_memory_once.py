"""Under one key a memory is raised or lowered once, however often it is asked."""

from __future__ import annotations

import asyncio

import pytest

from csbond.flows.move_memory import lower_memory, raise_memory
from csbond.protocol.errors import CsbError
from csbond.protocol.memory.entry import Level
from csbond.protocol.messages.caller import OWNER, Caller, CallerKind, Role
from csbond_tests.memories import remember
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT

ANN = Caller(CallerKind.PRINCIPAL, "ann", Role.EDITOR, frozenset({"home"}))
HOT, WARM, COLD = Level


async def raised(world, entry, to=None, **changes):
    return await raise_memory(world, entry.id, to, **{"caller": OWNER, "intent": INTENT, "key": "once", **changes})


@requirement("MEM-003-idempotent")
async def test_a_repeat_moves_nothing_and_answers_the_memory_as_it_is(either):
    entry = await remember(either, "The key is under the mat.", level="cold")
    warm = await raised(either, entry)
    commits = len(either.ledger.changes)
    assert await raised(either, entry) == warm
    assert await raised(either, entry, expected=(1,)) == warm, "it was made from that version"
    assert (warm.level, len(either.ledger.changes)) == (WARM, commits)
    assert (await raised(either, entry, key="twice")).level is HOT
    assert (await raised(either, entry)).level is HOT, "the repeat answers what is there now"


@requirement("MEM-003-idempotent")
async def test_asked_at_once_under_one_key_it_is_moved_once(either):
    entry = await remember(either, "The key is under the mat.", level="cold")
    answers = await asyncio.gather(*(raised(either, entry) for _ in range(5)))
    assert {answer.level for answer in answers} == {WARM}
    assert (await either.ledger.entry(entry.id)).version == 2


@requirement("MEM-003-idempotent")
async def test_a_key_that_named_something_else_is_refused(either):
    entry, other = [await remember(either, content, level="cold") for content in ("one", "other")]
    await raised(either, entry)
    for asked in (
        raised(either, other),
        raised(either, entry, HOT),
        lower_memory(either, entry.id, caller=OWNER, intent=INTENT, key="once"),
    ):
        with pytest.raises(CsbError) as info:
            await asked
        assert info.value.code.name == "already_exists"
    assert (await either.ledger.entry(entry.id)).level is WARM
    assert (await either.ledger.entry(other.id)).level is COLD


async def test_a_move_that_was_refused_leaves_its_key_free(world):
    entry = await remember(world, "The key is under the mat.", level="cold")
    with pytest.raises(CsbError):
        await raised(world, entry, expected=(7,))
    assert (await raised(world, entry)).level is WARM


async def test_keys_of_different_callers_are_different_keys(world):
    entry = await remember(world, "The key is under the mat.", level="cold")
    await raised(world, entry)
    with pytest.raises(CsbError) as info:
        await raised(world, entry, caller=ANN)
    assert info.value.code.name in ("forbidden", "memory_not_found"), "a key gives nobody rights"
