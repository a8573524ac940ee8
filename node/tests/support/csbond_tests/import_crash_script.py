"""A source is imported again and again by children that end themselves at one point of it after another.

Run as `python -m csbond_tests.import_crash_script FOLDER STEP`: the children end at every STEP-th point. The run ends
with the first child that lives through, and tells how many there were.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from pathlib import Path

from csbond.flows import import_memory as story
from csbond.flows.world import World
from csbond.protocol.memory.foreign_record import ForeignLink, ForeignName, ForeignRecord
from csbond.protocol.memory.importing import Importing
from csbond.protocol.messages.caller import OWNER
from csbond.store.sqlite import open_ledger
from csbond.testing import FixedSigner
from csbond.testing.crash_points import arm
from csbond_tests.small_world import INTENT, NOW, small_world

__all__ = ["BEFORE", "RECORDS", "imported", "main"]

COUNT = 5
BATCH = 2
"""Records of one transaction."""


def _record(number: int, content: str) -> ForeignRecord:
    """Each links to the next one, the last to the first."""
    link = ForeignLink(f"k{(number + 1) % COUNT}", "relates_to")
    memory = {"content": content, "timestamp": NOW - number}
    return ForeignRecord(f"record {number}", memory, ForeignName("Vera", key=f"k{number}"), (link,))


BEFORE = (_record(0, "a" * 5000), _record(1, "as it was before"))
"""What was imported before: a text in pieces, and a memory, of which others come now."""
RECORDS = (
    _record(0, "b" * 2500),
    _record(1, "as it is now"),
    _record(2, "new"),
    _record(3, "c" * 3000),
    _record(4, "new, too"),
)


async def imported(world: World, records: tuple[ForeignRecord, ...]) -> story.ImportSum:
    """The sum."""
    outcomes = [each async for each in story.import_memory(world, records, Importing(), "test", OWNER, INTENT)]
    total = outcomes[-1]
    assert isinstance(total, story.ImportSum)
    return total


async def _import(path: Path, records: tuple[ForeignRecord, ...]) -> None:
    ledger = await open_ledger(path, FixedSigner(), "Luna")
    world = small_world(ledger)
    world.identifiers.given = int((await ledger.counts())["entries"]) * 100  # type: ignore[attr-defined]
    await imported(world, records)
    await ledger.close()


def main(folder: Path, step: int) -> int:
    """Return how many children there were; the last one lived through."""
    story.BATCH = BATCH
    asyncio.run(_import(folder / "before.db", BEFORE))
    number = 0
    while True:
        number += 1
        path = folder / f"{number}.db"
        shutil.copy(folder / "before.db", path)
        child = os.fork()
        if child == 0:
            arm({"CSB_CRASH_AT": f"any:{(number - 1) * step + 1}"})
            asyncio.run(_import(path, RECORDS))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status == 0:
            return number
        if not os.WIFSIGNALED(status):
            raise RuntimeError(f"child {number} ended with {status}, and not by its crash point")


if __name__ == "__main__":
    sys.stdout.write(str(main(Path(sys.argv[1]), int(sys.argv[2]))))
