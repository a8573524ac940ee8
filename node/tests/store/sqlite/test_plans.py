"""Statistics may make a plan better; none may begin to walk through a table where an index led it before."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from csbond.flows.changes import AppendMessage, KeepSession, KeepThread, RememberRequest, SaveTask
from csbond.flows.memory_changes import (
    EraseEntry,
    KeepForeignVector,
    LogLoad,
    PutEntry,
    PutForeignName,
    PutPolicy,
    PutReview,
    PutSnapshot,
    SetLinks,
    SnapshotMember,
)
from csbond.flows.ports import StoredVector
from csbond.protocol.memory.entry import Level, Origin, Visibility
from csbond.protocol.memory.foreign_record import ForeignName, ForeignVector
from csbond.protocol.memory.link import Link
from csbond.protocol.memory.review import Review, decided
from csbond.protocol.memory.snapshot import SnapshotHead, SnapshotLoad
from csbond.protocol.memory.vectors import pack
from csbond.protocol.memory.whitespace import ArchivedMemory
from csbond.protocol.messages.task import TaskState
from csbond.store.sqlite.statements import statements
from csbond_tests.ledger_samples import (
    NOW,
    a_chunk,
    a_message,
    a_record,
    a_session,
    a_task,
    a_thread,
    an_entry,
    home,
    saved,
)

ROWS = 400
LOOK_AT_ALL = {
    "entries_total",
    "words_without_entry",
    "words_without_deleted",
    "models",
    "vectors_of_another_text",
}
"""They look at every entry of the one Space anyway, in whichever order, or at every model there is."""

ELSEWHERE = {"found_columns"}
"""It speaks of a table that is made by the statement it is part of."""


def plans(connection: Any) -> dict[str, list[str]]:
    """How SQLite goes about each statement that stands by itself."""
    found = {}
    for name, text in statements().items():
        if re.match("(SELECT|WITH|DELETE|UPDATE|INSERT)", text) and name not in ELSEWHERE:
            bindings = dict.fromkeys(re.findall(r":([a-z_]+)", text))
            found[name] = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {text}", bindings)]
    return found


def scans(plan: list[str]) -> set[str]:
    """The tables and indexes a plan walks through from one end to the other."""
    return {step for step in plan if step.startswith("SCAN") and not step.endswith((" up", " down", " own"))}


async def live(ledger: Any, long_texts: int) -> None:
    """Fill every table as a node does; every so many entries go on from the one before."""
    for number in range(ROWS):
        caller, thread, context = ("owner", "anonymous")[number % 3 == 0], f"t-{number % 50}", f"c-{number % 100}"
        facts = {"caller_key": caller, "thread_id": thread}
        at = NOW + number
        task = a_task(f"task-{number}", context_id=context, status_at=at, **facts)
        entry = an_entry(
            f"mem_{number}",
            f"river {number}",
            tags=(f"tag{number % 30}",),
            timestamp=at,
            level=list(Level)[number % 3],
            origin=Origin(caller, thread),
            visibility=Visibility.PUBLIC if number % 40 == 0 else Visibility.PRIVATE,
            extends=f"mem_{number - 1}" if long_texts and number % long_texts else "",
            project=f"project-{number % 20}",
            used_at=at,
            ttl=number % 7,
            found_at=int(number % 9 == 2),
            deleted_at=at if number % 10 == 7 else 0,
        )
        links = (
            (Link(f"mem_{number // 2}", "causes"), Link(f"agent:{number % 9}", "cited_by"))
            if number % 5 == 1 and not entry.deleted_at and number // 2 % 10 != 7
            else ()
        )
        await ledger.commit(
            home(
                KeepThread(a_thread(thread, caller)),
                KeepSession(a_session(f"{context} {thread}", thread, caller)),
                SaveTask(task),
                AppendMessage(a_message(f"m-{number}", f"hello {number}", task_id=task.id, said_at=at, **facts)),
                RememberRequest(caller, f"m-{number}", "d", task.id, at),
                a_chunk("x", task_id=task.id, append=False),
                PutEntry(entry),
                *([SetLinks(entry.id, links)] if links else []),
                audit=(a_record(f"audit_{number}"),),
            )
        )
        state = TaskState.COMPLETED if number % 20 else TaskState.INPUT_REQUIRED
        await ledger.commit(saved(replace(task, version=2, state=state)))
        await forget(ledger, number, entry.id)
    vectors = [StoredVector(f"mem_{number}", "home", number, pack((1.0, 0.0))) for number in range(ROWS)]
    await ledger.save_vectors("home", "model-1", vectors, ROWS)


async def forget(ledger: Any, number: int, entry_id: str) -> None:
    """Ask about an entry, set a document, and clear a memory that nobody will miss."""
    review = Review(f"review-{number}", entry_id, 1, "delete", {}, "a rule", NOW + number)
    gone = an_entry(f"mem_gone_{number}")
    kept = ArchivedMemory(gone.id, "home", "event", NOW, Level.COLD, NOW, NOW + number, "why", "owner", "manual")
    await ledger.commit(home(PutReview(review), PutPolicy("rules", number + 1, {}, NOW), PutEntry(gone)))
    await ledger.commit(home(EraseEntry(gone.id, 1, NOW, kept)))
    head = SnapshotHead(f"snap_{number}_a", NOW + number, "Luna", model_id="model-1")
    load = SnapshotLoad(f"load_{number}_a", head.id, "Luna", "file", "sha256:a", NOW + number, "owner", {})
    await ledger.commit(home(PutSnapshot(head, "home", (SnapshotMember(entry_id, 1),)), LogLoad(load)))
    name, vector = ForeignName("Vera", key=f"k{number}"), ForeignVector(pack((1.0,)), 1, "other", f"f{number % 3}")
    await ledger.commit(
        home(PutForeignName("home", name, entry_id, "d", linked=True), KeepForeignVector(entry_id, vector))
    )
    if number % 4:
        await ledger.commit(home(PutReview(decided(review, "approved", "owner", NOW + number))))


@pytest.mark.parametrize("long_texts", [0, 3], ids=["short texts", "long texts"])
async def test_looking_after_the_database_makes_no_statement_walk_through_a_table(
    sqlite_ledger, long_texts: int
) -> None:
    await live(sqlite_ledger, long_texts)
    connection = sqlite_ledger._database._connection
    before = plans(connection)
    await sqlite_ledger.look_after()
    assert connection.execute("SELECT count(*) FROM sqlite_stat1").get > 20
    after = plans(connection)
    worse = {name for name, plan in after.items() if scans(plan) - scans(before[name])}
    assert worse <= LOOK_AT_ALL
