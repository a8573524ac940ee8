"""Rules of forgetting are tried out: what they would do is listed, and then done as it was listed (MEM-005 §5.3)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from dataclasses import dataclass, replace

from csbond.flows.by_hand import by_hand
from csbond.flows.forgetting_in_force import forgetting_in_force
from csbond.flows.tend_memory import MOVES_TOLD, Tended
from csbond.flows.tend_step import Tending, batches, carry_out
from csbond.flows.tend_steps import rules as moves_of_rules
from csbond.flows.world import World
from csbond.protocol.audit.record import Intent
from csbond.protocol.errors import Refused
from csbond.protocol.memory.eviction import Move
from csbond.protocol.memory.forgetting import ForgettingPolicy
from csbond.protocol.memory.forgetting_plan import (
    Planned,
    chosen_rules,
    in_order,
    place_of,
    plan_name,
    planned,
    rules_of_plan,
)
from csbond.protocol.memory.review import needs_review
from csbond.protocol.memory.rights import may_forget
from csbond.protocol.messages.caller import Caller
from csbond.protocol.messages.listing import PAGE_SIZE_DEFAULT, Page, cursor_of

_LOOK = Intent("see what rules of forgetting would do", "owner", "owner token")


@dataclass(frozen=True, slots=True)
class Preview:
    """What rules would do."""

    plan: str
    """What to apply it by."""
    page: Page[Planned]
    """Some of it, the latest memories first."""


async def preview_forgetting(
    world: World,
    caller: Caller,
    policy: ForgettingPolicy | None = None,
    rules: Collection[str] = (),
    *,
    as_of: int | None = None,
    before: tuple[int, str] | None = None,
    limit: int = PAGE_SIZE_DEFAULT,
) -> Preview:
    """What the rules in force, or those of another document, would delete and archive, now or as of a time.

    With names of rules only what these would do, each as the whole document leaves it to them. Nothing is changed.
    1. the caller is the owner (`forbidden`); 2. the names are names of rules (`invalid_params`).
    """
    may_forget(caller)
    policy = policy or await forgetting_in_force(world)
    names = chosen_rules(policy, rules)
    tending = by_hand(world, caller, _LOOK, forgetting=policy)
    tending.now = tending.now if as_of is None else as_of
    found = await _planned(world, tending, names)
    left = [move for move in found if before is None or place_of(move) < before]
    shown = tuple(left[:limit])
    cursor = cursor_of(place_of(shown[-1])) if len(left) > len(shown) > 0 else ""
    return Preview(plan_name(policy, names, found), Page(shown, cursor, len(found)))


async def apply_forgetting(world: World, plan: str, caller: Caller, intent: Intent) -> Tended:
    """Do what a preview listed: nothing else, and nothing when the list is another one now.

    In human-only mode this is the yes of a person. 1. the caller is the owner (`forbidden`); 2. it is the name of a
    plan (`invalid_params`); 3. the rules in force would do now what it listed (`version_conflict`). What somebody
    changes while it is applied is left as it is.
    """
    may_forget(caller)
    policy = await forgetting_in_force(world)
    names = rules_of_plan(policy, plan)
    tending = by_hand(world, caller, intent, forgetting=policy)
    listed = await _planned(world, tending, names)
    if plan_name(policy, names, listed) != plan:
        raise Refused(
            "version_conflict",
            "the rules in force would do something else now than was listed",
            next_step="set the rules that were tried out, if they are not in force, and ask for a preview again",
        )
    return await _applied(world, tending, names, frozenset(listed))


async def _applied(world: World, tending: Tending, names: Collection[str], listed: Collection[Planned]) -> Tended:
    moves: list[Move] = []
    done = 0
    async for batch in batches(_moves(world, tending, names, listed)):
        carried = await carry_out(world, tending, batch)
        done += len(carried.moves)
        moves += carried.moves[: MOVES_TOLD - len(moves)]
    return Tended(tending.now, tending.at, False, {"rules": done}, tuple(moves), (), done - len(moves))


async def _planned(world: World, tending: Tending, names: Collection[str]) -> tuple[Planned, ...]:
    moves = moves_of_rules(world, tending)
    return in_order([planned(move) async for move in moves if move.rule in names])


async def _moves(
    world: World, tending: Tending, names: Collection[str], listed: Collection[Planned]
) -> AsyncIterator[Move]:
    """The moves that were listed; where a person has to say yes, it just did."""
    async for move in moves_of_rules(world, tending):
        if move.rule in names and planned(move) in listed:
            asked = needs_review(move, world.tiers, tending.forgetting)
            yield replace(move, trigger="manual") if asked else move
