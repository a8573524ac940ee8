from __future__ import annotations

import asyncio

import apsw
import pytest

from csbond.flows.changes import SaveTask
from csbond.flows.memory_changes import PutEntry
from csbond.flows.ports import Committed
from csbond.protocol.errors import CsbError, Refused, Unavailable
from csbond.protocol.messages.task import TaskState
from csbond.store.sqlite import open_ledger, writer
from csbond.testing import FixedSigner
from csbond_tests.ledger_samples import a_chunk, a_record, a_task, an_entry, home, put, saved


class BrokenSigner(FixedSigner):
    """Signs until it is broken."""

    broken = False

    def sign(self, data):
        if self.broken:
            raise OSError("the key is gone")
        return super().sign(data)


async def test_commits_that_wait_together_go_to_disk_together(sqlite_ledger):
    counts = sqlite_ledger.statement_counts()
    await asyncio.gather(*(sqlite_ledger.commit(put(an_entry(f"mem_{n}"))) for n in range(60)))
    assert counts.statements["insert_entry"] == 60
    assert counts.statements["commit"] == counts.statements["begin"] <= 3
    assert counts.statements["save_space_seq"] == counts.statements["commit"]


async def test_a_group_has_a_bounded_size(sqlite_ledger):
    counts = sqlite_ledger.statement_counts()
    await asyncio.gather(*(sqlite_ledger.commit(home()) for _ in range(4 * writer.GROUP_UNITS)))
    assert counts.statements["commit"] >= 4
    assert await sqlite_ledger.space_seq("home") == 4 * writer.GROUP_UNITS


async def test_one_signature_covers_a_group(sqlite_ledger, tmp_path):
    await sqlite_ledger.commit(home(audit=(a_record("audit_0"),)))
    await asyncio.gather(*(sqlite_ledger.commit(home(audit=(a_record(f"audit_{n}"),))) for n in range(1, 9)))
    connection = apsw.Connection(str(tmp_path / "csbond.db"))
    rows = connection.execute("SELECT id, signature IS NULL, signed_by FROM audit ORDER BY seq").fetchall()
    connection.close()
    assert rows[0] == ("audit_0", 0, "audit_0")
    assert rows[1:] == [(f"audit_{n}", 1, "audit_8") for n in range(1, 8)] + [("audit_8", 0, "audit_8")]
    assert await sqlite_ledger.verify_audit() == []


async def test_a_unit_that_fails_takes_its_records_and_words_with_it_and_leaves_those_of_its_group(sqlite_ledger):
    await sqlite_ledger.commit(put(an_entry("mem_taken")))

    def write(number):
        writes = [PutEntry(an_entry(f"mem_{number}", f"only{number}"))]
        if number % 3 == 0:
            writes.append(PutEntry(an_entry("mem_taken")))
        return sqlite_ledger.commit(home(*writes, audit=(a_record(f"audit_{number}"),)))

    outcomes = await asyncio.gather(*map(write, range(12)), return_exceptions=True)
    assert [isinstance(outcome, Refused) for outcome in outcomes] == [n % 3 == 0 for n in range(12)]
    assert [outcome.space_seq for outcome in outcomes if isinstance(outcome, Committed)] == list(range(2, 10))
    assert (await sqlite_ledger.counts())["audit"] == 8
    assert await sqlite_ledger.check() == []


async def test_a_group_that_cannot_be_sealed_is_acknowledged_to_nobody(tmp_path):
    signer = BrokenSigner()
    ledger = await open_ledger(tmp_path / "csbond.db", signer, "Luna")
    await ledger.commit(home(audit=(a_record("audit_0"),)))
    signer.broken = True
    with pytest.raises(OSError, match="the key is gone"):
        await ledger.commit(home(PutEntry(an_entry()), audit=(a_record("audit_1"),)))
    signer.broken = False
    await ledger.commit(home(audit=(a_record("audit_2"),)))
    assert await ledger.entry("mem_1") is None
    assert await ledger.check() == []
    await ledger.close()


