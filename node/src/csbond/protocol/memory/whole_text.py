"""A text in pieces is judged as one: of what each piece says, the strictest counts (MEM-004 §4.2, MEM-005 §5.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.forgetting import DEFAULT_ACTION, KEEPING_MOST, ForgettingPolicy, Verdict, verdict


def as_one(pieces: Sequence[MemoryEntry]) -> MemoryEntry:
    """The first piece with the tags of all, to ask whether a pinned tag keeps it; not to be written."""
    first, *others = pieces
    return replace(first, tags=tuple(dict.fromkeys(tag for piece in (first, *others) for tag in piece.tags)))


def strictest_verdict(policy: ForgettingPolicy, pieces: Sequence[MemoryEntry], now: int) -> Verdict:
    """What may become of a text: what the rules say of its first piece, unless they keep more of another one.

    The default is for texts of which no rule says anything: of a further piece it does not count.
    """
    first, *others = (verdict(policy, piece, now) for piece in pieces)
    said = (each for each in others if each.rule != DEFAULT_ACTION)
    return min((first, *said), key=lambda each: KEEPING_MOST.index(each.action))


def judged_apart(pieces: Sequence[MemoryEntry]) -> tuple[MemoryEntry, ...]:
    """The first piece, and of the others each one of which rules and pinned tags say something else."""
    first, *others = pieces
    apart = {_judged(piece): piece for piece in reversed(others) if not judged_alike(piece, first)}
    return (first, *reversed(apart.values()))


def judged_alike(some: MemoryEntry, other: MemoryEntry) -> bool:
    """Whether rules and pinned tags say the same of both."""
    return _judged(some) == _judged(other)


def _judged(entry: MemoryEntry) -> tuple[object, ...]:
    return (entry.tags, entry.type, entry.source, entry.timestamp, entry.spared_until, bool(entry.deleted_at))
