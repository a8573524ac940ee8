"""How long a soft deletion can be taken back (MEM-005 §5.2)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from csbond.protocol.errors import Refused
from csbond.protocol.memory.entry import MemoryEntry

DAY_MS = 24 * 60 * 60 * 1000


@dataclass(frozen=True, slots=True)
class DeletionPolicy:
    """What the owner set."""

    restore_ms: int = 30 * DAY_MS
    """How long after a soft deletion a memory can be restored."""


def due_for_clearing(entry: MemoryEntry, now: int, policy: DeletionPolicy) -> bool:
    """Whether a softly deleted entry is past the time in which it can be restored."""
    return 0 < entry.deleted_at <= now - policy.restore_ms


def checked_restorable(entry: MemoryEntry, now: int, policy: DeletionPolicy, *, kept_back: bool = False) -> None:
    """Nothing, for a living entry and for one that may come back; else `not_restorable` says since when it may not.

    `kept_back`: what a person is asked whether to clear, or did not let be cleared, may come back for as long as it is.
    """
    if not kept_back and due_for_clearing(entry, now, policy):
        days = f"{policy.restore_ms / DAY_MS:g} days"
        raise Refused(
            "not_restorable",
            f"the memory {entry.id} was deleted on {_day(entry.deleted_at)}; it could be restored for {days}, "
            f"until {_day(entry.deleted_at + policy.restore_ms)}",
            next_step="write it anew",
        )


def _day(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
