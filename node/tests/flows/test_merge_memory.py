from __future__ import annotations

import asyncio

import pytest

from csbond.flows.delete_memory import delete_memory
from csbond.flows.write_memory import Kept, MemoryRequest, write_memory
from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.entry_json import draft_from_json
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.messages.caller import OWNER, Caller, CallerKind, Role
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
    assert (entry.id, entry.version, entry.tags, entry.ttl) == (first.entry.id, 2, ("key", "mat"), 0)
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
    await kept(world, asked(key="k", tags=["a"]))
    (again,) = await kept(world, asked(key="k", tags=["a"]))
    assert again.entry.id == first.entry.id
    assert again.entry.version == 2
    assert len(world.ledger.changes) == 2


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


async def test_a_merge_overtaken_by_an_edit_is_made_again(stored):
    (first,) = await kept(stored, asked())
    outcomes = await asyncio.gather(*(kept(stored, asked(tags=[f"t{n}"])) for n in range(3)), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [tuple] * 3
    assert set((await stored.ledger.entry(first.entry.id)).tags) == {"t0", "t1", "t2"}


async def test_a_memory_that_links_to_its_like_stays_one_of_its_own(world):
    (first,) = await kept(world, asked())
    (second,) = await kept(world, asked(links=[{"target_id": first.entry.id, "relation": "supersedes"}]))
    assert not second.merged
    assert [link.target_id for link in second.entry.links] == [first.entry.id]
