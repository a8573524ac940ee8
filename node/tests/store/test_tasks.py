from __future__ import annotations

from dataclasses import replace

import pytest

from csbond.flows.changes import AppendMessage, KeepThread, SaveTask
from csbond.protocol.errors import Refused
from csbond.protocol.messages.listing import TaskQuery, position_of
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.part import Part, PartKind, text_of, text_part
from csbond.protocol.messages.task import TaskState, move
from csbond_tests.ledger_samples import NOW, a_chunk, a_message, a_task, a_thread, home, saved
from csbond_tests.requirements import requirement


async def test_a_task_is_read_as_it_was_saved(ledger):
    status = Message("status-1", "agent", (text_part("on it"),), "context-1", "task-1")
    task = a_task(metadata={"trace": [1, {"深": None}]}, status_message=status)
    await ledger.commit(saved(task))
    assert await ledger.task("task-1", "owner") == task
    assert await ledger.task("task-1", None) == task


async def test_a_task_is_there_for_its_own_caller_only_and_never_when_hidden(ledger):
    await ledger.commit(saved(a_task(), a_task("task-2", hidden=True)))
    assert await ledger.task("task-1", "anonymous") is None
    assert await ledger.task("task-2", "owner") is None
    assert await ledger.task("task-2", None) is None
    assert await ledger.task("task-3", None) is None


async def test_a_task_moves_from_version_to_version(ledger):
    task = a_task()
    await ledger.commit(saved(task))
    working = move(task, TaskState.WORKING, NOW + 1)
    await ledger.commit(saved(working))
    done = replace(move(working, TaskState.COMPLETED, NOW + 2), hidden=True)
    await ledger.commit(saved(done))
    assert await ledger.task("task-1", None) is None
    assert await ledger.counts() | {"tasks": 0} == await ledger.counts()


@pytest.mark.parametrize("version", [2, 3, 5])
async def test_a_save_from_another_version_than_the_present_one_is_a_conflict(ledger, version):
    task = a_task()
    await ledger.commit(saved(task))
    await ledger.commit(saved(replace(task, version=2)))
    await ledger.commit(saved(replace(task, version=3)))
    with pytest.raises(Refused) as refused:
        await ledger.commit(saved(replace(task, version=version, state=TaskState.CANCELED)))
    assert refused.value.code.name == "version_conflict"
    assert (await ledger.task("task-1", None)).state is TaskState.SUBMITTED


async def test_a_task_is_inserted_once_and_never_updated_before(ledger):
    with pytest.raises(Refused) as refused:
        await ledger.commit(saved(a_task(version=2)))
    assert refused.value.code.name == "version_conflict"
    await ledger.commit(saved(a_task()))
    with pytest.raises(Refused) as refused:
        await ledger.commit(saved(a_task()))
    assert refused.value.code.name == "already_exists"


async def test_an_update_does_not_give_a_task_to_somebody_else(ledger):
    await ledger.commit(saved(a_task()))
    moved = a_task(version=2, caller_key="anonymous", context_id="context-9", thread_id="thread-9", created_at=1)
    await ledger.commit(saved(moved))
    assert await ledger.task("task-1", None) == a_task(version=2)


async def test_a_closing_message_is_read_with_its_task_whether_or_not_it_is_in_the_thread(ledger):
    answer = a_message("answer-1", "done", role="agent")
    ended = a_task(state=TaskState.COMPLETED, status_message=answer.message, version=2)
    await ledger.commit(saved(a_task()))
    await ledger.commit(home(KeepThread(a_thread()), AppendMessage(answer), SaveTask(ended)))
    assert (await ledger.task("task-1", None)).status_message == answer.message
    other = replace(answer.message, parts=(text_part("something else"),))
    await ledger.commit(home(AppendMessage(answer), SaveTask(replace(ended, status_message=other, version=3))))
    assert (await ledger.task("task-1", None)).status_message == other
    await ledger.commit(saved(replace(ended, status_message=None, version=4)))
    assert (await ledger.task("task-1", None)).status_message is None


