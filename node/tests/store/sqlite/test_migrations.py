from __future__ import annotations

import re
from pathlib import Path

import apsw
import pytest

from csbond.protocol.errors import Unavailable
from csbond.store.sqlite import migrations, open_ledger
from csbond.store.sqlite.migrations import APPLICATION_ID, Migration, migrate
from csbond.testing import FixedSigner
from csbond_tests.ledger_samples import an_entry, put

SCHEMA = Path(__file__).with_name("schema.txt")
"""The tables, columns and indexes after all migrations, one a line."""


@pytest.fixture
def database():
    connection = apsw.Connection(":memory:")
    yield connection
    connection.close()


def described(connection):
    lines = []
    for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").fetchall():
        columns = connection.execute(
            'SELECT name, type, "notnull", pk FROM pragma_table_xinfo(?) ORDER BY cid', (name,)
        ).fetchall()
        lines += [
            f"{name}.{column} {type_ or '-'} notnull={notnull} key={pk}" for column, type_, notnull, pk in columns
        ]
    indexes = connection.execute(
        "SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name"
    ).fetchall()
    return lines + [re.sub(r"\s+", " ", sql) for _, _, sql in indexes]


def test_the_migrations_lead_to_the_schema_that_is_written_down(database):
    migrate(database)
    assert described(database) == SCHEMA.read_text(encoding="utf-8").splitlines()


def test_every_table_of_ours_is_strict(database):
    migrate(database)
    loose = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND NOT strict ORDER BY name"
    assert database.execute(loose).fetchall() == [("sqlite_schema",)]


def test_a_new_database_has_both_numbers_and_a_mark(database):
    migrate(database)
    last = migrations.migrations()[-1]
    numbers = database.execute("SELECT version, oldest_reader FROM schema_version").fetchall()
    assert numbers == [(last.version, last.oldest_reader)]
    assert database.pragma("application_id") == APPLICATION_ID


def test_migrating_again_changes_nothing(database):
    migrate(database)
    before = described(database)
    migrate(database)
    assert described(database) == before


def test_an_older_database_gets_only_the_steps_it_lacks(database):
    migrate(database)
    later = Migration(len(migrations.migrations()) + 1, 1, "CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT")
    migrate(database, (*migrations.migrations(), later))
    numbers = database.execute("SELECT version, oldest_reader FROM schema_version").fetchall()
    assert numbers == [(later.version, 1)]
    assert "later.id INTEGER notnull=0 key=1" in described(database)


def test_a_step_that_fails_leaves_the_database_as_it_was(database):
    migrate(database)
    before = described(database)
    known = len(migrations.migrations())
    half = Migration(known + 1, known + 1, "CREATE TABLE half (id INTEGER) STRICT; CREATE nonsense")
    with pytest.raises(apsw.SQLError):
        migrate(database, (*migrations.migrations(), half))
    assert described(database) == before
    assert database.execute("SELECT version FROM schema_version").fetchall() == [(known,)]


async def test_a_ledger_that_only_a_newer_program_may_use_is_refused_with_both_numbers(tmp_path):
    path = tmp_path / "csbond.db"
    await (await open_ledger(path, FixedSigner(), "Luna")).close()
    connection = apsw.Connection(str(path))
    connection.execute("UPDATE schema_version SET version = 9, oldest_reader = 7")
    connection.close()
    with pytest.raises(Unavailable) as unavailable:
        await open_ledger(path, FixedSigner(), "Luna")
    assert unavailable.value.code.name == "storage_unavailable"
    assert "schema 9" in unavailable.value.reason
    assert "knows schema 7" in unavailable.value.reason
    assert "newer csbond" in unavailable.value.next_step


async def test_a_newer_ledger_that_this_program_may_still_use_works(tmp_path):
    path = tmp_path / "csbond.db"
    await (await open_ledger(path, FixedSigner(), "Luna")).close()
    connection = apsw.Connection(str(path))
    connection.execute("UPDATE schema_version SET version = 9, oldest_reader = 2")
    connection.close()
    ledger = await open_ledger(path, FixedSigner(), "Luna")
    await ledger.commit(put(an_entry()))
    await ledger.close()
    connection = apsw.Connection(str(path))
    assert connection.execute("SELECT version FROM schema_version").get == 9
    connection.close()


async def test_another_programs_database_is_not_touched(tmp_path):
    path = tmp_path / "csbond.db"
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE bookmarks (url TEXT)")
    connection.close()
    with pytest.raises(Unavailable, match="something else"):
        await open_ledger(path, FixedSigner(), "Luna")
    connection = apsw.Connection(str(path))
    assert connection.execute("SELECT name FROM sqlite_schema").fetchall() == [("bookmarks",)]
    connection.close()


@pytest.mark.parametrize(
    "name, text",
    [("1_short.sql", "-- oldest reader: 1\n"), ("0001_ok.sql", "CREATE TABLE t (id)"), ("0001.sql", "")],
)
def test_a_file_that_is_no_migration_is_named(name, text):
    with pytest.raises(ValueError, match=name):
        migrations._migration(name, text)
