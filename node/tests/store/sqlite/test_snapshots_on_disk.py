"""Snapshots and the file: what is erased is in none, and a load that is killed leaves whole batches."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import csbond_tests
from csbond.flows.delete_memory import delete_memory
from csbond.flows.erase_memory import erase_memory
from csbond.flows.index_vectors import catch_up, rebuild_index
from csbond.flows.load_snapshot import counts_of
from csbond.flows.memory_changes import DropSnapshot, EraseEntry, PutSnapshot, SnapshotMember
from csbond.flows.ports import StoredVector
from csbond.flows.read_memory import list_memory, read_memory
from csbond.flows.search_memory import MemorySearch, search_memory
from csbond.flows.show_snapshot import list_loads
from csbond.protocol.errors import CsbError
from csbond.protocol.memory.filter import EntryFilter
from csbond.protocol.memory.snapshot import SnapshotHead
from csbond.protocol.memory.vectors import pack
from csbond.protocol.memory.visibility import Audience
from csbond.protocol.messages.caller import OWNER
from csbond.store.sqlite import open_ledger
from csbond.testing import FixedSigner
from csbond_tests.ledger_samples import NOW, an_entry, home, put
from csbond_tests.load_crash_script import BATCH, IDS, RAW
from csbond_tests.memories import remember
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, meaningful_world, small_world
from csbond_tests.snapshots import file_of_home, loaded

STEP = 5
"""Of so many points of a load each first one is looked at."""


@requirement("MEM-005-5.2-no-byte", "MEM-006-6.1-forgotten")
async def test_no_byte_of_an_erased_memory_is_left_by_snapshots_that_held_it(tmp_path):
    ledger = await open_ledger(tmp_path / "csbond.db", FixedSigner(), "Luna")
    secret, vector = "Quicksilver marmalade 灯塔下面", pack((0.123456789, 0.987654321, 0.55555555))
    await ledger.commit(put(an_entry("mem_1_a", secret, tags=(secret[:11],)), an_entry("mem_2_b")))
    await ledger.save_vectors("home", "model-1", [StoredVector("mem_1_a", "home", 1, vector)], 1)
    for number in range(2):
        head = SnapshotHead(f"snap_{number}_a", NOW, "Luna", model_id="model-1", includes_embeddings=True)
        members = (SnapshotMember("mem_1_a", 1), SnapshotMember("mem_2_b", 1))
        await ledger.commit(home(PutSnapshot(head, "home", members)))
    assert (await ledger.snapshot_members("snap_0_a", "", 9))[0].embedding == vector
    await ledger.commit(put(replace(an_entry("mem_1_a", "another text"), version=2)))
    await ledger.commit(home(DropSnapshot("snap_1_a")))
    await ledger.commit(home(EraseEntry("mem_1_a", 2, NOW)))
    assert await ledger.erase_traces()
    for _ in range(2):
        for file in tmp_path.iterdir():
            held = file.read_bytes()
            assert not any(part in held for part in (secret.encode()[:12], "灯塔下面".encode(), vector[:8])), file
        await ledger.close()


async def test_a_load_that_is_killed_leaves_whole_batches_and_no_line_of_the_log_and_again_completes(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(Path(csbond_tests.__file__).parent.parent)}
    run = subprocess.run(
        [sys.executable, "-m", "csbond_tests.load_crash_script", str(tmp_path), str(STEP)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    lives, sizes = int(run.stdout), set[int]()
    for number in range(1, lives + 1):
        ledger = await open_ledger(tmp_path / f"{number}.db", FixedSigner(), "Luna")
        world = small_world(ledger)
        here = await ledger.entries_by_id(IDS)
        logged = (await list_loads(world, OWNER)).total
        assert len(here) == len(IDS) or len(here) % BATCH == 0
        assert not logged or len(here) == len(IDS)
        assert await ledger.check() == []
        sizes.add(len(here))
        outcome = await loaded(world, RAW)
        assert counts_of(outcome)["conflicts"] == 0
        after = await ledger.entries_by_id(IDS)
        assert {id_: [link.target_id for link in entry.links] for id_, entry in after.items()} == {
            id_: [IDS[(place + 1) % len(IDS)]] for place, id_ in enumerate(IDS)
        }
        assert {entry.version for entry in after.values()} == {1}
        assert (await list_loads(world, OWNER)).total == logged + 1
        await ledger.close()
    assert sizes == {0, 2, 4, 5}
    assert lives > 12


@requirement("MEM-005-report-02-deleted-come-back")
async def test_what_was_deleted_is_found_nowhere_after_a_restart_and_after_an_old_snapshot_is_loaded(tmp_path):
    ledger = await open_ledger(tmp_path / "csbond.db", FixedSigner(), "Luna")
    world = meaningful_world(ledger)
    soft = await remember(world, "The lamp is bright.", tags=["light"])
    hard = await remember(world, "The lamp is dim.", tags=["light"])
    kept = await remember(world, "The lamp is new.", links=[{"target_id": soft.id}, {"target_id": hard.id}])
    await catch_up(world)
    raw = await file_of_home(world, embeddings=True)
    await delete_memory(world, soft.id, OWNER, INTENT)
    await erase_memory(world, hard.id, OWNER, INTENT)
    await ledger.close()
    ledger = await open_ledger(tmp_path / "csbond.db", FixedSigner(), "Luna")
    world = meaningful_world(ledger)
    await rebuild_index(world)
    outcome = await loaded(world, raw)
    await catch_up(world)
    assert (set(outcome.plan.deleted_here), outcome.plan.same) == ({soft.id, hard.id}, (kept.id,))
    assert [entry.id for entry in (await list_memory(world, EntryFilter(), OWNER)).rows] == [kept.id]
    found = await search_memory(world, MemorySearch("lamp"), Audience(everything=True))
    assert found.semantic
    assert [result.entry.id for result in found.results] == [kept.id]
    assert [entry.links for entry in (await ledger.entries_by_id([kept.id])).values()] == [()]
    assert await code_of(read_memory(world, hard.id, OWNER)) == "memory_not_found"
    await ledger.close()


async def code_of(awaitable):
    with pytest.raises(CsbError) as info:
        await awaitable
    return info.value.code.name
