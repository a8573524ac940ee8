"""Memory is tended: what is due rises, sinks, is deleted and cleared, step by step (MEM-004 §4.2, MEM-005 §5).

The order of the steps is part of what they mean: `flows/tend_steps.py` has them, `flows/tend_step.py` what a batch of
one does. Only one run goes on at a time; what it did before it was interrupted stays, and the next goes on from there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from csbond.flows.forgetting_in_force import forgetting_in_force
from csbond.flows.note_use import keep_uses
from csbond.flows.tend_step import NODE, Carried, Tending, batches, carry_out
from csbond.flows.tend_steps import STEPS, purge_archive
from csbond.flows.world import World
from csbond.protocol.audit.record import Intent
from csbond.protocol.memory.entry import refused
from csbond.protocol.memory.entry_fields import CLOCK_SKEW_MS
from csbond.protocol.memory.eviction import Move
from csbond.protocol.memory.review import Review

AS_OF_MAX = 253_402_300_799_999
"""The last millisecond of the year 9999: the calendar of the archive ends there."""
MOVES_TOLD = 1000
"""Moves that a run tells one by one; the counts of its steps are whole."""
BY_ITSELF = Intent("tend the memories", NODE, "the settings of the home")
PAUSE_S = 1.0
"""Seconds in which writes into the hot tier are gathered before it is looked at."""
_RUNNING = "tend_memory"

Pause = Callable[[float], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Tended:
    """What a run did, or a dry run would do."""

    as_of: int
    """For when, in milliseconds since 1970."""
    at: int
    """When, by the clock."""
    dry_run: bool
    steps: Mapping[str, int]
    """How much each step did, in their order; a text in pieces counts once."""
    moves: tuple[Move, ...]
    """The first of them, each with all pieces of its text."""
    reviews: tuple[Review, ...]
    """What a person is asked now; of these too the first."""
    left_off: int = 0
    """How many moves and questions are not told one by one."""


async def tend_memory(
    world: World,
    as_of: int | None = None,
    *,
    clear: bool = False,
    dry_run: bool = False,
    intent: Intent = BY_ITSELF,
    operator: str = NODE,
) -> Tended:
    """Do what is due, now or as of a time; a second run as of the same time finds nothing.

    A time ahead of the clock moves memories between tiers and removes none, unless `clear` asks for that too: who tries
    out the future must not lose anything. What is removed, recorded or asked then is dated by the clock all the same.
    What the rules decided that the owner replaces meanwhile is left to the next run.
    `invalid_params` for a time out of all bounds, or before the clock unless it is a dry run: five minutes ago is taken
    for now, since clocks differ; `storage_full`, `storage_unavailable`.
    """
    if as_of is not None and not 0 <= as_of <= AS_OF_MAX:
        raise refused("as_of", f"must be a time from 0 to {AS_OF_MAX}, in milliseconds since 1970")
    if as_of is not None and not dry_run and as_of < world.clock.now() - CLOCK_SKEW_MS:
        raise refused("as_of", "is over: it would act on what is known since; leave it out, or ask for a dry run")
    async with world.writing.hold((_RUNNING,)):
        clock = world.clock.now()
        now = clock if as_of is None else as_of if dry_run else max(as_of, clock)  # another run may have taken long
        forgetting = await forgetting_in_force(world)
        tending = Tending(now, forgetting, intent, operator, dry_run, removes=clear or now <= clock, clock=clock)
        return await _tended(world, tending)


async def tend_when_hot(world: World, pause: Pause = asyncio.sleep) -> None:
    """Tend after writes into the hot tier for the life of the node, so that it does not stay beyond its cap."""
    while True:
        await world.signals.hot.wait()
        await pause(PAUSE_S)
        world.signals.hot.clear()
        try:
            await tend_memory(world)
        except Exception as fault:
            world.journal.failed("tend_memory", fault)


async def _tended(world: World, tending: Tending) -> Tended:
    steps: dict[str, int] = {}
    told = Carried()
    counted = 0
    steps["keep_uses"] = await keep_uses(world)  # in a dry run too: they are counted in any case
    for name, step in STEPS.items():
        steps[name] = 0
        async for batch in batches(step(world, tending)):
            if await _are_new(world, tending):
                continue
            carried = await carry_out(world, tending, batch)
            steps[name] += len(carried.moves)
            counted += len(carried.moves) + len(carried.reviews)
            told = _with(told, carried)
        if name == "clear":
            steps["purge"] = await purge_archive(world, tending)
    if not tending.dry_run:
        await world.ledger.erase_traces(at_once=False)
    left_off = counted - len(told.moves) - len(told.reviews)
    return Tended(tending.now, tending.at, tending.dry_run, steps, told.moves, told.reviews, left_off)


async def _are_new(world: World, tending: Tending) -> bool:
    """Whether other rules came into force meanwhile: those count from now on, not what the ones before decided."""
    before, tending.forgetting = tending.forgetting, await forgetting_in_force(world)
    return before.version != tending.forgetting.version


def _with(told: Carried, carried: Carried) -> Carried:
    return Carried((told.moves + carried.moves)[:MOVES_TOLD], (told.reviews + carried.reviews)[:MOVES_TOLD])
