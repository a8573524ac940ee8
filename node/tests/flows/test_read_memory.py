from __future__ import annotations

import pytest

from csbond.flows.delete_memory import delete_memory
from csbond.flows.read_memory import list_memory, read_memory
from csbond.protocol.errors import Refused
from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.filter import EntryFilter
from csbond.protocol.messages.caller import ANONYMOUS, OWNER, Caller, CallerKind, Role
from csbond.protocol.messages.listing import position_of
from csbond_tests.memories import remember, tell
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW

ANN = Caller(CallerKind.PRINCIPAL, "ann", Role.VIEWER, frozenset({"home"}))


async def contents(world, caller=OWNER, **filter_):
    page = await list_memory(world, EntryFilter(**filter_), caller)
    return [entry.content for entry in page.rows]


async def test_a_short_memory_is_its_own_only_piece(world):
    entry = await remember(world, "The key is under the mat.")
    shown = await read_memory(world, entry.id, OWNER)
    assert shown.entry == entry
    assert shown.pieces == (entry,)
    assert shown.text == "The key is under the mat."


@requirement("MEM-001-1.3-long")
async def test_each_piece_of_a_long_text_is_shown_with_the_whole_text(world):
    text = "".join(f"第{number}句话说的是同一件事。" for number in range(600))
    pieces = await tell(world, text)
    assert len(pieces) > 2
    for piece in pieces:
        assert len(piece.content) <= 2048
        shown = await read_memory(world, piece.id, OWNER)
        assert shown.entry.id == piece.id
        assert shown.text == text


async def test_an_unknown_and_a_deleted_memory_are_not_found(world):
    gone = await remember(world, "Forget me.")
    await delete_memory(world, gone.id, OWNER, INTENT)
    for entry_id in ("mem_1_nobody", gone.id):
        with pytest.raises(Refused) as refusal:
            await read_memory(world, entry_id, OWNER)
        assert refusal.value.code.name == "memory_not_found"


@requirement("MEM-007-7.3-audience")
async def test_a_private_memory_is_not_found_by_anybody_but_the_owner(world):
    private = await remember(world, "The key is under the mat.")
    public = await remember(world, "The door is green.", visibility="public")
    for caller in (ANONYMOUS, ANN):
        with pytest.raises(Refused):
            await read_memory(world, private.id, caller)
        assert (await read_memory(world, public.id, caller)).entry.id == public.id
        assert await contents(world, caller) == ["The door is green."]


async def test_a_list_is_newest_first_and_leaves_out_what_is_deleted(world):
    for place, content in enumerate(("one", "two")):
        await remember(world, content, timestamp=NOW - 10 + place)
    gone = await remember(world, "three", timestamp=NOW)
    await delete_memory(world, gone.id, OWNER, INTENT)
    assert await contents(world) == ["two", "one"]


async def test_a_list_is_narrowed_by_tier_type_tag_and_source(world):
    await remember(world, "a", level="hot", type="lesson", tags=["x"], source="system")
    await remember(world, "b", level="cold", type="todo", tags=["y"], source="user")
    assert await contents(world, level=Level.HOT) == ["a"]
    assert await contents(world, type="todo") == ["b"]
    assert await contents(world, tag="x") == ["a"]
    assert await contents(world, source="user") == ["b"]
    assert await contents(world, level=Level.HOT, type="todo") == []


async def test_pages_meet_without_a_gap_and_without_an_overlap(world):
    for place in range(7):
        await remember(world, f"number {place}", timestamp=NOW - place // 2)
    seen, before = [], None
    while True:
        page = await list_memory(world, EntryFilter(), OWNER, before, limit=3)
        seen += [entry.content for entry in page.rows]
        assert page.total == 7
        if not page.next_cursor:
            break
        before = position_of(page.next_cursor)
    assert sorted(seen) == [f"number {place}" for place in range(7)]


async def test_reading_makes_no_new_version(world):
    entry = await remember(world, "Read me.")
    await read_memory(world, entry.id, OWNER)
    await contents(world)
    assert await world.ledger.entry(entry.id) == entry
