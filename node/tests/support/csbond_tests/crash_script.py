"""A short life of a ledger, lived again and again by children that end themselves at one point after another.

Run as `python -m csbond_tests.crash_script FOLDER`: child number N lives in FOLDER/N and writes what was acknowledged
to it into FOLDER/N/acknowledged. The run ends with the first child that lives through, and tells its number.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Awaitable
from pathlib import Path

from csbond.flows.changes import AppendMessage, KeepSession, KeepThread, RememberRequest, SaveTask
from csbond.flows.memory_changes import PutEntry
from csbond.flows.ports import StoredVector
from csbond.protocol.errors import Refused
from csbond.protocol.memory.vectors import pack
from csbond.protocol.messages.task import TaskState
from csbond.store.sqlite import open_ledger
from csbond.testing import FixedSigner
from csbond.testing.crash_points import arm
from csbond_tests.ledger_samples import (
    a_chunk,
    a_message,
    a_record,
    a_session,
    a_task,
    a_thread,
    an_entry,
    home,
    put,
)

__all__ = ["live", "main"]


async def live(folder: Path) -> None:
    """Live the life in a folder, noting each thing that was acknowledged before the next begins."""
    ledger = await open_ledger(folder / "csbond.db", FixedSigner(), "Luna")
    handle = os.open(folder / "acknowledged", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    async def note(name: str, doing: Awaitable[object]) -> None:
        try:
            await doing
        except Refused:
            return
        os.write(handle, f"{name}\n".encode())

    accepted = (KeepThread(a_thread()), KeepSession(a_session()), SaveTask(a_task()), AppendMessage(a_message()))
    request = RememberRequest("owner", "message-1", "sha256:1", "task-1", 1)
    await note("accepted", ledger.commit(home(*accepted, request, audit=(a_record("audit_1"),))))
    taken = home(PutEntry(an_entry("mem_half")), PutEntry(an_entry("mem_1")), audit=(a_record("audit_no"),))
    await asyncio.gather(
        note("entry", ledger.commit(home(PutEntry(an_entry("mem_1", tags=("a",))), audit=(a_record("audit_2"),)))),
        note("refused", ledger.commit(taken)),
        note("edit", ledger.commit(put(an_entry("mem_1", "edited text", version=2, tags=("b",))))),
    )
    for number in range(3):
        await ledger.append_chunk_soon(home(a_chunk(str(number))))
    answer = a_message("answer-1", "an answer", role="agent")
    ended = a_task(version=2, state=TaskState.COMPLETED, status_message=answer.message)
    done = home(SaveTask(ended), AppendMessage(answer), PutEntry(an_entry("mem_2")), audit=(a_record("audit_3"),))
    await note("done", ledger.commit(done))
    vector = StoredVector("mem_1", "home", 3, pack((1.0, 0.0)))
    await note("vector", ledger.save_vectors("home", "model-1", [vector], 3))
    await ledger.close()


async def _make(path: Path) -> None:
    await (await open_ledger(path, FixedSigner(), "Luna")).close()


def main(folder: Path) -> int:
    """Return how many children there were; the last one lived through."""
    asyncio.run(_make(folder / "empty.db"))
    number = 0
    while True:
        number += 1
        home_of_child = folder / str(number)
        home_of_child.mkdir()
        shutil.copy(folder / "empty.db", home_of_child / "csbond.db")
        child = os.fork()
        if child == 0:
            arm({"CSB_CRASH_AT": f"any:{number}"})
            asyncio.run(live(home_of_child))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status == 0:
            return number
        if not os.WIFSIGNALED(status):
            raise RuntimeError(f"child {number} ended with {status}, and not by its crash point")


if __name__ == "__main__":
    sys.stdout.write(str(main(Path(sys.argv[1]))))
