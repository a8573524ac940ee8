"""A turn runs: the skill answers, chunk by chunk, and the task ends done, waiting, refused or failed.

No transaction is open while the skill works. Chunks go to followers at once and to disk with the next group; the
end is one transaction: task, answer, memories, record and the notifications it causes.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial

from csbond.flows.changes import AppendChunk, AppendMessage, Change, SaveTask, Write
from csbond.flows.live_tasks import LiveTask, StopReason
from csbond.flows.notify import notifications
from csbond.flows.prepare_turn import prepare_turn
from csbond.flows.reconcile_tasks import INTERRUPTED
from csbond.flows.repeated_write import told_before, told_names
from csbond.flows.turn import Answer, Ask, Done, Fail, Reject, Reply, Say, Working
from csbond.flows.world import HOME_SPACE, World
from csbond.flows.write_memory import entry_writes, remembered
from csbond.protocol.audit.record import AuditDraft, AuditResult, Intent
from csbond.protocol.continuity.thread import Sender, ThreadMessage
from csbond.protocol.errors import CsbError, LocalProtocolError
from csbond.protocol.identifiers import dated_id
from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.formation import formed_entries
from csbond.protocol.memory.rights import may_write
from csbond.protocol.messages.answering import answer_parts
from csbond.protocol.messages.caller import Caller
from csbond.protocol.messages.events import ArtifactGrew, MessageReplied, StatusChanged, TaskEvent, TaskShown
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.part import Part, PartKind, text_part
from csbond.protocol.messages.task import Artifact, Task, TaskState, move
from csbond.protocol.trust.authority import authority_of

FAILED = "The skill that should answer failed. The owner of this node finds the reason in its log."

LONG_TEXT = 8_192
"""Characters from which on a text is cut into memories in a thread: it would hold up everybody else."""
NOT_KEPT = "The answer could not be kept. The owner of this node finds the reason in its log."


@dataclass(frozen=True, slots=True)
class Ending:
    """How a turn ended: the state, what is said about it, and how the record calls it."""

    state: TaskState
    text: str = ""
    answer: Answer | None = None
    audit: str = "message_done"
    result: AuditResult = "allowed"


def _failed(text: str) -> Ending:
    return Ending(TaskState.FAILED, text, audit="message_failed")


_STOPPED: dict[StopReason | None, Ending] = {
    StopReason.CANCEL: Ending(TaskState.CANCELED, "Canceled.", audit="message_cancel"),
    StopReason.SHUTDOWN: _failed(INTERRUPTED),
}


async def run_turn(world: World, live: LiveTask, caller: Caller, asked: ThreadMessage, *, begins: bool = False) -> None:
    """Let the skill answer one message, which may begin its thread, and record the ending; releases the turn."""
    try:
        ending = await _answered(world, live, caller, asked, begins=begins)
        live.deadline = None
        live.fault = await _kept(world, live, caller, asked, ending)
        if live.fault and not live.refused:
            live.fault = await _kept(world, live, caller, asked, _failed(NOT_KEPT))
    finally:
        live.end_turn()
        world.live.release(live)


async def _kept(world: World, live: LiveTask, caller: Caller, asked: ThreadMessage, ending: Ending) -> CsbError | None:
    """None, once the ending is on disk; what those who wait are told otherwise."""
    try:
        await _record(world, live, caller, asked, ending)
    except Exception as fault:
        if not live.refused:
            world.journal.failed("run_turn", fault, task=live.task.id)
        return fault if isinstance(fault, CsbError) else LocalProtocolError("internal_error", NOT_KEPT)
    return None


async def _answered(world: World, live: LiveTask, caller: Caller, asked: ThreadMessage, *, begins: bool) -> Ending:
    limit = world.skill.card.timeout_s
    try:
        async with asyncio.timeout(limit) as live.deadline:
            if live.stop_reason:
                live.deadline.reschedule(0)
            turn = await prepare_turn(world, live.task, caller, asked, begins=begins)
            return await _played(world, live, world.skill.answer(turn))
    except Exception as fault:
        if isinstance(fault, TimeoutError) and live.deadline and live.deadline.expired():
            return _STOPPED.get(live.stop_reason) or _failed(f"No answer within {limit:g} seconds.")
        world.journal.failed("answer", fault, task=live.task.id)
        return _failed(fault.reason if isinstance(fault, CsbError) else FAILED)


async def _played(world: World, live: LiveTask, answers: AsyncIterator[Answer]) -> Ending:
    said = 0
    async with aclosing(answers) as stream:  # type: ignore[type-var]
        async for answer in stream:
            if live.deadline and live.deadline.expired():  # a skill that was asked to stop and goes on
                raise TimeoutError
            said += _size(answer)
            if said > world.limits.answer_bytes:
                return _failed("The answer is longer than this node keeps.")
            ending = _ending_of(answer)
            if ending:
                return ending
            _show_task(live)
            if isinstance(answer, Say):
                await _say(world, live, answer)
            elif isinstance(answer, Working):
                await _work(world, live, answer)
    return Ending(TaskState.COMPLETED)


def _ending_of(answer: Answer) -> Ending | None:
    match answer:
        case Done():
            return Ending(TaskState.COMPLETED, answer=answer)
        case Reply():
            return Ending(TaskState.COMPLETED, answer=answer)
        case Ask(auth=auth):
            return Ending(
                TaskState.AUTH_REQUIRED if auth else TaskState.INPUT_REQUIRED, answer=answer, audit="message_ask"
            )
        case Reject(reason=reason):
            return Ending(TaskState.REJECTED, reason, audit="message_refused", result="denied")
        case Fail(reason=reason):
            return _failed(reason)
        case _:
            return None


def _show_task(live: LiveTask) -> None:
    """The task itself is the first event of a turn, also when the skill could have replied without one."""
    if live.latest.begins == len(live.events):
        live.tell(TaskShown(live.view()))


def _size(answer: Answer) -> int:
    """About how many bytes an answer adds to its task."""
    match answer:
        case Working(text=text) | Reject(reason=text) | Fail(reason=text):
            return len(text)
        case Say(parts=parts, metadata=metadata):
            return sum(map(_part_size, parts)) + (len(str(metadata)) if metadata else 0)
        case Done(parts=parts) | Ask(parts=parts) | Reply(parts=parts):
            return sum(map(_part_size, parts))


def _part_size(part: Part) -> int:
    value = str(part.value) if part.kind is PartKind.DATA else part.value
    return len(value) + (len(str(part.metadata)) if part.metadata else 0)


async def _say(world: World, live: LiveTask, answer: Say) -> None:
    chunk = Artifact(answer.artifact_id, answer.parts, answer.name, metadata=answer.metadata)
    live.tell(ArtifactGrew(live.task.id, live.task.context_id, chunk, answer.append, answer.last_chunk))
    write = AppendChunk(live.task.id, chunk, answer.append, answer.last_chunk)
    await world.ledger.append_chunk_soon(Change(HOME_SPACE, (write,)))


async def _work(world: World, live: LiveTask, answer: Working) -> None:
    """Persisted with the next end, shown at once; webhooks hear of it in a transaction of its own."""
    message = _agent_message(world, live.task, (text_part(answer.text),)) if answer.text else None
    event = StatusChanged(
        replace(move(live.task, TaskState.WORKING, world.clock.now(), message), version=live.task.version)
    )
    live.tell(event)
    queued = await notifications(world, live, live.view(), event)
    if queued:
        await world.ledger.commit(Change(HOME_SPACE, tuple(queued)))
        world.signals.wake(queued)


async def _record(world: World, live: LiveTask, caller: Caller, asked: ThreadMessage, ending: Ending) -> None:
    """The end of the turn, on disk before anybody hears of it."""
    now = world.clock.now()
    status = _status_message(world, live.task, ending)
    task = replace(move(live.task, ending.state, now, status), hidden=isinstance(ending.answer, Reply))
    reply = _reply(world, live, task, ending, status)
    event: TaskEvent = MessageReplied(reply) if task.hidden and reply else StatusChanged(task)
    writes: list[Write] = [SaveTask(task)]
    if reply:
        writes.append(AppendMessage(_own_words(world, asked, reply, now)))
    writes += await notifications(world, live, replace(live.view(), task=task), event)
    entries = await _memories(world, caller, asked, ending, now)
    async with world.writing.hold(told_names(world, entries)):
        known = await told_before(world, entries)
        writes += entry_writes(() if known else entries)
        record = _ending_record(world, caller, asked, task, ending, now)
        record = replace(record, details={**record.details, **remembered(entries, known)})
        await world.ledger.commit(Change(HOME_SPACE, tuple(writes), (record,)))
    if reply:
        live.messages.append(reply)
    if not task.hidden:
        _show_task(live)
    live.tell(event)
    world.signals.wake(writes)


async def _memories(
    world: World, caller: Caller, asked: ThreadMessage, ending: Ending, now: int
) -> tuple[MemoryEntry, ...]:
    """What the message leaves; nothing after a turn that failed, was refused or canceled."""
    if ending.state in (TaskState.FAILED, TaskState.REJECTED, TaskState.CANCELED):
        return ()
    formed = partial(formed_entries, asked, world.identifiers.letters, now, by_stranger=not may_write(caller))
    return await asyncio.to_thread(formed) if len(asked.message.text) > LONG_TEXT else formed()


def _status_message(world: World, task: Task, ending: Ending) -> Message | None:
    if ending.text:
        return _agent_message(world, task, (text_part(ending.text),))
    if isinstance(ending.answer, Ask | Done) and ending.answer.parts:
        return _agent_message(world, task, ending.answer.parts)
    return None


def _reply(world: World, live: LiveTask, task: Task, ending: Ending, status: Message | None) -> Message | None:
    """What the agent said in this turn, as one message of the thread."""
    if isinstance(ending.answer, Reply):
        return replace(_agent_message(world, task, ending.answer.parts), task_id="")
    if status:
        return status
    parts = answer_parts(event for event in live.events[live.latest.begins :] if isinstance(event, ArtifactGrew))
    return _agent_message(world, task, parts) if parts else None


def _agent_message(world: World, task: Task, parts: tuple[Part, ...]) -> Message:
    return Message(world.identifiers.unique(), "agent", parts, task.context_id, task.id)


def _own_words(world: World, asked: ThreadMessage, reply: Message, now: int) -> ThreadMessage:
    return replace(
        asked,
        sender=Sender(world.agent.name, world.agent.did),
        said_at=now,
        message=reply,
        parent_id=asked.message.id,
    )


def _ending_record(
    world: World, caller: Caller, asked: ThreadMessage, task: Task, ending: Ending, now: int
) -> AuditDraft:
    return AuditDraft(
        id=dated_id("audit", now, world.identifiers.letters(8)),
        type=ending.audit,
        timestamp=now,
        operation="answer_message",
        target=task.id,
        intent=Intent("answer a message", asked.sender.name or caller.key, authority_of(caller)),
        result=ending.result,
        details={"state": task.state.value, "skill": world.skill.card.id, "message_id": asked.message.id},
    )
