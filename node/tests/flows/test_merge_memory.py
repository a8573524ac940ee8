from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from csbond.flows import repeated_write
from csbond.flows.delete_memory import delete_memory
from csbond.flows.edit_memory import edit_memory
from csbond.flows.repeated_write import names_of, told_before, told_names
from csbond.flows.write_memory import Kept, MemoryRequest, write_memory
from csbond.protocol.memory.entry import TAGS_MAX, Level
from csbond.protocol.memory.entry_json import draft_from_json
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.memory.link import LINKS_MAX
from csbond.protocol.messages.caller import OWNER, Caller, CallerKind, Role
from csbond_tests.memories import tell
from csbond_tests.overtaken import Overtaken
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW, WatchedLedger, small_world

TEXT = "The key is under the mat."
ANN = Caller(CallerKind.PRINCIPAL, "ann", Role.EDITOR, frozenset({"home"}))


def asked(content=TEXT, key="", **fields):
    return MemoryRequest(draft_from_json({"content": content, **fields}, NOW, LevelNames()), key, "digest")


async def kept(world, *requests, caller=OWNER):
    outcomes = await write_memory(world, requests, caller, INTENT)
    assert all(isinstance(outcome, Kept) for outcome in outcomes), outcomes
    return outcomes


async def count(world):
    return (await world.ledger.counts())["entries"]


@requirement("MEM-005-report-04-twice-the-same", "AUDIT-memory")
async def test_the_same_memory_twice_is_one_entry_and_the_record_says_so(world):
    (first,) = await kept(world, asked())
    (second,) = await kept(world, asked())
    assert not first.merged
    assert second == Kept(first.entry, merged=True)
    assert await count(world) == 1
    assert await world.ledger.entry(first.entry.id) == first.entry
    (record,) = world.ledger.changes[-1].audit
    assert (record.type, record.target) == ("memory_merge", first.entry.id)
    assert record.details == {"entries": [], "merged": [first.entry.id], "changed": []}


async def test_the_known_memory_gains_what_it_lacks_and_keeps_the_rest(world):
    (first,) = await kept(world, asked(level="hot", tags=["key"], colour="brown", metadata={"ttl": 5}))
    (second,) = await kept(world, asked(level="cold", tags=["mat"], colour="grey", weight=3))
    entry = second.entry
    assert (entry.id, entry.version, entry.tags, entry.ttl) == (first.entry.id, 2, ("key", "mat"), 5)
    assert (entry.level, entry.extra["colour"], entry.extra["weight"]) == (Level.HOT, "brown", 3)
    assert await world.ledger.entry(entry.id) == entry
    assert (entry.seq, entry.text_seq) == (first.entry.seq + 1, first.entry.text_seq)


@requirement("MEM-005-report-04-twice-the-same", "MEM-007-7.3-kept")
@pytest.mark.parametrize(
    "other",
    [
        {"content": "The key is under the mat"},
        {"content": "the key is under the mat."},
        {"visibility": "public"},
        {"type": "lesson"},
        {"metadata": {"project": "house"}},
        {"timestamp": NOW - 1},
    ],
)
async def test_what_differs_in_its_words_or_place_stays_a_memory_of_its_own(world, other):
    await kept(world, asked())
    (second,) = await kept(world, asked(**other))
    assert not second.merged
    assert await count(world) == 2


async def test_the_words_of_another_caller_stay_its_own(world):
    await kept(world, asked())
    (second,) = await kept(world, asked(), caller=ANN)
    assert not second.merged
    assert await count(world) == 2


async def test_a_memory_with_an_id_of_its_own_is_never_merged(world):
    (first,) = await kept(world, asked())
    (second,) = await kept(world, asked(id="mem_1_a"))
    assert second == Kept(second.entry, merged=False)
    assert {first.entry.id, second.entry.id} == {first.entry.id, "mem_1_a"}
    assert await count(world) == 2


async def test_a_memory_that_was_deleted_is_not_merged_with(world):
    (first,) = await kept(world, asked())
    await delete_memory(world, first.entry.id, OWNER, INTENT)
    (second,) = await kept(world, asked())
    assert not second.merged
    assert second.entry.id != first.entry.id


async def test_the_same_memory_twice_in_one_batch_is_one_entry(world):
    first, other, second = await kept(world, asked(tags=["a"]), asked("Another one."), asked(tags=["b"]))
    assert (first.merged, other.merged, second.merged) == (False, False, True)
    assert first.entry == second.entry
    assert (first.entry.version, first.entry.tags) == (1, ("a", "b"))
    assert await count(world) == 2
    (record,) = world.ledger.changes[-1].audit
    ids = [first.entry.id, other.entry.id]
    assert record.details == {"entries": ids, "merged": [first.entry.id], "changed": []}


