from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from csbond.flows.copies_elsewhere import Copy
from csbond.flows.delete_memory import delete_memory
from csbond.flows.edit_memory import edit_memory
from csbond.flows.erase_memory import NO_REASON, erase_memory
from csbond.flows.link_memory import LinkChange, link_memory
from csbond.flows.move_memory import raise_memory
from csbond.flows.read_memory import list_memory
from csbond.flows.search_memory import MemorySearch, search_memory
from csbond.flows.tend_memory import tend_memory
from csbond.flows.write_memory import MemoryRequest, write_memory
from csbond.protocol.errors import CsbError, Refused
from csbond.protocol.memory.entry_json import draft_from_json
from csbond.protocol.memory.facets import facets_of
from csbond.protocol.memory.filter import EntryFilter
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.link import Link
from csbond.protocol.memory.tier_policy import WhitespacePolicy
from csbond.protocol.memory.visibility import Audience
from csbond.protocol.messages.caller import ANONYMOUS, OWNER, Caller, CallerKind, Role
from csbond_tests.memories import remember, tell
from csbond_tests.overtaken import Overtaken
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW, meaningful_world

EDITOR = Caller(CallerKind.PRINCIPAL, "ann", Role.EDITOR, frozenset({"home"}))
EVERYTHING = Audience(everything=True)


async def erased(world, entry, **changes):
    return await erase_memory(world, entry.id, OWNER, INTENT, **changes)


async def code_of(awaitable):
    with pytest.raises(CsbError) as info:
        await awaitable
    return info.value.code.name


@requirement("MEM-003-3.1-hard")
async def test_an_erased_memory_is_nowhere_any_more(either):
    entry = await remember(either, "The key is under the mat.", tags=["key"])
    other = await remember(either, "The lamp is on the table.")
    outcome = await erased(either, entry)
    assert (outcome.ids, outcome.archived, outcome.erased, outcome.copies) == ((entry.id,), True, True, ())
    assert await either.ledger.entry(entry.id) is None
    assert (await search_memory(either, MemorySearch("key mat"), EVERYTHING)).results == ()
    assert (await list_memory(either, EntryFilter(tag="key"), OWNER)).rows == ()
    assert await either.ledger.versions_before(entry.id, 9, 9) == ()
    assert await either.ledger.entry(other.id) == other


@pytest.mark.parametrize("level", ["hot", "warm", "cold"])
async def test_a_memory_is_erased_from_every_tier(world, level):
    entry = await remember(world, "gone", level=level)
    assert (await erased(world, entry)).ids == (entry.id,)
    assert (await world.ledger.archived(entry.id)).original_level.value == level


async def test_a_softly_deleted_memory_is_erased_and_stays_deleted_by_whom_it_was(either):
    entry = await remember(either, "gone")
    (gone,) = await delete_memory(either, entry.id, OWNER, INTENT)
    either.clock.advance(1000)
    await erased(either, entry)
    record = await either.ledger.archived(entry.id)
    assert (record.deleted_at, record.cleared_at) == (gone.deleted_at, NOW + 1000)


@requirement("MEM-004-4.3-archive", "MEM-004-4.3-ethical-log")
async def test_what_is_erased_leaves_a_record_of_why_by_whom_and_when_and_no_word_of_it(either):
    entry = await remember(either, "The key is under the mat.", type="lesson", level="cold", tags=["key"])
    either.clock.advance(5000)
    await erased(either, entry, reason="it named a place")
    record = await either.ledger.archived(entry.id)
    assert (record.id, record.type, record.timestamp, record.original_level) == (entry.id, "lesson", NOW, "cold")
    assert (record.reason, record.operator, record.trigger) == ("it named a place", "owner", "manual")
    assert record.deleted_at == record.cleared_at == NOW + 5000
    assert "mat" not in str(record)
    assert "'key'" not in str(record)


async def test_without_a_reason_the_record_says_that_the_owner_asked(world):
    entry = await remember(world, "gone")
    await erased(world, entry)
    assert (await world.ledger.archived(entry.id)).reason == NO_REASON


