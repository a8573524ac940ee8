from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from csbond.flows.delete_memory import delete_memory
from csbond.flows.edit_memory import edit_memory
from csbond.flows.limits import Limits
from csbond.flows.write_memory import Kept, MemoryRequest, write_memory
from csbond.protocol.errors import CsbError, Unavailable
from csbond.protocol.memory.entry_json import draft_from_json
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.messages.caller import ANONYMOUS, OWNER, Caller, CallerKind, Role
from csbond_tests.memories import remember
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW, meaningful_world

STRANGER = Caller(CallerKind.PRINCIPAL, "eve", Role.EDITOR, frozenset({"home"}))


async def edited(world, entry, edit, expected=(), caller=OWNER):
    entry_id = getattr(entry, "id", entry)
    return await edit_memory(world, entry_id, edit, LevelNames(), caller=caller, intent=INTENT, expected=expected)


def refusal_code(info):
    return info.value.code.name


@requirement("MEM-001-1.3-version")
async def test_an_edit_makes_the_next_version_and_is_kept(world):
    before = await remember(world, "The key is under the mat.")
    after = await edited(world, before, {"content": "The key is in the pot.", "tags": ["key"]})
    seq = before.seq + 1
    assert after == replace(before, content="The key is in the pot.", tags=("key",), version=2, seq=seq, text_seq=seq)
    assert await world.ledger.entry(before.id) == after


@requirement("AUDIT-memory")
async def test_an_edit_and_its_record_are_one_change(world):
    before = await remember(world, "old")
    await edited(world, before, {"content": "new"})
    (record,) = world.ledger.changes[-1].audit
    assert (record.type, record.target, record.intent) == ("memory_edit", before.id, INTENT)
    assert record.details == {"from_version": 1, "to_version": 2}


@requirement("MEM-003-idempotent")
async def test_the_same_edit_again_makes_no_new_version(world):
    before = await remember(world, "old")
    first = await edited(world, before, {"content": "new"}, expected=(1,))
    again = await edited(world, before, {"content": "new"}, expected=(1,))
    assert again == first
    assert len(world.ledger.changes) == 2


async def test_an_edit_from_another_version_is_refused(world):
    before = await remember(world, "old")
    await edited(world, before, {"content": "new"})
    with pytest.raises(CsbError) as info:
        await edited(world, before, {"content": "newer"}, expected=(1,))
    assert refusal_code(info) == "version_conflict"
    assert (await world.ledger.entry(before.id)).content == "new"


async def test_edits_at_the_same_time_all_happen_one_after_the_other(stored):
    before = await remember(stored, "old")
    await asyncio.gather(*(edited(stored, before, {f"note{number}": number}) for number in range(4)))
    after = await stored.ledger.entry(before.id)
    assert after.version == 5
    assert after.extra == {f"note{number}": number for number in range(4)}


async def test_of_two_edits_from_one_version_one_is_refused(stored):
    before = await remember(stored, "old")
    edits = [edited(stored, before, {"content": text}, expected=(1,)) for text in ("a", "b")]
    outcomes = await asyncio.gather(*edits, return_exceptions=True)
    refused = [outcome for outcome in outcomes if isinstance(outcome, CsbError)]
    assert [fault.code.name for fault in refused] == ["version_conflict"]


async def test_an_unknown_a_deleted_and_a_strangers_memory_are_not_found(world):
    gone, private = await remember(world, "gone"), await remember(world, "private")
    await delete_memory(world, gone.id, OWNER, INTENT)
    for entry_id, caller in (("mem_1_nobody", OWNER), (gone.id, OWNER), (private.id, STRANGER)):
        with pytest.raises(CsbError) as info:
            await edited(world, entry_id, {"content": "new"}, caller=caller)
        assert refusal_code(info) == "memory_not_found"
    for entry_id in ("mem_1_nobody", gone.id, private.id):
        with pytest.raises(CsbError) as info:
            await edited(world, entry_id, {"content": "new"}, caller=ANONYMOUS)
        assert refusal_code(info) == "forbidden", "who may not read memory does not learn what is there"


async def test_a_node_whose_vectors_are_far_behind_takes_no_edit(ledger):
    world = meaningful_world(ledger, limits=Limits(index_lag=2))
    before = await remember(world, "old")
    world.signals.indexing.written(2)
    with pytest.raises(Unavailable) as info:
        await edited(world, before, {"content": "new"})
    assert refusal_code(info) == "too_busy"
    assert await world.ledger.entry(before.id) == before
    world.signals.indexing.reached(0, 1)
    assert (await edited(world, before, {"content": "new"})).version == 2


async def test_an_edit_that_is_not_acceptable_changes_nothing(world):
    before = await remember(world, "old")
    with pytest.raises(CsbError) as info:
        await edited(world, before, {"content": "new", "tags": ["x" * 33]})
    assert (refusal_code(info), info.value.field) == ("invalid_params", "tags")
    assert await world.ledger.entry(before.id) == before


@requirement("MEM-003-3.1-principals")
async def test_who_told_a_memory_edits_it_as_long_as_it_is_an_editor(world):
    ann = Caller(CallerKind.PRINCIPAL, "ann", Role.EDITOR, frozenset({"home"}))
    draft = draft_from_json({"content": "own"}, NOW, LevelNames())
    (own,) = await write_memory(world, (MemoryRequest(draft),), ann, INTENT)
    assert isinstance(own, Kept)
    foreign = await remember(world, "foreign", visibility="public")
    assert (await edited(world, own.entry, {"content": "new"}, caller=ann)).version == 2
    for entry, caller in ((foreign, ann), (own.entry, replace(ann, role=Role.VIEWER))):
        with pytest.raises(CsbError) as info:
            await edited(world, entry, {"content": "newer"}, caller=caller)
        assert refusal_code(info) == "forbidden"
    assert await world.ledger.entry(foreign.id) == foreign
