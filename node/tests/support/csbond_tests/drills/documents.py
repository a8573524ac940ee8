"""JSON documents that follow each other on a pipe."""

from __future__ import annotations

import asyncio
import json
from typing import Any

__all__ = ["Documents", "first_document"]


class Documents:
    """Reads one document after the other."""

    def __init__(self, stream: asyncio.StreamReader) -> None:
        self._stream = stream
        self._left = ""

    async def next(self) -> Any:
        """The next document; EOFError when the pipe ends before it does."""
        decoder = json.JSONDecoder()
        while True:
            self._left = self._left.lstrip()
            try:
                found, end = decoder.raw_decode(self._left)
            except ValueError:
                more = await self._stream.read(65536)
                if not more:
                    raise EOFError(self._left) from None
                self._left += more.decode()
            else:
                self._left = self._left[end:]
                return found


async def first_document(stream: asyncio.StreamReader) -> Any:
    """The first document of a pipe."""
    return await Documents(stream).next()
