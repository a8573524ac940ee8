"""The rows of the in-memory ledger, as long as it is open."""

from __future__ import annotations

from csbond.protocol.errors import Unavailable
from csbond.testing.memory_rows import Rows


class OpenRows:
    """What every side of the ledger reads from."""

    def __init__(self) -> None:
        self._rows = Rows()
        self._closed = False

    def _open(self) -> Rows:
        if self._closed:
            raise Unavailable("storage_unavailable", "the ledger is closed")
        return self._rows
