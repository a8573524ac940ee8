"""Lists that are read page by page: cursors instead of offsets (A2A v1.0.1 §3.1.4)."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import Generic, TypeVar

from csbond.protocol.errors import RemoteProtocolError
from csbond.protocol.messages.task import TaskState, TaskView

PAGE_SIZE_DEFAULT = 50
PAGE_SIZE_MAX = 100
_LATEST = 2**63 - 1
"""The largest number a row can hold."""

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """Some rows, the cursor of the next page ("" on the last) and how many there are in all."""

    rows: tuple[Row, ...]
    next_cursor: str = ""
    total: int = 0


@dataclass(frozen=True, slots=True)
class TaskQuery:
    """Which tasks of one caller to list, newest status first."""

    caller_key: str
    context_id: str = ""
    state: TaskState | None = None
    status_after: int | None = None
    """Only tasks whose status changed at or after this time (ms)."""
    before: tuple[int, str] | None = None
    """The (status_at, id) of the last row of the page before."""
    limit: int = PAGE_SIZE_DEFAULT
    history_length: int | None = None
    with_artifacts: bool = False


TaskPage = Page[TaskView]


def cursor_of(position: tuple[int, str]) -> str:
    """An opaque page token for the row at a position."""
    return base64.urlsafe_b64encode(f"{position[0]}:{position[1]}".encode()).decode("ascii")


def position_of(cursor: str) -> tuple[int, str]:
    """The position inside a page token; `invalid_params` when it is none of ours."""
    try:
        number, colon, name = base64.urlsafe_b64decode(cursor.encode("ascii")).decode().partition(":")
        if not colon or not 0 <= int(number) <= _LATEST:
            raise ValueError(cursor)
        return int(number), name
    except (ValueError, binascii.Error) as fault:
        raise RemoteProtocolError(
            "invalid_params",
            "the page token is not one this node gave",
            next_step="start again without a page token",
            field="pageToken",
        ) from fault
