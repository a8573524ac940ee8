"""Pages of rows, latest first."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from csbond.protocol.messages.listing import Page, cursor_of

Row = TypeVar("Row")
Position = tuple[int, str]


def page_of(rows: list[Row], position: Callable[[Row], Position], before: Position | None, limit: int) -> Page[Row]:
    """The rows after a position, latest first, as many as asked."""
    ordered = sorted(rows, key=position, reverse=True)
    left = [row for row in ordered if before is None or position(row) < before]
    shown = tuple(left[: max(0, limit)])
    return Page(shown, cursor_of(position(shown[-1])) if shown and len(left) > len(shown) else "", len(rows))
