"""What is left of cleared memories in the in-memory ledger, what the owner set, and what waits for a person."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from csbond.flows.memory_ledger import ReviewState
from csbond.protocol.memory.review import Review, ReviewKind
from csbond.protocol.memory.whitespace import ArchivedMemory
from csbond.protocol.messages.listing import Page
from csbond.testing.open_rows import OpenRows
from csbond.testing.row_pages import page_of


class ForgottenReads(OpenRows):
    """The side of the ledger that tells what was forgotten, and what is to be."""

    async def archived(self, entry_id: str) -> ArchivedMemory | None:
        """The record of a cleared memory."""
        return self._open().archive.get(entry_id)

    async def archived_by_id(self, ids: Sequence[str]) -> dict[str, ArchivedMemory]:
        """Those of the ids whose memories were cleared."""
        archive = self._open().archive
        return {id_: archive[id_] for id_ in ids if id_ in archive}

    async def archive_page(self, space: str, before: tuple[int, str] | None, limit: int) -> Page[ArchivedMemory]:
        """A page of such records, the latest cleared first."""
        found = [record for record in self._open().archive.values() if record.space == space]
        return page_of(found, _cleared, before, limit)

    async def expired_archive(
        self, space: str, cleared_until: int, limit: int, after: ArchivedMemory | None = None
    ) -> tuple[ArchivedMemory, ...]:
        """Records of memories that were cleared at a time or before, the earliest first."""
        records = sorted(self._open().archive.values(), key=_cleared)
        return tuple(
            record
            for record in records
            if record.space == space
            and record.cleared_at <= cleared_until
            and (after is None or _cleared(record) > _cleared(after))
        )[: max(0, limit)]

    async def policy(self, name: str) -> tuple[int, Mapping[str, Any]] | None:
        """The latest version of a document that the owner set; None before the first."""
        policies = self._open().policies
        versions = [version for of_name, version in policies if of_name == name]
        return (max(versions), policies[name, max(versions)]) if versions else None

    async def review(self, review_id: str) -> Review | None:
        """One question."""
        kept = self._open().reviews.get(review_id)
        return kept and kept[1]

    async def reviews(self, space: str, state: ReviewState, before: tuple[int, str] | None, limit: int) -> Page[Review]:
        """A page of questions about memories of a Space, the latest first."""
        found = [
            review
            for of_space, review in self._open().reviews.values()
            if of_space == space and state in ("", "decided" if review.decided_at else "open")
        ]
        return page_of(found, _asked, before, limit)

    async def latest_reviews(self, entry_ids: Collection[str], kind: ReviewKind) -> dict[str, Review]:
        """The latest question of a kind about each of the memories there was one about, by the memory's id."""
        found = sorted((review for _, review in self._open().reviews.values()), key=_asked)
        return {review.entry_id: review for review in found if review.kind == kind and review.entry_id in entry_ids}

    async def open_reviews(self, entry_id: str) -> tuple[Review, ...]:
        """The questions about a memory that wait, the earliest first."""
        found = (review for _, review in self._open().reviews.values())
        waiting = (review for review in found if review.entry_id == entry_id and not review.decided_at)
        return tuple(sorted(waiting, key=_asked))

    async def erase_traces(self, *, at_once: bool = True) -> bool:
        """There is no file."""
        self._open()
        return True


def _cleared(record: ArchivedMemory) -> tuple[int, str]:
    return record.cleared_at, record.id


def _asked(review: Review) -> tuple[int, str]:
    return review.asked_at, review.id
