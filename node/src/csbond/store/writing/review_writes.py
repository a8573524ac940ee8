"""How questions to a person and documents of the owner are kept."""

from __future__ import annotations

from csbond.flows.memory_changes import PutPolicy, PutReview
from csbond.protocol.errors import Refused
from csbond.protocol.memory.review import Review
from csbond.store.writing.json_columns import to_json
from csbond.store.writing.writing import Writing


def put_review(transaction: Writing, write: PutReview) -> None:
    """Keep a question, or its answer: `already_exists`, `version_conflict`."""
    if write.review.decided_at:
        _decide(transaction, write.review)
    else:
        _ask(transaction, write.review)


def put_policy(transaction: Writing, write: PutPolicy) -> None:
    """Keep the next version of a document: `version_conflict`."""
    bindings = {
        "name": write.name,
        "version": write.version,
        "document": to_json(write.document),
        "set_at": write.set_at,
    }
    if not transaction.changed("put_policy", bindings):
        raise Refused(
            "version_conflict",
            f"the document {write.name} is not at version {write.version - 1}",
            next_step="read it again and make the edit on what it says now",
        )


def _ask(transaction: Writing, review: Review) -> None:
    if not transaction.run("link_end", {"id": review.entry_id}):
        raise Refused("version_conflict", f"the memory {review.entry_id} is gone")
    bindings = {
        "id": review.id,
        "entry_id": review.entry_id,
        "entry_version": review.entry_version,
        "kind": review.kind,
        "proposed": to_json(review.proposed),
        "reason": review.reason,
        "asked_at": review.asked_at,
    }
    if not transaction.changed("ask_review", bindings):
        raise Refused("already_exists", f"there is a question whether to {review.kind} {review.entry_id} already")


def _decide(transaction: Writing, review: Review) -> None:
    bindings = {
        "id": review.id,
        "decided_at": review.decided_at,
        "verdict": review.verdict,
        "decided_by": review.decided_by,
        "again_at": review.again_at,
    }
    if not transaction.changed("decide_review", bindings):
        raise Refused("version_conflict", f"the review {review.id} is not open", next_step="read it again")
