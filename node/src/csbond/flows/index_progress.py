"""How far the vectors follow the ledger in this process, and who waits for them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from csbond.protocol.errors import Unavailable


@dataclass(eq=False)
class IndexProgress:
    """What the embedding worker has done and what it has left; writers wake it, readers wait for it."""

    through: int = 0
    """Every entry up to this place in the order of its Space has its vector."""
    waiting: int = 0
    """How many written entries have no vector yet: the lag."""
    backlog: int = 0
    """How many there were when the process began: a change of the model must not stop writes."""
    failure: str = ""
    """Why the embedder does not answer; empty while it does."""
    anew: bool = False
    """Whether the worker is asked to make every vector anew."""
    remaking: bool = False
    """Whether it does so, until the last one is made."""
    _through_once: bool = False
    _written: asyncio.Event = field(default_factory=asyncio.Event)
    _moved: asyncio.Event = field(default_factory=asyncio.Event)

    def written(self, entries: int) -> None:
        """Say that entries were written, changed or deleted; wakes the worker."""
        self.waiting += entries
        self._written.set()

    def refuse_when_behind(self, lag_max: int) -> None:
        """`too_busy` when more entries wait than the node lets wait."""
        if self.waiting > lag_max + self.backlog:
            raise Unavailable(
                "too_busy",
                f"{self.waiting} memories wait for their vector; nothing was written",
                next_step="write again in a minute",
            )

    def make_anew(self) -> bool:
        """Ask for every vector to be made anew; False when that is under way."""
        if self.anew or self.remaking:
            return False
        self.anew = True
        self._written.set()
        return True

    def begun_anew(self) -> None:
        """Say that the vectors are being dropped, and that nothing is searched by meaning until they are made."""
        self.anew, self.remaking, self.through = False, True, 0

    def started(self, through: int, waiting: int) -> None:
        """Begin where the last process ended."""
        self.through, self.waiting, self.backlog = through, waiting, waiting
        self._tell()

    def reached(self, through: int, entries: int) -> None:
        """Say that a batch has its vectors."""
        self.through = max(self.through, through)
        self.waiting = max(0, self.waiting - entries)
        self.failure = ""
        self._tell()

    def caught_up(self, through: int) -> bool:
        """Say that nothing waits up to a place; True the first time since the process began."""
        self.reached(through, self.waiting)
        self.backlog, self.remaking = 0, False
        first, self._through_once = not self._through_once, True
        return first

    def failed(self, reason: str) -> None:
        """Say that the embedder does not answer; whoever waits learns it."""
        self.failure = reason
        self._tell()

    async def until_written(self) -> None:
        """Wait for work; what was written since the last wait counts."""
        await self._written.wait()
        self._written.clear()

    async def until_reached(self, place: int) -> bool:
        """Wait until a place has its vectors; False when the embedder fails meanwhile."""
        while self.through < place:
            if self.failure:
                return False
            await self._moved.wait()
        return True

    async def until_moved(self) -> None:
        """Wait until a batch has its vectors, or the embedder does not answer."""
        await self._moved.wait()

    def _tell(self) -> None:
        self._moved.set()
        self._moved = asyncio.Event()
