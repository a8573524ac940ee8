"""Snapshots are loaded: checked whole, then written, then logged (MEM-006 §6.3)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from csbond.flows import load_snapshot as story
from csbond.flows.delete_memory import delete_memory
from csbond.flows.edit_memory import edit_memory
from csbond.flows.erase_memory import erase_memory
from csbond.flows.link_memory import LinkChange, link_memory
from csbond.flows.load_snapshot import LoadRequest, counts_of, load_snapshot
from csbond.flows.read_memory import list_memory
from csbond.flows.search_memory import MemorySearch, search_memory
from csbond.flows.show_snapshot import list_loads
from csbond.flows.tend_memory import tend_memory
from csbond.protocol.errors import CsbError, Unavailable
from csbond.protocol.memory.entry import Origin
from csbond.protocol.memory.filter import EntryFilter
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.link import Link
from csbond.protocol.memory.near_duplicates import MADE_BY
from csbond.protocol.memory.visibility import Audience
from csbond.protocol.messages.caller import ANONYMOUS, OWNER, Caller, CallerKind, Role
from csbond.store.sqlite import open_ledger
from csbond.testing import FixedSigner, InMemoryLedger
from csbond_tests.memories import remember, tell
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, WatchedLedger, small_world
from csbond_tests.snapshots import HEAD, file_of, file_of_home, loaded, made, memory, resealed

EDITOR = Caller(CallerKind.PRINCIPAL, "ann", Role.EDITOR, frozenset({"home"}))
EVERYTHING = Audience(everything=True)
SAME = {"loaded": 0, "same": 3, "replaced": 0, "conflicts": 0, "deleted_here": 0, "outlived": 0, "unresolved_links": 0}
"""What is counted of three memories that are there."""


@pytest.fixture
async def second(either, tmp_path):
    """Another home, of the same kind as the one in `either`."""
    on_disk = not isinstance(either.ledger._ledger, InMemoryLedger)
    opened = await open_ledger(tmp_path / "second.db", FixedSigner(), "Sol") if on_disk else InMemoryLedger()
    yield small_world(WatchedLedger(opened))
    await opened.close()


async def code_of(awaitable):
    with pytest.raises(CsbError) as info:
        await awaitable
    return info.value.code.name


async def linked_three(world):
    """Three memories, of which the last leads to the first and the first, in a circle of no order, to the last."""
    one = await remember(world, "The river was cold.", level="hot", tags=["river"], mood={"calm": 1})
    two = await remember(world, "河水很冷。", level="cold", visibility="public", metadata={"project": "Trip"})
    links = [{"target_id": one.id, "relation": "extends", "weight": 0.5}, {"target_id": "agent:bo", "since": 5}]
    three = await remember(world, "We swam.", level="warm", links=links)
    await link_memory(world, one.id, LinkChange((Link(three.id, "relates_to"),)), caller=OWNER, intent=INTENT)
    return one, two, three


async def all_of(world):
    return {entry.id: entry for entry in (await list_memory(world, EntryFilter(), OWNER, limit=100)).rows}


@requirement("MEM-006-6.3-order", "MEM-006-6.3-tiers")
async def test_a_second_home_has_after_loading_what_the_first_one_had_in_warm_and_cold(either, second):
    one, two, three = await linked_three(either)
    outcome = await loaded(second, await file_of_home(either))
    assert counts_of(outcome) == {**SAME, "loaded": 3, "same": 0}
    here = await all_of(second)
    assert {id_: entry.level for id_, entry in here.items()} == {one.id: "warm", two.id: "cold", three.id: "warm"}
    assert here[one.id].links == (Link(three.id, "relates_to"),)
    assert here[three.id].links == tuple(
        sorted((Link(one.id, "extends", 0.5), Link("agent:bo", "relates_to")), key=lambda link: link.pair)
    )
    assert here[two.id].content == "河水很冷。"
    assert (here[one.id].tags, here[one.id].extra, here[two.id].visibility) == (
        ("river",),
        {"mood": {"calm": 1}},
        "public",
    )
    assert here[two.id].project == "trip"
    found = await search_memory(second, MemorySearch("river"), EVERYTHING)
    assert [result.entry.id for result in found.results] == [one.id]


@requirement("MEM-006-6.1-stable")
async def test_a_snapshot_of_what_was_loaded_has_the_same_lines_but_for_the_tiers(either, second):
    await linked_three(either)
    raw = await file_of_home(either)
    await loaded(second, raw)
    lines = [line.replace(b'"level":"hot"', b'"level":"warm"') for line in raw.splitlines()[2:5]]
    assert (await file_of_home(second)).splitlines()[2:5] == lines


@requirement("MEM-006-6.3-twice")
async def test_loading_twice_changes_nothing_the_second_time(either, second):
    await linked_three(either)
    raw = await file_of_home(either)
    await loaded(second, raw)
    before, changes = await all_of(second), len(second.ledger.changes)
    second.clock.advance(1000)
    assert counts_of(await loaded(second, raw)) == SAME
    assert await all_of(second) == before
    assert [write for change in second.ledger.changes[changes:] for write in change.writes[1:]] == []


@requirement("MEM-006-6.3-twice")
async def test_loading_a_snapshot_where_it_was_made_changes_nothing(either):
    await linked_three(either)
    before = await all_of(either)
    assert counts_of(await loaded(either, await file_of_home(either))) == SAME
    assert await all_of(either) == before


@requirement("MEM-006-6.3-conflict")
async def test_what_was_changed_here_stays_unless_the_owner_says_otherwise(either, second):
    one, *_ = await linked_three(either)
    raw = await file_of_home(either)
    await loaded(second, raw)
    await edit_memory(second, one.id, {"content": "It was warm."}, LevelNames(), caller=OWNER, intent=INTENT)
    outcome = await loaded(second, raw)
    assert (outcome.plan.conflicts, counts_of(outcome)["same"]) == ((one.id,), 2)
    assert (await second.ledger.entry(one.id)).content == "It was warm."
    assert (await list_loads(second, OWNER)).rows[0].conflicts == (one.id,)
    second.clock.advance(1000)
    replaced = await loaded(second, raw, replaces=True)
    assert counts_of(replaced) == {**SAME, "same": 2, "replaced": 1}
    entry = await second.ledger.entry(one.id)
    assert (entry.content, entry.version, entry.used_at) == ("The river was cold.", 3, second.clock.now())
    assert (await second.ledger.versions_before(one.id, 3, 1))[0].content == "It was warm."
    assert counts_of(await loaded(second, raw, replaces=True)) == SAME


@requirement("MEM-006-6.3-conflict")
async def test_replacing_sets_the_links_that_the_file_has(either, second):
    one, _, three = await linked_three(either)
    raw = await file_of_home(either)
    await loaded(second, raw)
    change = LinkChange((Link("agent:cy", "peer"),), ((one.id, "extends"),))
    await link_memory(second, three.id, change, caller=OWNER, intent=INTENT)
    assert (await loaded(second, raw)).plan.conflicts == (three.id,)
    await loaded(second, raw, replaces=True)
    assert {link.target_id for link in (await second.ledger.entry(three.id)).links} == {one.id, "agent:bo"}


@requirement("MEM-006-6.1-forgotten", "MEM-005-report-02-deleted-come-back")
async def test_what_was_deleted_here_softly_or_for_good_does_not_come_back(either, second):
    one, two, three = await linked_three(either)
    raw = await file_of_home(either)
    for world in (either, second):
        await loaded(world, raw)
        await delete_memory(world, one.id, OWNER, INTENT)
        await erase_memory(world, two.id, OWNER, INTENT)
        for replaces in (False, True):
            outcome = await loaded(world, raw, replaces=replaces)
            assert set(outcome.plan.deleted_here) == {one.id, two.id}
            assert outcome.plan.conflicts == ()
        assert set(await all_of(world)) == {three.id}
        assert (await search_memory(world, MemorySearch("river"), EVERYTHING)).results == ()
        assert await world.ledger.entry(two.id) is None


@requirement("MEM-006-6.3-log")
async def test_every_load_is_in_the_log_with_where_it_came_from(either, second):
    await linked_three(either)
    head = await made(either)
    outcome = await loaded(second, await file_of_home(either, head), source="https://agent.example/x")
    (load,) = (await list_loads(second, OWNER)).rows
    assert (load.id, load.snapshot_id, load.agent) == (outcome.log_id, head.id, "Luna")
    assert (load.source, load.checksum, load.loaded_by) == ("https://agent.example/x", head.checksum, "owner")
    assert (load.counts, load.lenient) == (counts_of(outcome), False)
    second.clock.advance(5)
    await loaded(second, resealed(file_of(), snapshot__more=1), lenient=True)
    assert [each.lenient for each in (await list_loads(second, OWNER)).rows] == [True, False]


@requirement("MEM-006-6.3-order", "MEM-006-6.3-changed-byte")
async def test_of_a_file_with_a_changed_byte_nothing_is_written_and_nothing_logged(either):
    raw = file_of(memory("mem_1_a", "The river was cold."))
    assert await code_of(loaded(either, raw.replace(b"cold", b"warm"))) == "snapshot_refused"
    assert await code_of(loaded(either, resealed(raw, snapshot__version="2.0"))) == "snapshot_refused"
    assert either.ledger.changes == []
    assert (await list_loads(either, OWNER)).rows == ()


async def test_a_dry_run_tells_what_would_be_done_and_does_nothing(either):
    raw = file_of(memory("mem_1_a"), memory("mem_2_b"))
    outcome = await loaded(either, raw, dry_run=True)
    assert (counts_of(outcome)["loaded"], outcome.log_id, outcome.dry_run) == (2, "", True)
    assert either.ledger.changes == []


async def test_links_lead_from_batch_to_batch(either, monkeypatch):
    monkeypatch.setattr(story, "BATCH", 2)
    ids = [f"mem_{number}_a" for number in range(7)]
    memories = [
        memory(id_, f"memory {place}", links=[{"target_id": ids[(place + 1) % 7], "relation": "relates_to"}])
        for place, id_ in enumerate(ids)
    ]
    await loaded(either, file_of(*memories))
    here = await all_of(either)
    assert {id_: here[id_].links[0].target_id for id_ in ids} == dict(zip(ids, ids[1:] + ids[:1], strict=True))


@pytest.mark.parametrize("after", range(9))
async def test_a_load_that_is_interrupted_leaves_whole_batches_and_again_completes(either, second, monkeypatch, after):
    monkeypatch.setattr(story, "BATCH", 2)
    ids = [f"mem_{number}_a" for number in range(7)]
    memories = [
        memory(id_, id_, links=[{"target_id": ids[0]}, {"target_id": "agent:bo"}][place == 0 :])
        for place, id_ in enumerate(ids)
    ]
    raw = file_of(*memories)
    await loaded(second, raw)
    left = iter(range(after))
    commit = either.ledger.commit

    async def interrupted(change):
        if next(left, None) is None:
            raise Unavailable("storage_unavailable", "the power went")
        return await commit(change)

    monkeypatch.setattr(either.ledger, "commit", interrupted)
    with pytest.raises(Unavailable):
        await loaded(either, raw)
    assert len(await all_of(either)) == min(2 * after, 7)
    assert (await list_loads(either, OWNER)).rows == ()
    monkeypatch.setattr(either.ledger, "commit", commit)
    assert (await loaded(either, raw)).plan.conflicts == ()
    ours, theirs = await all_of(either), await all_of(second)
    assert {id_: entry.links for id_, entry in ours.items()} == {id_: entry.links for id_, entry in theirs.items()}
    assert len((await list_loads(either, OWNER)).rows) == 1


@requirement("MEM-006-6.3-twice")
async def test_what_this_node_links_between_a_load_and_the_next_disturbs_neither(either):
    near = Link("mem_1_a", "relates_to", 0.9, MADE_BY)
    bare = [memory("mem_1_a", "one"), memory("mem_2_b", "one!")]
    await loaded(either, file_of(*bare))
    await link_memory(either, "mem_2_b", LinkChange((near,)), caller=OWNER, intent=INTENT)
    (kept,) = (await either.ledger.entry("mem_2_b")).links
    assert kept.made_by == MADE_BY
    raw = file_of(bare[0], {**bare[1], "links": [{"target_id": "mem_1_a", "relation": "extends", "weight": 1}]})
    for found, replaces in ((file_of(*bare), False), (file_of(*bare), True), (raw, False), (raw, False)):
        assert counts_of(await loaded(either, found, replaces=replaces)) == {**SAME, "same": 2}
    assert (await either.ledger.entry("mem_2_b")).links == (Link("mem_1_a", "extends", 1.0), near)


async def test_an_order_that_leads_back_is_left_out_and_told(either):
    one, two = "mem_1_a", "mem_2_b"
    memories = [
        memory(one, "one", links=[{"target_id": two, "relation": "causes"}, {"target_id": "agent:bo"}]),
        memory(two, "two", links=[{"target_id": one, "relation": "causes"}]),
    ]
    outcome = await loaded(either, file_of(*memories))
    assert len(outcome.refused_links) == 1
    here = await all_of(either)
    kept = {(id_, link.target_id) for id_, entry in here.items() for link in entry.links}
    assert kept | set(outcome.refused_links) == {(one, two), (one, "agent:bo"), (two, one)}
    assert counts_of(outcome)["unresolved_links"] == 1


async def test_an_order_that_leads_back_over_what_is_here_is_left_out_and_told(either):
    here = await remember(either, "here", id="mem_9_z", links=[])
    await loaded(either, file_of(memory("mem_1_a", "one")))
    await link_memory(either, here.id, LinkChange((Link("mem_1_a", "causes"),)), caller=OWNER, intent=INTENT)
    raw = file_of(
        memory("mem_2_b", "two", links=[{"target_id": here.id, "relation": "causes"}]),
        memory("mem_1_a", "uno", links=[{"target_id": "mem_2_b", "relation": "causes"}, {"target_id": "agent:bo"}]),
    )
    outcome = await loaded(either, raw, replaces=True)
    assert len(outcome.refused_links) == 1
    assert (await either.ledger.entry("mem_1_a")).content == "uno"


async def test_what_has_outlived_its_time_is_loaded_into_cold_named_and_deleted_by_tending(either):
    raw = file_of(memory("mem_1_a", timestamp=1000, level="warm", metadata={"ttl": 5}))
    outcome = await loaded(either, raw)
    assert outcome.plan.outlived == ("mem_1_a",)
    assert (await either.ledger.entry("mem_1_a")).level == "cold"
    await tend_memory(either, intent=INTENT)
    assert (await either.ledger.entry("mem_1_a")).deleted_at


async def test_what_was_just_loaded_does_not_sink_at_the_next_tending(either):
    await loaded(either, file_of(memory("mem_1_a", timestamp=1000, level="hot")))
    await tend_memory(either, intent=INTENT)
    assert (await either.ledger.entry("mem_1_a")).level == "warm"


async def test_a_long_text_is_whole_in_the_second_home_and_tells_of_whom_it_is_but_not_for_whom(either, second):
    text = "A sentence that goes on. " * 200
    pieces = await tell(either, text, by="Ann", caller="principal:ann")
    await loaded(second, await file_of_home(either))
    whole = await second.ledger.entry_pieces(pieces[-1].id)
    assert [piece.content for piece in whole] == [piece.content for piece in pieces]
    assert {replace(piece.origin, message_id="") for piece in whole} == {Origin("owner", "t-1", "", "Ann")}


@pytest.mark.parametrize("piece", [0, 1])
async def test_a_memory_of_this_home_is_no_part_of_what_a_file_brings(either, piece):
    mine = await remember(either, "My own decision.", id="mem_1_mine")
    tail = memory("mem_2_b", "tail", timestamp=1000, extends=mine.id, piece=piece, metadata={"ttl": 1})
    await loaded(either, file_of(tail))
    await tend_memory(either, intent=INTENT)
    assert (await either.ledger.entry("mem_2_b")).deleted_at
    assert not (await either.ledger.entry(mine.id)).deleted_at
    assert [entry.id for entry in await either.ledger.entry_pieces(mine.id)] == [mine.id]


async def test_a_text_that_has_other_pieces_here_than_in_the_file_stays_whole(either, second):
    whole = await tell(either, "A sentence that goes on. " * 200)
    raw = await file_of_home(either)
    await loaded(second, raw)
    before = await all_of(second)
    outcome = await loaded(second, file_of(memory(whole[0].id, "short")), replaces=True)
    assert (outcome.plan.conflicts, outcome.plan.replaced) == ((whole[0].id,), ())
    assert await all_of(second) == before
    edit = {"content": "Edited here."}
    await edit_memory(second, whole[0].id, edit, LevelNames(), caller=OWNER, intent=INTENT)
    assert counts_of(await loaded(second, raw, replaces=True))["replaced"] == 1
    told = [piece.content for piece in await second.ledger.entry_pieces(whole[0].id)]
    assert told == [piece.content for piece in whole]


async def test_a_long_text_is_written_in_one_transaction(either, monkeypatch):
    monkeypatch.setattr(story, "BATCH", 2)
    ids = [f"mem_{number}_a" for number in range(9)]
    memories = [
        memory(id_, id_, **({"extends": ids[place - 1], "piece": place} if place % 5 else {}))
        for place, id_ in enumerate(ids)
    ]
    memories = [{**each, "piece": place % 5} for place, each in enumerate(memories)]
    await loaded(either, file_of(*memories))
    sizes = [len(change.audit[0].details["entries"]) for change in either.ledger.changes[:-1]]
    assert sizes == [5, 4]


async def test_a_full_vector_queue_refuses_a_load(either):
    behind = replace(either, limits=replace(either.limits, index_lag=0), embedder=object())
    behind.signals.indexing.written(5)
    assert await code_of(loaded(behind, file_of(memory("mem_1_a")))) == "too_busy"
    assert await all_of(either) == {}


async def test_the_records_of_a_load_name_memories_and_hold_nothing_they_say(world):
    await loaded(world, file_of(memory("mem_1_a", "The key is under the mat.", tags=["key"])))
    records = [record for change in world.ledger.changes for record in change.audit]
    assert {record.type for record in records} == {"memory_load"}
    assert records[0].details["entries"] == ["mem_1_a"]
    assert records[-1].details["counts"]["loaded"] == 1
    assert not any(word in str(record.details) for record in records for word in ("mat", "'key'"))


@pytest.mark.parametrize("source", ["x" * 513, "half \ud800"])
async def test_a_source_that_cannot_be_kept_is_refused(world, source):
    assert await code_of(loaded(world, file_of(), source=source)) == "invalid_params"


@pytest.mark.parametrize("caller", [ANONYMOUS, EDITOR])
async def test_loading_is_for_the_owner_alone(world, caller):
    assert await code_of(load_snapshot(world, file_of(), LoadRequest(), caller, INTENT)) == "forbidden"


async def test_nobody_edits_a_memory_between_two_looks_of_a_load_without_being_heard(either, monkeypatch):
    raw = file_of(memory("mem_1_a"), head=HEAD)
    plan_batch, edits = story._plan, iter(["mem_1_a"])

    async def overtaken(*arguments):
        plan = await plan_batch(*arguments)
        for id_ in edits:
            await remember(either, "Another.", id=id_)
        return plan

    monkeypatch.setattr(story, "_plan", overtaken)
    assert (await loaded(either, raw)).plan.conflicts == ("mem_1_a",)
    assert (await either.ledger.entry("mem_1_a")).content == "Another."
