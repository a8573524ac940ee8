"""A snapshot is loaded again and again by children that end themselves at one point of it after another.

Run as `python -m csbond_tests.load_crash_script FOLDER STEP`: the children end at every STEP-th point. The run ends
with the first child that lives through, and tells how many there were.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from pathlib import Path

from csbond.flows import load_snapshot as story
from csbond.store.sqlite import open_ledger
from csbond.testing import FixedSigner
from csbond.testing.crash_points import arm
from csbond_tests.small_world import small_world
from csbond_tests.snapshots import file_of, loaded, memory

__all__ = ["BATCH", "IDS", "RAW", "main"]

IDS = [f"mem_{number}_a" for number in range(1, 6)]
BATCH = 2
"""Memories of one transaction."""
RAW = file_of(
    *(
        memory(id_, f"memory {id_}", tags=["river"], links=[{"target_id": IDS[(place + 1) % len(IDS)]}])
        for place, id_ in enumerate(IDS)
    )
)
"""Each links to the next one, the last to the first."""


async def _load(path: Path) -> None:
    ledger = await open_ledger(path, FixedSigner(), "Luna")
    await loaded(small_world(ledger), RAW)
    await ledger.close()


async def _make(path: Path) -> None:
    await (await open_ledger(path, FixedSigner(), "Luna")).close()


def main(folder: Path, step: int) -> int:
    """Return how many children there were; the last one lived through."""
    story.BATCH = BATCH
    asyncio.run(_make(folder / "empty.db"))
    number = 0
    while True:
        number += 1
        path = folder / f"{number}.db"
        shutil.copy(folder / "empty.db", path)
        child = os.fork()
        if child == 0:
            arm({"CSB_CRASH_AT": f"any:{(number - 1) * step + 1}"})
            asyncio.run(_load(path))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status == 0:
            return number
        if not os.WIFSIGNALED(status):
            raise RuntimeError(f"child {number} ended with {status}, and not by its crash point")


if __name__ == "__main__":
    sys.stdout.write(str(main(Path(sys.argv[1]), int(sys.argv[2]))))
