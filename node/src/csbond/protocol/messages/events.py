"""What happens to a running task, as streams and notifications tell it (A2A v1.0.1 §3.2.3)."""

from __future__ import annotations

from dataclasses import dataclass

from csbond.protocol.messages.message import Message
from csbond.protocol.messages.task import Artifact, Task, TaskView


@dataclass(frozen=True, slots=True)
class TaskShown:
    """The whole task: always the first event of a task stream."""

    view: TaskView


@dataclass(frozen=True, slots=True)
class StatusChanged:
    """The task moved to the status it carries."""

    task: Task


@dataclass(frozen=True, slots=True)
class ArtifactGrew:
    """A chunk of an artifact: appended to what is there, or the start of it."""

    task_id: str
    context_id: str
    artifact: Artifact
    append: bool = False
    last_chunk: bool = False


@dataclass(frozen=True, slots=True)
class MessageReplied:
    """A bare message instead of a task: the only event of its stream."""

    message: Message


TaskEvent = TaskShown | StatusChanged | ArtifactGrew | MessageReplied
