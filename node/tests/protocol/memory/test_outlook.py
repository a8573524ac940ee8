from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csbond.protocol.memory.deletion import DAY_MS
from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.forgetting import ForgettingPolicy, Match, Rule
from csbond.protocol.memory.level_names import level_names
from csbond.protocol.memory.lifetime import outlived
from csbond.protocol.memory.outlook import outlook
from csbond.protocol.memory.promotion import promotes, sinks
from csbond.protocol.memory.tier_policy import TierPolicy
from csbond_tests.aged_memories import NOW, aged, aged_memories, policies
from csbond_tests.requirements import requirement

POLICY = TierPolicy()
LITERAL = TierPolicy(formula="literal")


def next_of(entry, policy=POLICY, *others, **rules):
    forgetting = ForgettingPolicy(**rules)
    return outlook((entry, *others), NOW, policy, forgetting)["next_move"]


@requirement("MEM-004-4.2-shown")
def test_a_memory_tells_its_factors_its_score_and_what_it_waits_for():
    assert outlook((aged("warm", used=(1, 2)),), NOW, POLICY) == {
        "level": "warm",
        "uses": 2.0,
        "uses_wanted": 3.0,
        "unused_ms": DAY_MS,
        "frequency_factor": 0.6667,
        "time_factor": 0.8571,
        "score": 0.7238,
        "score_wanted": 0.7,
        "sinking_score": 0.2367,
        "pinned": False,
        "next_move": {"to": "cold", "at": NOW + 89 * DAY_MS, "because": "unused"},
    }


FOUND = TierPolicy(cold_rises="found")


@requirement("MEM-004-4.2-shown")
@pytest.mark.parametrize(
    "entry,policy,move",
    [
        (aged("hot", unused=12), POLICY, ("warm", 18 * DAY_MS, "unused")),
        (aged("hot", unused=12, ttl=1), POLICY, ("warm", 18 * DAY_MS, "unused")),
        (aged("hot", unused=40), POLICY, ("warm", 0, "unused")),
        (aged("warm", used=(0, 1, 2)), POLICY, ("hot", 0, "uses")),
        (aged("warm", ttl=5 * DAY_MS), POLICY, ("cold", 5 * DAY_MS, "ttl")),
        (aged("warm", ttl=500 * DAY_MS), POLICY, ("cold", 90 * DAY_MS, "unused")),
        (aged("warm", access_count=2), LITERAL, ("hot", 470_400_000, "uses")),
        (aged("warm", access_count=1), LITERAL, ("cold", 90 * DAY_MS, "unused")),
        (aged("cold", ttl=DAY_MS), POLICY, ("deleted", DAY_MS, "ttl")),
        (aged("cold", unused=9, found_at=NOW - 1), FOUND, ("warm", 0, "found")),
    ],
)
def test_a_memory_tells_where_it_would_go_next_and_when(entry, policy, move):
    to, later, because = move
    assert outlook((entry,), NOW, policy)["next_move"] == {"to": to, "at": NOW + later, "because": because}


@requirement("MEM-004-4.2-shown")
@pytest.mark.parametrize(
    "entry",
    [
        aged("cold", unused=400),
        aged("hot", unused=400, tags=("pinned",)),
        aged("warm", unused=400, deleted_at=NOW - 1),
    ],
)
def test_what_nothing_moves_has_no_next_move(entry):
    assert outlook((entry,), NOW, POLICY)["next_move"] is None


@requirement("MEM-004-4.2-shown")
def test_a_protected_memory_does_not_look_forward_to_its_time_to_live():
    assert next_of(aged("cold", ttl=1), default_action="protect") is None
    warm = next_of(aged("warm", ttl=1), default_action="protect")
    assert (warm["to"], warm["because"]) == ("cold", "unused")


@requirement("MEM-001-1.2-every-door")
def test_tiers_are_told_by_the_names_of_the_home():
    shown = outlook((aged("hot"),), NOW, POLICY, names=level_names({"hot": "active", "warm": "project"}))
    assert (shown["level"], shown["next_move"]["to"]) == ("active", "project")


def moves_at(entry, now, policy):
    """Where an entry may go now."""
    if promotes(entry, now, policy):
        yield "hot"
    if sinks(entry, now, policy) or outlived(entry, now, policy):
        yield {"hot": "warm", "warm": "cold", "cold": "deleted"}[entry.level]