async def test_a_commit_that_fails_is_acknowledged_to_nobody_and_the_next_one_works(sqlite_ledger):
    connection = sqlite_ledger._database._connection
    refusals = iter([True, False])
    connection.set_commit_hook(lambda: next(refusals))
    outcomes = await asyncio.gather(
        *(sqlite_ledger.commit(put(an_entry(f"mem_{n}"))) for n in range(4)), return_exceptions=True
    )
    failed = [n for n, outcome in enumerate(outcomes) if isinstance(outcome, BaseException)]
    assert failed == [0, 1, 2, 3]
    assert await sqlite_ledger.entry("mem_0") is None
    await sqlite_ledger.commit(put(an_entry("mem_0")))
    connection.set_commit_hook(None)
    assert await sqlite_ledger.check() == []


async def test_a_chunk_goes_to_disk_without_anybody_waiting(sqlite_ledger):
    await sqlite_ledger.commit(saved(a_task()))
    await sqlite_ledger.append_chunk_soon(home(a_chunk("soon")))
    deadline = asyncio.get_running_loop().time() + 5
    while not await sqlite_ledger.artifacts("task-1"):
        assert asyncio.get_running_loop().time() < deadline
        await asyncio.sleep(0)


async def test_chunks_and_commits_of_a_task_keep_their_order(sqlite_ledger):
    await sqlite_ledger.commit(saved(*(a_task(f"task-{n}") for n in range(8))))

    async def answer(task_id):
        for number in range(100):
            await sqlite_ledger.append_chunk_soon(home(a_chunk(f"{number},", task_id=task_id)))
            if number % 25 == 0:
                await sqlite_ledger.commit(home(a_chunk(f"[{number}]", task_id=task_id)))
        await sqlite_ledger.commit(saved(a_task(task_id, version=2, state=TaskState.COMPLETED)))

    await asyncio.gather(*(answer(f"task-{n}") for n in range(8)))
    expected = "".join(f"{n},[{n}]" if n % 25 == 0 else f"{n}," for n in range(100))
    for n in range(8):
        (artifact,) = await sqlite_ledger.artifacts(f"task-{n}")
        assert "".join(part.value for part in artifact.parts) == expected


async def test_whoever_queues_chunks_waits_when_too_many_wait(sqlite_ledger, monkeypatch):
    monkeypatch.setattr(writer, "QUEUE_UNITS", 5)
    await sqlite_ledger.commit(saved(a_task()))
    lengths = []
    for number in range(50):
        await sqlite_ledger.append_chunk_soon(home(a_chunk(str(number))))
        lengths.append(len(sqlite_ledger._database.writer._waiting))
    assert max(lengths) == 5
    await sqlite_ledger.commit(home(SaveTask(a_task(version=2))))
    (artifact,) = await sqlite_ledger.artifacts("task-1")
    assert "".join(part.value for part in artifact.parts) == "".join(map(str, range(50)))


async def test_closing_finishes_what_waits(tmp_path):
    ledger = await open_ledger(tmp_path / "csbond.db", FixedSigner(), "Luna")
    await ledger.commit(saved(a_task()))
    waiting = [asyncio.ensure_future(ledger.commit(put(an_entry(f"mem_{n}")))) for n in range(200)]
    await asyncio.sleep(0)
    for number in range(10):
        await ledger.append_chunk_soon(home(a_chunk(str(number))))
    await ledger.close()
    assert all([(await each).space_seq for each in waiting])
    again = await open_ledger(tmp_path / "csbond.db", FixedSigner(), "Luna")
    assert (await again.counts())["entries"] == 200
    assert "".join(part.value for part in (await again.artifacts("task-1"))[0].parts) == "0123456789"
    await again.close()


async def test_a_caller_that_stops_waiting_neither_stops_its_commit_nor_disturbs_others(sqlite_ledger):
    leaving = asyncio.ensure_future(sqlite_ledger.commit(put(an_entry("mem_1"))))
    staying = asyncio.ensure_future(sqlite_ledger.commit(put(an_entry("mem_2"))))
    await asyncio.sleep(0)
    leaving.cancel()
    await staying
    assert await sqlite_ledger.entry("mem_1") is not None


