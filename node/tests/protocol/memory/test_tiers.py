from __future__ import annotations

import pytest

from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.eviction import Move, goes_down
from csbond.protocol.memory.tiers import TRANSITIONS, lowered, raised
from csbond_tests.aged_memories import aged
from csbond_tests.refusals import refused_field
from csbond_tests.requirements import requirement

HOT, WARM, COLD = Level


@requirement("MEM-003-3.1-promote")
@pytest.mark.parametrize(
    "level,to,result",
    [
        (COLD, None, WARM),
        (WARM, None, HOT),
        (HOT, None, HOT),
        (COLD, HOT, HOT),
        (COLD, WARM, WARM),
        (WARM, WARM, WARM),
        (HOT, HOT, HOT),
    ],
)
def test_a_memory_rises_by_one_tier_or_to_the_one_named_and_not_above_the_highest(level, to, result):
    assert raised(level, to) is result


@requirement("MEM-003-3.1-demote")
@pytest.mark.parametrize(
    "level,to,result",
    [
        (HOT, None, WARM),
        (WARM, None, COLD),
        (COLD, None, COLD),
        (HOT, COLD, COLD),
        (HOT, WARM, WARM),
        (WARM, WARM, WARM),
        (COLD, COLD, COLD),
    ],
)
def test_a_memory_sinks_by_one_tier_or_to_the_one_named_and_not_below_the_lowest(level, to, result):
    assert lowered(level, to) is result


@requirement("MEM-003-3.1-promote")
@pytest.mark.parametrize("level,to", [(HOT, WARM), (HOT, COLD), (WARM, COLD)])
def test_raising_to_a_lower_tier_is_refused(level, to):
    assert refused_field(lambda: raised(level, to)) == "to"


@requirement("MEM-003-3.1-demote")
@pytest.mark.parametrize("level,to", [(COLD, WARM), (COLD, HOT), (WARM, HOT)])
def test_lowering_to_a_higher_tier_is_refused(level, to):
    assert refused_field(lambda: lowered(level, to)) == "to"


def test_every_way_is_listed_once():
    ways = [(way.source, way.target, way.step, way.trigger) for way in TRANSITIONS]
    assert len(set(ways)) == len(ways)


@requirement("MEM-005-5.1-one-tier")
def test_by_cap_or_time_a_memory_goes_one_tier_down_and_leaves_from_cold_alone():
    evictions = {(way.source, way.target) for way in TRANSITIONS if way.trigger in ("ttl", "lru")}
    assert evictions == {(HOT, WARM), (WARM, COLD), (COLD, "deleted")}


@requirement("MEM-001-1.1-cold-free")
def test_cold_has_no_cap():
    assert {way.source for way in TRANSITIONS if way.trigger == "lru"} == {HOT, WARM}


def test_what_no_person_raises_rises_one_tier_at_a_time():
    living = [way for way in TRANSITIONS if way.source != "deleted" and way.trigger != "manual"]
    rises = {(way.source, way.target) for way in living if not goes_down(Move(aged(way.source), way.target, "system"))}
    assert rises == {(COLD, WARM), (WARM, HOT)}


def test_only_a_softly_deleted_memory_is_erased_without_a_person():
    assert {way.source for way in TRANSITIONS if way.target == "erased" and way.trigger != "manual"} == {"deleted"}
