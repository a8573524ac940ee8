"""Snapshots are made, listed, shown and let go of (MEM-006 §6.1)."""

from __future__ import annotations

from dataclasses import replace

import orjson
import pytest

from csbond.flows.delete_memory import delete_memory
from csbond.flows.edit_memory import edit_memory
from csbond.flows.erase_memory import erase_memory
from csbond.flows.index_vectors import catch_up
from csbond.flows.link_memory import LinkChange, link_memory
from csbond.flows.make_snapshot import SnapshotRequest, make_snapshot
from csbond.flows.move_memory import raise_memory
from csbond.flows.restore_memory import restore_memory
from csbond.flows.show_snapshot import drop_snapshot, find_snapshot, list_loads, list_snapshots
from csbond.flows.verify_snapshot import verify_snapshot
from csbond.protocol.errors import CsbError
from csbond.protocol.memory.filter import EntryFilter
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.link import Link
from csbond.protocol.memory.vectors import pack
from csbond.protocol.messages.caller import ANONYMOUS, OWNER, Caller, CallerKind, Role
from csbond_tests.memories import remember, tell
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT
from csbond_tests.snapshots import file_of_home, made

EDITOR = Caller(CallerKind.PRINCIPAL, "ann", Role.EDITOR, frozenset({"home"}))


async def code_of(awaitable):
    with pytest.raises(CsbError) as info:
        await awaitable
    return info.value.code.name


async def shown(world, head=None, **wishes):
    return orjson.loads(await file_of_home(world, head, **wishes))


def contents(document):
    return sorted(memory["content"] for memory in document["memories"])


@requirement("MEM-003-3.1-snapshot", "MEM-006-6.1-format")
async def test_a_snapshot_is_made_listed_and_shown(either):
    await remember(either, "hot", level="hot", tags=["a"], visibility="public", mood={"calm": 1})
    await remember(either, "冷", level="cold")
    head = await made(either, "all of it")
    assert (head.total, dict(head.levels), head.description) == (2, {"hot": 1, "cold": 1}, "all of it")
    assert (head.source, head.created) == ("Luna", either.clock.now())
    assert (await list_snapshots(either, OWNER)).rows == (head,)
    document = await shown(either, head)
    assert contents(document) == ["hot", "冷"]
    assert document["metadata"]["checksum"] == head.checksum
    (told,) = (memory for memory in document["memories"] if memory["content"] == "hot")
    assert (told["tags"], told["visibility"], told["mood"]) == (["a"], "public", {"calm": 1})


async def test_a_memory_with_a_number_that_would_come_back_as_another_is_named(either):
    entry = await remember(either, "one", deep={"n": 2**53 + 1})
    await remember(either, "two", tags=["fine"])
    with pytest.raises(CsbError) as info:
        await made(either)
    assert (info.value.code.name, info.value.field) == ("invalid_params", "filter")
    assert f"{entry.id}, whose deep.n is" in info.value.reason
    assert (await made(either, wanted=EntryFilter(tag="fine"))).total == 1


@requirement("MEM-006-verify")
async def test_what_is_made_is_whole(either):
    await remember(either, "one")
    raw = await file_of_home(either)
    snapshot = await verify_snapshot(either, raw, OWNER)
    assert snapshot.head.total == 1
    assert await code_of(verify_snapshot(either, raw.replace(b"one", b"two"), OWNER)) == "snapshot_refused"


@requirement("MEM-006-6.1-stable")
async def test_uses_and_moves_there_and_back_change_no_byte_of_a_snapshot(either):
    entry = await remember(either, "one", level="warm")
    head = await made(either)
    before = await file_of_home(either, head)
    await raise_memory(either, entry.id, caller=OWNER, intent=INTENT)
    assert await file_of_home(either, head) == before


