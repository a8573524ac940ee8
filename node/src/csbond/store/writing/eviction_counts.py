"""How evictions are counted beside their records, in the same transaction."""

from __future__ import annotations

from collections.abc import Sequence

from csbond.protocol.audit.record import AuditDraft
from csbond.protocol.memory.stats import removals_of
from csbond.store.writing.writing import Writing


def count_evictions(transaction: Writing, space: str, records: Sequence[AuditDraft]) -> None:
    """Add what the records of a change tell to the counts of their days."""
    for removal, count in removals_of(records).items():
        transaction.run(
            "count_eviction",
            {"space": space, "day": removal.day, "trigger": removal.trigger, "action": removal.action, "n": count},
        )
