from __future__ import annotations

import asyncio

from csbond.flows.cancel_task import cancel_task
from csbond.flows.list_tasks import list_tasks
from csbond.flows.turn import Say
from csbond.protocol.messages.caller import ANONYMOUS, OWNER, Caller, CallerKind
from csbond.protocol.messages.listing import TaskQuery, position_of
from csbond.protocol.messages.task import TaskState
from csbond_tests.requirements import requirement
from csbond_tests.stories import answered, ask_then_echo, incoming, said_in, shown, told, until, world_of

ANN = Caller(CallerKind.PRINCIPAL, "ann")


async def names(world, caller: Caller = OWNER, **narrowed) -> list[str]:
    page = await list_tasks(world, TaskQuery(caller.key, with_artifacts=True, **narrowed))
    return [told(view) for view in page.rows]


@requirement("A2A-LIST-001", "A2A-LIST-002", "FAULT-03")
async def test_a_caller_sees_its_own_tasks_latest_status_first() -> None:
    world = world_of(ask_then_echo)
    views = []
    for number, text in enumerate(["one", "two", "three"]):
        world.clock.advance(1000)
        views.append(await answered(world, incoming(text)))
        await answered(world, incoming(f"of ann {number}"), ANN)
    assert await names(world) == ["three", "two", "one"]
    world.clock.advance(1000)
    await answered(world, incoming("again", task_id=views[0].task.id))
    assert await names(world) == ["one|again", "three", "two"]
    assert await names(world, ANN) == ["of ann 2", "of ann 1", "of ann 0"]
    assert await names(world, ANONYMOUS) == []


@requirement("A2A-LIST-003", "A2A-LIST-004", "A2A-LIST-008")
async def test_pages_hold_every_task_once_also_of_one_moment() -> None:
    world = world_of()
    for number in range(7):
        await answered(world, incoming(str(number)))
    seen: list[str] = []
    before = None
    while True:
        page = await list_tasks(world, TaskQuery(OWNER.key, before=before, limit=3, with_artifacts=True))
        assert page.total == 7
        seen += [told(view) for view in page.rows]
        if not page.next_cursor:
            break
        before = position_of(page.next_cursor)
    assert sorted(seen) == [str(number) for number in range(7)]


@requirement("A2A-LIST-006")
async def test_context_state_and_time_narrow_a_listing() -> None:
    world = world_of(ask_then_echo)
    await answered(world, incoming("waits", context_id="c-1"))
    world.clock.advance(1000)
    later = world.clock.now()
    await answered(world, incoming("waits too", context_id="c-2"))
    await answered(world, incoming("end", context_id="c-2"))
    assert sorted(await names(world, context_id="c-2")) == ["end", "waits too"]
    assert await names(world, state=TaskState.COMPLETED) == ["end"]
    assert sorted(await names(world, status_after=later)) == ["end", "waits too"]
    assert await names(world, status_after=later + 1) == []
    assert await names(world, context_id="c-1", state=TaskState.COMPLETED) == []


@requirement("A2A-LIST-005", "A2A-SEND-017")
async def test_artifacts_and_history_come_as_far_as_they_are_asked_for() -> None:
    world = world_of()
    await answered(world, incoming("hello"))
    (bare,) = (await list_tasks(world, TaskQuery(OWNER.key, history_length=0))).rows
    assert (bare.artifacts, bare.history) == (None, ())
    (short,) = (await list_tasks(world, TaskQuery(OWNER.key, history_length=1))).rows
    assert (short.artifacts, said_in(short)) == (None, ["hello"])
    (full,) = (await list_tasks(world, TaskQuery(OWNER.key, with_artifacts=True))).rows
    assert (told(full), said_in(full)) == ("hello", ["hello", "hello"])


@requirement("A2A-GET-001", "FAULT-31")
async def test_a_task_is_listed_as_it_is_shown_while_it_runs_and_after() -> None:
    go = asyncio.Event()

    async def slowly(turn):
        yield Say(turn.message.parts)
        await go.wait()

    world = world_of(slowly)
    at_once = await answered(world, incoming("hello", return_immediately=True))
    await until(lambda: len(world.live.by_id[at_once.task.id].events) == 2)
    for _ in ("running", "ended"):
        (listed,) = (await list_tasks(world, TaskQuery(OWNER.key, with_artifacts=True))).rows
        assert listed == await shown(world, at_once.task.id)
        assert told(listed) == "hello"
        go.set()
        await until(lambda: not world.live.by_id)


@requirement("A2A-LIST-006", "A2A-CANCEL-001")
async def test_a_canceled_task_is_listed_as_canceled() -> None:
    world = world_of(ask_then_echo)
    task = (await answered(world, incoming("one"))).task
    await cancel_task(world, task.id, OWNER)
    assert await names(world, state=TaskState.CANCELED) == ["one"]
    assert await names(world, state=TaskState.INPUT_REQUIRED) == []
