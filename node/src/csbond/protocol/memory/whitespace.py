"""What is left of a memory that was cleared: that it was there, and why it went (MEM-004 §4.3)."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from csbond.protocol.memory.entry import EntryType, Level, MemoryEntry
from csbond.protocol.memory.entry_fields import checked_name
from csbond.protocol.memory.tier_policy import WhitespacePolicy

REASON_MAX = 256
"""Code points of the reason that a person gives."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class ArchivedMemory:
    """The record of a cleared memory: no content, vector or tag; times in milliseconds."""

    id: str
    space: str
    type: EntryType
    timestamp: int
    original_level: Level
    deleted_at: int
    """When it was deleted, softly or at once."""
    cleared_at: int
    reason: str
    operator: str
    """Who removed it: a caller's key, or the node."""
    trigger: str
    """What deleted it first (MEM-005 §5.4)."""
    rule: str = ""
    original_seq: int = 0
    """Its last place in the Space's order of commits."""


def archived(
    entry: MemoryEntry,
    now: int,
    reason: str,
    operator: str,
    policy: WhitespacePolicy,
    *,
    trigger: str = "",
    rule: str = "",
) -> ArchivedMemory | None:
    """What is left of an entry that is cleared now; None in a home that keeps nothing.

    What deleted it softly stays its trigger; one that lived until now goes by the trigger given.
    """
    if not policy.enabled:
        return None
    return ArchivedMemory(
        id=entry.id,
        space=entry.space,
        type=entry.type,
        timestamp=entry.timestamp,
        original_level=entry.level,
        deleted_at=entry.deleted_at or now,
        cleared_at=now,
        reason=reason,
        operator=operator,
        trigger=(entry.deleted_by if entry.deleted_at else trigger) or "manual",
        rule=rule,
        original_seq=entry.seq,
    )


def expired(record: ArchivedMemory, now: int, policy: WhitespacePolicy) -> bool:
    """Whether the record has been kept as long as it must and is erased too."""
    return record.cleared_at <= expired_before(now, policy)


def expired_before(now: int, policy: WhitespacePolicy) -> int:
    """Until when a memory must have been cleared for its record to go now: the same day and hour, years earlier.

    From a 29th of February it is a 28th.
    """
    today = _EPOCH + timedelta(milliseconds=now)
    year = max(1, today.year - policy.retention_years)
    day = 28 if (today.month, today.day) == (2, 29) and policy.retention_years else today.day
    return (today.replace(year=year, day=day) - _EPOCH) // timedelta(milliseconds=1)


def checked_reason(value: object) -> str:
    """The reason that a person gives, in NFC; `invalid_params` when it is empty or too long."""
    return unicodedata.normalize("NFC", checked_name("reason", value, REASON_MAX)).strip()


def archive_to_json(record: ArchivedMemory) -> Mapping[str, Any]:
    """The record in the source's shape: the fields it preserves, and when it was cleared."""
    return {
        "id": record.id,
        "type": record.type,
        "timestamp": record.timestamp,
        "original_level": record.original_level.value,
        "deleted_at": record.deleted_at,
        "cleared_at": record.cleared_at,
        "ethical_log": [
            {
                "reason": record.reason,
                "operator": record.operator,
                "timestamp": record.cleared_at,
                "trigger": record.trigger,
                **({"rule_name": record.rule} if record.rule else {}),
            }
        ],
    }