@requirement("MEM-006-6.1-stable", "MEM-006-6.2-git")
async def test_two_snapshots_of_a_home_with_one_changed_memory_differ_in_its_line_and_the_head(either):
    entries = [await remember(either, f"memory {number}") for number in range(6)]
    one = (await file_of_home(either)).splitlines()
    either.clock.advance(1000)
    await edit_memory(either, entries[3].id, {"content": "changed"}, LevelNames(), caller=OWNER, intent=INTENT)
    other = (await file_of_home(either)).splitlines()
    differing = [place for place, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
    changed = sorted(entry.id for entry in entries).index(entries[3].id) + 2
    assert differing == [0, changed, len(one) - 1]


@requirement("MEM-006-6.1-forgotten", "MEM-005-report-02-deleted-come-back")
async def test_what_was_deleted_since_is_not_shown_and_the_checksum_is_of_what_is(either):
    kept, soft, hard = [await remember(either, content) for content in ("kept", "soft", "hard")]
    await link_memory(either, kept.id, LinkChange((Link(soft.id, "extends"),)), caller=OWNER, intent=INTENT)
    head = await made(either)
    await delete_memory(either, soft.id, OWNER, INTENT)
    await erase_memory(either, hard.id, OWNER, INTENT)
    raw = await file_of_home(either, head)
    document = orjson.loads(raw)
    assert contents(document) == ["kept"]
    assert "links" not in document["memories"][0]
    assert (await verify_snapshot(either, raw, OWNER)).head.total == 1
    assert soft.id.encode() not in raw
    await restore_memory(either, soft.id, OWNER, INTENT)
    assert contents(await shown(either, head)) == ["kept", "soft"]


async def test_what_is_deleted_already_is_not_in_a_new_snapshot(either):
    entry = await remember(either, "gone")
    await delete_memory(either, entry.id, OWNER, INTENT)
    assert (await made(either)).total == 0
    assert await code_of(made(either, wanted=EntryFilter(deleted=True))) == "invalid_params"


async def test_a_filter_narrows_a_snapshot_and_takes_long_texts_whole(either):
    await remember(either, "a lamp", tags=["light"])
    pieces = await tell(either, "A sentence that goes on. " * 200 + "The dragon sleeps.")
    assert contents(await shown(either, wanted=EntryFilter(tag="light"))) == ["a lamp"]
    document = await shown(either, wanted=EntryFilter(text="dragon"))
    assert [memory["id"] for memory in document["memories"]] == sorted(piece.id for piece in pieces)
    assert {memory.get("piece", 0) for memory in document["memories"]} == set(range(len(pieces)))


@requirement("MEM-006-6.1-embeddings")
async def test_links_are_left_out_where_they_are_not_wanted(either):
    entry = await remember(either, "one", links=[{"target_id": "agent:bo"}], link_metadata={"note": "x"})
    with_links = await shown(either)
    assert with_links["memories"][0]["links"] == [{"target_id": "agent:bo", "relation": "relates_to", "weight": 1}]
    without = await shown(either, links=False)
    assert not {"links", "link_metadata"} & without["memories"][0].keys()
    assert (with_links["metadata"]["includes_links"], without["metadata"]["includes_links"]) == (True, False)
    assert entry.id == without["memories"][0]["id"]


@requirement("MEM-006-6.1-embeddings")
async def test_the_vectors_of_the_node_are_in_it_where_they_are_wanted(meaning):
    await remember(meaning, "The river was cold.", embedding=[0.5])
    await catch_up(meaning)
    plain = await shown(meaning)
    assert ("embedding" in plain["memories"][0], plain["metadata"]["includes_embeddings"]) == (False, False)
    document = await shown(meaning, embeddings=True)
    assert document["metadata"]["embedding_model"] == "concepts-1"
    (vector,) = await meaning.ledger.vectors("home", "concepts-1", -1, 9)
    assert pack(document["memories"][0]["embedding"]) == vector.stored.vector


@requirement("MEM-006-6.1-embeddings")
async def test_a_home_without_a_model_has_the_vectors_that_clients_supplied(either):
    await remember(either, "The river was cold.", embedding=[0.5, 0.25])
    document = await shown(either, embeddings=True)
    assert document["memories"][0]["embedding"] == [0.5, 0.25]
    assert "embedding_model" not in document["metadata"]


async def test_the_same_key_makes_one_snapshot(either):
    await remember(either, "one")
    first = await made(either, "a", key="k", digest="d")
    either.clock.advance(5)
    assert await made(either, "a", key="k", digest="d") == first
    assert await code_of(made(either, "b", key="k", digest="e")) == "already_exists"
    await drop_snapshot(either, first.id, OWNER, INTENT)
    assert await code_of(made(either, "a", key="k", digest="d")) == "snapshot_not_found"


async def test_more_than_a_snapshot_holds_is_refused(either):
    for number in range(4):
        await remember(either, f"memory {number}")
    few = replace(either, limits=replace(either.limits, snapshot_memories=3))
    small = replace(either, limits=replace(either.limits, snapshot_bytes=300))
    for world in (few, small):
        assert await code_of(made(world)) == "invalid_params"
    assert (await list_snapshots(either, OWNER)).rows == ()


@pytest.mark.parametrize("description", ["x" * 513, "half \ud800", "nul \x00"])
async def test_a_description_that_cannot_be_kept_is_refused(world, description):
    assert await code_of(made(world, description)) == "invalid_params"


async def test_a_snapshot_is_let_go_once(either):
    head = await made(either)
    await drop_snapshot(either, head.id, OWNER, INTENT)
    assert await code_of(drop_snapshot(either, head.id, OWNER, INTENT)) == "snapshot_not_found"
    assert await code_of(find_snapshot(either, head.id, OWNER)) == "snapshot_not_found"


async def test_the_records_of_a_snapshot_hold_nothing_it_says(world):
    await remember(world, "The key is under the mat.")
    head = await made(world, "secret plans")
    await drop_snapshot(world, head.id, OWNER, INTENT)
    records = [record for change in world.ledger.changes[1:] for record in change.audit]
    assert [record.type for record in records] == ["memory_snapshot", "memory_snapshot_drop"]
    assert {record.target for record in records} == {head.id}
    assert not any(word in str(record.details) for record in records for word in ("mat", "secret"))


@pytest.mark.parametrize("caller", [ANONYMOUS, EDITOR])
async def test_snapshots_are_for_the_owner_alone(world, caller):
    head = await made(world)
    assert await code_of(make_snapshot(world, SnapshotRequest(), caller, INTENT)) == "forbidden"
    assert await code_of(list_snapshots(world, caller)) == "forbidden"
    assert await code_of(list_loads(world, caller)) == "forbidden"
    assert await code_of(find_snapshot(world, head.id, caller)) == "forbidden"
    assert await code_of(drop_snapshot(world, head.id, caller, INTENT)) == "forbidden"
    assert await code_of(verify_snapshot(world, b"{}", caller)) == "forbidden"
