"""After a hard delete nothing of the memory can be read in the files: the last byte of it goes here (MEM-005 §5.2).

Rows that are deleted are overwritten by SQLite itself (`secure_delete`). What is left of them is in three places: the
full text indexes, which only mark a row as gone until its part of the index is merged; the samples of the statistics;
and the log, which holds pages as they were.
"""

from __future__ import annotations

import asyncio
from functools import partial

from csbond.store.sqlite.database import Database
from csbond.store.sqlite.transaction import Transaction

ATTEMPTS = 20
"""How often the log is tried to be cut …"""
PAUSE_S = 0.05
"""… and the seconds between: together as long as the slowest ordinary read."""
_MERGES = ("merge_entry_words", "merge_deleted_words")


async def erase_traces(database: Database) -> bool:
    """Make the bytes of what was erased unreadable; False while a reader holds on to an earlier state of the file.

    1. nothing to do unless something was erased since the last time (what earlier programs deleted is overwritten when
    the ledger is opened, as soon as there is room for it; until then something is left); 2. the indexes are merged in
    slices, each a short transaction beside the event loop, so that others write in between; 3. the samples go; 4. the
    log is folded into the file and cut; 5. that it was done is noted. It takes up again where it was broken off.
    """
    through = (database.reader.row("last_erasure") or (None,))[0]
    if not through:
        return through is None
    for name in _MERGES:
        while await database.writer.do_alone(partial(database.transaction.merged, name)):
            pass
    await database.writer.write(_drop_samples)
    if not await _folded(database):
        return False
    await database.writer.write(partial(_drop_erasures, through))
    return not database.reader.rows("whole_file_erasure")[0][0]


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
