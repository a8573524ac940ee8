"""What waits for a person is listed, and approved or declined once (MEM-004 §4.4, MEM-005 §5.5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from csbond.flows.by_hand import by_hand, commit_moves
from csbond.flows.made_again import made_again
from csbond.flows.memory_ledger import ReviewState
from csbond.flows.review_record import review_record
from csbond.flows.tend_step import Tending, of_whole_text
from csbond.flows.world import HOME_SPACE, World
from csbond.flows.write_memory import review_writes, spare_writes
from csbond.protocol.audit.record import Intent
from csbond.protocol.errors import Refused
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.eviction import Move
from csbond.protocol.memory.review import Review, approved_move, decided, is_stale
from csbond.protocol.memory.rights import may_forget
from csbond.protocol.messages.caller import Caller
from csbond.protocol.messages.listing import PAGE_SIZE_DEFAULT, Page

Answer = Literal["approved", "declined"]
"""What a person can say to a question."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the memory it is about."""

    review: Review
    entry: MemoryEntry | None
    """As it is now; None when it was erased."""

    @property
    def is_stale(self) -> bool:
        """Whether the memory is another one now than the question is about: a yes would do nothing."""
        return not self.review.decided_at and is_stale(self.review, self.entry)


async def list_reviews(
    world: World,
    caller: Caller,
    state: ReviewState = "open",
    before: tuple[int, str] | None = None,
    limit: int = PAGE_SIZE_DEFAULT,
) -> Page[Asked]:
    """A page of questions with their memories, the latest first; `forbidden` for anybody but the owner."""
    may_forget(caller)
    page = await world.ledger.reviews(HOME_SPACE, state, before, limit)
    entries = await world.ledger.entries_by_id([review.entry_id for review in page.rows])
    rows = tuple(Asked(review, entries.get(review.entry_id)) for review in page.rows)
    return Page(rows, page.next_cursor, page.total)


async def decide_review(world: World, review_id: str, answer: Answer, caller: Caller, intent: Intent) -> Asked:
    """The question with its answer, and the memory after it; the same answer again changes nothing.

    A yes does what was proposed, as done by the caller, with all pieces of a text. When the memory has changed since it
    was asked about, the question is closed as `stale` and nothing is done. 1. the caller is the owner (`forbidden`);
    2. there is such a question (`review_not_found`); 3. it waits, or was answered so (`version_conflict`).
    """
    may_forget(caller)
    review = await made_again(lambda: _decide(world, review_id, answer, caller, intent))
    if review.kind == "clear" and review.verdict == "approved":
        await world.ledger.erase_traces()
    return Asked(review, await world.ledger.entry(review.entry_id))


async def _decide(world: World, review_id: str, answer: Answer, caller: Caller, intent: Intent) -> Review:
    review = await world.ledger.review(review_id)
    if review is None:
        raise Refused("review_not_found", f"there is no review {review_id}", next_step="list the reviews")
    if review.verdict == answer:
        return review
    entry = await world.ledger.entry(review.entry_id)
    tending = by_hand(world, caller, intent, review.reason)
    if entry is None or is_stale(review, entry):
        return await _answered(world, tending, review, "stale")
    moves = [await of_whole_text(world, approved_move(review, entry))] if answer == "approved" else []
    return await _answered(world, tending, review, answer, moves)


async def _answered(
    world: World,
    tending: Tending,
    review: Review,
    verdict: Literal["approved", "declined", "stale"],
    moves: Sequence[Move] = (),
) -> Review:
    """The question with its answer, after the moves are made with it; what was not let go is spared as long."""
    answer = decided(review, verdict, tending.operator, tending.now, world.review_again_ms)
    record = review_record(world, answer, tending.intent, answer.decided_at)
    spares = answer.kind == "delete" and answer.verdict == "declined"
    text = await world.ledger.entry_pieces(answer.entry_id) if spares else ()
    writes = (*review_writes((answer,)), *spare_writes(text, answer.again_at))
    await commit_moves(world, tending, moves, writes, record)
    return answer
