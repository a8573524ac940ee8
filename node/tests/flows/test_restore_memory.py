from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from csbond.flows.delete_memory import delete_memory
from csbond.flows.limits import Limits
from csbond.flows.link_memory import LinkChange, link_memory
from csbond.flows.read_memory import read_memory
from csbond.flows.restore_memory import restore_memory
from csbond.flows.search_memory import MemorySearch, search_memory
from csbond.flows.write_memory import Kept, MemoryRequest, write_memory
from csbond.protocol.errors import CsbError, Unavailable
from csbond.protocol.memory.deletion import DAY_MS
from csbond.protocol.memory.entry_json import draft_from_json
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.link import Link
from csbond.protocol.memory.visibility import Audience
from csbond.protocol.messages.caller import OWNER, Caller, CallerKind, Role
from csbond_tests.memories import remember, tell
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW, meaningful_world

ANN = Caller(CallerKind.PRINCIPAL, "ann", Role.EDITOR, frozenset({"home"}))


async def deleted(world, entry):
    return await delete_memory(world, entry.id, OWNER, INTENT)


async def restored(world, entry, expected=(), caller=OWNER):
    return await restore_memory(world, entry.id, caller, INTENT, expected)


@requirement("MEM-003-3.1-restore")
async def test_a_restored_memory_is_told_and_found_again(stored):
    entry = await remember(stored, "The key is under the mat.", tags=["key"])
    await deleted(stored, entry)
    (back,) = await restored(stored, entry)
    assert back == replace(entry, version=3, seq=back.seq, spared_until=back.spared_until)
    assert (await read_memory(stored, entry.id, OWNER)).entry == back
    found = await search_memory(stored, MemorySearch("key"), Audience(everything=True))
    assert [each.entry.id for each in found.results] == [entry.id]


@requirement("MEM-003-3.1-restore")
async def test_every_piece_of_a_text_comes_back(stored):
    text = "A sentence that goes on. " * 250
    pieces = await tell(stored, text)
    await deleted(stored, pieces[0])
    back = await restored(stored, pieces[1])
    assert [piece.id for piece in back] == [piece.id for piece in pieces]
    assert (await read_memory(stored, pieces[2].id, OWNER)).text == text.strip()


@requirement("MEM-003-3.1-restore")
async def test_the_links_of_both_ends_come_back(stored):
    a, b, c = [await remember(stored, content) for content in "abc"]
    for source, target in ((a, b), (b, c)):
        await link_memory(stored, source.id, LinkChange((Link(target.id, "causes"),)), caller=OWNER, intent=INTENT)
    await deleted(stored, b)
    assert (await stored.ledger.entry(a.id)).links == ()
    (back,) = await restored(stored, b)
    assert back.links == (Link(c.id, "causes"),)
    assert (await stored.ledger.entry(a.id)).links == (Link(b.id, "causes"),)


@requirement("AUDIT-memory")
async def test_a_restoration_is_recorded(world):
    entry = await remember(world, "gone")
    await deleted(world, entry)
    await restored(world, entry)
    (record,) = world.ledger.changes[-1].audit
    assert (record.type, record.target, record.timestamp) == ("memory_restore", entry.id, NOW)
    assert record.details == {"entries": [entry.id]}


async def test_what_lives_is_answered_as_it_is_and_nothing_is_written(world):
    entry = await remember(world, "here")
    assert await restored(world, entry) == (entry,)
    assert len(world.ledger.changes) == 1


@requirement("MEM-005-5.2-window")
async def test_within_30_days_a_memory_comes_back_and_a_moment_later_no_more(world):
    early, late = await remember(world, "early"), await remember(world, "late")
    await deleted(world, early)
    await deleted(world, late)
    world.clock.advance(30 * DAY_MS - 1)
    assert [entry.deleted_at for entry in await restored(world, early)] == [0]
    world.clock.advance(1)
    with pytest.raises(CsbError) as refusal:
        await restored(world, late)
    assert refusal.value.code.name == "not_restorable"
    assert refusal.value.code.http == 409
    assert (await world.ledger.entry(late.id)).deleted_at == NOW


async def test_a_restoration_from_another_version_is_refused(world):
    entry = await remember(world, "gone")
    await deleted(world, entry)
    with pytest.raises(CsbError) as refusal:
        await restored(world, entry, expected=(1,))
    assert refusal.value.code.name == "version_conflict"
    assert [back.version for back in await restored(world, entry, expected=(2,))] == [3]


