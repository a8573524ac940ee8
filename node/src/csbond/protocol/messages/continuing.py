"""May a message continue a task, and where does a new one belong? (A2A v1.0.1 §3.4.3)"""

from __future__ import annotations

from csbond.protocol.errors import Refused, RemoteProtocolError
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.part import Part, PartKind
from csbond.protocol.messages.task import TERMINAL, Task


def check_continues(task: Task, message: Message) -> None:
    """Nothing, when the message may go on with the task.

    1. the context it names, if any, is the task's (`invalid_params`); 2. the task has not ended
    (`unsupported_operation`).
    """
    if message.context_id and message.context_id != task.context_id:
        raise RemoteProtocolError(
            "invalid_params",
            "the contextId is not that of the task",
            next_step="leave contextId out; it follows from taskId",
            field="message.contextId",
        )
    check_open(task)


def check_open(task: Task) -> None:
    """Nothing, while the task can still change; `unsupported_operation` after its end."""
    if task.state in TERMINAL:
        raise Refused(
            "unsupported_operation",
            f"the task is {task.state.value} and takes no further part in anything",
            next_step="send the message without taskId to begin a new task in the same context",
            field="message.taskId",
        )


def check_parts(parts: tuple[Part, ...], file_bytes_max: int, text_length_max: int) -> None:
    """Nothing, when there is at least one part and they fit; else `invalid_params` or `body_too_large`."""
    if not parts:
        raise RemoteProtocolError("invalid_params", "a message needs at least one part", field="message.parts")
    size = sum(len(part.value) for part in parts if part.kind is PartKind.FILE)
    if size > file_bytes_max:
        raise RemoteProtocolError(
            "body_too_large",
            f"the files of the message have {size} bytes; this node takes {file_bytes_max}",
            next_step="send a url part instead",
            field="message.parts",
        )
    length = sum(len(part.value) for part in parts if part.kind is PartKind.TEXT)
    if length > text_length_max:
        raise RemoteProtocolError(
            "body_too_large",
            f"the texts of the message have {length} characters; this node takes {text_length_max}",
            next_step="send it as a file part, or in several messages",
            field="message.parts",
        )
