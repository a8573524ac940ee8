"""What `csb send` says: a message made of what was typed."""

from __future__ import annotations

import json
import mimetypes
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from csbond.protocol.continuity.session_context import SessionContext, session_context_to_json
from csbond.protocol.errors import LocalProtocolError
from csbond.protocol.memory.entry import checked_text
from csbond.protocol.messages.extensions import SENDER, SESSION_CONTEXT
from csbond.protocol.messages.message import Message
from csbond.protocol.messages.part import Part, PartKind, text_part

STDIN = "-"
"""A text of this is read from standard input."""


@dataclass(frozen=True, slots=True)
class Typed:
    """What was given on the command line."""

    text: str
    files: Sequence[Path] = ()
    data: Sequence[str] = ()
    urls: Sequence[str] = ()
    thread: str = ""
    task: str = ""
    sender: str = ""


def message_of(typed: Typed, message_id: str) -> Message:
    """The message to send; `invalid_params` for what no message can hold."""
    metadata: dict[str, Any] = {}
    if typed.thread:
        metadata[SESSION_CONTEXT] = session_context_to_json(SessionContext(checked_text("thread", typed.thread)))
    if typed.sender:
        metadata[SENDER] = {"name": checked_text("as", typed.sender)}
    return Message(
        id=message_id,
        role="user",
        parts=tuple(_parts(typed)),
        task_id=checked_text("task", typed.task),
        extensions=tuple(metadata),
        metadata=metadata,
    )


def read_text(text: str) -> str:
    """The text, from standard input for `-`; `invalid_params` when there is none or it is not UTF-8."""
    if text == STDIN:
        if sys.stdin is None:
            raise LocalProtocolError("invalid_params", "standard input is closed", field="text")
        try:
            text = sys.stdin.read().removesuffix("\n")
        except OSError as fault:
            raise LocalProtocolError(
                "invalid_params", f"standard input cannot be read: {fault.strerror}", field="text"
            ) from fault
        except UnicodeDecodeError as fault:
            raise LocalProtocolError("invalid_params", "standard input is not UTF-8", field="text") from fault
    if not text.strip():
        raise LocalProtocolError("invalid_params", "the text is empty", field="text")
    return checked_text("text", text)


def _parts(typed: Typed) -> list[Part]:
    parts = [text_part(read_text(typed.text))]
    parts += [_file_part(path) for path in typed.files]
    parts += [Part(PartKind.DATA, _json(text)) for text in typed.data]
    parts += [
        Part(PartKind.URL, checked_text("url", url), _media_type(_last_name(url)), _last_name(url))
        for url in typed.urls
    ]
    return parts


def _file_part(path: Path) -> Part:
    try:
        return Part(PartKind.FILE, path.read_bytes(), _media_type(path.name), checked_text("file", path.name))
    except OSError as fault:
        raise LocalProtocolError("invalid_params", f"{path} cannot be read: {fault.strerror}", field="file") from fault


def _json(text: str) -> Mapping[str, Any] | list[Any] | Any:
    try:
        found = json.loads(text, parse_constant=_refuse_constant)
        json.dumps(found, ensure_ascii=False).encode()  # an escape can name half of a character
    except (ValueError, RecursionError) as fault:
        raise LocalProtocolError("invalid_params", f"--data is not JSON: {fault}", field="data") from fault
    return found


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number")


def _media_type(name: str) -> str:
    return mimetypes.guess_type(name)[0] or "application/octet-stream"


def _last_name(url: str) -> str:
    return url.partition("?")[0].rstrip("/").rpartition("/")[2]
