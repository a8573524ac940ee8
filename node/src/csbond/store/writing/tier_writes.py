"""How uses of memories are counted: beside their versions, so that being read changes none."""

from __future__ import annotations

from csbond.flows.memory_changes import SetUsedAt, TouchEntries
from csbond.store.writing.writing import Writing


def touch_entries(transaction: Writing, write: TouchEntries) -> None:
    """Count uses; what is softly deleted or gone is passed over."""
    for use in write.uses:
        transaction.run(
            "touch_entry",
            {"id": use.entry_id, "at": use.at, "count": use.count, "tokens": use.tokens, "found": use.found},
        )


def set_used_at(transaction: Writing, write: SetUsedAt) -> None:
    """Let an entry count as used, without a use."""
    transaction.run("set_used_at", {"id": write.entry_id, "at": write.at, "anew": write.anew})
