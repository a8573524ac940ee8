"""What tending clears for good, and what is left of it."""

from __future__ import annotations

from typing import Any

from csbond.flows.delete_memory import delete_memory
from csbond.flows.set_forgetting import set_forgetting
from csbond.flows.tend_memory import tend_memory
from csbond.protocol.memory.deletion import DAY_MS
from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.facets import facets_of
from csbond.protocol.memory.tier_policy import WhitespacePolicy
from csbond.protocol.memory.whitespace import archive_to_json
from csbond.protocol.messages.caller import OWNER
from csbond_tests.memories import remember
from csbond_tests.requirements import requirement
from csbond_tests.small_world import INTENT, NOW, small_world

HOT = Level.HOT


@requirement("MEM-005-5.2-cleared", "MEM-004-4.3-archive", "MEM-004-4.3-ethical-log")
async def test_what_was_deleted_is_cleared_after_its_time_and_leaves_its_record_alone(either):
    entry = await remember(either, "The key is under the mat.", level="hot", tags=["key"], type="lesson")
    deleted_at = either.clock.advance(1000)
    await delete_memory(either, entry.id, OWNER, INTENT)
    either.clock.advance(30 * DAY_MS - 1)
    assert (await tend_memory(either)).moves == ()
    now = either.clock.advance(1)
    await tend_memory(either)
    assert await either.ledger.entry(entry.id) is None
    record = await either.ledger.archived(entry.id)
    assert (record.id, record.type, record.timestamp, record.original_level) == (entry.id, "lesson", NOW, HOT)
    assert (record.deleted_at, record.cleared_at, record.trigger) == (deleted_at, now, "manual")
    assert (record.reason, record.operator) == ("it was deleted, and not restored in time", "owner")


@requirement("MEM-004-4.3-ethical-log", "MEM-004-4.3-archive")
async def test_what_a_rule_deleted_is_archived_under_its_name(either):
    entry = await remember(either, "x", type="todo")
    rule = {"name": "Old todos", "match": {"type": "todo"}, "action": "soft_delete"}
    await set_forgetting(either, {"rules": [rule]}, OWNER, INTENT)
    await tend_memory(either)
    assert (await either.ledger.entry(entry.id)).deleter == "rule:Old todos"
    either.clock.advance(30 * DAY_MS)
    await tend_memory(either)
    (log,) = archive_to_json(await either.ledger.archived(entry.id))["ethical_log"]
    assert (log["operator"], log["trigger"], log["rule_name"]) == ("this node", "rule", "Old todos")


@requirement("MEM-004-4.3-optional")
async def test_a_home_without_an_archive_keeps_nothing_of_what_is_cleared(either):
    world: Any = small_world(either.ledger, clock=either.clock, whitespace=WhitespacePolicy(enabled=False))
    entry = await remember(world, "x")
    await delete_memory(world, entry.id, OWNER, INTENT)
    world.clock.advance(30 * DAY_MS)
    assert (await tend_memory(world)).steps["clear"] == 1
    assert await world.ledger.archived(entry.id) is None


@requirement("MEM-004-4.3-three-years")
async def test_the_record_is_erased_after_three_years_and_that_is_recorded(either):
    entries = [await remember(either, str(number)) for number in range(3)]
    for entry in entries:
        await delete_memory(either, entry.id, OWNER, INTENT)
    either.clock.advance(30 * DAY_MS)
    await tend_memory(either)
    either.clock.advance(3 * 365 * DAY_MS)
    assert (await tend_memory(either)).steps["purge"] == 0, "a leap day is missing"
    either.clock.advance(DAY_MS)
    assert (await tend_memory(either, dry_run=True)).steps["purge"] == 3
    assert (await tend_memory(either, either.clock.now() + 1)).steps["purge"] == 0
    assert (await tend_memory(either)).steps["purge"] == 3
    (record,) = either.ledger.changes[-1].audit
    assert record.type == "memory_purge"
    assert sorted(record.details["entries"]) == sorted(entry.id for entry in entries)
    assert await either.ledger.archived_by_id([entry.id for entry in entries]) == {}
    assert (await tend_memory(either)).steps["purge"] == 0


async def test_what_is_erased_is_found_by_meaning_no_more(meaning):
    entry = await remember(meaning, "x")
    meaning.index.put("home", entry.id, (await meaning.embedder.embed(["x"], "document"))[0], facets_of(entry))
    await delete_memory(meaning, entry.id, OWNER, INTENT)
    meaning.clock.advance(30 * DAY_MS)
    await tend_memory(meaning)
    assert meaning.index.count("home") == 0
