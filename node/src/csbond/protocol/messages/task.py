"""A task and its life cycle (A2A v1.0.1 §4.1.1–4.1.3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from csbond.protocol.errors import Refused
from csbond.protocol.messages.growing import GrowingParts
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.part import Part


class TaskState(StrEnum):
    """The eight states, by their short name; the JSON name is `TASK_STATE_` and the upper-case of it."""

    SUBMITTED = "submitted"
    WORKING = "working"
    INPUT_REQUIRED = "input_required"
    AUTH_REQUIRED = "auth_required"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELED = "canceled"
    REJECTED = "rejected"


_S = TaskState
_ENDS = frozenset({_S.COMPLETED, _S.FAILED, _S.CANCELED, _S.REJECTED})

TRANSITIONS: dict[TaskState, frozenset[TaskState]] = {
    _S.SUBMITTED: frozenset({_S.WORKING, _S.INPUT_REQUIRED, _S.AUTH_REQUIRED}) | _ENDS,
    _S.WORKING: frozenset({_S.WORKING, _S.INPUT_REQUIRED, _S.AUTH_REQUIRED}) | _ENDS,
    _S.INPUT_REQUIRED: frozenset({_S.WORKING}) | _ENDS,
    _S.AUTH_REQUIRED: frozenset({_S.WORKING}) | _ENDS,
    _S.COMPLETED: frozenset(),
    _S.FAILED: frozenset(),
    _S.CANCELED: frozenset(),
    _S.REJECTED: frozenset(),
}
"""The whole life cycle; the picture in the documentation is drawn from it."""

TERMINAL = frozenset(state for state, following in TRANSITIONS.items() if not following)
INTERRUPTED = frozenset({_S.INPUT_REQUIRED, _S.AUTH_REQUIRED})
UNFINISHED = frozenset({_S.SUBMITTED, _S.WORKING})
"""States that need a running process behind them: what a restart must reconcile."""


@dataclass(frozen=True, slots=True)
class Task:
    """The row of a task: whose it is, where it stands. Artifacts and history are read beside it."""

    id: str
    context_id: str
    thread_id: str
    caller_key: str
    state: TaskState
    status_at: int
    """When the status last changed, in milliseconds since 1970."""
    created_at: int
    version: int = 1
    """Counts every saved state; a save names the version it was made from."""
    status_message: Message | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    hidden: bool = False
    """True for the run behind a bare message reply: it is kept, but no task is shown for it."""


@dataclass(frozen=True, slots=True)
class Artifact:
    """One result of a task, its chunks joined."""

    id: str
    parts: tuple[Part, ...]
    name: str = ""
    description: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    extensions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TaskView:
    """A task as it is shown: status, artifacts and history."""

    task: Task
    artifacts: tuple[Artifact, ...] | None = ()
    history: tuple[Message, ...] = ()

    def with_latest(self, length: int | None) -> TaskView:
        """With the latest messages of its history only; all of them for None (A2A v1.0.1 §3.2.4)."""
        if length is None or length >= len(self.history):
            return self
        return replace(self, history=self.history[-length:] if length else ())


def move(task: Task, state: TaskState, now: int, status_message: Message | None = None) -> Task:
    """The task in its next state; `unsupported_operation` when the life cycle has no such step."""
    if state not in TRANSITIONS[task.state]:
        raise Refused(
            "unsupported_operation",
            f"a task that is {task.state.value} cannot become {state.value}",
            field="taskId",
        )
    return replace(task, state=state, status_at=now, status_message=status_message, version=task.version + 1)


def assembled(chunks: Iterable[tuple[Artifact, bool]]) -> tuple[Artifact, ...]:
    """The artifacts after their chunks (chunk, append), in the order they began; linear in the chunks."""
    heads: dict[str, Artifact] = {}
    parts: dict[str, GrowingParts] = {}
    for chunk, append in chunks:
        if chunk.id not in heads or not append:
            heads[chunk.id] = chunk
            parts[chunk.id] = GrowingParts()
        parts[chunk.id].grow(chunk.parts)
    return tuple(replace(head, parts=parts[name].all()) for name, head in heads.items())
