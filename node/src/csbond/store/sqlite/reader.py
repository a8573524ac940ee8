"""Reading: every statement sees all commits that were acknowledged before it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import apsw

from csbond.store.sqlite.faults import translated
from csbond.store.sqlite.statements import statements
from csbond.store.writing.writing import Row


class Reader:
    """A connection that only reads, used by one thread at a time."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._sql = statements()
        self._stem = connection.fts5_tokenizer("porter", ["unicode61"])

    def rows(self, name: str, bindings: Mapping[str, Any] | None = None) -> list[Row]:
        """The rows of a named statement; `storage_unavailable`."""
        try:
            return self._connection.execute(self._sql[name], bindings or {}).fetchall()
        except (apsw.Error, UnicodeEncodeError, OverflowError) as fault:
            raise translated(fault) from fault

    def row(self, name: str, bindings: Mapping[str, Any] | None = None) -> Row | None:
        """The first row of a named statement; None when there is none."""
        rows = self.rows(name, bindings)
        return rows[0] if rows else None

    def stems(self, term: str) -> list[str]:
        """A term as the full text indexes keep it."""
        found = self._stem(
            term.encode("utf-8", "replace"),
            apsw.FTS5_TOKENIZE_QUERY,
            None,
            include_offsets=False,
            include_colocated=False,
        )
        return [stem for stem in found if isinstance(stem, str)]

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()
