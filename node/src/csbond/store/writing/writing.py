"""What a write asks of the transaction it is part of, whatever database is behind it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from csbond.protocol.audit.record import AuditDraft

Bindings = Mapping[str, Any]
"""Values by the names a statement has for them."""
NOTHING: Bindings = {}
Row = tuple[Any, ...]


class Writing(Protocol):
    """An open unit; its statements have the same names and bindings in every engine."""

    def run(self, name: str, bindings: Bindings = NOTHING) -> list[Row]:
        """Execute a named statement and return its rows."""
        ...

    def insert(self, name: str, bindings: Bindings) -> int | None:
        """The row that a statement added; None when it added none."""
        ...

    def changed(self, name: str, bindings: Bindings) -> bool:
        """Whether a statement changed any row."""
        ...

    def next_seq(self, space: str) -> int:
        """The place of the unit in the order of its Space."""
        ...

    def index_words(self, table: str, row: int, words: str | None) -> None:
        """Make a row findable by its words among those of a table, or no longer for None.

        The tables are `message`, `entry` for the living and `deleted` for the softly deleted.
        """
        ...

    def record(self, draft: AuditDraft) -> None:
        """Give an audit record its place in the chain."""
        ...
