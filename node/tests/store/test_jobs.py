from __future__ import annotations

from csbond.flows.changes import LASTING, ForgetRequests, NoteJob, RememberRequest
from csbond.protocol.messages.task import TaskState
from csbond_tests.ledger_samples import NOW, a_task, an_entry, home, put, saved


async def test_when_a_job_ran_is_kept_by_its_name(ledger):
    assert await ledger.jobs_ran() == {}
    await ledger.commit(home(NoteJob("one", NOW), NoteJob("two", NOW)))
    await ledger.commit(home(NoteJob("one", NOW + 5)))
    assert await ledger.jobs_ran() == {"one": NOW + 5, "two": NOW}


async def test_a_database_that_is_looked_after_answers_as_before(ledger):
    await ledger.commit(put(an_entry()))
    await ledger.look_after()
    await ledger.commit(put(an_entry("mem_2")))
    assert [entry.id for entry in await ledger.entries_after("home", 0, 9)] == ["mem_1", "mem_2"]


async def test_looking_after_it_renews_the_statistics_and_folds_the_log_into_the_file(tmp_path, sqlite_ledger):
    await sqlite_ledger.commit(put(*(an_entry(f"mem_{number}") for number in range(200))))
    before = (tmp_path / "csbond.db").stat().st_size
    await sqlite_ledger.look_after()
    assert (tmp_path / "csbond.db").stat().st_size > before
    known = sqlite_ledger._database._connection.execute("SELECT count(*) FROM sqlite_stat1 WHERE tbl = 'entry'").get
    assert known > 0
    assert await sqlite_ledger.check() == []


async def test_tasks_that_wait_for_their_caller_are_found_the_longest_first(ledger):
    states = {"a": TaskState.INPUT_REQUIRED, "b": TaskState.AUTH_REQUIRED, "c": TaskState.INPUT_REQUIRED}
    since = {"a": 3, "b": 1, "c": 5}
    others = {"w": TaskState.WORKING, "d": TaskState.COMPLETED}
    for id_, state in (states | others).items():
        await ledger.commit(saved(a_task(id_)))
        await ledger.commit(saved(a_task(id_, version=2, state=state, status_at=since.get(id_, 0))))
    assert [task.id for task in await ledger.waiting_tasks(5, 9)] == ["b", "a"]
    assert [task.id for task in await ledger.waiting_tasks(6, 2)] == ["b", "a"]
    assert [task.id for task in await ledger.waiting_tasks(6, 9)] == ["b", "a", "c"]
    assert [task.id for task in await ledger.unfinished_tasks()] == ["w"]


async def test_requests_before_a_time_are_forgotten_so_many_at_once(ledger):
    assert not await ledger.requests_before(NOW + 9)
    seen = [NOW + 3, NOW, NOW + 2, NOW + 1]
    await ledger.commit(home(*(RememberRequest("owner", f"m-{at - NOW}", "d", "task-1", at) for at in seen)))
    assert not await ledger.requests_before(NOW)
    await ledger.commit(home(ForgetRequests(NOW + 3, 2)))
    assert await ledger.requests_before(NOW + 3)
    await ledger.commit(home(ForgetRequests(NOW + 3, 2)))
    assert not await ledger.requests_before(NOW + 3)
    assert await ledger.repeated_request("owner", "m-0") is None
    assert await ledger.repeated_request("owner", "m-3") == ("d", "task-1", NOW + 3)


async def test_a_request_that_lasts_is_never_forgotten(ledger):
    await ledger.commit(home(RememberRequest(LASTING + "owner", "key:k", "d", "mem_1_a", NOW)))
    await ledger.commit(home(RememberRequest("owner", LASTING + "m", "d", "task-1", NOW)))
    await ledger.commit(home(ForgetRequests(NOW + 9, 9)))
    assert not await ledger.requests_before(NOW + 9)
    assert await ledger.repeated_request(LASTING + "owner", "key:k") == ("d", "mem_1_a", NOW)
    assert await ledger.repeated_request("owner", LASTING + "m") is None
