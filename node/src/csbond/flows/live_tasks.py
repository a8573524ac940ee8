"""The tasks that are being worked on in this process, and everybody who follows them.

Followers read a task's log of events by position instead of having a queue each: a slow reader lags behind and
misses nothing, a stalled one costs no memory, and nobody holds up the skill.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from enum import StrEnum
from weakref import WeakValueDictionary

from csbond.protocol.errors import CsbError, Unavailable
from csbond.protocol.messages.events import ArtifactGrew, StatusChanged, TaskEvent, TaskShown
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.task import TERMINAL, UNFINISHED, Artifact, Task, TaskView, assembled


class StopReason(StrEnum):
    """Why a running turn is asked to end."""

    CANCEL = "cancel"
    SHUTDOWN = "shutdown"


@dataclass(eq=False)
class LiveTask:
    """One task in this process: its turns come one after the other, its events are read by position."""

    task: Task
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    events: list[TaskEvent] = field(default_factory=list)
    earlier: tuple[Artifact, ...] = ()
    """The artifacts of the turns before the log begins."""
    turn_start: int = 0
    """Where in the log the running turn begins."""
    ends: dict[int, tuple[int, CsbError | None]] = field(default_factory=dict)
    """Where the turn that began at a place of the log ended, and why its end could not be kept, if so."""
    turns: dict[str, int] = field(default_factory=dict)
    """Where in the log the turn of each message begins, by the id of the message."""
    messages: list[Message] = field(default_factory=list)
    """The messages of the turns since the log began."""
    whole: bool = True
    """Whether the log began with the task, so that `messages` is its whole history."""
    runner: asyncio.Task[None] | None = None
    acceptance: asyncio.Future[int] | None = None
    """The write of the message that the running turn answers, when the turn began before it was on disk."""
    holders: int = 0
    stop_reason: StopReason | None = None
    cancels: int = 0
    """How many callers are canceling: while there are any, no turn goes on."""
    deadline: asyncio.Timeout | None = None
    """The running skill's time limit; stopping a turn is moving it to now."""
    fault: CsbError | None = None
    """Why the end of the last turn could not be kept."""
    notified: bool = False
    """Whether the task has webhooks."""
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self, event: TaskEvent) -> None:
        """Append an event to the log and wake the followers."""
        if isinstance(event, StatusChanged):
            self.task = event.task
        self.events.append(event)
        self.wake()

    def wake(self) -> None:
        """Let followers look again."""
        self._changed.set()
        self._changed = asyncio.Event()

    def view(self, position: int | None = None) -> TaskView:
        """The task as it stood at a position of the log; at its end for None."""
        events = self.events if position is None else self.events[:position]
        chunks = [(artifact, False) for artifact in self.earlier]
        chunks += [(event.artifact, event.append) for event in events if isinstance(event, ArtifactGrew)]
        return TaskView(self.task, assembled(chunks), tuple(self.messages))

    def end_turn(self) -> None:
        """Note where the running turn ended, and let the next one begin."""
        self.ends[self.turn_start] = (len(self.events), self.fault)
        self.runner = self.deadline = self.acceptance = None
        self.stop_reason = StopReason.CANCEL if self.cancels else None
        self.turn.release()
        self.wake()

    async def follow(self, position: int, *, across_turns: bool) -> AsyncIterator[TaskEvent]:
        """The events of the turn that begins at a position; or those of the task from there on, across turns."""
        start = position
        while True:
            changed = self._changed
            while position < self._reach(start, across_turns):
                event = self.events[position]
                position += 1
                if across_turns and isinstance(event, TaskShown):
                    event = StatusChanged(event.view.task)
                yield event
            over = None if across_turns else self.ends.get(start)
            fault = over[1] if over else self.fault if self.runner is None else None
            if fault:
                raise fault
            if over or self.task.state in TERMINAL or (self.runner is None and not across_turns):
                return
            await changed.wait()

    def _reach(self, start: int, across_turns: bool) -> int:
        over = None if across_turns else self.ends.get(start)
        return over[0] if over else len(self.events)

    @property
    def refused(self) -> bool:
        """Whether the message that the running turn answers could not be kept: then there is no such turn."""
        return bool(self.acceptance and self.acceptance.done() and self.acceptance.exception())

    def stop(self, reason: StopReason) -> None:
        """Ask the running turn to end now, unless it is ending already."""
        if self.stop_reason is None:
            self.stop_reason = reason
            if self.deadline:
                self.deadline.reschedule(0)

    async def settled(self) -> None:
        """Wait until the running turn has ended and is on disk."""
        while self.runner is not None:
            await self._changed.wait()
        if self.fault:
            raise self.fault


@dataclass(eq=False)
class LiveTasks:
    """All live tasks of the process by id; a task is let go when nobody holds it."""

    by_id: dict[str, LiveTask] = field(default_factory=dict)
    draining: bool = False
    lost: set[str] = field(default_factory=set)
    """Tasks that nobody holds any more although they had not ended: their end could not be kept."""
    _arriving: WeakValueDictionary[tuple[str, str], asyncio.Lock] = field(default_factory=WeakValueDictionary)

    def arrival(self, caller_key: str, message_id: str) -> asyncio.Lock:
        """The lock under which one message of one caller is taken, so that its repeat finds what became of it."""
        return self._arriving.setdefault((caller_key, message_id), asyncio.Lock())

    def hold(self, task: Task) -> LiveTask:
        """The live task, kept alive until `release`."""
        live = self.by_id.get(task.id)
        if live is None:
            live = self.by_id[task.id] = LiveTask(task)
        live.holders += 1
        return live

    def release(self, live: LiveTask) -> None:
        """Let go; the last one out forgets the task."""
        live.holders -= 1
        if live.holders == 0:
            self.by_id.pop(live.task.id, None)
            if live.task.state in UNFINISHED:
                self.lost.add(live.task.id)

    def refuse_when_draining(self) -> None:
        """`draining` once the node is shutting down."""
        if self.draining:
            raise _shutting_down()

    def hurry(self) -> None:
        """Interrupt every running turn now."""
        for live in list(self.by_id.values()):
            if live.runner:
                live.stop(StopReason.SHUTDOWN)

    async def drain(self, seconds: float) -> None:
        """Take no new turns, wait for the running ones, and interrupt what still runs after a time."""
        self.draining = True
        running = [live for live in self.by_id.values() if live.runner]
        runners = [live.runner for live in running if live.runner]
        if runners:
            await asyncio.wait(runners, timeout=seconds)
            for live in running:
                live.stop(StopReason.SHUTDOWN)
            await asyncio.wait(runners, timeout=seconds)
        for live in list(self.by_id.values()):
            live.fault = live.fault or _shutting_down()
            live.wake()


def _shutting_down() -> Unavailable:
    return Unavailable("draining", "this node is shutting down", next_step="try again in a few seconds")
