"""What waits for a person before it is done (MEM-004 §4.4, MEM-005 §5.5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from csbond.protocol.errors import Refused
from csbond.protocol.memory.deletion import DAY_MS
from csbond.protocol.memory.entry import Level, MemoryEntry
from csbond.protocol.memory.eviction import Move, Place, goes_down, with_each_piece
from csbond.protocol.memory.forgetting import ForgettingPolicy
from csbond.protocol.memory.tier_policy import TierPolicy

REVIEW_AGAIN_MS = 90 * DAY_MS
"""How long what was declined is not asked again."""
BY_PERSON = ("manual", "review", "")
"""The triggers of a deletion that a person has confirmed; those of before triggers were kept are a person's too."""

ReviewKind = Literal["lower", "delete", "clear", "merge"]
ReviewVerdict = Literal["", "approved", "declined", "stale"]
"""Empty while it waits; stale when the memory changed before anybody decided."""


@dataclass(frozen=True, slots=True)
class Review:
    """One question to a person; times in milliseconds."""

    id: str
    entry_id: str
    entry_version: int
    """The version it was asked about: an answer is for no other."""
    kind: ReviewKind
    proposed: Mapping[str, Any]
    reason: str
    asked_at: int
    decided_at: int = 0
    verdict: ReviewVerdict = ""
    decided_by: str = ""
    again_at: int = 0
    """When what was declined may be asked again."""


def needs_review(move: Move, policy: TierPolicy, forgetting: ForgettingPolicy) -> bool:
    """Whether a person has to say yes first, to the move of one of its pieces if not of the first.

    1. what a person does needs none, nor does clearing what a person deleted; 2. in human-only mode whatever is
    deleted or cleared does; 3. where the home asks for it, a decision that goes down does.
    """
    return any(_needs_review(piece, policy, forgetting) for piece in with_each_piece(move))


def _needs_review(move: Move, policy: TierPolicy, forgetting: ForgettingPolicy) -> bool:
    if move.trigger == "manual" or (move.entry.deleted_at and move.entry.deleted_by in BY_PERSON):
        return False
    if forgetting.human_only and move.to in ("deleted", "erased"):
        return True
    return policy.review_decisions and move.entry.type == "decision" and goes_down(move)


def kind_of(move: Move) -> ReviewKind:
    """What the question is about."""
    if move.to == "erased":
        return "clear"
    return "delete" if move.to == "deleted" else "lower"


def asked(move: Move, review_id: str, reason: str, now: int) -> Review:
    """The question whether to make a move."""
    proposed = {"to": str(move.to), "trigger": move.trigger, "rule": move.rule, "step": move.step}
    return Review(review_id, move.entry.id, move.entry.version, kind_of(move), proposed, reason, now)


def may_ask(latest: Review | None, now: int, entry: MemoryEntry | None = None) -> bool:
    """Whether to ask, after the latest question of the kind about the entry: not while it waits or rests.

    What waits about an earlier version of the entry can do nothing any more: it does not stop another.
    """
    if latest is None:
        return True
    if not latest.decided_at:
        return entry is not None and is_stale(latest, entry)
    return latest.again_at <= now


def keeps_back(latest: Review | None) -> bool:
    """Whether what the latest question is about has not been done because it waits for a person, or one declined."""
    return latest is not None and latest.verdict in ("", "declined")


def decided(
    review: Review,
    verdict: Literal["approved", "declined", "stale"],
    by: str,
    now: int,
    again_ms: int = REVIEW_AGAIN_MS,
) -> Review:
    """The question with its answer; `version_conflict` when it has one already."""
    if review.decided_at:
        raise Refused("version_conflict", f"the review {review.id} was {review.verdict} before by {review.decided_by}")
    again_at = now + again_ms if verdict == "declined" else 0
    return replace(review, verdict=verdict, decided_by=by, decided_at=now, again_at=again_at)


def is_stale(review: Review, entry: MemoryEntry | None) -> bool:
    """Whether the memory is not the one any more that was asked about."""
    return entry is None or entry.version != review.entry_version


def approved_move(review: Review, entry: MemoryEntry) -> Move:
    """What to do after a yes: the proposed move, now done by a person."""
    to = str(review.proposed["to"])
    place: Place = "deleted" if to == "deleted" else "erased" if to == "erased" else Level(to)
    return Move(entry, place, "manual", str(review.proposed["rule"]), str(review.proposed["step"]))
