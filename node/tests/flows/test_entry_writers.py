"""Many write to one memory at once: who names no version waits for the others, and is refused for none of them."""

from __future__ import annotations

import asyncio

import pytest

from csbond.flows.delete_memory import delete_memory
from csbond.flows.edit_memory import edit_memory
from csbond.flows.link_memory import LinkChange, link_memory
from csbond.flows.restore_memory import restore_memory
from csbond.flows.write_memory import Kept, MemoryRequest, write_memory
from csbond.protocol.errors import Refused
from csbond.protocol.memory.entry_json import draft_from_json
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.link import Link
from csbond.protocol.messages.caller import OWNER
from csbond_tests.memories import remember, tell
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW

TEXT = "The key is under the mat."


async def linked(world, entry_id, number):
    await link_memory(world, entry_id, LinkChange((Link(f"agent:{number}", "peer"),)), caller=OWNER, intent=INTENT)


async def edited(world, entry_id, number, **versions):
    edit = {f"field{number}": number}
    return await edit_memory(world, entry_id, edit, LevelNames(), caller=OWNER, intent=INTENT, **versions)


async def merged(world, number):
    draft = draft_from_json({"content": TEXT, f"merged{number}": number}, NOW, LevelNames())
    (kept,) = await write_memory(world, (MemoryRequest(draft),), OWNER, INTENT)
    assert isinstance(kept, Kept), kept
    assert kept.merged


@requirement("MEM-003-idempotent")
async def test_links_edits_and_merges_of_one_memory_at_once_all_take_place(stored):
    entry = await remember(stored, TEXT)
    await asyncio.gather(
        *(linked(stored, entry.id, number) for number in range(16)),
        *(edited(stored, entry.id, number) for number in range(16)),
        *(merged(stored, number) for number in range(16)),
    )
    after = await stored.ledger.entry(entry.id)
    assert (len(after.links), after.version) == (16, 49)
    assert set(after.extra) == {f"{kind}{number}" for kind in ("field", "merged") for number in range(16)}


async def test_of_many_edits_at_once_that_expect_one_version_one_takes_place(stored):
    entry = await remember(stored, TEXT)
    edits = (edited(stored, entry.id, number, expected=(1,)) for number in range(8))
    outcomes = await asyncio.gather(*edits, return_exceptions=True)
    refused = [each for each in outcomes if isinstance(each, Refused)]
    assert (len(refused), {each.code.name for each in refused}) == (7, {"version_conflict"})


@pytest.mark.parametrize("whole", ["deleted", "restored"])
async def test_a_long_text_is_deleted_and_restored_while_its_pieces_are_edited(stored, whole):
    pieces = await tell(stored, "A sentence that goes on. " * 250)
    if whole == "restored":
        await delete_memory(stored, pieces[0].id, OWNER, INTENT)
    doing = restore_memory if whole == "restored" else delete_memory
    edits = (edited(stored, pieces[-1].id, number) for number in range(12))
    done = [doing(stored, piece.id, OWNER, INTENT) for piece in pieces]
    outcomes = await asyncio.gather(*edits, *done, return_exceptions=True)
    faults = {each.code.name for each in outcomes if isinstance(each, Refused)}
    assert faults <= {"memory_not_found"}
    assert all(isinstance(each, tuple) for each in outcomes[-len(pieces) :])
