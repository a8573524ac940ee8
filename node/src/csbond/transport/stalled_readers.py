"""Connections that are closing and whose readers take nothing: they would stay open for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable


class StalledReaders:
    """Looks at connections again and again, and sees whose last bytes do not get fewer."""

    def __init__(self, patience_s: float) -> None:
        self._patience_s = patience_s
        self._seen: dict[asyncio.Transport, tuple[int, float]] = {}

    def cut(self, transports: Iterable[asyncio.Transport], now: float) -> None:
        """Cut those that took nothing for longer than the patience since they began to close; `now` in seconds.

        Nothing more is written to a closing connection, so what waits gets fewer or its reader takes nothing.
        """
        seen: dict[asyncio.Transport, tuple[int, float]] = {}
        for transport in transports:
            if not transport.is_closing():
                continue
            waiting = transport.get_write_buffer_size()
            before, since = self._seen.get(transport, (waiting, now))
            since = now if waiting < before else since
            if now - since >= self._patience_s:
                transport.abort()
            else:
                seen[transport] = waiting, since
        self._seen = seen
