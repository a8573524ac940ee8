from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from csbond.flows.limits import Limits
from csbond.flows.memory_changes import PutEntry
from csbond.flows.write_memory import Kept, MemoryRequest, write_memory
from csbond.protocol.errors import CsbError, Unavailable
from csbond.protocol.memory.entry import Level, Origin
from csbond.protocol.memory.entry_json import draft_from_json
from csbond.protocol.memory.level_names import LevelNames
from csbond.protocol.messages.caller import ANONYMOUS, OWNER, Caller, CallerKind, Role
from csbond_tests.overtaken import Overtaken
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW, meaningful_world, small_world


def asked(content="The key is under the mat.", key="", digest="same", **fields):
    return MemoryRequest(draft_from_json({"content": content, **fields}, NOW, LevelNames()), key, digest)


ANN = Caller(CallerKind.PRINCIPAL, "ann", Role.EDITOR, frozenset({"home"}))


async def written(world, *requests, caller=OWNER):
    """What became of each: its entry, or the error."""
    outcomes = await write_memory(world, requests, caller, INTENT)
    return tuple(outcome.entry if isinstance(outcome, Kept) else outcome for outcome in outcomes)


@requirement("MEM-001-1.3-id", "MEM-002-2.1-required")
async def test_a_written_memory_has_an_id_of_this_node_and_is_kept(world):
    (entry,) = await written(world, asked(level="hot"))
    assert entry.id == f"mem_{NOW}_aaaaaaaaaaab"
    assert (entry.level, entry.version, entry.origin) == (Level.HOT, 1, Origin("owner"))
    assert await world.ledger.entry(entry.id) == entry


@requirement("AUDIT-memory")
async def test_a_write_and_its_record_with_the_intent_are_one_change(world):
    entries = await written(world, asked("one"), asked("two"))
    (change,) = world.ledger.changes
    (record,) = change.audit
    assert (record.type, record.intent, record.timestamp) == ("memory_write", INTENT, NOW)
    assert record.details["entries"] == [entry.id for entry in entries]
    assert len({entry.seq for entry in entries}) == 1


async def test_what_cannot_be_committed_is_not_kept(world):
    world.ledger.fault = Unavailable("storage_full", "the disk is full")
    with pytest.raises(Unavailable):
        await written(world, asked(id="mem_1_a"))
    world.ledger.fault = None
    assert await world.ledger.entry("mem_1_a") is None


@requirement("MEM-003-idempotent")
async def test_a_repeat_of_a_key_gets_the_entry_of_the_first_time(world):
    (first,) = await written(world, asked(key="k"))
    (second,) = await written(world, asked(key="k"))
    assert second == first
    assert len(world.ledger.changes) == 1


@requirement("MEM-003-idempotent")
@pytest.mark.parametrize("key", ["", "another"])
async def test_a_repeat_of_a_clients_own_id_gets_the_entry_whatever_key_came_with_it(world, key):
    (first,) = await written(world, asked(id="mem_1_a", key="k"))
    (second,) = await written(world, asked(id="mem_1_a", key=key))
    assert second == first
    assert len(world.ledger.changes) == 1


async def test_another_caller_does_not_get_the_entry_of_an_id(world):
    await written(world, asked(id="mem_1_a"))
    (outcome,) = await written(world, asked(id="mem_1_a"), caller=ANN)
    assert isinstance(outcome, CsbError)
    assert outcome.code.name == "already_exists"


async def test_a_message_id_is_never_taken_for_a_key(world):
    await written(world, asked(key="k"))
    for caller_key in ("owner", "principal:ann", "anonymous"):
        for name in ("k", "key:k", "memory:key:k"):
            assert await world.ledger.repeated_request(caller_key, name) is None


async def test_a_key_that_named_another_memory_is_refused(world):
    await written(world, asked(key="k"))
    (outcome,) = await written(world, asked("Another one.", key="k", digest="other"))
    assert isinstance(outcome, CsbError)
    assert outcome.code.name == "already_exists"


@requirement("MEM-001-1.3-id")
async def test_an_id_of_a_client_is_taken_once(world):
    (first,) = await written(world, asked(id="mem_1_a"))
    (second,) = await written(world, asked("Another one.", id="mem_1_a", digest="other"))
    assert first.id == "mem_1_a"
    assert isinstance(second, CsbError)
    assert (second.code.name, second.field) == ("already_exists", "id")
    assert await world.ledger.entry("mem_1_a") == first


