from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from csbond.protocol.errors import Unavailable
from csbond.store.sqlite import open_ledger
from csbond.testing import FixedSigner
from csbond_tests.ledger_samples import an_entry, put
from csbond_tests.requirements import requirement

HOLD = """
import asyncio, sys
from pathlib import Path
from csbond.store.sqlite import open_ledger
from csbond.testing import FixedSigner

async def hold():
    ledger = await open_ledger(Path(sys.argv[1]), FixedSigner(), "Luna")
    print("held", flush=True)
    sys.stdin.read()
    await ledger.close()

asyncio.run(hold())
"""


async def refused(path: Path) -> Unavailable:
    with pytest.raises(Unavailable) as found:
        await open_ledger(path, FixedSigner(), "Bo")
    return found.value


@requirement("EDGE-009")
async def test_a_second_ledger_of_one_file_is_refused_and_the_file_is_named(tmp_path, sqlite_ledger):
    fault = await refused(tmp_path / "csbond.db")
    assert fault.code.name == "home_busy"
    assert str(tmp_path / "csbond.db") in fault.reason
    assert "--database" in fault.next_step
    await sqlite_ledger.commit(put(an_entry()))
    assert await sqlite_ledger.check() == []


@requirement("EDGE-009")
async def test_a_link_is_the_file_it_leads_to(tmp_path, sqlite_ledger):
    (tmp_path / "other.db").symlink_to(tmp_path / "csbond.db")
    assert (await refused(tmp_path / "other.db")).code.name == "home_busy"


@requirement("EDGE-009")
async def test_another_process_is_refused_until_the_first_is_killed(tmp_path):
    path = tmp_path / "csbond.db"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        try:
            assert holder.stdout is not None
            assert await asyncio.to_thread(holder.stdout.readline) == b"held\n"
            assert (await refused(path)).code.name == "home_busy"
        finally:
            os.kill(holder.pid, signal.SIGKILL)
    await (await open_ledger(path, FixedSigner(), "Bo")).close()


async def test_the_file_is_free_again_when_the_ledger_is_closed_or_could_not_be_opened(tmp_path):
    path = tmp_path / "csbond.db"
    path.write_bytes(b"no database " * 400)
    assert (await refused(path)).code.name == "storage_unavailable"
    path.unlink()
    for _ in range(2):
        await (await open_ledger(path, FixedSigner(), "Luna")).close()


async def test_where_no_lock_can_be_made_the_database_is_said_to_be_unusable(tmp_path):
    (tmp_path / "csbond.db.lock").mkdir()
    fault = await refused(tmp_path / "csbond.db")
    assert fault.code.name == "storage_unavailable"
    assert str(tmp_path / "csbond.db") in fault.reason
