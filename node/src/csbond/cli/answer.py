"""What an agent answered: the texts in it, and how its task ended."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from a2a.types import Message, Part, StreamResponse, Task, TaskState
from google.protobuf.json_format import MessageToDict

_GOOD_ENDS = (
    TaskState.TASK_STATE_COMPLETED,
    TaskState.TASK_STATE_INPUT_REQUIRED,
    TaskState.TASK_STATE_AUTH_REQUIRED,
    TaskState.TASK_STATE_SUBMITTED,
    TaskState.TASK_STATE_WORKING,
)


class Answer:
    """Grows by the events of one reply or stream."""

    def __init__(self) -> None:
        self.task_id = ""
        self.state: int = TaskState.TASK_STATE_UNSPECIFIED
        self.document: dict[str, Any] = {}
        """The latest whole task or message, as JSON."""
        self._spoken = False
        self._line_ended = True

    def pieces_of(self, event: StreamResponse) -> Iterator[str]:
        """The texts an event adds to the answer, in order."""
        match event.WhichOneof("payload"):
            case "task":
                yield from self._of_task(event.task)
            case "message":
                self.document = MessageToDict(event.message)
                yield from self._said(_texts(event.message.parts))
            case "artifact_update":
                update = event.artifact_update
                self.task_id = update.task_id
                yield from self._said(_texts(update.artifact.parts), goes_on=update.append)
            case "status_update":
                self.task_id, self.state = event.status_update.task_id, event.status_update.status.state
                yield from self._of_status(event.status_update.status.message)

    @property
    def spoken(self) -> bool:
        """Whether it said anything yet."""
        return self._spoken

    @property
    def failed(self) -> bool:
        """Whether the task ended otherwise than it should."""
        return self.state != TaskState.TASK_STATE_UNSPECIFIED and self.state not in _GOOD_ENDS

    @property
    def waits(self) -> bool:
        """Whether the agent waits for the caller."""
        return self.state in (TaskState.TASK_STATE_INPUT_REQUIRED, TaskState.TASK_STATE_AUTH_REQUIRED)

    @property
    def state_name(self) -> str:
        """The state in a word, e.g. `failed`."""
        return TaskState.Name(self.state).removeprefix("TASK_STATE_").lower().replace("_", " ")

    def _of_task(self, task: Task) -> Iterator[str]:
        self.task_id, self.state = task.id, task.status.state
        self.document = MessageToDict(task)
        for artifact in task.artifacts:
            yield from self._said(_texts(artifact.parts))
        yield from self._of_status(task.status.message)

    def _of_status(self, message: Message) -> Iterator[str]:
        # While it works, an agent only says that it does; the text of the end is part of the answer.
        if self.failed or self.waits or (self.state == TaskState.TASK_STATE_COMPLETED and not self._spoken):
            yield from self._said(_texts(message.parts))

    def _said(self, texts: Iterable[str], *, goes_on: bool = False) -> Iterator[str]:
        for text in texts:
            if not self._line_ended and not goes_on:
                yield "\n"
            self._spoken, self._line_ended = True, text.endswith("\n")
            yield text


def _texts(parts: Iterable[Part]) -> Iterator[str]:
    for part in parts:
        match part.WhichOneof("content"):
            case "text":
                yield part.text
            case "raw":
                yield f"[file {part.filename or 'without a name'}: {len(part.raw)} bytes]"
            case "url":
                yield f"[file at {part.url}]"
            case "data":
                yield json.dumps(MessageToDict(part)["data"], ensure_ascii=False)
