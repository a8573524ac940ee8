from __future__ import annotations

from csbond.flows.changes import Change
from csbond.flows.erase_memory import erase_memory
from csbond.flows.memory_changes import EraseEntry
from csbond.flows.write_memory import Kept, MemoryRequest, write_memory
from csbond.protocol.errors import CsbError
from csbond.protocol.memory.entry_json import draft_from_json
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.tier_policy import WhitespacePolicy
from csbond.protocol.memory.whitespace import archived
from csbond.protocol.messages.caller import OWNER, Caller, CallerKind, Role
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW

EDITOR = Caller(CallerKind.PRINCIPAL, "ann", Role.EDITOR, frozenset({"home"}))


def asked(content, id_="", digest="same"):
    given = {"content": content} | ({"id": id_} if id_ else {})
    return MemoryRequest(draft_from_json(given, NOW, LevelNames()), "", digest)


async def test_the_id_of_a_cleared_memory_is_refused_alone_and_the_rest_of_the_batch_is_kept(world):
    """An import wrote it, so no request of this caller is known to have made it."""
    (kept,) = await write_memory(world, [asked("The river was cold.")], OWNER, INTENT)
    assert isinstance(kept, Kept)
    record = archived(kept.entry, NOW, "asked for", "owner", WhitespacePolicy())
    await world.ledger.commit(Change("home", (EraseEntry(kept.entry.id, 1, NOW, record),)))
    refused, other = await write_memory(
        world, [asked("The river was cold.", kept.entry.id), asked("A stone.")], OWNER, INTENT
    )
    assert isinstance(refused, CsbError)
    assert (refused.code.name, refused.field) == ("already_exists", "id")
    assert "cleared" in refused.reason
    assert isinstance(other, Kept)


async def test_the_same_text_can_be_written_anew_under_another_id(world):
    (kept,) = await write_memory(world, [asked("The river was cold.")], OWNER, INTENT)
    assert isinstance(kept, Kept)
    await world.ledger.commit(Change("home", (EraseEntry(kept.entry.id, 1, NOW),)))
    (again,) = await write_memory(world, [asked("The river was cold.")], OWNER, INTENT)
    assert isinstance(again, Kept)
    assert (again.merged, again.entry.id != kept.entry.id) == (False, True)


@requirement("MEM-003-3.1-principals")
async def test_an_editor_does_not_learn_which_ids_were_cleared(world):
    for content, id_ in (("The river was cold.", "mem_1_gone"), ("A stone.", "mem_1_there")):
        (kept,) = await write_memory(world, [asked(content, id_)], OWNER, INTENT)
        assert isinstance(kept, Kept)
    await erase_memory(world, "mem_1_gone", OWNER, INTENT)
    ids = ("mem_1_gone", "mem_1_there")
    told = []
    for id_ in ids:
        (refusal,) = await write_memory(world, [asked("Else.", id_)], EDITOR, INTENT)
        assert isinstance(refusal, CsbError)
        told.append((refusal.code.name, refusal.field, refusal.next_step, refusal.reason.replace(id_, "")))
    assert told[0] == told[1]
