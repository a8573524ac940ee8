"""The tasks that are being worked on in this process, and everybody who follows them.

Followers read a task's log of events by position instead of having a queue each: a slow reader lags behind and
misses nothing, a stalled one costs no memory, and nobody holds up the skill.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
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
class TurnLog:
    """Where one turn lies in the log of its task, and how it left the task."""

    begins: int
    ends: int | None = None
    task: Task | None = None
    said: int = 0
    """How many messages the log had at its end."""
    fault: CsbError | None = None
    """Why its end could not be kept, if so."""


@dataclass(eq=False)
class LiveTask:
    """One task in this process: its turns come one after the other, its events are read by position."""

    task: Task
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    events: list[TaskEvent] = field(default_factory=list)
    earlier: tuple[Artifact, ...] = ()
    """The artifacts of the turns before the log begins."""
    latest: TurnLog = field(default_factory=lambda: TurnLog(0))
    """The running turn, or the last one."""
    turns: dict[str, TurnLog] = field(default_factory=dict)
    """The turns since the log began, by the id of the message that each answers."""
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

    def view(self) -> TaskView:
        """The task as it stands."""
        return self._view(self.task, self.events, self.messages)

    def _view(self, task: Task, events: Sequence[TaskEvent], messages: Sequence[Message]) -> TaskView:
        chunks = [(artifact, False) for artifact in self.earlier]
        chunks += [(event.artifact, event.append) for event in events if isinstance(event, ArtifactGrew)]
        return TaskView(task, assembled(chunks), tuple(messages))

    def begin_turn(self, message_id: str) -> TurnLog:
        """Note that the turn of a message begins here."""
        self.fault = None
        self.latest = self.turns[message_id] = TurnLog(len(self.events))
        return self.latest

    def end_turn(self) -> None:
        """Note how the running turn ended, and let the next one begin."""
        turn = self.latest
        turn.task, turn.said, turn.ends, turn.fault = self.task, len(self.messages), len(self.events), self.fault
        self.runner = self.deadline = self.acceptance = None
        self.stop_reason = StopReason.CANCEL if self.cancels else None
        self.turn.release()
        self.wake()

    async def follow(self, position: int) -> AsyncIterator[TaskEvent]:
        """The events of the task from a position of the log on, across turns, until it ends."""
        while True:
            changed = self._changed
            while position < len(self.events):
                event = self.events[position]
                position += 1
                yield StatusChanged(event.view.task) if isinstance(event, TaskShown) else event
            if self.runner is None and self.fault:
                raise self.fault
            if self.task.state in TERMINAL:
                return
            await changed.wait()

    async def follow_turn(self, turn: TurnLog) -> AsyncIterator[TaskEvent]:
        """The events of one turn."""
        position = turn.begins
        while True:
            changed = self._changed
            while position < (len(self.events) if turn.ends is None else turn.ends):
                position += 1
                yield self.events[position - 1]
            if turn.fault:
                raise turn.fault
            if turn.ends == position:
                return
            await changed.wait()

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
        """Wait until no turn runs and the end of the last one is on disk."""
        while self.runner is not None:
            await self._changed.wait()
        if self.fault:
            raise self.fault

    async def ended(self, turn: TurnLog) -> TaskView:
        """The task as a turn left it, once its end is on disk; raises why it could not be kept.

        The next turn may have begun by then: it changes nothing in what this one is answered with.
        """
        while turn.task is None:
            await self._changed.wait()
        if turn.fault:
            raise turn.fault
        return self._view(turn.task, self.events[: turn.ends], self.messages[: turn.said])


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
