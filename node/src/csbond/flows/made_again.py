"""A change that was overtaken is made again from what the faster one left: whoever comes later waits for nobody."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from typing import TypeVar

from csbond.protocol.errors import Refused

_Done = TypeVar("_Done")
_TRIES = 5
OVERTAKEN = frozenset({"version_conflict"})
"""With which codes the ledger refuses a change of what somebody else changed after it was read."""


async def made_again(change: Callable[[], Awaitable[_Done]], again: Collection[str] = OVERTAKEN) -> _Done:
    """What the change answers, which reads anew each time; the fifth refusal with one of these codes is told."""
    for _ in range(_TRIES - 1):
        try:
            return await change()
        except Refused as fault:
            if fault.code.name not in again:
                raise
    return await change()
