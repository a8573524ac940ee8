"""What links lead to: whether it is there, and whether a caller may be told of it (MEM-001 §1.5, MEM-007 §7.3)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from csbond.flows.world import World
from csbond.protocol.errors import Refused
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.link import Link, is_foreign
from csbond.protocol.memory.visibility import Audience, audience_of
from csbond.protocol.messages.caller import Caller


async def checked_targets(
    world: World, links: Sequence[Link], caller: Caller, beside: Collection[str] = frozenset()
) -> None:
    """Nothing, when each link leads to a living memory the caller may be told, to one of those beside, or elsewhere.

    Else `memory_not_found` with the place of the first that does not.
    """
    wanted = memories(links) - frozenset(beside)
    missing = wanted - await world.ledger.living_ids(wanted, audience_of(caller)) if wanted else frozenset()
    for place, link in enumerate(links):
        if link.target_id in missing:
            raise no_target(link, place)


def no_target(link: Link, place: int) -> Refused:
    """The refusal of a link, at its place, that leads to nothing."""
    return Refused(
        "memory_not_found",
        f"there is no memory {link.target_id} to link",
        next_step="write it first, or leave the link out",
        field=f"links[{place}].target_id",
    )


def memories(links: Sequence[Link]) -> frozenset[str]:
    """The memories that links lead to, whether they are there or not."""
    return frozenset(link.target_id for link in links if not is_foreign(link.target_id))


async def told_links(world: World, entries: Sequence[MemoryEntry], audience: Audience) -> tuple[MemoryEntry, ...]:
    """The entries with those of their links alone that lead to what the audience may be told."""
    wanted = frozenset[str]() if audience.everything else memories([link for each in entries for link in each.links])
    if not wanted:
        return tuple(entries)
    hidden = wanted - await world.ledger.living_ids(wanted, audience)
    return tuple(
        replace(entry, links=tuple(link for link in entry.links if link.target_id not in hidden)) for entry in entries
    )


async def told_entries(world: World, entries: Sequence[MemoryEntry], audience: Audience) -> tuple[MemoryEntry, ...]:
    """The entries with no mention of a memory the audience may not be told: neither linked nor gone on from."""
    entries = await told_links(world, entries, audience)
    before = frozenset(entry.extends for entry in entries if entry.extends)
    if audience.everything or not before:
        return entries
    hidden = before - await world.ledger.living_ids(before, audience)
    return tuple(replace(entry, extends="") if entry.extends in hidden else entry for entry in entries)


async def is_told(world: World, target_id: str, audience: Audience) -> bool:
    """Whether the audience may be told what links to this."""
    if audience.everything or not target_id or is_foreign(target_id):
        return True
    return bool(await world.ledger.living_ids((target_id,), audience))