async def test_a_full_disk_is_said_to_be_full_and_what_fits_still_goes(sqlite_ledger):
    connection = sqlite_ledger._database._connection
    await sqlite_ledger.commit(put(an_entry("mem_before")))
    connection.pragma("max_page_count", connection.pragma("page_count") + 8)
    large = home(*(PutEntry(an_entry(f"large_{n}", f"{n} " * 1000)) for n in range(200)), audit=(a_record(),))
    outcomes = await asyncio.gather(
        sqlite_ledger.commit(put(an_entry("mem_small"))), sqlite_ledger.commit(large), return_exceptions=True
    )
    assert isinstance(outcomes[1], Unavailable)
    assert outcomes[1].code.name == "storage_full"
    assert not isinstance(outcomes[0], BaseException)
    assert await sqlite_ledger.check() == []
    connection.pragma("max_page_count", 1_000_000)
    await sqlite_ledger.commit(large)
    assert (await sqlite_ledger.counts())["entries"] == 202
    assert await sqlite_ledger.check() == []


async def test_a_file_that_takes_no_writes_is_still_read(sqlite_ledger):
    await sqlite_ledger.commit(put(an_entry()))
    sqlite_ledger._database._connection.pragma("query_only", True)
    with pytest.raises(CsbError) as unavailable:
        await sqlite_ledger.commit(put(an_entry("mem_2")))
    assert unavailable.value.code.name == "storage_unavailable"
    assert await sqlite_ledger.entry("mem_1") is not None


async def test_a_chunk_whose_group_is_lost_is_told_to_the_end_of_its_task_once(sqlite_ledger):
    connection = sqlite_ledger._database._connection
    await sqlite_ledger.commit(saved(a_task()))
    connection.pragma("query_only", True)
    await sqlite_ledger.append_chunk_soon(home(a_chunk("lost")))
    sqlite_ledger._database.writer._start_groups()  # its patience is over
    connection.pragma("query_only", False)
    with pytest.raises(CsbError) as unavailable:
        await sqlite_ledger.commit(saved(a_task(version=2)))
    assert unavailable.value.code.name == "storage_unavailable"
    await sqlite_ledger.commit(saved(a_task(version=2)))
    assert await sqlite_ledger.artifacts("task-1") == ()


async def test_a_group_that_does_not_fit_on_the_disk_is_tried_one_by_one_in_its_order(sqlite_ledger, monkeypatch):
    await sqlite_ledger.commit(saved(a_task()))
    transaction = sqlite_ledger._database.transaction
    seal, sealed = transaction.seal, []

    def full_once():
        sealed.append(True)
        if len(sealed) == 1:
            raise apsw.FullError("the disk is full")
        seal()

    monkeypatch.setattr(transaction, "seal", full_once)
    outcomes = await asyncio.gather(
        sqlite_ledger.commit(put(an_entry("mem_1", "of the first"))),
        sqlite_ledger.append_chunk_soon(home(a_chunk("kept"))),
        sqlite_ledger.commit(put(an_entry("mem_1", "of the second"))),
        sqlite_ledger.commit(saved(a_task(version=2))),
        return_exceptions=True,
    )
    assert [type(outcome) for outcome in outcomes] == [Committed, type(None), Refused, Committed]
    assert len(sealed) == 4
    assert len(await sqlite_ledger.artifacts("task-1")) == 1
    assert await sqlite_ledger.check() == []


async def test_when_the_database_takes_back_everything_nobody_of_the_group_is_told_otherwise(sqlite_ledger):
    def lose(transaction):
        transaction._connection.execute("ROLLBACK")
        raise apsw.IOError("the disk is gone")

    await sqlite_ledger.commit(home())
    outcomes = await asyncio.gather(
        sqlite_ledger.commit(put(an_entry("mem_before"))),
        sqlite_ledger._database.writer.write(lose),
        sqlite_ledger.commit(put(an_entry("mem_after"))),
        return_exceptions=True,
    )
    assert [outcome.code.name for outcome in outcomes if isinstance(outcome, CsbError)] == ["storage_unavailable"] * 3
    assert await sqlite_ledger.entry("mem_before") is None
    assert await sqlite_ledger.entry("mem_after") is None
    assert (await sqlite_ledger.commit(home())).space_seq == 2
    assert await sqlite_ledger.check() == []


