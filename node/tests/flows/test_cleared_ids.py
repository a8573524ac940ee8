from __future__ import annotations

from csbond.flows.changes import Change
from csbond.flows.memory_changes import EraseEntry
from csbond.flows.write_memory import Kept, MemoryRequest, write_memory
from csbond.protocol.errors import CsbError
from csbond.protocol.memory.entry_json import draft_from_json
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.tier_policy import WhitespacePolicy
from csbond.protocol.memory.whitespace import archived
from csbond.protocol.messages.caller import OWNER
from csbond_tests.small_world import INTENT, NOW


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
