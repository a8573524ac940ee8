"""A ledger of schema 2 knew neither uses nor what it deleted: both are made up for when it is opened."""

from __future__ import annotations

import apsw
import pytest

from csbond.flows.memory_changes import EraseEntry
from csbond.protocol.memory.entry import Level
from csbond.store.sqlite import database, open_ledger
from csbond.store.sqlite.file_rewrite import overwrite_deleted
from csbond.store.sqlite.migrations import migrate, migrations
from csbond.testing import FixedSigner
from csbond_tests.ledger_samples import NOW, home

INSERT = """
INSERT INTO entry (id, space, seq, version, type, content, tags, timestamp, source, level, visibility, caller_key,
                   thread_id, message_id, speaker, last_accessed, access_count, ttl, extends, piece, deleted_at, extra,
                   kept_at)
VALUES (:id, 'home', 1, 1, 'event', :content, '[]', 5, 'user', 'warm', 'private', 'owner', '', '', '', :last_accessed,
        2, 0, '', 0, 0, '{}', :kept_at)
"""
FAR_AHEAD = 2**60
GONE = "Quicksilver marmalade underneath the abandoned lighthouse."

VERSION_WITH_A_LINK = """
    INSERT INTO entry_version
    SELECT row, 1, seq, type, content, tags, timestamp, source, level, visibility, caller_key, thread_id, message_id,
           speaker, last_accessed, access_count, ttl, extends, piece, deleted_at, extra, '', '', '',
           '[["mem_1", "umbrella", 1.0, ""]]'
    FROM entry WHERE id = 'mem_3'
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "csbond.db"


@pytest.fixture
def before(path):
    """A database of schema 2, with one entry in it."""
    connection = apsw.Connection(str(path))
    migrate(connection, migrations()[:2])
    connection.execute("INSERT INTO space VALUES ('home', 9)")
    insert(connection, "mem_1")
    yield connection
    connection.close()


def insert(connection, id_, content="The river.", last_accessed=0, kept_at=NOW):
    facts = {"id": id_, "content": content, "last_accessed": last_accessed, "kept_at": kept_at}
    connection.execute(INSERT, facts)
    connection.execute("INSERT INTO entry_words (rowid, words) VALUES (last_insert_rowid(), 'the river')")


@pytest.mark.parametrize(
    "last_accessed, used_at", [(0, 1_000), (999, 1_000), (1_700_000_000_000, 1_700_000_000_000), (FAR_AHEAD, 1_000)]
)
async def test_an_entry_was_used_when_it_says_or_when_it_was_kept(path, before, last_accessed, used_at):
    insert(before, "mem_2", last_accessed=last_accessed, kept_at=1_000)
    before.close()
    ledger = await open_ledger(path, FixedSigner(), "Luna")
    entry = await ledger.entry("mem_2")
    assert entry is not None
    assert (entry.used_at, entry.recent, entry.found_at, entry.moved_at) == (used_at, "", 0, 0)
    assert entry in await ledger.least_used("home", Level.WARM, NOW, 9)
    assert await ledger.check() == []
    await ledger.close()


async def test_what_was_deleted_before_is_overwritten_once(path, before):
    insert(before, "mem_2", GONE)
    before.execute("DELETE FROM entry_words WHERE rowid = 2; DELETE FROM entry WHERE id = 'mem_2'").fetchall()
    before.close()
    assert GONE.encode()[8:24] in path.read_bytes()
    ledger = await open_ledger(path, FixedSigner(), "Luna")
    assert await ledger.erase_traces()
    assert GONE.encode()[8:24] not in path.read_bytes() + path.with_name("csbond.db-wal").read_bytes()
    assert await ledger.check() == []
    kept = await ledger.entry("mem_1")
    assert kept is not None
    assert kept.content == "The river."
    await ledger.close()
    connection = apsw.Connection(str(path))
    assert connection.execute("SELECT count(*) FROM erasure").get == 0
    connection.close()


async def test_what_was_told_of_links_before_goes_with_their_memories(path, before):
    insert(before, "mem_2")
    told = '{"link_fields": {"mem_1": {"causes": {"quote": "The river."}}}, "mood": "calm"}'
    before.execute("UPDATE entry SET extra = ? WHERE id = 'mem_2'", (told,))
    insert(before, "mem_3")
    before.execute("UPDATE entry SET version = 2 WHERE id = 'mem_3'")
    before.execute(VERSION_WITH_A_LINK)
    before.close()
    ledger = await open_ledger(path, FixedSigner(), "Luna")
    await ledger.commit(home(EraseEntry("mem_1", 1, NOW)))
    assert await ledger.erase_traces()
    left = await ledger.entry("mem_2")
    assert left is not None
    assert left.extra == {"mood": "calm"}
    assert b"umbrella" not in path.read_bytes() + path.with_name("csbond.db-wal").read_bytes()
    assert await ledger.check() == []
    await ledger.close()


async def test_a_new_ledger_has_nothing_to_overwrite(path):
    connection = apsw.Connection(str(path))
    migrate(connection)
    assert connection.execute("SELECT count(*) FROM erasure").get == 0
    connection.close()


async def test_a_disk_without_room_for_that_keeps_it_for_the_next_time(path, before, monkeypatch):
    migrate(before)
    before.set_exec_trace(no_room_to_write_anew)
    overwrite_deleted(before)
    assert before.execute("SELECT row FROM erasure").get == 0
    before.close()
    monkeypatch.setattr(database, "overwrite_deleted", lambda _: None)
    ledger = await open_ledger(path, FixedSigner(), "Luna")
    assert await ledger.erase_traces()
    await ledger.close()
    connection = apsw.Connection(str(path))
    assert connection.execute("SELECT count(*) FROM erasure").get == 0
    connection.close()


async def test_while_somebody_reads_the_file_it_is_opened_and_keeps_it_for_the_next_time(path, before):
    migrate(before)
    before.pragma("journal_mode", "wal")
    before.execute("BEGIN")
    assert before.execute("SELECT count(*) FROM entry").get == 1
    ledger = await open_ledger(path, FixedSigner(), "Luna")
    kept = await ledger.entry("mem_1")
    assert kept is not None
    assert kept.content == "The river."
    before.execute("COMMIT")
    assert before.execute("SELECT row FROM erasure").get == 0
    assert await ledger.erase_traces()
    await ledger.close()


def no_room_to_write_anew(_, statement, __):
    if statement == "VACUUM":
        raise apsw.FullError("no room")
    return True