async def test_another_process_that_holds_the_file_is_waited_for_and_then_named(sqlite_ledger, tmp_path, monkeypatch):
    other = apsw.Connection(str(tmp_path / "csbond.db"))
    sqlite_ledger._database._connection.set_busy_timeout(20)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Unavailable) as unavailable:
        await sqlite_ledger.commit(home())
    other.execute("ROLLBACK")
    other.close()
    assert unavailable.value.code.name == "storage_unavailable"
    assert (await sqlite_ledger.commit(home())).space_seq == 1


async def test_a_chunk_goes_with_the_commit_that_follows_it(sqlite_ledger):
    await sqlite_ledger.commit(saved(a_task()))
    writer = sqlite_ledger._database.writer
    await sqlite_ledger.append_chunk_soon(home(a_chunk("together")))
    assert not writer._group
    await sqlite_ledger.commit(saved(a_task(version=2)))
    assert await sqlite_ledger.artifacts("task-1") != ()


async def test_a_chunk_alone_is_written_when_nothing_follows(sqlite_ledger):
    await sqlite_ledger.commit(saved(a_task()))
    moved = sqlite_ledger._database.writer._moved
    await sqlite_ledger.append_chunk_soon(home(a_chunk("alone")))
    await asyncio.wait_for(moved.wait(), 5)
    assert await sqlite_ledger.artifacts("task-1") != ()


async def test_what_is_committed_soon_goes_with_the_commit_that_follows_it(sqlite_ledger):
    counts = sqlite_ledger.statement_counts()
    task = await sqlite_ledger.commit_soon(saved(a_task()))
    assert not task.done()
    assert (await sqlite_ledger.commit(saved(a_task(version=2)))).space_seq == 2
    assert await task == 1
    assert counts.statements["commit"] == 1


async def test_what_is_committed_soon_is_written_when_nothing_follows(sqlite_ledger):
    assert await asyncio.wait_for(await sqlite_ledger.commit_soon(saved(a_task())), 5) == 1
    assert await sqlite_ledger.task("task-1", None) is not None


async def test_what_could_not_be_committed_soon_is_told_to_both_and_to_nobody_else(sqlite_ledger):
    await sqlite_ledger.commit(saved(a_task()))
    again = await sqlite_ledger.commit_soon(saved(a_task()))
    with pytest.raises(Refused) as told:
        await sqlite_ledger.commit(saved(a_task(version=2)))
    assert told.value.code.name == "already_exists"
    with pytest.raises(Refused) as told_first:
        await again
    assert told_first.value is told.value
    await sqlite_ledger.commit(saved(a_task(version=2)))


async def test_closing_finishes_what_is_committed_soon(tmp_path):
    ledger = await open_ledger(tmp_path / "csbond.db", FixedSigner(), "Luna")
    soon = await ledger.commit_soon(saved(a_task()))
    await ledger.close()
    assert await soon == 1


async def test_work_of_its_own_is_done_between_two_groups_in_its_turn(sqlite_ledger):
    """Those who come later wait for it, and no transaction is open meanwhile."""
    done = []
    database = sqlite_ledger._database

    def work():
        done.append("work")
        return 10 if not database._connection.in_transaction else 0

    async def commit(name):
        await sqlite_ledger.commit(put(an_entry(name)))
        done.append(name)

    first = asyncio.ensure_future(commit("mem_1"))
    await asyncio.sleep(0)
    alone = asyncio.ensure_future(database.writer.do_alone(work))
    await asyncio.sleep(0)
    await asyncio.gather(first, alone, commit("mem_2"))
    assert (done, alone.result()) == (["mem_1", "work", "mem_2"], 10)


async def test_work_of_its_own_that_fails_is_told_to_whoever_wanted_it(sqlite_ledger):
    def work():
        raise apsw.FullError("no room")

    outcomes = await asyncio.gather(
        sqlite_ledger._database.writer.do_alone(work), sqlite_ledger.commit(put(an_entry())), return_exceptions=True
    )
    assert isinstance(outcomes[0], CsbError)
    assert outcomes[0].code.name == "storage_full"
    assert await sqlite_ledger.entry("mem_1")
