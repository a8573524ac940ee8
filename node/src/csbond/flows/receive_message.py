"""A message arrives: it is placed, accepted in one transaction, and handed to the skill.

The story has three endings, done, refused and failed, and each leaves a record (`flows/run_turn.py`).
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from csbond.flows.changes import (
    AppendMessage,
    Change,
    KeepSession,
    KeepThread,
    RememberRequest,
    SavePushConfig,
    SaveTask,
    Write,
)
from csbond.flows.live_tasks import LiveTask, StopReason, TurnLog
from csbond.flows.run_turn import run_turn
from csbond.flows.set_webhook import room_for_webhook
from csbond.flows.world import HOME_SPACE, World
from csbond.protocol.audit.record import AuditDraft, Intent, Step
from csbond.protocol.continuity.placing import Place, parent_of, place_of, sender_of
from csbond.protocol.continuity.thread import Session, Thread, ThreadMessage
from csbond.protocol.continuity.wishes import check_wishes, is_private
from csbond.protocol.errors import Refused
from csbond.protocol.identifiers import dated_id
from csbond.protocol.messages.caller import Caller
from csbond.protocol.messages.continuing import check_continues, check_parts
from csbond.protocol.messages.events import TaskShown
from csbond.protocol.messages.incoming import IncomingMessage
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.push import check_push_config
from csbond.protocol.messages.repeats import request_digest, trusts_message_id
from csbond.protocol.messages.task import Task, TaskState, move
from csbond.protocol.trust.authority import authority_of


@dataclass(frozen=True, slots=True)
class Accepted:
    """A message that was taken, now or earlier: its task, held alive, and what is known of its turn."""

    live: LiveTask
    turn: TurnLog | None
    """None for an earlier turn whose log is gone."""
    message: ThreadMessage
    reply: Message | None = None
    """The bare message that answered an earlier turn."""


async def receive_message(world: World, incoming: IncomingMessage, caller: Caller) -> Accepted:
    """Take a message and start its turn; whoever calls this releases `Accepted.live` when done with it.

    The ladder: 1. the node takes work; 2. the parts fit, and the wishes are ones; 3. a webhook may be called;
    4. a repeat of a message id is answered by its task; 5. a task that is named exists for the caller, is open, and
    is in the named context; 6. session and thread fit.
    """
    world.live.refuse_when_draining()
    world.signals.indexing.refuse_when_behind(world.limits.index_lag)
    check_parts(incoming.message.parts, world.limits.file_bytes, world.limits.text_length)
    check_wishes(incoming.message)
    if incoming.push:
        check_push_config(incoming.push)
        await world.webhooks.check(incoming.push.url)
    if not trusts_message_id(incoming.message.id, caller):
        return await _taken(world, incoming, caller)
    async with world.live.arrival(caller.key, incoming.message.id):
        return await _earlier(world, incoming, caller) or await _taken(world, incoming, caller)


async def _taken(world: World, incoming: IncomingMessage, caller: Caller) -> Accepted:
    if incoming.message.task_id:
        return await _continue_task(world, incoming, caller)
    return await _open_task(world, incoming, caller)


async def _earlier(world: World, incoming: IncomingMessage, caller: Caller) -> Accepted | None:
    message = incoming.message
    seen = await world.ledger.repeated_request(caller.key, message.id)
    if seen is None or seen[0] != request_digest(message):
        return None
    if world.clock.now() - seen[2] > world.limits.repeat_window_s * 1000:
        return None
    kept = await world.ledger.message(caller.key, message.id)
    if kept is None:
        return None
    known = world.live.by_id.get(seen[1])
    if known and message.id in known.turns:
        return Accepted(world.live.hold(known.task), known.turns[message.id], kept)
    task = await world.ledger.task(seen[1], caller.key)
    if task is None:
        return await _replied_before(world, seen[1], kept)
    live = world.live.hold(task)
    live.whole = live.whole and live.runner is not None
    return Accepted(live, None, kept)


async def _replied_before(world: World, task_id: str, kept: ThreadMessage) -> Accepted | None:
    """The bare message that answered a message the first time: no task is shown for it, but what was said is kept."""
    said = await world.ledger.history(task_id, 1)
    if not said or said[0].role != "agent":
        return None
    task = Task(
        id=task_id,
        context_id=kept.session_id,
        thread_id=kept.thread_id,
        caller_key=kept.caller_key,
        state=TaskState.COMPLETED,
        status_at=kept.said_at,
        created_at=kept.said_at,
        hidden=True,
    )
    return Accepted(world.live.hold(task), None, kept, reply=said[0])


async def _open_task(world: World, incoming: IncomingMessage, caller: Caller) -> Accepted:
    known = await _known_session(world, incoming.message, caller)
    fresh_id = world.identifiers.unique()
    place = place_of(incoming.message, known, fresh_id)
    now = world.clock.now()
    task = Task(
        id=world.identifiers.unique(),
        context_id=place.context_id,
        thread_id=place.thread_id,
        caller_key=caller.key,
        state=TaskState.SUBMITTED,
        status_at=now,
        created_at=now,
        metadata=incoming.metadata,
    )
    live = world.live.hold(task)
    try:
        await live.turn.acquire()
        return await _accept(world, incoming, caller, live, task, place, begins=place.thread_id == fresh_id)
    except BaseException:
        _step_back(world, live)
        raise


async def _continue_task(world: World, incoming: IncomingMessage, caller: Caller) -> Accepted:
    found = await world.ledger.task(incoming.message.task_id, caller.key)
    if found is None:
        raise Refused("task_not_found", "task not found: this caller has none of that id", field="message.taskId")
    live = world.live.hold(found)
    try:
        await live.turn.acquire()
    except BaseException:
        world.live.release(live)
        raise
    try:
        current = await world.ledger.task(found.id, caller.key) or found
        check_continues(current, incoming.message)
        await _begin_log(world, live, current)
        message = replace(incoming.message, context_id=current.context_id)
        known = await world.ledger.session(current.context_id, caller.key)
        place = place_of(message, known, current.context_id)
        moved = move(current, TaskState.WORKING, world.clock.now())
        if incoming.push is None:
            return await _accept(world, incoming, caller, live, moved, place)
        async with room_for_webhook(world, current.id, incoming.push.id or current.id, caller):
            return await _accept(world, incoming, caller, live, moved, place)
    except BaseException:
        _step_back(world, live)
        raise


async def _begin_log(world: World, live: LiveTask, task: Task) -> None:
    """Start the log anew, unless there is one that somebody still reads."""
    live.whole = False
    if live.holders == 1 or not live.turns:
        live.events.clear()
        live.turns.clear()
        live.messages.clear()
        live.earlier = await world.ledger.artifacts(task.id)


async def _accept(
    world: World,
    incoming: IncomingMessage,
    caller: Caller,
    live: LiveTask,
    task: Task,
    place: Place,
    *,
    begins: bool = False,
) -> Accepted:
    """`begins`: the thread has its name from this message, so nothing was said in it before."""
    world.live.refuse_when_draining()  # it may have begun while the turn before was waited for
    message = replace(incoming.message, context_id=place.context_id, task_id=task.id)
    kept = ThreadMessage(
        thread_id=place.thread_id,
        caller_key=caller.key,
        space=HOME_SPACE,
        session_id=place.context_id,
        task_id=task.id,
        sender=sender_of(message),
        said_at=world.clock.now(),
        message=message,
        parent_id=parent_of(message),
        importance=place.importance,
        private=is_private(message),
    )
    before, live.task = live.task, task  # when the caller leaves in the middle, the task counts as lost, not as it was
    try:
        seq, durable = await _written(world, incoming, _acceptance(world, incoming, caller, task, place, kept), task)
    except Exception:
        live.task = before
        raise
    live.notified = live.notified or incoming.push is not None
    live.messages.append(message)
    turn = live.begin_turn(message.id)
    if not world.skill.card.may_reply:
        live.tell(TaskShown(live.view()))
    live.holders += 1
    live.acceptance = durable
    live.runner = asyncio.create_task(run_turn(world, live, caller, replace(kept, seq=seq), begins=begins))
    if durable:
        await _on_disk(live, durable, live.runner)
    return Accepted(live, turn, kept)


async def _written(
    world: World, incoming: IncomingMessage, change: Change, task: Task
) -> tuple[int, asyncio.Future[int] | None]:
    """The place in the order when it is on disk; a new task may begin meanwhile where that changes nothing outside.

    Then the place is not known yet, 0, and the future says when it is on disk.
    """
    if world.skill.card.effects or task.version > 1 or incoming.push:  # the turn reads the webhooks it calls
        return (await world.ledger.commit(change)).space_seq, None
    return 0, await world.ledger.commit_soon(change)


async def _on_disk(live: LiveTask, durable: asyncio.Future[int], runner: asyncio.Task[None]) -> None:
    """Nobody hears of a task before it is on disk; one that does not get there is over before its fault is told."""
    try:
        await asyncio.shield(durable)
    except Exception:
        live.stop(StopReason.CANCEL)
        await asyncio.wait([runner])
        raise


def _acceptance(
    world: World, incoming: IncomingMessage, caller: Caller, task: Task, place: Place, kept: ThreadMessage
) -> Change:
    now = kept.said_at
    message = incoming.message
    writes: list[Write] = [
        KeepThread(Thread(place.thread_id, caller.key, HOME_SPACE, now, now, 1, kept.title)),
        KeepSession(
            Session(place.context_id, place.thread_id, caller.key, now, place.continuity_ref, place.agent_lifespan)
        ),
        SaveTask(task),
        AppendMessage(kept),
    ]
    if trusts_message_id(message.id, caller):
        writes.append(RememberRequest(caller.key, message.id, request_digest(message), task.id, now))
    if incoming.push:
        writes.append(SavePushConfig(replace(incoming.push, task_id=task.id, id=incoming.push.id or task.id)))
    record = AuditDraft(
        id=dated_id("audit", now, world.identifiers.letters(8)),
        type="message_accept",
        timestamp=now,
        operation="send_message",
        target=task.id,
        intent=Intent("answer a message", kept.sender.name or caller.key, authority_of(caller)),
        steps=(Step("parts fit the limits", "pass"), Step("task is open to the caller", "pass")),
        details={"message_id": message.id, "thread_id": place.thread_id},
    )
    return Change(HOME_SPACE, tuple(writes), (record,))


async def _known_session(world: World, message: Message, caller: Caller) -> Session | None:
    return await world.ledger.session(message.context_id, caller.key) if message.context_id else None


def _step_back(world: World, live: LiveTask) -> None:
    if live.turn.locked() and live.runner is None:
        live.turn.release()
    world.live.release(live)
