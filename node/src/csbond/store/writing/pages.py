"""Pages are read one row further than asked, so that the last page is known to be the last."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TypeVar

from csbond.protocol.messages.listing import Page, cursor_of
from csbond.store.writing.json_columns import to_json

LATEST = 2**63 - 1
"""A time or place after all others: where a first page begins."""

Row = TypeVar("Row")


def page_of(rows: tuple[Row, ...], limit: int, total: int, position: Callable[[Row], tuple[int, str]]) -> Page[Row]:
    """The page, given one row more than its limit where there are more."""
    shown = rows[: max(0, limit)]
    more = len(rows) > len(shown) and shown
    return Page(shown, cursor_of(position(shown[-1])) if more else "", total)


def names(given: Collection[str] | None) -> str | None:
    """Names as a statement is given them: a JSON list; None for all."""
    return None if given is None else to_json(sorted(given))
