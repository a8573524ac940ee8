"""The audit record of a question to a person, and of its answer (MEM-005 §5.4, §5.5)."""

from __future__ import annotations

from csbond.flows.memory_record import memory_record
from csbond.flows.world import World
from csbond.protocol.audit.record import AuditDraft, Intent
from csbond.protocol.memory.review import Review


def review_record(world: World, review: Review, intent: Intent, at: int) -> AuditDraft:
    """The record of a question that is asked, or of its answer once it has one."""
    answer = {"verdict": review.verdict} if review.decided_at else {}
    details = {"review": review.id, "kind": review.kind, **answer, **review.proposed}
    return memory_record(world, "review", review.entry_id, intent, at, details)
