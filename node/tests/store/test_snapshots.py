"""Snapshots in every ledger: they hold versions and no copies, so that what is deleted is in none (MEM-006 §6.1)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from csbond.flows.memory_changes import (
    DropSnapshot,
    EraseEntry,
    LogLoad,
    PutEntry,
    PutSnapshot,
    SetLinks,
    SnapshotMember,
)
from csbond.flows.ports import StoredVector
from csbond.protocol.errors import Refused
from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.link import Link
from csbond.protocol.memory.snapshot import SnapshotHead, SnapshotLoad
from csbond.protocol.memory.vectors import pack
from csbond.protocol.messages.listing import position_of
from csbond_tests.ledger_samples import NOW, an_entry, home, put
from csbond_tests.requirements import requirement

HEAD = SnapshotHead("snap_1_a", NOW, "Luna", "what we know", 2, {Level.HOT: 2}, "sha256:abc", True, True, "concepts-1")
LOAD = SnapshotLoad("load_1_a", "snap_1_a", "Luna", "file", "sha256:abc", NOW, "owner", {"loaded": 2}, ("mem_1",), True)
LINK = Link("mem_2", "extends", 0.5)


async def kept(ledger, *members, head=HEAD):
    await ledger.commit(home(PutSnapshot(head, "home", members)))


async def held(ledger, after="", limit=9):
    return await ledger.snapshot_members(HEAD.id, after, limit)


async def contents(ledger):
    return [(each.entry.id, each.entry.version, each.entry.content) for each in await held(ledger)]


async def two(ledger):
    await ledger.commit(put(an_entry("mem_1", "one"), an_entry("mem_2", "two")))
    await ledger.commit(home(SetLinks("mem_1", (LINK, Link("agent:bo", "peer")))))
    return SnapshotMember("mem_1", 1, (Link("agent:bo", "peer"), LINK)), SnapshotMember("mem_2", 1)


@requirement("MEM-006-6.1-format")
async def test_the_head_of_a_snapshot_is_told_as_it_was_made(ledger):
    await kept(ledger, *await two(ledger))
    assert await ledger.snapshot_head("snap_1_a") == HEAD
    assert await ledger.snapshot_head("snap_2_b") is None


async def test_a_snapshot_tells_what_its_memories_said_by_their_ids(ledger):
    await kept(ledger, *reversed(await two(ledger)))
    assert await contents(ledger) == [("mem_1", 1, "one"), ("mem_2", 1, "two")]
    assert [each.entry.id for each in await held(ledger, limit=1)] == ["mem_1"]
    assert [each.entry.id for each in await held(ledger, after="mem_1")] == ["mem_2"]
    assert (await held(ledger))[0].entry.links == (Link("agent:bo", "peer"), LINK)


async def test_an_edited_memory_is_in_it_as_it_was(ledger):
    await kept(ledger, *await two(ledger))
    await ledger.commit(put(an_entry("mem_1", "uno", version=2, tags=("x",))))
    await ledger.commit(put(an_entry("mem_1", "eins", version=3)))
    await ledger.commit(home(SetLinks("mem_1", (), (("agent:bo", "peer"),))))
    assert await contents(ledger) == [("mem_1", 1, "one"), ("mem_2", 1, "two")]
    assert (await held(ledger))[0].entry.links == (Link("agent:bo", "peer"), LINK)


@requirement("MEM-006-6.1-forgotten", "MEM-005-report-02-deleted-come-back")
async def test_a_deleted_memory_is_in_no_snapshot_and_no_link_of_one_leads_to_it(ledger):
    await kept(ledger, *await two(ledger))
    await ledger.commit(put(an_entry("mem_2", "two", version=2, deleted_at=NOW)))
    assert await contents(ledger) == [("mem_1", 1, "one")]
    assert (await held(ledger))[0].entry.links == (Link("agent:bo", "peer"),)
    await ledger.commit(put(an_entry("mem_2", "two", version=3)))
    assert await contents(ledger) == [("mem_1", 1, "one"), ("mem_2", 1, "two")]


@requirement("MEM-006-6.1-forgotten", "MEM-005-report-02-deleted-come-back")
async def test_an_erased_memory_is_in_no_snapshot_either(ledger):
    await kept(ledger, *await two(ledger))
    await ledger.commit(put(an_entry("mem_2", "deux", version=2)))
    await ledger.commit(home(EraseEntry("mem_2", 2, NOW)))
    assert await contents(ledger) == [("mem_1", 1, "one")]
    assert (await held(ledger))[0].entry.links == (Link("agent:bo", "peer"),)


@requirement("MEM-006-6.1-embeddings")
async def test_the_vectors_of_its_model_are_kept_of_what_the_memory_said(ledger):
    members = await two(ledger)
    vectors = [StoredVector(f"mem_{number}", "home", 1, pack((float(number), 0.5))) for number in (1, 2)]
    await ledger.save_vectors("home", "concepts-1", vectors, 1)
    await ledger.commit(put(an_entry("mem_2", "deux", version=2)))
    assert await ledger.snapshot_vectors("home", "concepts-1", ["mem_1", "mem_2", "mem_3"]) == {
        "mem_1": vectors[0].vector
    }
    assert await ledger.snapshot_vectors("home", "other", ["mem_1"]) == {}
    await kept(ledger, *members)
    assert [each.embedding for each in await held(ledger)] == [vectors[0].vector, None]


async def test_a_snapshot_of_no_model_keeps_no_vectors(ledger):
    members = await two(ledger)
    await ledger.save_vectors("home", "concepts-1", [StoredVector("mem_1", "home", 1, pack((1.0,)))], 1)
    await kept(ledger, *members, head=replace(HEAD, model_id="", includes_embeddings=False))
    assert [each.embedding for each in await held(ledger)] == [None, None]


async def test_what_is_gone_before_the_snapshot_is_written_is_not_in_it(ledger):
    members = await two(ledger)
    await kept(ledger, *members, SnapshotMember("mem_9", 1), SnapshotMember("mem_8", 2))
    assert [each.entry.id for each in await held(ledger)] == ["mem_1", "mem_2"]


async def test_a_snapshot_that_is_there_is_not_written_over(ledger):
    await kept(ledger, *await two(ledger))
    with pytest.raises(Refused) as info:
        await kept(ledger)
    assert info.value.code.name == "already_exists"
    assert len(await held(ledger)) == 2


async def test_a_snapshot_is_let_go_and_its_memories_stay(ledger):
    await kept(ledger, *await two(ledger))
    await ledger.commit(home(DropSnapshot("snap_1_a")))
    assert (await ledger.snapshot_head("snap_1_a"), await held(ledger)) == (None, ())
    assert await ledger.entry("mem_1") is not None
    with pytest.raises(Refused) as info:
        await ledger.commit(home(DropSnapshot("snap_1_a")))
    assert info.value.code.name == "snapshot_not_found"


async def test_snapshots_are_listed_the_latest_first_page_by_page(ledger):
    heads = [replace(HEAD, id=f"snap_{number}_a", created=NOW + number // 2) for number in range(5)]
    for head in heads:
        await kept(ledger, head=head)
    first = await ledger.snapshots("home", None, 2)
    assert (first.rows, first.total) == ((heads[4], heads[3]), 5)
    rest = await ledger.snapshots("home", position_of(first.next_cursor), 9)
    assert (rest.rows, rest.next_cursor) == ((heads[2], heads[1], heads[0]), "")
    assert (await ledger.snapshots("elsewhere", None, 9)).rows == ()


@requirement("MEM-006-6.3-log")
async def test_the_log_of_loads_is_told_the_latest_first_page_by_page(ledger):
    loads = [replace(LOAD, id=f"load_{number}_a", loaded_at=NOW + number) for number in range(3)]
    for load in loads:
        await ledger.commit(home(LogLoad(load)))
    first = await ledger.snapshot_loads(None, 2)
    assert (first.rows, first.total) == ((loads[2], loads[1]), 3)
    assert (await ledger.snapshot_loads(position_of(first.next_cursor), 2)).rows == (loads[0],)


async def test_a_change_that_fails_keeps_no_snapshot_of_it(ledger):
    members = await two(ledger)
    with pytest.raises(Refused):
        await ledger.commit(home(PutSnapshot(HEAD, "home", members), LogLoad(LOAD), PutEntry(an_entry("mem_1"))))
    assert await ledger.snapshot_head(HEAD.id) is None
    assert (await ledger.snapshot_loads(None, 9)).rows == ()


async def test_the_check_of_a_file_finds_a_snapshot_whose_version_is_lost(sqlite_ledger):
    await kept(sqlite_ledger, *await two(sqlite_ledger))
    await sqlite_ledger.commit(put(an_entry("mem_1", "uno", version=2)))
    assert await sqlite_ledger.check() == []
    connection = sqlite_ledger._database._connection
    connection.execute("UPDATE snapshot_member SET version = 7 WHERE entry_id = 'mem_1'")
    assert await sqlite_ledger.check() == ["a snapshot holds a version of the entry mem_1 that is not there"]
