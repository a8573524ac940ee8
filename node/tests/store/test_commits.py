from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from csbond.flows.changes import AppendMessage, Change, KeepSession, KeepThread, RememberRequest, SaveTask
from csbond.flows.memory_changes import PutEntry
from csbond.protocol.errors import LocalProtocolError, Refused, RemoteProtocolError, Unavailable
from csbond_tests.ledger_samples import (
    a_message,
    a_record,
    a_session,
    a_task,
    a_thread,
    an_entry,
    home,
    put,
    said,
)
from csbond_tests.requirements import requirement

if TYPE_CHECKING:
    from csbond.flows.ports import Ledger
    from csbond.store.sqlite import SqliteLedger
    from csbond.testing import InMemoryLedger

    def _both_are_ledgers(sqlite: SqliteLedger, memory: InMemoryLedger) -> list[Ledger]:
        return [sqlite, memory]


async def test_each_commit_takes_the_next_place_of_its_own_space(ledger):
    first = await ledger.commit(put(an_entry("mem_1"), an_entry("mem_2")))
    second = await ledger.commit(home())
    elsewhere = await ledger.commit(Change("work", (PutEntry(an_entry("mem_3", space="work")),)))
    assert (first.space_seq, second.space_seq, elsewhere.space_seq) == (1, 2, 1)
    assert await ledger.space_seq("home") == 2
    assert await ledger.space_seq("nowhere") == 0


async def test_rows_carry_the_place_of_their_commit(ledger):
    await ledger.commit(home())
    await ledger.commit(home(KeepThread(a_thread()), AppendMessage(a_message()), PutEntry(an_entry())))
    assert (await ledger.message("owner", "message-1")).seq == 2
    assert (await ledger.entry("mem_1")).seq == 2


@requirement("AUDIT-memory")
async def test_a_change_that_fails_leaves_nothing_of_itself_behind(ledger):
    await ledger.commit(put(an_entry("mem_taken")))
    change = home(
        KeepThread(a_thread()),
        KeepSession(a_session()),
        AppendMessage(a_message(text="unheard words")),
        SaveTask(a_task()),
        RememberRequest("owner", "message-1", "sha256:1", "task-1", 1),
        PutEntry(an_entry("mem_new", "unheard words")),
        PutEntry(an_entry("mem_taken")),
        audit=(a_record(),),
    )
    with pytest.raises(Refused) as refused:
        await ledger.commit(change)
    assert refused.value.code.name == "already_exists"
    expected = {"tasks": 0, "threads": 0, "messages": 0, "entries": 1, "deliveries": 0, "audit": 0}
    assert await ledger.counts() == expected
    assert await ledger.session("context-1", "owner") is None
    assert await ledger.repeated_request("owner", "message-1") is None
    assert await ledger.search_messages('"unheard"', None, 10) == ()
    assert await ledger.space_seq("home") == 1
    assert (await ledger.commit(home())).space_seq == 2


async def test_the_order_of_the_writes_in_a_change_does_not_matter(ledger):
    task = a_task(status_message=a_message().message)
    await ledger.commit(
        home(SaveTask(task), AppendMessage(a_message()), KeepSession(a_session()), KeepThread(a_thread()))
    )
    assert await ledger.task("task-1", "owner") == task
    assert (await ledger.thread("thread-1", "owner")).message_count == 1


async def test_a_commit_is_read_by_whoever_waited_for_it(ledger):
    async def write_and_read(number):
        await ledger.commit(put(an_entry(f"mem_{number}")))
        return await ledger.entry(f"mem_{number}")

    found = await asyncio.gather(*map(write_and_read, range(50)))
    assert [entry.id for entry in found] == [f"mem_{number}" for number in range(50)]
    assert sorted(entry.seq for entry in found) == list(range(1, 51))


async def test_one_of_many_commits_at_once_may_fail_alone(ledger):
    changes = [put(an_entry(f"mem_{number}")) for number in range(10)] + [put(an_entry("mem_3", "another"))]
    outcomes = await asyncio.gather(*map(ledger.commit, changes), return_exceptions=True)
    assert [isinstance(outcome, Refused) for outcome in outcomes] == [False] * 10 + [True]
    assert (await ledger.entry("mem_3")).content == "The river was cold."
    assert await ledger.space_seq("home") == 10


async def test_a_repeated_message_id_names_its_latest_task(ledger):
    await ledger.commit(home(RememberRequest("owner", "message-1", "sha256:1", "task-1", 5)))
    await ledger.commit(home(RememberRequest("anonymous", "message-1", "sha256:3", "task-3", 7)))
    assert await ledger.repeated_request("owner", "message-1") == ("sha256:1", "task-1", 5)
    await ledger.commit(home(RememberRequest("owner", "message-1", "sha256:2", "task-2", 6)))
    assert await ledger.repeated_request("owner", "message-1") == ("sha256:2", "task-2", 6)
    assert await ledger.repeated_request("anonymous", "message-1") == ("sha256:3", "task-3", 7)


@pytest.mark.parametrize(
    "change",
    [
        said(a_message(text="half a pair: \ud800")),
        said(a_message(metadata={"number": 2**70})),
        put(an_entry(extra={"half": "\udfff"})),
        home(audit=(a_record(details={"half": "\ud800"}),)),
    ],
    ids=["text", "metadata", "extra", "audit"],
)
async def test_what_cannot_be_stored_is_refused_and_nothing_is_stored(ledger, change):
    with pytest.raises(RemoteProtocolError) as refused:
        await ledger.commit(change)
    assert refused.value.code.name == "invalid_params"
    assert set((await ledger.counts()).values()) == {0}


async def test_a_row_that_points_nowhere_is_a_fault_of_this_program(ledger):
    with pytest.raises(LocalProtocolError):
        await ledger.commit(home(AppendMessage(a_message(thread_id="thread-unknown"))))
    assert await ledger.counts() == dict.fromkeys(await ledger.counts(), 0)


async def test_a_closed_ledger_says_so(ledger):
    await ledger.close()
    for doing in (ledger.commit(home()), ledger.append_chunk_soon(home()), ledger.entry("mem_1"), ledger.counts()):
        with pytest.raises(Unavailable) as unavailable:
            await doing
        assert unavailable.value.code.name == "storage_unavailable"


async def test_closing_twice_is_closing_once(ledger):
    await ledger.close()
    await ledger.close()