@requirement("MEM-004-4.2-shown")
@given(aged_memories(), policies, st.integers(60, 90))
def test_the_next_move_comes_when_it_was_told_and_not_before(entry, policy, now):
    move = outlook((entry,), now, policy)["next_move"]
    until = move["at"] if move else now + 200
    assert all(not list(moves_at(entry, at, policy)) for at in range(now, until))
    assert move is None or move["to"] in list(moves_at(entry, until, policy))


def rule(action, name="R", **match):
    return Rule(name, Match(**match), action)


@requirement("MEM-004-4.2-shown")
def test_a_memory_tells_the_rule_that_takes_it_next_and_when():
    entry = aged("cold", timestamp=NOW - DAY_MS, ttl=9 * DAY_MS)
    later = rule("soft_delete", age_hours=72)
    assert next_of(entry, rules=(later,)) == {
        "to": "deleted",
        "at": NOW + 2 * DAY_MS,
        "because": "rule",
        "rule": "R",
    }
    assert next_of(replace(entry, ttl=2 * DAY_MS), rules=(later,))["because"] == "ttl"
    assert next_of(entry, rules=(later,), enabled=False)["because"] == "ttl"


@requirement("MEM-004-4.2-shown")
def test_what_a_rule_archives_is_told_to_be_cold_at_once_whatever_raises_it():
    ruled = {"to": "cold", "at": NOW, "because": "rule", "rule": "R"}
    assert next_of(aged("hot"), rules=(rule("archive"),)) == ruled
    assert next_of(aged("warm", used=(0, 1, 2)), rules=(rule("archive"),)) == ruled


@requirement("MEM-004-4.2-shown")
def test_the_rules_count_as_they_are_when_its_time_has_passed():
    cold = aged("cold", timestamp=NOW, ttl=10 * DAY_MS)
    assert next_of(cold, rules=(rule("archive"),)) is None
    assert next_of(cold, rules=(rule("protect", age_hours=5 * 24),)) is None
    assert next_of(cold, rules=(rule("protect", age_hours=11 * 24),))["at"] == NOW + 10 * DAY_MS
    until = [rule("protect"), Rule("Free", Match(age_hours=12 * 24), "ttl_evict", "high")]
    assert next_of(cold, rules=tuple(until))["at"] == NOW + 12 * DAY_MS
    assert next_of(replace(cold, level=Level.WARM), rules=(rule("archive", age_hours=11 * 24),))["because"] == "ttl"


@requirement("MEM-004-4.2-shown", "MEM-005-5.5-human-only", "MEM-004-4.4-review")
def test_a_memory_tells_that_a_person_is_asked_before_it_goes():
    cold = aged("cold", timestamp=NOW, ttl=DAY_MS)
    asked = {"to": "deleted", "at": NOW + DAY_MS, "because": "ttl", "asked": True}
    assert next_of(cold, human_only=True) == asked
    decision, careful = aged("hot", type="decision", used=(0,)), TierPolicy(review_decisions=True)
    assert next_of(decision, careful)["asked"] is True
    resting = outlook((decision,), NOW, careful, rests={"lower": NOW + 80 * DAY_MS})["next_move"]
    assert resting["at"] == NOW + 80 * DAY_MS
    assert "asked" not in next_of(decision)


@requirement("MEM-004-4.2-shown")
def test_what_is_spared_is_left_to_its_time_and_to_rules_afterwards():
    spared = aged("cold", timestamp=NOW, ttl=DAY_MS, spared_until=NOW + 9 * DAY_MS)
    assert (next_of(spared)["at"], next_of(spared)["because"]) == (NOW + 9 * DAY_MS, "ttl")
    assert next_of(spared, rules=(rule("soft_delete"),))["rule"] == "R"


@requirement("MEM-004-4.2-shown", "MEM-005-5.3-protected-tags")
def test_the_strictest_piece_decides_what_a_text_waits_for():
    cold = aged("cold", timestamp=NOW, ttl=DAY_MS)
    kept = replace(cold, id="mem_1_second", tags=("milestone",))
    assert next_of(cold, POLICY, replace(cold, id="mem_1_second"), kept) is None
    hot = aged("hot", unused=2)
    assert next_of(hot, POLICY, replace(hot, id="mem_1_second", tags=("pinned",))) is None
