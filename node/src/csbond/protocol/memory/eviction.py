"""One move of a memory between tiers or out of them, and what its audit record says (MEM-005 §5.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from csbond.protocol.memory.entry import Level, MemoryEntry

Trigger = Literal["ttl", "lru", "rule", "manual", "system"]
"""Why a memory moves: its time, a cap, a rule, a person, or the node's own housekeeping."""
_RULE = "rule:"
"""How the deleter begins of what a rule has deleted; no caller's key does."""
Place = Level | Literal["deleted", "erased"]
"""Where a memory can be: in a tier, softly deleted, or nowhere."""
EvictionAction = Literal["demote", "archive", "delete", "hard_delete", "promote"]
"""The four of the source, and `promote` for a rise, which is no eviction."""


@dataclass(frozen=True, slots=True)
class Move:
    """What is to become of a memory, and why."""

    entry: MemoryEntry
    """As it is before."""
    to: Place
    trigger: Trigger
    rule: str = ""
    """The forgetting rule that asks for it; empty for every other reason."""
    step: str = ""
    """The step of tending that asks for it; empty for what a person does."""
    pieces: tuple[MemoryEntry, ...] = ()
    """The other pieces of its text, as they are before: they go along."""


def with_each_piece(move: Move) -> Iterator[Move]:
    """The move of the entry, and of each other piece of its text."""
    for entry in (move.entry, *move.pieces):
        yield replace(move, entry=entry, pieces=())


def each_piece(move: Move) -> Iterator[Move]:
    """The move of each memory that has not come there yet: of the entry and of the other pieces of its text."""
    for each in with_each_piece(move):
        if move.to == "erased" or not (each.entry.deleted_at or each.entry.level is move.to):
            yield each


def goes_down(move: Move) -> bool:
    """Whether the move is an eviction: to a lower tier, or out of the tiers."""
    tiers = tuple(Level)
    return move.to in ("deleted", "erased") or tiers.index(Level(move.to)) > tiers.index(move.entry.level)


def action_of(move: Move) -> EvictionAction:
    """What the record calls it; `archive` is what a rule sends to cold."""
    if move.to == "erased":
        return "hard_delete"
    if move.to == "deleted":
        return "delete"
    if not goes_down(move):
        return "promote"
    return "archive" if move.rule and move.to is Level.COLD else "demote"


def record_type(move: Move) -> str:
    """The type of its audit record."""
    if move.to == "erased":
        return "memory_clear" if move.trigger == "system" else "memory_erase"
    return f"memory_{action_of(move)}"


def eviction_details(move: Move, now: int) -> Mapping[str, Any]:
    """The details of its record, exactly as MEM-005 §5.4 has them; `rule_name` only where a rule asked for it.

    The level before is the tier the memory was last in, of one that was softly deleted too.
    """
    return {
        "action": action_of(move),
        "memoryId": move.entry.id,
        "timestamp": now,
        "trigger": move.trigger,
        **({"rule_name": move.rule} if move.rule else {}),
        "previousLevel": move.entry.level.value,
        "newLevel": str(move.to),
    }


def has_just_moved(entry: MemoryEntry, now: int) -> bool:
    """Whether the memory changed its tier at this very moment: then no time and no cap moves it once more."""
    return entry.moved_at == now


def moved(move: Move, now: int) -> MemoryEntry:
    """The entry after the move: its next version, with the time of a change of tier.

    ValueError for a move that leaves no entry.
    """
    if move.to == "erased":
        raise ValueError(f"nothing is left of {move.entry.id}")
    if move.to == "deleted":
        deleter = f"{_RULE}{move.rule}" if move.rule else ""
        version = move.entry.version + 1
        return replace(move.entry, deleted_at=now, deleted_by=move.trigger, deleter=deleter, version=version)
    return replace(move.entry, level=Level(move.to), found_at=0, moved_at=now, version=move.entry.version + 1)


def deleting_rule(entry: MemoryEntry) -> str:
    """The rule that softly deleted the entry; empty for what something else did."""
    return entry.deleter.removeprefix(_RULE) if entry.deleter.startswith(_RULE) else ""


def deleting_caller(entry: MemoryEntry) -> str:
    """The key of the caller who wished the entry softly deleted; empty when no caller did."""
    return "" if deleting_rule(entry) else entry.deleter
