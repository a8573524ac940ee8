from __future__ import annotations

import os
import stat

import apsw
import pytest

from csbond.protocol.errors import Unavailable
from csbond.store.sqlite import open_ledger
from csbond.store.sqlite.connection import connect
from csbond.testing import FixedSigner
from csbond_tests.ledger_samples import an_entry, put


async def test_every_commit_waits_for_the_disk(sqlite_ledger):
    settings = {
        name: sqlite_ledger._database._connection.pragma(name)
        for name in ("journal_mode", "synchronous", "foreign_keys", "cell_size_check", "trusted_schema")
    }
    assert settings == {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "cell_size_check": 1,
        "trusted_schema": 0,
    }


async def test_a_reading_connection_cannot_write(tmp_path, sqlite_ledger):
    reader = connect(tmp_path / "csbond.db", writes=False)
    with pytest.raises(apsw.ReadOnlyError):
        reader.execute("DELETE FROM entry")
    reader.close()


async def test_the_schema_cannot_be_written_around(sqlite_ledger):
    connection = sqlite_ledger._database._connection
    connection.pragma("writable_schema", True)
    with pytest.raises(apsw.SQLError):
        connection.execute("UPDATE sqlite_schema SET sql = ''")
    with pytest.raises(apsw.SQLError):
        connection.execute("DELETE FROM entry_words_data")


async def test_only_the_owner_may_read_the_files(tmp_path):
    path = tmp_path / "csbond.db"
    path.touch(0o644)
    before = os.umask(0)
    try:
        ledger = await open_ledger(path, FixedSigner(), "Luna")
        await ledger.commit(put(an_entry()))
        rights = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
        await ledger.close()
    finally:
        os.umask(before)
    assert rights == dict.fromkeys(("csbond.db", "csbond.db-wal", "csbond.db-shm", "csbond.db.lock"), 0o600)


async def test_what_was_committed_is_there_after_the_ledger_is_opened_again(tmp_path):
    path = tmp_path / "csbond.db"
    ledger = await open_ledger(path, FixedSigner(), "Luna")
    await ledger.commit(put(an_entry()))
    await ledger.close()
    assert {file.name for file in tmp_path.iterdir()} == {"csbond.db", "csbond.db.lock"}
    again = await open_ledger(path, FixedSigner(), "Luna")
    assert await again.entries_by_id(["mem_1"]) == {"mem_1": an_entry(seq=1, text_seq=1)}
    await again.close()


@pytest.mark.parametrize("made", [lambda path: path.mkdir(), lambda path: path.write_bytes(b"no database " * 400)])
async def test_a_path_that_holds_no_database_is_said_to(tmp_path, made):
    path = tmp_path / "csbond.db"
    made(path)
    with pytest.raises(Unavailable) as unavailable:
        await open_ledger(path, FixedSigner(), "Luna")
    assert unavailable.value.code.name == "storage_unavailable"


async def test_a_folder_that_is_not_there_is_said_to_be_missing(tmp_path):
    with pytest.raises(Unavailable, match="No such file"):
        await open_ledger(tmp_path / "nowhere" / "csbond.db", FixedSigner(), "Luna")
