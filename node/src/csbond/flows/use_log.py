"""Uses of memories that were counted and not yet kept: a read costs no write (MEM-004 §4.1)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import islice

from csbond.protocol.memory.entry import MemoryEntry
from csbond.protocol.memory.promotion import token, weight_of_use, with_uses
from csbond.protocol.memory.use import Use

MANY = 1000
"""Memories with uses that wait, from which they are kept without waiting longer."""

TOGETHER = 200
"""Memories whose uses are kept in one transaction: few enough that no other write waits long for it."""


@dataclass(eq=False)
class UseLog:
    """What was used since the uses were last kept, a row a memory."""

    _waiting: dict[str, Use] = field(default_factory=dict)
    _any: asyncio.Event = field(default_factory=asyncio.Event)
    _many: asyncio.Event = field(default_factory=asyncio.Event)

    def __len__(self) -> int:
        """How many memories have uses that wait."""
        return len(self._waiting)

    def note(self, entry: MemoryEntry, at: int, rhythm_ms: int, *, found: bool, of_text: bool = False) -> None:
        """Count one use of a memory; `found` when it was found by meaning, `of_text` when its whole text counts it."""
        known = self._waiting.get(entry.id)
        previous = known.at if known else entry.last_accessed
        tokens = token(at, weight_of_use(previous, at, rhythm_ms))
        of_text = of_text and entry.piece > 0
        self._add(Use(entry.id, at, 1, tokens, found, int(of_text), tokens if of_text else ""))

    def waiting(self, entry_id: str) -> Use | None:
        """The uses of a memory that wait, if any."""
        return self._waiting.get(entry_id)

    def take(self, limit: int = TOGETHER) -> tuple[Use, ...]:
        """Some of the uses that wait, which do not wait any more."""
        taken = tuple(self._waiting.pop(entry_id) for entry_id in tuple(islice(self._waiting, limit)))
        self._tell()
        return taken

    def give_back(self, uses: Iterable[Use]) -> None:
        """Let uses wait again that could not be kept, before those that came since."""
        for use in uses:
            since = self._waiting.pop(use.entry_id, None)
            self._add(use)
            if since:
                self._add(since)

    async def until_due(self, longest_s: float) -> None:
        """Wait for a use, and then for many of them, but no longer than so many seconds."""
        await self._any.wait()
        try:
            async with asyncio.timeout(longest_s):
                await self._many.wait()
        except TimeoutError:
            return

    def _add(self, use: Use) -> None:
        known = self._waiting.get(use.entry_id)
        if known:
            use = replace(
                use,
                at=max(known.at, use.at),
                count=known.count + use.count,
                tokens=with_uses(known.tokens, (use.tokens,)),
                found=known.found or use.found,
                text_count=known.text_count + use.text_count,
                text_tokens=with_uses(known.text_tokens, (use.text_tokens,)),
            )
        self._waiting[use.entry_id] = use
        self._tell()

    def _tell(self) -> None:
        for event, wanted in ((self._any, 1), (self._many, MANY)):
            if len(self._waiting) >= wanted:
                event.set()
            else:
                event.clear()