async def test_a_known_memory_that_comes_twice_in_one_batch_takes_one_version(world):
    (first,) = await kept(world, asked())
    twice = await kept(world, asked(tags=["a"]), asked(tags=["b"]))
    assert [outcome.merged for outcome in twice] == [True, True]
    assert {outcome.entry.version for outcome in twice} == {2}
    (record,) = world.ledger.changes[-1].audit
    assert record.details["changed"] == [first.entry.id]
    assert (await world.ledger.entry(first.entry.id)).tags == ("a", "b")


@requirement("MEM-003-3.1-keys-everywhere")
async def test_a_key_names_the_memory_that_its_write_was_merged_with(world):
    (first,) = await kept(world, asked())
    (second,) = await kept(world, asked(key="k", tags=["a"]))
    assert await kept(world, asked(key="k", tags=["a"])) == (second,)
    assert (second.entry.id, second.entry.version, second.merged) == (first.entry.id, 2, True)
    assert len(world.ledger.changes) == 2


@requirement("MEM-003-3.1-keys-everywhere")
async def test_a_repeated_batch_is_answered_as_the_first_time(world):
    await kept(world, asked())
    requests = asked(key="k 0"), asked("new", key="k 1"), asked("new", key="k 2"), asked("own", id="mem_1_a")
    first = await kept(world, *requests)
    assert [outcome.merged for outcome in first] == [True, False, True, False]
    assert await kept(world, *requests) == first


@requirement("MEM-005-report-04-twice-the-same")
async def test_the_same_memory_at_the_same_time_is_one_entry(stored):
    outcomes = await asyncio.gather(*(kept(stored, asked(tags=[str(number)])) for number in range(8)))
    assert len({outcome.entry.id for (outcome,) in outcomes}) == 1
    assert [outcome.merged for (outcome,) in outcomes].count(False) == 1
    assert await count(stored) == 1
    assert len((await stored.ledger.entry(outcomes[0][0].entry.id)).tags) == 8


async def test_links_of_the_two_are_united(world):
    a, b = await kept(world, asked("a"), asked("b"))
    (first,) = await kept(world, asked(links=[{"target_id": a.entry.id}]))
    (second,) = await kept(world, asked(links=[{"target_id": b.entry.id, "relation": "extends"}]))
    assert second.entry.version == first.entry.version + 1
    assert {link.target_id for link in second.entry.links} == {a.entry.id, b.entry.id}
    assert await world.ledger.entry(first.entry.id) == second.entry


async def test_where_duplicates_are_kept_each_write_makes_an_entry(ledger: WatchedLedger):
    world = small_world(ledger, merges=False)
    first, second = await kept(world, asked(), asked())
    (third,) = await kept(world, asked())
    assert [each.merged for each in (first, second, third)] == [False] * 3
    assert await count(world) == 3


@requirement("MEM-005-report-04-twice-the-same")
async def test_a_merge_overtaken_by_an_edit_is_made_again(stored):
    (first,) = await kept(stored, asked(tags=["a"]))

    async def edit():
        edit = {"tags": ["a", "edited"]}
        await edit_memory(stored, first.entry.id, edit, LevelNames(), caller=OWNER, intent=INTENT)

    (second,) = await kept(small_world(Overtaken(stored.ledger, edit)), asked(tags=["b"]))
    assert (second.merged, second.entry.version, second.entry.tags) == (True, 3, ("a", "edited", "b"))
    assert await stored.ledger.entry(first.entry.id) == second.entry


async def test_a_merge_overtaken_by_a_deletion_makes_a_memory_of_its_own(stored):
    (first,) = await kept(stored, asked())

    async def delete():
        await delete_memory(stored, first.entry.id, OWNER, INTENT)

    (second,) = await kept(small_world(Overtaken(stored.ledger, delete)), asked(tags=["b"]))
    assert not second.merged
    assert (second.entry.id != first.entry.id, await count(stored)) == (True, 1)


@requirement("MEM-005-report-04-twice-the-same")
async def test_what_is_said_to_be_of_a_time_is_one_memory_with_what_is_of_that_time(stored):
    times = [NOW - number for number in range(70)]
    for timestamp in times:
        await kept(stored, asked(timestamp=timestamp))
    assert await count(stored) == 70
    for timestamp in times:
        (again,) = await kept(stored, asked(timestamp=timestamp))
        assert (again.merged, again.entry.timestamp) == (True, timestamp)
    (untimed,) = await kept(stored, asked())
    assert (untimed.merged, await count(stored)) == (True, 70)


async def test_a_time_to_live_that_is_left_out_stays_as_it_is(world):
    await kept(world, asked(metadata={"ttl": 5}))
    for metadata, ttl in (({}, 5), ({"ttl": None}, 5), ({"ttl": 9}, 9), ({"ttl": 0}, 0)):
        (again,) = await kept(world, asked(metadata=metadata))
        assert (again.merged, again.entry.ttl) == (True, ttl)


