"""What uses, erasing, reviews and documents of the owner do to the rows of the in-memory ledger."""

from __future__ import annotations

from dataclasses import replace

from csbond.flows.memory_changes import (
    EraseEntry,
    PurgeArchive,
    PutPolicy,
    PutReview,
    SetUsedAt,
    SpareEntry,
    TouchEntries,
)
from csbond.protocol.errors import Refused
from csbond.protocol.memory.named_targets import without_target
from csbond.protocol.memory.use import Use, after_use, use_of_text
from csbond.testing.exchange_rows import drop_foreign
from csbond.testing.memory_rows import Rows, kept_json
from csbond.testing.snapshot_rows import drop_member


def touch_entries(rows: Rows, write: TouchEntries, _: int) -> None:
    """Count uses."""
    for use in write.uses:
        is_piece = _touch(rows, use)
        if is_piece and use.text_count:
            _touch(rows, use_of_text(use, rows.first_piece(use.entry_id)))


def set_used_at(rows: Rows, write: SetUsedAt, _: int) -> None:
    """Let an entry count as used."""
    entry = rows.entries.get(write.entry_id)
    if entry is not None:
        recent = "" if write.anew else entry.recent
        rows.put(rows.entries, entry.id, replace(entry, used_at=max(entry.used_at, write.at), recent=recent))


def spare_entry(rows: Rows, write: SpareEntry, _: int) -> None:
    """Let no rule and no time to live take an entry for a while."""
    entry = rows.entries.get(write.entry_id)
    if entry is not None:
        rows.put(rows.entries, entry.id, replace(entry, spared_until=write.until))


def _touch(rows: Rows, use: Use) -> bool:
    """Whether what was used is a further piece of a text."""
    entry = rows.entries.get(use.entry_id)
    if entry is None:
        return False
    rows.put(rows.entries, entry.id, after_use(entry, use))
    return entry.piece > 0


def erase_entry(rows: Rows, write: EraseEntry, seq: int) -> None:
    """Remove an entry and all that belongs to it, and keep its record."""
    entry = rows.entries.get(write.entry_id)
    if entry is None or entry.version != write.version:
        raise Refused("version_conflict", f"the memory {write.entry_id} is not at version {write.version}")
    rows.drop(rows.entries, entry.id)
    rows.drop(rows.entry_words, entry.id)
    for version in [key for key in rows.versions if key[0] == entry.id]:
        rows.drop(rows.versions, version)
    for link in [key for key in rows.links if entry.id in key[:2]]:
        rows.drop(rows.links, link)
    for vector in [key for key in rows.vectors if key[2] == entry.id]:
        rows.drop(rows.vectors, vector)
    drop_member(rows, entry.id)
    drop_foreign(rows, entry.id)
    _unlink_versions(rows, entry.id)
    _forget_name(rows, entry.id, seq)
    if write.archive is not None:
        rows.put(rows.archive, entry.id, write.archive)


def _unlink_versions(rows: Rows, entry_id: str) -> None:
    for key, version in list(rows.versions.items()):
        links = tuple(link for link in version.links if link.target_id != entry_id)
        if links != version.links:
            rows.put(rows.versions, key, replace(version, links=links, linked=bool(links)))


def _forget_name(rows: Rows, entry_id: str, seq: int) -> None:
    for entry in list(rows.entries.values()):
        extra = without_target(entry.extra, entry_id)
        if extra is not entry.extra:
            rows.put(rows.entries, entry.id, replace(entry, extra=extra, seq=seq))
    for key, version in list(rows.versions.items()):
        extra = without_target(version.extra, entry_id)
        if extra is not version.extra:
            rows.put(rows.versions, key, replace(version, extra=extra))


def purge_archive(rows: Rows, write: PurgeArchive, _: int) -> None:
    """Remove records of cleared entries."""
    for id_ in write.ids:
        rows.drop(rows.archive, id_)


def put_review(rows: Rows, write: PutReview, _: int) -> None:
    """Keep a question, or its answer."""
    review = replace(write.review, proposed=kept_json(write.review.proposed))
    kept = rows.reviews.get(review.id)
    if review.decided_at:
        if kept is None or kept[1].decided_at:
            raise Refused("version_conflict", f"the review {review.id} is not open")
        rows.put(rows.reviews, review.id, (kept[0], review))
        return
    waiting = {(each.entry_id, each.kind) for _, each in rows.reviews.values() if not each.decided_at}
    if kept or (review.entry_id, review.kind) in waiting:
        raise Refused("already_exists", f"there is a question whether to {review.kind} {review.entry_id} already")
    entry = rows.entries.get(review.entry_id)
    if entry is None:
        raise Refused("version_conflict", f"the memory {review.entry_id} is gone")
    rows.put(rows.reviews, review.id, (entry.space, review))


def put_policy(rows: Rows, write: PutPolicy, _: int) -> None:
    """Keep the next version of a document."""
    latest = max((version for name, version in rows.policies if name == write.name), default=0)
    if write.version != latest + 1:
        raise Refused("version_conflict", f"the document {write.name} is at version {latest}")
    rows.put(rows.policies, (write.name, write.version), kept_json(write.document))