async def test_restorations_at_the_same_time_all_answer_the_same(stored):
    entry = await remember(stored, "gone")
    await deleted(stored, entry)
    outcomes = await asyncio.gather(*(restored(stored, entry) for _ in range(4)))
    assert len({(back.version, back.deleted_at) for (back,) in outcomes}) == 1
    assert len(stored.ledger.changes) == 3


@requirement("MEM-003-3.1-principals")
async def test_an_editor_deletes_and_restores_what_it_told_alone(world):
    draft = draft_from_json({"content": "own"}, NOW, LevelNames())
    (own,) = await write_memory(world, (MemoryRequest(draft),), ANN, INTENT)
    assert isinstance(own, Kept)
    foreign = await remember(world, "foreign", visibility="public")
    await delete_memory(world, own.entry.id, ANN, INTENT)
    assert [back.deleted_at for back in await restored(world, own.entry, caller=ANN)] == [0]
    for doing in (delete_memory, restore_memory):
        with pytest.raises(CsbError) as refusal:
            await doing(world, foreign.id, ANN, INTENT)
        assert refusal.value.code.name == "forbidden"


async def test_a_node_whose_vectors_are_far_behind_restores_nothing(ledger):
    world = meaningful_world(ledger, limits=Limits(index_lag=2))
    entry = await remember(world, "gone")
    await deleted(world, entry)
    world.signals.indexing.written(2)
    with pytest.raises(Unavailable) as refusal:
        await restored(world, entry)
    assert refusal.value.code.name == "too_busy"


async def test_what_says_why_it_was_deleted_says_so_no_more_when_it_is_back(world):
    entry = await remember(world, "gone")
    (gone,) = await deleted(world, entry)
    assert gone.deleted_by == "manual"
    (back,) = await restored(world, entry)
    assert back.deleted_by == ""


@requirement("MEM-003-3.1-principals")
async def test_what_the_owner_deleted_only_the_owner_brings_back(stored):
    draft = draft_from_json({"content": "own"}, NOW, LevelNames())
    (own,) = await write_memory(stored, (MemoryRequest(draft),), ANN, INTENT)
    assert isinstance(own, Kept)
    await deleted(stored, own.entry)
    before = len(stored.ledger.changes)
    with pytest.raises(CsbError) as refusal:
        await restored(stored, own.entry, caller=ANN)
    assert (refusal.value.code.name, len(stored.ledger.changes)) == ("forbidden", before)
    (back,) = await restored(stored, own.entry)
    assert (back.deleted_at, back.deleter) == (0, "")
    await delete_memory(stored, own.entry.id, ANN, INTENT)
    assert [again.deleted_at for again in await restored(stored, own.entry, caller=ANN)] == [0]


@requirement("MEM-003-3.1-principals")
async def test_what_the_owner_deletes_after_an_editor_did_only_the_owner_brings_back(stored):
    draft = draft_from_json({"content": "own"}, NOW, LevelNames())
    (own,) = await write_memory(stored, (MemoryRequest(draft),), ANN, INTENT)
    assert isinstance(own, Kept)
    (by_ann,) = await delete_memory(stored, own.entry.id, ANN, INTENT)
    stored.clock.advance(1)
    (by_owner,) = await deleted(stored, own.entry)
    assert (by_owner.deleted_at, by_owner.version) == (by_ann.deleted_at, by_ann.version + 1)
    before = len(stored.ledger.changes)
    assert await deleted(stored, own.entry) == await delete_memory(stored, own.entry.id, ANN, INTENT) == (by_owner,)
    with pytest.raises(CsbError) as refusal:
        await restored(stored, own.entry, caller=ANN)
    assert (refusal.value.code.name, len(stored.ledger.changes)) == ("forbidden", before)
    assert [back.deleted_at for back in await restored(stored, own.entry)] == [0]


async def test_the_owner_brings_back_what_an_editor_deleted(world):
    draft = draft_from_json({"content": "own"}, NOW, LevelNames())
    (own,) = await write_memory(world, (MemoryRequest(draft),), ANN, INTENT)
    assert isinstance(own, Kept)
    await delete_memory(world, own.entry.id, ANN, INTENT)
    assert [back.deleted_at for back in await restored(world, own.entry)] == [0]
