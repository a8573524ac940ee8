"""What is left of cleared memories in the database, what the owner set, and what waits for a person."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from csbond.flows.memory_ledger import ReviewState
from csbond.protocol.memory.review import Review, ReviewKind
from csbond.protocol.memory.whitespace import ArchivedMemory
from csbond.protocol.messages.listing import Page
from csbond.store.sqlite.database import Database
from csbond.store.writing.json_columns import from_json, to_json
from csbond.store.writing.pages import LATEST, page_of
from csbond.store.writing.rows import archived_of, review_of

_EARLIEST = -(2**63)
"""A time before all others."""


class ForgottenReads:
    """The side of the ledger that tells what was forgotten, and what is to be."""

    _database: Database

    async def archived(self, entry_id: str) -> ArchivedMemory | None:
        """The record of a cleared memory."""
        return (await self.archived_by_id((entry_id,))).get(entry_id)

    async def archived_by_id(self, ids: Sequence[str]) -> dict[str, ArchivedMemory]:
        """Those of the ids whose memories were cleared."""
        rows = self._database.reader.rows("archived", {"ids": to_json(list(ids))})
        return {row[0]: archived_of(row) for row in rows}

    async def archive_page(self, space: str, before: tuple[int, str] | None, limit: int) -> Page[ArchivedMemory]:
        """A page of such records, the latest cleared first."""
        rows = self._database.reader.rows("archive_page", _page_bindings(space, before, limit))
        total = self._database.reader.rows("archive_total", {"space": space})[0][0]
        return page_of(tuple(map(archived_of, rows)), limit, total, lambda record: (record.cleared_at, record.id))

    async def expired_archive(
        self, space: str, cleared_until: int, limit: int, after: ArchivedMemory | None = None
    ) -> tuple[ArchivedMemory, ...]:
        """Records of memories that were cleared at a time or before, the earliest first."""
        bindings = {
            "space": space,
            "cleared_until": cleared_until,
            "after_at": after.cleared_at if after else _EARLIEST,
            "after_id": after.id if after else "",
            "limit": max(0, limit),
        }
        return tuple(map(archived_of, self._database.reader.rows("expired_archive", bindings)))

    async def policy(self, name: str) -> tuple[int, Mapping[str, Any]] | None:
        """The latest version of a document that the owner set; None before the first."""
        row = self._database.reader.row("latest_policy", {"name": name})
        return (row[0], from_json(row[1])) if row else None

    async def review(self, review_id: str) -> Review | None:
        """One question."""
        row = self._database.reader.row("review", {"id": review_id})
        return review_of(row) if row else None

    async def reviews(self, space: str, state: ReviewState, before: tuple[int, str] | None, limit: int) -> Page[Review]:
        """A page of questions about memories of a Space, the latest first."""
        page, total = ("waiting_reviews_page", "waiting_reviews_total") if state == "open" else _ALL_REVIEWS
        bindings = {**_page_bindings(space, before, limit), "decided_since": 1 if state == "decided" else 0}
        rows = self._database.reader.rows(page, bindings)
        count = self._database.reader.rows(total, bindings)[0][0]
        return page_of(tuple(map(review_of, rows)), limit, count, lambda review: (review.asked_at, review.id))

    async def latest_reviews(self, entry_ids: Collection[str], kind: ReviewKind) -> dict[str, Review]:
        """The latest question of a kind about each of the memories there was one about, by the memory's id."""
        bindings = {"ids": to_json(sorted(entry_ids)), "kind": kind}
        found = map(review_of, self._database.reader.rows("latest_reviews", bindings))
        return {review.entry_id: review for review in found}

    async def open_reviews(self, entry_id: str) -> tuple[Review, ...]:
        """The questions about a memory that wait, the earliest first."""
        return tuple(map(review_of, self._database.reader.rows("open_reviews", {"entry_id": entry_id})))


_ALL_REVIEWS = ("reviews_page", "reviews_total")


def _page_bindings(space: str, before: tuple[int, str] | None, limit: int) -> dict[str, Any]:
    before_at, before_id = before or (LATEST, "")
    return {"space": space, "before_at": before_at, "before_id": before_id, "limit": max(0, limit) + 1}