async def test_an_id_comes_once_in_a_batch_and_the_good_ones_are_kept(world):
    first, second, third = await written(world, asked(id="mem_1_a"), asked(id="mem_1_a"), asked("three"))
    assert isinstance(second, CsbError)
    assert await world.ledger.entry(first.id) == first
    assert await world.ledger.entry(third.id) == third


async def test_repeats_at_the_same_time_write_one_entry(world):
    outcomes = await asyncio.gather(*(written(world, asked(key="k")) for _ in range(8)))
    assert len({outcome[0].id for outcome in outcomes}) == 1
    assert len(world.ledger.changes) == 1


async def test_a_repeat_after_an_edit_gets_the_entry_as_it_is_now(world):
    (first,) = await written(world, asked(key="k"))
    edited = replace(first, content="It is gone.", version=2)
    await world.ledger.commit(replace(world.ledger.changes[0], writes=(PutEntry(edited),), audit=()))
    (again,) = await written(world, asked(key="k"))
    assert again.content == "It is gone."


async def test_a_repeat_of_what_was_deleted_since_does_not_bring_it_back(world):
    (first,) = await written(world, asked(key="k"))
    gone = replace(first, deleted_at=NOW, version=2)
    await world.ledger.commit(replace(world.ledger.changes[0], writes=(PutEntry(gone),), audit=()))
    (again,) = await written(world, asked(key="k"))
    assert isinstance(again, CsbError)
    assert again.code.name == "already_exists"


async def test_two_callers_may_use_the_same_key(world):
    (first,) = await written(world, asked(key="k"))
    (second,) = await written(world, asked(key="k"), caller=ANN)
    assert second.id != first.id
    assert second.origin.caller_key == "principal:ann"


async def test_a_node_whose_vectors_are_far_behind_takes_no_more(ledger):
    world = meaningful_world(ledger, limits=Limits(index_lag=2))
    await written(world, asked("one"), asked("two"), asked("three"))
    with pytest.raises(Unavailable) as refusal:
        await written(world, asked("four"))
    assert refusal.value.code.name == "too_busy"
    assert (await ledger.counts())["entries"] == 3


@requirement("MEM-003-3.1-principals")
@pytest.mark.parametrize(
    "caller",
    [
        ANONYMOUS,
        Caller(CallerKind.PRINCIPAL, "bo", Role.VIEWER, frozenset({"home"})),
        Caller(CallerKind.PRINCIPAL, "cy", Role.EDITOR, frozenset({"elsewhere"})),
    ],
)
async def test_only_the_owner_and_editors_of_the_home_write(world, caller):
    with pytest.raises(CsbError) as refusal:
        await written(world, asked(), caller=caller)
    assert refusal.value.code.name == "forbidden"
    assert world.ledger.changes == []


async def test_a_key_that_comes_twice_in_one_batch_is_taken_once(world):
    first, second = await written(world, asked("one", key="k"), asked("two", key="k"))
    assert first.content == "one"
    assert second.code.name == "already_exists"
    assert (await world.ledger.counts())["entries"] == 1


@requirement("MEM-003-3.1-keys-everywhere")
@pytest.mark.parametrize("fields", [{"key": "k"}, {"id": "mem_1_a"}])
async def test_of_two_nodes_on_one_database_that_get_a_key_at_once_one_writes(stored, fields):
    async def faster():
        await written(small_world(stored.ledger), asked("The boat is green.", **fields))

    slower = small_world(Overtaken(stored.ledger, faster))
    (entry,) = await written(slower, asked("The boat is green.", **fields))
    (again,) = await written(stored, asked("The boat is green.", **fields))
    assert entry == again
    assert (await stored.ledger.counts())["entries"] == 1


@requirement("MEM-003-3.1-keys-everywhere")
async def test_of_two_nodes_that_get_a_key_for_other_memories_the_later_is_refused(stored):
    async def faster():
        await written(small_world(stored.ledger), asked("The boat is green.", key="k"))

    slower = small_world(Overtaken(stored.ledger, faster))
    (refused,) = await written(slower, asked("The boat is blue.", key="k", digest="other"))
    assert refused.code.name == "already_exists"
    assert (await stored.ledger.counts())["entries"] == 1
