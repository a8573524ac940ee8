"""Messages of threads as people see them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from csbond.cli.output import moment, print_table


def print_messages(
    messages: Iterable[Mapping[str, Any]], nothing: str = "Nothing was said.", *, with_thread: bool = False
) -> None:
    """A row a message: when, who, what; or the line `nothing`."""
    columns = ["when", "who", "said"]
    print_table(
        ["thread", *columns] if with_thread else columns,
        [_row(message, with_thread=with_thread) for message in messages],
        nothing,
    )


def _row(message: Mapping[str, Any], *, with_thread: bool) -> list[str]:
    row = [moment(message.get("said_at")), _speaker(message), _said(message)]
    return [str(message.get("thread_id", "")), *row] if with_thread else row


def _speaker(message: Mapping[str, Any]) -> str:
    sender = message.get("sender") or {}
    return str(sender.get("name") or sender.get("did") or message.get("role", ""))


def _said(message: Mapping[str, Any]) -> str:
    return str(message.get("text", ""))
