from __future__ import annotations

from dataclasses import replace

import pytest

from csbond.flows.delete_memory import delete_memory
from csbond.flows.edit_memory import edit_memory
from csbond.flows.read_memory import list_memory, read_memory, read_versions
from csbond.flows.restore_memory import restore_memory
from csbond.flows.search_memory import MemorySearch, search_memory
from csbond.protocol.errors import CsbError, Refused
from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.filter import EntryFilter
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.visibility import audience_of
from csbond.protocol.messages.caller import ANONYMOUS, OWNER, Caller, CallerKind, Role
from csbond.protocol.messages.listing import position_of
from csbond_tests.memories import remember, tell
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW

ANN = Caller(CallerKind.PRINCIPAL, "ann", Role.VIEWER, frozenset({"home"}))


@pytest.fixture(params=["in memory", "on disk"])
def house(request, world, stored):
    """A world on each ledger: what is told is decided where the rows are, too."""
    return world if request.param == "in memory" else stored


async def refusal(doing):
    with pytest.raises(Refused) as info:
        await doing
    assert info.value.code.name == "memory_not_found"
    return info.value.reason


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
    trusted = await remember(world, "The window is shut.", visibility="trusted")
    with pytest.raises(Refused) as refusal:
        await read_memory(world, private.id, ANN)
    assert refusal.value.code.name == "memory_not_found"
    for told in (public, trusted):
        assert (await read_memory(world, told.id, ANN)).entry.id == told.id
    assert sorted(await contents(world, ANN)) == ["The door is green.", "The window is shut."]


@requirement("MEM-003-3.1-owner", "MEM-003-3.1-principals")
@pytest.mark.parametrize("caller", [ANONYMOUS, Caller(CallerKind.PRINCIPAL, "bo", Role.EDITOR, frozenset())])
async def test_who_is_no_principal_of_the_home_reads_nothing_here(world, caller):
    public = await remember(world, "The door is green.", visibility="public")
    for read in (lambda: read_memory(world, public.id, caller), lambda: contents(world, caller)):
        with pytest.raises(Refused) as refusal:
            await read()
        assert refusal.value.code.name == "forbidden"


async def test_deleted_memories_are_listed_for_the_owner_alone(world):
    gone = await remember(world, "gone", visibility="public")
    await remember(world, "here")
    await delete_memory(world, gone.id, OWNER, INTENT)
    assert await contents(world, deleted=True) == ["gone"]
    with pytest.raises(Refused) as refusal:
        await contents(world, ANN, deleted=True)
    assert refusal.value.code.name == "forbidden"


async def test_a_list_is_narrowed_by_project_time_and_text(world):
    await remember(world, "a boat", timestamp=NOW - 2, metadata={"project": "Boats"})
    await remember(world, "a bee", timestamp=NOW - 1)
    assert await contents(world, project="boats") == ["a boat"]
    assert await contents(world, since=NOW - 1) == ["a bee"]
    assert await contents(world, until=NOW - 2) == ["a boat"]
    assert await contents(world, text="bee") == ["a bee"]
    assert await contents(world, text="bee", project="boats") == []


async def test_the_versions_of_a_memory_come_latest_first_and_page_by_page(world):
    entry = await remember(world, "draft 1")
    for number in (2, 3, 4):
        await edit_memory(world, entry.id, {"content": f"draft {number}"}, LevelNames(), caller=OWNER, intent=INTENT)
    page = await read_versions(world, entry.id, OWNER, limit=2)
    assert [(row.version, row.content) for row in page.rows] == [(3, "draft 3"), (2, "draft 2")]
    assert page.total == 3
    rest = await read_versions(world, entry.id, OWNER, position_of(page.next_cursor), limit=2)
    assert [(row.version, row.content) for row in rest.rows] == [(1, "draft 1")]
    assert rest.next_cursor == ""


@requirement("MEM-003-3.1-principals")
@pytest.mark.parametrize("visibility", ["public", "trusted", "private"])
async def test_what_a_memory_was_before_is_told_to_the_owner_and_who_told_it(world, visibility):
    by_owner = await remember(world, "Call 555 0100.", visibility=visibility)
    (by_ann,) = await tell(world, "My key is under the mat.", caller=ANN.key)
    for entry in (by_owner, by_ann):
        edit = {"content": "It is gone.", "visibility": "public"}
        await edit_memory(world, entry.id, edit, LevelNames(), caller=OWNER, intent=INTENT)
        assert [row.content for row in (await read_versions(world, entry.id, OWNER)).rows] == [entry.content]
    page = await read_versions(world, by_ann.id, ANN)
    assert ([row.content for row in page.rows], page.total) == (["My key is under the mat."], 1)
    bo = replace(ANN, name="bo", role=Role.EDITOR)
    for entry, caller in ((by_owner, ANN), (by_owner, bo), (by_ann, bo)):
        assert await refusal(read_versions(world, entry.id, caller)) == f"there is no memory {entry.id}"


