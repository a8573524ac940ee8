"""After a hard delete nothing of the memory can be read in the files: the last byte of it goes here (MEM-005 §5.2).

Rows that are deleted are overwritten by SQLite itself (`secure_delete`). What is left of them is in four places: the
full text indexes, which only mark a row as gone until its part of the index is merged; the samples of the statistics;
the gaps of pages, where copies stay of rows that were moved; and the log, which holds pages as they were.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from functools import partial

from csbond.store.sqlite.database import Database
from csbond.store.sqlite.transaction import Transaction

AT_ONCE_BYTES = 256 * 1024 * 1024
"""A file up to this size is written anew while the person who erases waits, and all who write: some seconds."""
REWRITE_S = 3600.0
"""Seconds between two rewrites that nobody waits for: each holds up those who write, whatever little was cleared."""
ATTEMPTS = 20
"""How often the log is tried to be cut …"""
PAUSE_S = 0.05
"""… and the seconds between: together as long as the slowest ordinary read."""
MERGE_PAGES = 64
"""Pages that are merged in the first slice: 10 to 20 ms."""
MERGE_PAGES_MAX = 2**30
"""More than an index has; SQLite counts them in 32 bits."""
_MERGES = ("merge_entry_words", "merge_deleted_words")


@dataclass(slots=True)
class Rewrites:
    """What was done in the life of an open ledger."""

    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    """One at a time: what is erased while the file is written anew is waiting together for the next."""
    through: int = -1
    """The last erasure that the file was written anew for, though its log may not be cut yet."""
    patient_at: float | None = None
    """When it was last written anew with nobody waiting, in seconds of a clock that only goes forward."""


async def erase_traces(database: Database, rewrites: Rewrites, *, at_once: bool = True) -> bool:
    """Make the bytes of what was erased unreadable; False while any of them may be left, for another time.

    1. nothing to do unless something was erased since the last time; 2. what is not wanted at once waits until the file
    may be written anew again; 3. the indexes are merged in slices beside the event loop, so that others write in
    between; 4. the samples go; 5. the file is written anew, unless it is wanted at once and the file is large; 6. the
    log is folded into the file and cut; 7. that it was done is noted. False also where a reader holds on to an earlier
    state of the file, or the disk has no room; it takes up again where it was broken off.
    """
    async with rewrites.turn:
        through = (database.reader.row("last_erasure") or (None,))[0]
        if through is None:
            return True
        if through > rewrites.through and not at_once and _is_too_soon(rewrites):
            return False
        for name in _MERGES:
            await _merge(database, name)
        await database.writer.write(_drop_samples)
        # Before it is written anew: that would be in vain, and make the log longer, while somebody reads.
        if not await _folded(database) or not await _rewritten(database, rewrites, through, at_once):
            return False
        await database.writer.write(partial(_drop_erasures, through))
        rewrites.through = -1  # their numbers may begin anew
    return True


async def _merge(database: Database, name: str) -> None:
    """Merge a full text index, each slice twice the one before.

    What others write in between is one more part to merge, and what is merged by then is to be merged with it again:
    with slices of one size that would have no end. While nobody writes, a long slice holds up nobody.
    """
    pages = MERGE_PAGES
    while await database.writer.do_alone(partial(_is_left, database.transaction, name, pages)):
        pages = min(2 * pages, MERGE_PAGES_MAX)


def _is_left(transaction: Transaction, name: str, pages: int) -> bool:
    """Whether a slice leaves something to merge, as nobody writes between its halves."""
    return transaction.merged(name, pages) and transaction.merged(name, pages)


def _is_too_soon(rewrites: Rewrites) -> bool:
    return rewrites.patient_at is not None and time.monotonic() - rewrites.patient_at < REWRITE_S


async def _rewritten(database: Database, rewrites: Rewrites, through: int, at_once: bool) -> bool:
    """Whether the file is written anew since the last erasure, and nothing of it is in the log."""
    if through <= rewrites.through:
        return True
    if at_once and database.path.stat().st_size > AT_ONCE_BYTES:
        return False
    if not at_once:
        rewrites.patient_at = time.monotonic()
    if not await database.rewrite():
        return False
    rewrites.through = through
    return await _folded(database)


async def _folded(database: Database) -> bool:
    for attempt in range(ATTEMPTS):
        if attempt:
            await asyncio.sleep(PAUSE_S)
        if await database.fold_log():
            return True
    return False


def _drop_samples(transaction: Transaction) -> int:
    transaction.run("drop_samples")
    return 0


def _drop_erasures(through: int, transaction: Transaction) -> int:
    transaction.run("drop_erasures", {"through": through})
    return 0
