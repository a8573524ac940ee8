from __future__ import annotations

import pytest

from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.eviction import (
    Move,
    action_of,
    eviction_details,
    goes_down,
    has_just_moved,
    moved,
    record_type,
)
from csbond.protocol.memory.tiers import TRANSITIONS
from csbond_tests.aged_memories import NOW, aged
from csbond_tests.requirements import requirement

HOT, WARM, COLD = Level


@requirement("MEM-005-5.4-every-eviction")
def test_a_deletion_by_rule_is_recorded_as_the_source_has_it():
    move = Move(aged("hot", id="mem_7_x"), "deleted", "rule", rule="临时对话遗忘", step="rules")
    assert eviction_details(move, NOW) == {
        "action": "delete",
        "memoryId": "mem_7_x",
        "timestamp": NOW,
        "trigger": "rule",
        "rule_name": "临时对话遗忘",
        "previousLevel": "hot",
        "newLevel": "deleted",
    }


@requirement("MEM-005-5.4-every-eviction")
def test_without_a_rule_there_is_no_rule_name():
    details = eviction_details(Move(aged("hot"), WARM, "lru"), NOW)
    assert list(details) == ["action", "memoryId", "timestamp", "trigger", "previousLevel", "newLevel"]
    assert {type(value) for value in details.values()} <= {str, int}


@requirement("MEM-005-5.4-every-eviction")
@pytest.mark.parametrize(
    "entry,to,trigger,rule,action,record",
    [
        (aged("hot"), WARM, "lru", "", "demote", "memory_demote"),
        (aged("hot"), WARM, "system", "", "demote", "memory_demote"),
        (aged("warm"), COLD, "ttl", "", "demote", "memory_demote"),
        (aged("hot"), COLD, "manual", "", "demote", "memory_demote"),
        (aged("warm"), COLD, "rule", "Old", "archive", "memory_archive"),
        (aged("hot"), COLD, "rule", "Old", "archive", "memory_archive"),
        (aged("cold"), "deleted", "ttl", "", "delete", "memory_delete"),
        (aged("warm"), "deleted", "rule", "Old", "delete", "memory_delete"),
        (aged("warm", deleted_at=1, deleted_by="ttl"), "erased", "system", "", "hard_delete", "memory_clear"),
        (aged("warm"), "erased", "manual", "", "hard_delete", "memory_erase"),
        (aged("warm"), HOT, "system", "", "promote", "memory_promote"),
        (aged("cold"), HOT, "manual", "", "promote", "memory_promote"),
    ],
)
def test_every_move_has_its_action_and_its_type_of_record(entry, to, trigger, rule, action, record):
    move = Move(entry, to, trigger, rule)
    assert (action_of(move), record_type(move)) == (action, record)
    assert goes_down(move) is (action != "promote")
    details = eviction_details(move, NOW)
    assert (details["action"], details["trigger"]) == (action, trigger)
    assert (details["previousLevel"], details["newLevel"]) == (entry.level.value, str(to))


@requirement("MEM-005-5.4-every-eviction")
@pytest.mark.parametrize("content", ["secret words", "秘密"])
def test_a_record_tells_nothing_of_what_the_memory_said(content):
    entry = aged("cold", content=content, tags=(content,), extra={"note": content}, project=content)
    assert content not in str(eviction_details(Move(entry, "deleted", "ttl"), NOW))


def test_a_memory_that_moves_is_its_next_version_in_the_tier_and_no_longer_found():
    entry = aged("cold", found_at=5, version=4, used=(1,))
    after = moved(Move(entry, WARM, "system"), NOW)
    assert (after.level, after.version, after.found_at) == (WARM, 5, 0)
    assert (after.used_at, after.recent, after.deleted_at) == (entry.used_at, entry.recent, 0)


def test_a_change_of_tier_tells_its_time_and_a_deletion_is_none():
    entry = aged("warm", moved_at=3)
    after = moved(Move(entry, COLD, "ttl"), NOW)
    assert (has_just_moved(after, NOW), has_just_moved(after, NOW + 1)) == (True, False)
    assert not has_just_moved(entry, NOW)
    assert moved(Move(entry, "deleted", "rule"), NOW).moved_at == 3


def test_a_memory_that_is_deleted_keeps_its_tier_and_says_what_deleted_it():
    after = moved(Move(aged("cold"), "deleted", "ttl"), NOW)
    assert (after.level, after.deleted_at, after.deleted_by, after.version) == (COLD, NOW, "ttl", 2)


def test_nothing_is_left_of_what_is_erased():
    with pytest.raises(ValueError, match="nothing is left of mem_1_a"):
        moved(Move(aged("cold"), "erased", "manual"), NOW)


@requirement("MEM-005-5.4-every-eviction")
@pytest.mark.parametrize("way", [way for way in TRANSITIONS if way.source != "deleted"])
def test_each_way_out_or_down_has_one_of_the_four_actions_of_the_source(way):
    rule = "Old" if way.trigger == "rule" else ""
    move = Move(aged(way.source), way.target, way.trigger, rule, way.step)
    assert (action_of(move) in ("delete", "demote", "archive", "hard_delete")) is goes_down(move)