@requirement("MEM-001-1.4.2-kept", "AUDIT-memory")
async def test_what_a_merge_has_no_room_for_is_said_and_counted_in_the_record(world):
    (first,) = await kept(world, asked(one="x" * 40_000))
    (second,) = await kept(world, asked(two="y" * 40_000, three=3))
    assert (first.left_out, second.left_out) == ((), ("two",))
    assert second.entry.extra == {**first.entry.extra, "three": 3}
    (record,) = world.ledger.changes[-1].audit
    assert record.details["left_out"] == {first.entry.id: 1}


@requirement("MEM-001-1.5-count", "MEM-001-1.4.2-kept")
async def test_links_there_is_no_room_for_beside_hidden_ones_are_left_out_as_beside_others(world):
    (gone,) = await kept(world, asked("gone"))
    links = [{"target_id": f"agent:{number}"} for number in range(LINKS_MAX - 2)]
    await kept(world, asked(links=[*links, {"target_id": gone.entry.id}]))
    await delete_memory(world, gone.entry.id, OWNER, INTENT)
    more = [{"target_id": "agent:one", "note": 1}, {"target_id": "agent:two", "note": 2}]
    (second,) = await kept(world, asked(links=more, tags=["new"]))
    assert (second.merged, second.left_out) == (True, ("links",))
    assert second.entry.tags == ("new",)
    assert second.entry.extra == {"link_fields": {"agent:one": {"relates_to": {"note": 1}}}}
    third, *_ = await kept(world, asked(links=more[1:]), asked("beside"), asked(tags=["newer"]))
    assert third.left_out == ("links",)


@requirement("MEM-003-3.1-keys-everywhere", "MEM-001-1.4.2-kept")
async def test_a_repeat_says_what_the_merge_had_no_room_for_as_the_first_time(world):
    await kept(world, asked(tags=[f"tag {number}" for number in range(TAGS_MAX)], one="x" * 40_000))
    request = asked(key="k", tags=["more"], metadata={"a merged b": "y" * 40_000})
    (first,) = await kept(world, request)
    assert first.left_out == ("tags", "metadata.a merged b")
    assert await kept(world, request) == (first,)


@requirement("MEM-005-report-04-twice-the-same")
@pytest.mark.parametrize(
    "place", [{"metadata": {"project": "other"}}, {"type": "lesson"}, {"visibility": "public"}], ids=str
)
async def test_the_same_memory_is_found_behind_any_number_of_others_of_its_text(world, place):
    (first,) = await kept(world, asked())
    for number in range(70):
        await kept(world, asked(timestamp=NOW - number, **place))
    (again,) = await kept(world, asked())
    assert (again.merged, again.entry.id) == (True, first.entry.id)


@requirement("MEM-001-1.4.2-kept")
async def test_what_links_hold_comes_with_them(world):
    a, b = await kept(world, asked("a"), asked("b"))
    (first,) = await kept(world, asked(links=[{"target_id": a.entry.id, "note": "one"}]))
    (second,) = await kept(world, asked(links=[{"target_id": b.entry.id, "note": "two"}]))
    notes = {a.entry.id: {"relates_to": {"note": "one"}}, b.entry.id: {"relates_to": {"note": "two"}}}
    assert (await world.ledger.entry(first.entry.id)).extra == second.entry.extra == {"link_fields": notes}


async def test_the_same_words_of_many_callers_wait_for_nobody(world):
    names = [names_of(world, (asked(),), replace(ANN, name=f"ann{number}")) for number in range(3)]
    assert len(set.union(*names)) == 3
    assert names_of(world, (asked(),), ANN) == names_of(world, (asked("the KEY is under the mat"),), ANN)


async def test_what_a_conversation_leaves_waits_for_what_is_said_in_its_thread_alone(world):
    (entry,) = await tell(world, TEXT, thread="t-1")
    (other,) = await tell(world, TEXT, thread="t-2")
    assert len(told_names(world, (entry,)) | told_names(world, (other,))) == 2
    assert told_names(world, (entry,)).isdisjoint(names_of(world, (asked(),), OWNER))


async def test_a_text_in_pieces_is_looked_at_by_no_name(world, monkeypatch):
    pieces = await tell(world, "A sentence that goes on. " * 250)
    monkeypatch.setattr(repeated_write, "text_key", None)
    assert len(pieces) > 1
    assert told_names(world, pieces) == told_names(world, ()) == set()
    assert await told_before(world, pieces) == ()


async def test_a_memory_that_links_to_its_like_stays_one_of_its_own(world):
    (first,) = await kept(world, asked())
    (second,) = await kept(world, asked(links=[{"target_id": first.entry.id, "relation": "supersedes"}]))
    assert not second.merged
    assert [link.target_id for link in second.entry.links] == [first.entry.id]