@requirement("A2A-LIST-001", "A2A-LIST-002", "A2A-LIST-003")
async def test_pages_show_every_task_once_newest_status_first(ledger):
    tasks = [a_task(f"task-{number}", status_at=NOW + number // 3) for number in range(10)]
    await ledger.commit(saved(*tasks, a_task("task-of-another", caller_key="anonymous"), a_task("secret", hidden=True)))
    shown, before = [], None
    while True:
        page = await ledger.tasks(TaskQuery("owner", before=before, limit=4))
        assert page.total == 10
        shown += page.rows
        if not page.next_cursor:
            break
        assert len(page.rows) == 4
        before = position_of(page.next_cursor)
    assert shown == sorted(tasks, key=lambda task: (task.status_at, task.id), reverse=True)


@requirement("A2A-LIST-004")
async def test_a_page_that_is_exactly_full_is_the_last_one(ledger):
    await ledger.commit(saved(a_task("task-1"), a_task("task-2")))
    page = await ledger.tasks(TaskQuery("owner", limit=2))
    assert (len(page.rows), page.next_cursor) == (2, "")


@requirement("A2A-LIST-006")
@pytest.mark.parametrize(
    "narrowed, expected",
    [
        ({"context_id": "context-2"}, ["task-3", "task-2"]),
        ({"context_id": "context-2", "state": TaskState.WORKING}, ["task-3"]),
        ({"state": TaskState.WORKING}, ["task-3"]),
        ({"status_after": NOW + 2}, ["task-3", "task-2"]),
        ({"context_id": "context-none"}, []),
    ],
)
async def test_a_listing_is_narrowed_by_each_filter(ledger, narrowed, expected):
    await ledger.commit(
        saved(
            a_task("task-1", status_at=NOW + 1),
            a_task("task-2", status_at=NOW + 2, context_id="context-2"),
            a_task("task-3", status_at=NOW + 3, context_id="context-2", state=TaskState.WORKING),
        )
    )
    page = await ledger.tasks(TaskQuery("owner", **narrowed))
    assert [task.id for task in page.rows] == expected
    assert page.total == len(expected)


async def test_unfinished_tasks_are_those_that_need_a_process_hidden_ones_too(ledger):
    states = {f"task-{state.value}": state for state in TaskState}
    await ledger.commit(saved(*(a_task(id_, state=state) for id_, state in states.items())))
    await ledger.commit(saved(a_task("task-hidden", hidden=True)))
    assert {task.id for task in await ledger.unfinished_tasks()} == {"task-submitted", "task-working", "task-hidden"}


async def test_artifacts_are_joined_from_chunks_in_the_order_they_began(ledger):
    await ledger.commit(saved(a_task()))
    for chunk in (
        a_chunk("one ", append=False),
        a_chunk("first", artifact_id="other"),
        a_chunk("two "),
        a_chunk("three"),
        a_chunk(" second", artifact_id="other"),
    ):
        await ledger.append_chunk_soon(home(chunk))
    await ledger.commit(saved(a_task(version=2)))
    answer, other = await ledger.artifacts("task-1")
    assert (answer.id, other.id) == ("answer", "other")
    assert text_of(answer.parts).replace("\n", "") == "one two three"
    assert text_of(other.parts).replace("\n", "") == "first second"


async def test_an_artifact_that_starts_anew_forgets_its_earlier_chunks(ledger):
    await ledger.commit(saved(a_task()))
    await ledger.commit(home(a_chunk("draft"), a_chunk(" one")))
    await ledger.commit(home(a_chunk("final", append=False)))
    (answer,) = await ledger.artifacts("task-1")
    assert [part.value for part in answer.parts] == ["final"]


async def test_a_chunk_keeps_every_kind_of_part(ledger):
    parts = (
        Part(PartKind.TEXT, "文字", metadata={"lang": "zh"}),
        Part(PartKind.DATA, {"a": [1, 2.5, None]}, "application/json"),
        Part(PartKind.FILE, bytes(range(256)), "application/octet-stream", "all.bin"),
        Part(PartKind.URL, "https://example.org/a.png", "image/png", "a.png"),
    )
    chunk = a_chunk("")
    artifact = replace(chunk.artifact, parts=parts, name="n", description="d", metadata={"m": 1}, extensions=("e:1",))
    await ledger.commit(saved(a_task()))
    await ledger.commit(home(replace(chunk, artifact=artifact)))
    assert await ledger.artifacts("task-1") == (artifact,)
    assert await ledger.artifacts("task-2") == ()


async def test_a_fault_of_a_chunk_surfaces_at_the_next_commit_of_its_task_and_nowhere_else(ledger):
    await ledger.commit(saved(a_task("task-1"), a_task("task-2")))
    await ledger.append_chunk_soon(home(a_chunk("kept")))
    await ledger.append_chunk_soon(home(a_chunk("broken \ud800")))
    await ledger.append_chunk_soon(home(a_chunk("after the gap")))
    await ledger.commit(saved(a_task("task-2", version=2)))
    done = a_task("task-1", version=2, state=TaskState.COMPLETED)
    with pytest.raises(Exception, match="cannot be stored"):
        await ledger.commit(saved(done))
    (answer,) = await ledger.artifacts("task-1")
    assert [part.value for part in answer.parts] == ["kept"]
    await ledger.commit(saved(replace(done, state=TaskState.FAILED)))
    assert (await ledger.task("task-1", None)).state is TaskState.FAILED


async def test_the_history_of_a_task_is_its_latest_messages_oldest_first(ledger):
    await ledger.commit(home(KeepThread(a_thread()), SaveTask(a_task())))
    for number in range(5):
        await ledger.commit(home(AppendMessage(a_message(f"message-{number}", f"text {number}"))))
    await ledger.commit(home(AppendMessage(a_message("elsewhere", task_id="task-2"))))
    await ledger.commit(home(AppendMessage(a_message("no task", task_id=""))))
    assert [said.id for said in await ledger.history("task-1", None)] == [f"message-{n}" for n in range(5)]
    assert [said.id for said in await ledger.history("task-1", 2)] == ["message-3", "message-4"]
    assert await ledger.history("task-1", 0) == ()
    assert await ledger.history("", None) == ()
    assert await ledger.history("task-9", None) == ()
