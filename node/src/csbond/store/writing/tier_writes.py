"""How uses of memories are counted: beside their versions, so that being read changes none."""

from __future__ import annotations

from csbond.flows.memory_changes import SetUsedAt, SpareEntry, TouchEntries
from csbond.protocol.memory.use import Use, use_of_text
from csbond.store.writing.writing import Writing


def touch_entries(transaction: Writing, write: TouchEntries) -> None:
    """Count uses, of the first piece of a text too; what is gone is passed over."""
    for use in write.uses:
        is_piece = _touch(transaction, use)
        if is_piece and use.text_count:
            for (first_id,) in transaction.run("first_piece", {"id": use.entry_id}):
                _touch(transaction, use_of_text(use, first_id))


def set_used_at(transaction: Writing, write: SetUsedAt) -> None:
    """Let an entry count as used, without a use."""
    transaction.run("set_used_at", {"id": write.entry_id, "at": write.at, "anew": write.anew})


def spare_entry(transaction: Writing, write: SpareEntry) -> None:
    """Let no rule and no time to live take an entry for a while."""
    transaction.run("spare_entry", {"id": write.entry_id, "until": write.until})


def _touch(transaction: Writing, use: Use) -> bool:
    """Whether what was used is a further piece of a text."""
    bindings = {"id": use.entry_id, "at": use.at, "count": use.count, "tokens": use.tokens, "found": use.found}
    return any(piece for (piece,) in transaction.run("touch_entry", bindings))
