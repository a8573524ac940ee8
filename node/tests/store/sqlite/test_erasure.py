"""What was erased cannot be read in any file of the ledger, open or closed."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import apsw
import pytest

from csbond.flows.memory_changes import EraseEntry, SetLinks
from csbond.flows.ports import StoredVector
from csbond.protocol.errors import Unavailable
from csbond.protocol.memory.link import Link
from csbond.protocol.memory.vectors import pack
from csbond.protocol.memory.words import index_text
from csbond.store.sqlite import erasure, open_ledger
from csbond.store.sqlite.database import Database
from csbond.store.sqlite.writer import Writer
from csbond.testing import FixedSigner
from csbond_tests.ledger_samples import NOW, an_entry, everything, home, put
from csbond_tests.requirements import requirement

SECRETS = {
    "en": "Quicksilver marmalade underneath the abandoned lighthouse.",
    "zh": "灯塔下面埋着一罐橘子酱和一支水银温度计。",
}
WINDOW = 8
"""Bytes in a row that count as readable: two to three characters."""


@pytest.fixture
async def opened(tmp_path):
    """Opens the ledger of the test; the last one is closed at the end."""
    ledgers = []

    async def open_it():
        ledgers.append(await open_ledger(tmp_path / "csbond.db", FixedSigner(), "Luna"))
        return ledgers[-1]

    yield open_it
    await ledgers[-1].close()


@pytest.fixture(params=list(SECRETS))
def secret(request):
    return SECRETS[request.param]


def traces(folder, *secrets):
    """The files with bytes of a secret, and which of its bytes those are."""
    windows = set()
    for text in secrets:
        told = text if isinstance(text, bytes) else text.encode()
        windows |= {told[start : start + WINDOW] for start in range(len(told) - WINDOW + 1)}
        if isinstance(text, str):
            windows |= {word.encode() for word in index_text(text).split() if len(word.encode()) >= 6}
    found = {file.name: {window for window in windows if window in file.read_bytes()} for file in folder.iterdir()}
    return {name: seen for name, seen in found.items() if seen}


async def fill(ledger, first, last):
    for number in range(first, last):
        await ledger.commit(put(an_entry(f"mem_1_{number}", f"River stone number {number}, 河边的石头。" * 20)))


VECTOR = pack((0.123456789, 0.987654321, 0.55555555))


async def written_and_deleted(ledger, secret):
    """A memory that was written, edited, indexed, looked after and softly deleted, among others."""
    entry = an_entry("mem_2_x", secret, tags=(secret[:20],), extra={"note": secret})
    await fill(ledger, 0, 60)
    await ledger.commit(put(entry))
    await ledger.save_vectors("home", "model", [StoredVector(entry.id, "home", 1, VECTOR)], 1)
    await ledger.commit(put(replace(entry, content=f"{secret} {secret}", version=2)))
    await ledger.look_after()
    await fill(ledger, 60, 90)
    await ledger.commit(put(replace(entry, version=3, deleted_at=NOW)))
    await fill(ledger, 90, 120)


@requirement("MEM-005-5.2-no-byte")
async def test_no_byte_of_an_erased_memory_is_left_in_any_file(tmp_path, opened, secret):
    ledger = await opened()
    await written_and_deleted(ledger, secret)
    assert traces(tmp_path, secret, VECTOR)
    await ledger.commit(home(EraseEntry("mem_2_x", 3, NOW)))
    assert traces(tmp_path, secret, VECTOR)
    assert await ledger.erase_traces()
    assert traces(tmp_path, secret, VECTOR) == {}
    assert await ledger.check() == []
    assert (await ledger.entries(everything(text="river stone"))).total == 120
    await ledger.close()
    assert traces(tmp_path, secret, VECTOR) == {}


@requirement("MEM-005-5.2-no-byte")
async def test_a_living_memory_is_erased_as_well(tmp_path, opened, secret):
    ledger = await opened()
    await fill(ledger, 0, 30)
    await ledger.commit(put(an_entry("mem_2_x", secret, tags=(secret[:20],))))
    await ledger.commit(home(EraseEntry("mem_2_x", 1, NOW)))
    assert await ledger.erase_traces()
    assert traces(tmp_path, secret) == {}


@requirement("MEM-005-5.2-no-byte")
async def test_the_samples_of_the_statistics_hold_nothing_of_it(tmp_path, opened):
    ledger = await opened()
    await fill(ledger, 0, 30)
    await ledger.commit(put(an_entry("mem_2_x", "A stone.", tags=("abandoned lighthouse",), project="marmalade jars")))
    connection = apsw.Connection(str(tmp_path / "csbond.db"))
    connection.execute("ANALYZE")
    assert connection.execute("SELECT count(*) FROM sqlite_stat4").get > 0
    connection.close()
    await ledger.commit(home(EraseEntry("mem_2_x", 1, NOW)))
    assert await ledger.erase_traces()
    assert traces(tmp_path, "abandoned lighthouse", "marmalade jars") == {}


async def test_looking_after_the_database_leaves_no_samples(tmp_path, opened):
    ledger = await opened()
    await fill(ledger, 0, 30)
    await ledger.look_after()
    connection = apsw.Connection(str(tmp_path / "csbond.db"))
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema").fetchall()}
    connection.close()
    assert "sqlite_stat1" in tables
    assert "sqlite_stat4" not in tables


async def test_while_somebody_reads_an_earlier_state_it_is_not_done(tmp_path, opened, secret, monkeypatch):
    monkeypatch.setattr(erasure, "PAUSE_S", 0)
    ledger = await opened()
    await written_and_deleted(ledger, secret)
    reader = apsw.Connection(str(tmp_path / "csbond.db"), flags=apsw.SQLITE_OPEN_READONLY)
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM entry").get == 121
    await ledger.commit(home(EraseEntry("mem_2_x", 3, NOW)))
    assert not await ledger.erase_traces()
    assert traces(tmp_path, secret)
    await ledger.commit(put(an_entry("mem_3", "Others write on.")))
    reader.close()
    assert await ledger.erase_traces()
    assert traces(tmp_path, secret) == {}


async def test_what_was_not_done_before_the_end_is_done_by_the_next_process(tmp_path, opened, secret):
    ledger = await opened()
    await written_and_deleted(ledger, secret)
    await ledger.commit(home(EraseEntry("mem_2_x", 3, NOW)))
    await ledger.close()
    ledger = await opened()
    assert await ledger.erase_traces()
    assert traces(tmp_path, secret) == {}


async def test_an_index_of_many_slices_is_merged_to_its_end(tmp_path, opened, secret):
    ledger = await opened()
    for first in range(0, 600, 200):
        words = (" ".join(f"w{number}x{word}" for word in range(60)) for number in range(first, first + 200))
        await ledger.commit(put(*(an_entry(f"mem_1_{first}_{place}", text) for place, text in enumerate(words))))
        await ledger.commit(put(an_entry(f"mem_2_{first}", secret)))
    counts = ledger.statement_counts()
    await ledger.commit(home(*(EraseEntry(f"mem_2_{first}", 1, NOW) for first in range(0, 600, 200))))
    assert await ledger.erase_traces()
    assert counts.statements["merge_entry_words"] > 2
    assert traces(tmp_path, secret) == {}
    assert await ledger.check() == []


async def test_it_comes_to_an_end_while_others_write_without_a_pause(tmp_path, opened, secret, monkeypatch):
    ledger = await opened()
    for first in range(0, 1200, 200):
        words = (" ".join(f"w{number}x{word}" for word in range(60)) for number in range(first, first + 200))
        await ledger.commit(put(*(an_entry(f"mem_1_{first}_{place}", text) for place, text in enumerate(words))))
    await ledger.commit(put(an_entry("mem_2_x", secret)))
    await ledger.commit(home(EraseEntry("mem_2_x", 1, NOW)))
    do_alone, written = Writer.do_alone, []

    async def after_a_write(writer, work):
        written.append(work)
        assert len(written) < 40
        await ledger.commit(put(an_entry(f"mem_3_{len(written)}", f"Others write on, {len(written)} times.")))
        return await do_alone(writer, work)

    monkeypatch.setattr(Writer, "do_alone", after_a_write)
    assert await ledger.erase_traces()
    assert traces(tmp_path, secret) == {}


async def test_it_costs_nothing_when_nothing_was_erased(opened, monkeypatch):
    ledger = await opened()
    await fill(ledger, 0, 3)
    counts = ledger.statement_counts()
    assert await ledger.erase_traces()
    await ledger.commit(home(EraseEntry("mem_1_1", 1, NOW)))
    assert await ledger.erase_traces()
    once = counts.statements.copy()
    assert once["merge_entry_words"] > 0
    assert await ledger.erase_traces()
    assert counts.statements == once


async def test_what_is_erased_meanwhile_is_left_for_the_next_time(tmp_path, opened, secret):
    ledger = await opened()
    await fill(ledger, 0, 30)
    await ledger.commit(put(an_entry("mem_2_x", secret)))
    await ledger.commit(home(EraseEntry("mem_1_1", 1, NOW)))
    await asyncio.gather(ledger.erase_traces(), ledger.commit(home(EraseEntry("mem_2_x", 1, NOW))))
    assert await ledger.erase_traces()
    assert traces(tmp_path, secret) == {}


async def test_others_write_and_read_between_the_slices(opened, monkeypatch):
    ledger = await opened()
    await fill(ledger, 0, 60)
    await ledger.commit(home(EraseEntry("mem_1_1", 1, NOW)))
    counts = ledger.statement_counts()
    erasing = asyncio.ensure_future(ledger.erase_traces())
    await asyncio.gather(*(ledger.commit(put(an_entry(f"mem_3_{number}"))) for number in range(20)))
    assert await erasing
    assert counts.statements["insert_entry"] == 20
    assert (await ledger.counts())["entries"] == 79
    assert await ledger.check() == []


@requirement("MEM-005-5.2-no-byte")
async def test_what_neighbours_kept_of_links_to_it_is_left_in_no_file(tmp_path, opened, secret):
    ledger = await opened()
    await fill(ledger, 0, 30)
    beside = {"link_fields": {"mem_2_x": {"causes": {"quote": secret}}, "mem_1_1": {"causes": {"note": "stays"}}}}
    declared = {
        "link_metadata": {"declared": {"mem_2_x": secret, "unresolved": [{"target_id": "mem_2_x", "q": secret}]}}
    }
    neighbour = an_entry("mem_3_x", "A neighbour.", extra={**beside, **declared})
    await ledger.commit(put(an_entry("mem_2_x", "A stone."), neighbour))
    await ledger.commit(home(SetLinks("mem_3_x", (Link("mem_2_x", "causes"), Link("mem_1_1", "causes")))))
    await ledger.commit(put(replace(neighbour, content="A late neighbour.", version=2)))
    assert traces(tmp_path, secret)
    await ledger.commit(home(EraseEntry("mem_2_x", 1, NOW)))
    assert await ledger.erase_traces()
    assert traces(tmp_path, secret) == {}
    assert (await ledger.entry("mem_3_x")).extra == {"link_fields": {"mem_1_1": {"causes": {"note": "stays"}}}}
    assert await ledger.check() == []


# how often the file is written anew


@pytest.fixture
def rewrites(monkeypatch):
    """How often a file was written anew."""
    rewrite, done = Database.rewrite, []

    async def counted(database):
        done.append(database.path)
        return await rewrite(database)

    monkeypatch.setattr(Database, "rewrite", counted)
    return done


async def erased(ledger, id_):
    await ledger.commit(put(an_entry(id_, SECRETS["en"])))
    await ledger.commit(home(EraseEntry(id_, 1, NOW)))


async def test_what_many_erase_at_once_is_written_anew_together(tmp_path, opened, rewrites):
    ledger = await opened()

    async def one(number):
        await erased(ledger, f"mem_{number}")
        return await ledger.erase_traces()

    assert all(await asyncio.gather(*(one(number) for number in range(20))))
    assert len(rewrites) <= 2
    assert traces(tmp_path, SECRETS["en"]) == {}


async def test_each_erasure_that_somebody_waits_for_is_written_anew(tmp_path, opened, rewrites):
    ledger = await opened()
    for number in range(3):
        await erased(ledger, f"mem_{number}")
        assert await ledger.erase_traces()
    assert len(rewrites) == 3


async def test_what_nobody_waits_for_is_written_anew_once_an_hour(tmp_path, opened, rewrites, monkeypatch):
    now = 100.0
    monkeypatch.setattr("csbond.store.sqlite.erasure.time.monotonic", lambda: now)
    ledger = await opened()
    await erased(ledger, "mem_1")
    assert await ledger.erase_traces(at_once=False)
    await erased(ledger, "mem_2")
    now += erasure.REWRITE_S - 1
    assert not await ledger.erase_traces(at_once=False)
    assert len(rewrites) == 1
    now += 1
    assert await ledger.erase_traces(at_once=False)
    assert len(rewrites) == 2
    assert traces(tmp_path, SECRETS["en"]) == {}
    await erased(ledger, "mem_3")
    assert await ledger.erase_traces()


async def test_a_large_file_is_written_anew_when_nobody_waits(tmp_path, opened, rewrites, monkeypatch):
    monkeypatch.setattr(erasure, "AT_ONCE_BYTES", 4096)
    ledger = await opened()
    await erased(ledger, "mem_1")
    assert not await ledger.erase_traces()
    assert not await ledger.erase_traces()
    assert rewrites == []
    assert await ledger.erase_traces(at_once=False)
    assert await ledger.erase_traces()
    assert len(rewrites) == 1


@pytest.mark.parametrize("fault", [apsw.FullError, apsw.IOError, apsw.CantOpenError, apsw.BusyError])
async def test_a_disk_without_room_is_asked_again(tmp_path, opened, fault):
    ledger = await opened()
    await erased(ledger, "mem_1")

    def no_room(_, statement, __):
        if statement == "VACUUM":
            raise fault("no room")
        return True

    ledger._database._connection.set_exec_trace(no_room)
    assert not await ledger.erase_traces()
    await ledger.commit(put(an_entry("mem_2", "Others write on.")))
    ledger._database._connection.set_exec_trace(None)
    assert await ledger.erase_traces()
    assert await ledger.check() == []


async def test_a_log_that_is_read_after_the_file_is_written_anew_is_only_cut(tmp_path, opened, rewrites, monkeypatch):
    monkeypatch.setattr(erasure, "PAUSE_S", 0)
    ledger = await opened()
    await erased(ledger, "mem_1")
    reader = apsw.Connection(str(tmp_path / "csbond.db"), flags=apsw.SQLITE_OPEN_READONLY)
    rewrite = Database.rewrite

    async def then_read(database):
        done = await rewrite(database)
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM entry").get == 0
        await database.writer.write(lambda transaction: transaction.next_seq("home"))
        return done

    monkeypatch.setattr(Database, "rewrite", then_read)
    assert not await ledger.erase_traces(at_once=False)
    reader.close()
    assert await ledger.erase_traces(at_once=False)
    assert len(rewrites) == 1
    assert traces(tmp_path, SECRETS["en"]) == {}


async def test_a_closed_ledger_erases_nothing(opened):
    ledger = await opened()
    await ledger.close()
    with pytest.raises(Unavailable):
        await ledger.erase_traces()
    with pytest.raises(Unavailable):
        await ledger._database.fold_log()