@requirement("MEM-004-4.3-optional")
async def test_a_home_without_an_archive_keeps_nothing(either):
    world = replace(either, whitespace=WhitespacePolicy(enabled=False))
    entry = await remember(world, "gone")
    assert not (await erased(world, entry)).archived
    assert await world.ledger.archived(entry.id) is None
    assert await code_of(erased(world, entry)) == "memory_not_found"


@requirement("MEM-005-5.4-every-eviction")
async def test_each_erased_memory_has_a_record_of_its_own(world):
    pieces = await tell(world, "A sentence that goes on. " * 250)
    await erased(world, pieces[1])
    records = world.ledger.changes[-1].audit
    assert [record.target for record in records] == [piece.id for piece in pieces]
    assert {(record.type, record.intent) for record in records} == {("memory_erase", INTENT)}
    assert records[0].details == {
        "action": "hard_delete",
        "memoryId": pieces[0].id,
        "timestamp": NOW,
        "trigger": "manual",
        "previousLevel": "warm",
        "newLevel": "erased",
    }


async def test_erasing_again_answers_the_same_and_writes_nothing(either):
    entry = await remember(either, "gone")
    first = await erased(either, entry)
    changes = len(either.ledger.changes)
    assert await erased(either, entry) == first
    assert len(either.ledger.changes) == changes


async def test_memories_erased_at_the_same_time_are_erased_once(stored):
    entry = await remember(stored, "gone")
    outcomes = await asyncio.gather(*(erased(stored, entry) for _ in range(4)))
    assert {outcome.ids for outcome in outcomes} == {(entry.id,)}
    assert len(stored.ledger.changes) == 2


async def test_an_edit_that_was_faster_is_erased_too(stored):
    entry = await remember(stored, "old")
    edit = edit_memory(stored, entry.id, {"content": "new"}, LevelNames(), caller=OWNER, intent=INTENT)
    await asyncio.gather(edit, erased(stored, entry))
    assert await stored.ledger.entry(entry.id) is None


async def test_erasing_says_when_a_reader_still_holds_the_bytes(world):
    async def held():
        return False

    entry = await remember(world, "gone")
    world.ledger.erase_traces = held
    assert not (await erased(world, entry)).erased
    assert await world.ledger.entry(entry.id) is None


@requirement("MEM-005-report-orphans")
async def test_erasing_one_piece_erases_the_whole_text_of_a_conversation(either):
    pieces = await tell(either, "A sentence that goes on. " * 250)
    other = await remember(either, "A sentence that stays.")
    outcome = await erased(either, pieces[1])
    assert outcome.ids == tuple(piece.id for piece in pieces)
    assert await either.ledger.entries_by_id(outcome.ids) == {}
    assert (await list_memory(either, EntryFilter(), OWNER)).rows == (other,)


@requirement("MEM-005-report-orphans")
async def test_no_link_and_no_version_of_another_memory_names_what_was_erased(either):
    a, b = await remember(either, "a"), await remember(either, "b")
    await link_memory(either, a.id, LinkChange(add=(Link(b.id, "relates_to"),)), caller=OWNER, intent=INTENT)
    await link_memory(either, b.id, LinkChange(add=(Link(a.id, "cited_by"),)), caller=OWNER, intent=INTENT)
    await edit_memory(either, a.id, {"content": "a, edited"}, LevelNames(), caller=OWNER, intent=INTENT)
    await erased(either, b)
    kept = await either.ledger.entry(a.id)
    assert kept.links == ()
    assert [version.links for version in await either.ledger.versions_before(a.id, 99, 99)] == [(), ()]
    assert await either.ledger.hidden_links(a.id) == ()


async def edited(world, entry):
    await edit_memory(world, entry.id, {"content": "now"}, LevelNames(), caller=OWNER, intent=INTENT)


async def raised(world, entry):
    await raise_memory(world, entry.id, caller=OWNER, intent=INTENT)


async def told_again(world, entry):
    await remember(world, entry.content, tags=["again"])


async def tended(world, entry):
    world.clock.advance(world.tiers.warm_idle_ms)
    await tend_memory(world)