async def test_what_was_deleted_is_known_to_have_been_there_to_the_owner_and_who_told_it(world):
    by_owner = await remember(world, "Call 555 0100.", visibility="public")
    (by_ann,) = await tell(world, "My key is under the mat.", caller=ANN.key)
    for entry in (by_owner, by_ann):
        await delete_memory(world, entry.id, OWNER, INTENT)
        assert await refusal(read_memory(world, entry.id, OWNER)) == f"the memory {entry.id} was deleted"
    assert await refusal(read_memory(world, by_ann.id, ANN)) == f"the memory {by_ann.id} was deleted"
    assert await refusal(read_memory(world, by_owner.id, ANN)) == f"there is no memory {by_owner.id}"
    editor = replace(ANN, role=Role.EDITOR)
    for doing in (delete_memory, restore_memory):
        assert await refusal(doing(world, by_owner.id, editor, INTENT)) == f"there is no memory {by_owner.id}"


@requirement("MEM-007-7.3-everywhere", "MEM-007-7.3-kept")
@pytest.mark.parametrize("place", [0, 1])
async def test_a_piece_that_is_told_tells_nothing_of_those_that_are_private(house, place):
    pieces = await tell(house, "".join(f"Sentence {number} says the same. " for number in range(300)))
    piece = pieces[place]
    await edit_memory(house, piece.id, {"visibility": "public"}, LevelNames(), caller=OWNER, intent=INTENT)
    shown = await read_memory(house, piece.id, ANN)
    assert (shown.text, [each.id for each in shown.pieces]) == (piece.content, [piece.id])
    page = await list_memory(house, EntryFilter(), ANN)
    answer = await search_memory(house, MemorySearch("sentence"), audience_of(ANN))
    for entry in (shown.entry, *page.rows, *(found.entry for found in answer.results)):
        assert (entry.id, entry.extends) == (piece.id, "")
    assert len((await read_memory(house, piece.id, OWNER)).pieces) == len(pieces) > 2


@requirement("MEM-007-7.3-everywhere")
async def test_a_thread_is_looked_for_among_what_the_caller_told_itself(house):
    for teller, content in (("owner", "green tea"), (ANN.key, "black tea")):
        (entry,) = await tell(house, content, caller=teller, thread="t-1")
        await edit_memory(house, entry.id, {"visibility": "public"}, LevelNames(), caller=OWNER, intent=INTENT)
    for wanted in (EntryFilter(thread="t-1"), EntryFilter(project="thread:t-1")):
        for caller, told in ((OWNER, ["black tea", "green tea"]), (ANN, ["black tea"])):
            page = await list_memory(house, wanted, caller)
            assert ([entry.content for entry in page.rows], page.total) == (told, len(told))
            answer = await search_memory(house, MemorySearch("tea", wanted), audience_of(caller))
            assert sorted(found.entry.content for found in answer.results) == told


@pytest.mark.parametrize("before", [(1, "mem_1_other"), (0, ""), (9, "")])
async def test_a_place_among_other_versions_is_refused(world, before):
    entry = await remember(world, "draft 1")
    with pytest.raises(CsbError) as refusal:
        await read_versions(world, entry.id, OWNER, (before[0], before[1] or entry.id))
    assert (refusal.value.code.name, refusal.value.field) == ("invalid_params", "cursor")


@requirement("MEM-007-7.3-everywhere")
async def test_no_link_tells_of_a_memory_that_is_private(world):
    private = await remember(world, "The key is under the mat.")
    public = await remember(world, "The mat is brown.", visibility="public")
    links = [{"target_id": each, "relation": "relates_to"} for each in (private.id, public.id, "agent:bo")]
    entry = await remember(world, "The house is ours.", visibility="public", links=links)
    told = (await read_memory(world, entry.id, ANN)).entry.links
    assert [link.target_id for link in told] == ["agent:bo", public.id]
    assert len((await read_memory(world, entry.id, OWNER)).entry.links) == 3
    page = await list_memory(world, EntryFilter(), ANN)
    assert {link.target_id for row in page.rows for link in row.links} == {"agent:bo", public.id}
    answer = await search_memory(world, MemorySearch("house"), audience_of(ANN))
    assert {link.target_id for found in answer.results for link in found.entry.links} == {"agent:bo", public.id}


@requirement("MEM-007-7.3-everywhere")
async def test_what_links_to_a_private_memory_is_listed_for_the_owner_alone(world):
    private = await remember(world, "The key is under the mat.")
    await remember(world, "The house is ours.", visibility="public", links=[{"target_id": private.id}])
    search = MemorySearch("house", EntryFilter(link_target=private.id))
    for caller, told in ((OWNER, ["The house is ours."]), (ANN, [])):
        assert await contents(world, caller, link_target=private.id) == told
        answer = await search_memory(world, search, audience_of(caller))
        assert [found.entry.content for found in answer.results] == told


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