@requirement("MEM-005-report-orphans")
@pytest.mark.parametrize("change", [edited, raised, told_again, tended])
async def test_a_change_that_read_a_neighbour_before_the_erasure_brings_nothing_of_it_back(either, change):
    entry = await remember(either, "The vault opens with umbrella.")
    neighbour = await remember(
        either, "beside", links=[{"target_id": entry.id, "relation": "causes", "quote": "umbrella"}]
    )

    async def faster():
        await erased(either, entry)

    await change(replace(either, ledger=Overtaken(either.ledger, faster)), neighbour)
    left = await either.ledger.entry(neighbour.id)
    assert (left.version, left.extra.get("link_fields"), left.links) == (2, None, ())
    assert await either.ledger.entry(entry.id) is None


async def test_what_was_erased_is_found_by_meaning_no_more(ledger):
    world = meaningful_world(ledger)
    entry = await remember(world, "gone")
    world.index.put("home", entry.id, b"\x00\x00\x80?" * 8, facets_of(entry))
    await erased(world, entry)
    assert world.index.count("home") == 0


@requirement("MEM-005-5.2-copies-named")
async def test_the_messages_and_tasks_that_still_hold_the_text_are_named(either):
    (entry,) = await tell(either, "The key is under the mat.", task="task-1")
    outcome = await erased(either, entry)
    assert outcome.copies == (Copy("t-1", entry.origin.message_id, "task-1"),)
    assert (await either.ledger.message("owner", entry.origin.message_id)).message.text == "The key is under the mat."


@requirement("MEM-005-5.2-copies-named")
@pytest.mark.parametrize("text", ["The key is under the mat.", "钥匙在门垫下面。"])
async def test_a_message_that_says_it_again_is_named_too_and_others_are_not(either, text):
    entry = await remember(either, text)
    (again,) = await tell(either, f"Once more: {text}", thread="t-2", task="task-2")
    await tell(either, "The mat is under the key.", thread="t-3")
    await tell(either, "门垫在钥匙下面。", thread="t-3")
    assert (await erased(either, entry)).copies == (Copy("t-2", again.origin.message_id, "task-2"),)


async def test_the_pieces_of_one_message_name_it_once(either):
    pieces = await tell(either, "A sentence that goes on. " * 250)
    assert (await erased(either, pieces[0])).copies == (Copy("t-1", pieces[0].origin.message_id),)


async def test_a_key_that_named_an_erased_memory_makes_no_other(either):
    def request():
        draft = draft_from_json({"content": "gone"}, NOW, LevelNames())
        return write_memory(either, (MemoryRequest(draft, "key-1", "digest"),), OWNER, INTENT)

    (kept,) = await request()
    await erased(either, kept.entry)
    (again,) = await request()
    assert isinstance(again, Refused)
    assert again.code.name == "already_exists"


@pytest.mark.parametrize("caller", [EDITOR, ANONYMOUS])
async def test_only_the_owner_erases(world, caller):
    entry = await remember(world, "stays", visibility="public")
    assert await code_of(erase_memory(world, entry.id, caller, INTENT)) == "forbidden"
    assert await world.ledger.entry(entry.id) == entry


async def test_what_was_never_there_is_not_found(world):
    assert await code_of(erase_memory(world, "mem_1_nobody", OWNER, INTENT)) == "memory_not_found"


async def test_another_version_than_the_expected_one_is_not_erased(world):
    entry = await remember(world, "stays")
    assert await code_of(erased(world, entry, expected=(2,))) == "version_conflict"
    assert await world.ledger.entry(entry.id) == entry


@pytest.mark.parametrize("reason", ["", " ", "x" * 257, "\ud800", "nul \x00"])
async def test_a_reason_that_cannot_be_kept_is_refused_and_nothing_erased(world, reason):
    entry = await remember(world, "stays")
    assert await code_of(erased(world, entry, reason=reason)) == "invalid_params"
    assert await world.ledger.entry(entry.id) == entry


async def test_a_message_that_quotes_a_piece_is_named(either):
    pieces = await tell(either, "".join(f"Sentence {number} of a long tale. " for number in range(200)))
    (quote,) = await tell(either, pieces[1].content[:2000], thread="t-2")
    await tell(either, f"{pieces[1].content} And so it ends.", thread="t-3")
    copies = (await erased(either, pieces[0])).copies
    assert [copy.thread_id for copy in copies] == ["t-1", "t-3"]
    assert quote.origin.message_id not in {copy.message_id for copy in copies}
