from __future__ import annotations

from dataclasses import replace

import pytest

from csbond.protocol.errors import CsbError
from csbond.protocol.memory.entry import Level
from csbond.protocol.memory.eviction import Move
from csbond.protocol.memory.forgetting import ForgettingPolicy, Match, Rule
from csbond.protocol.memory.forgetting_plan import (
    Planned,
    chosen_rules,
    in_order,
    plan_name,
    planned,
    rules_of_plan,
)
from csbond_tests.aged_memories import NOW, aged
from csbond_tests.requirements import requirement

POLICY = ForgettingPolicy(
    rules=(
        Rule("chatter", Match("event"), "soft_delete"),
        Rule("todos", Match("todo"), "archive"),
        Rule("旧事", Match(age_hours=0.5), "archive"),
    )
)
ALL = frozenset({"chatter", "todos", "旧事"})
ONE = Planned("mem_1_a", 3, NOW, "delete", "chatter", Level.HOT, "deleted")
TWO = Planned("mem_2_b", 1, NOW, "archive", "todos", Level.WARM, Level.COLD)


def refused(call, *arguments):
    with pytest.raises(CsbError) as info:
        call(*arguments)
    return info.value.code.name, info.value.field


@requirement("MEM-005-5.3-dry-run")
def test_a_planned_move_says_what_becomes_of_which_version_by_which_rule():
    entry = aged("hot", id="mem_1_a", version=3)
    assert planned(Move(entry, "deleted", "rule", "chatter", "rules")) == ONE
    assert planned(Move(replace(entry, level=Level.WARM), Level.COLD, "rule", "todos", "rules")).action == "archive"


def test_the_latest_memories_are_listed_first_and_of_one_time_those_of_the_later_id():
    older = replace(TWO, timestamp=NOW - 1)
    assert in_order([older, ONE, TWO]) == (TWO, ONE, older)


@requirement("MEM-005-5.3-dry-run")
@pytest.mark.parametrize(
    "other",
    [
        (ONE,),
        (TWO, ONE),
        (ONE, replace(TWO, entry_id="mem_2_c")),
        (ONE, replace(TWO, version=2)),
        (ONE, replace(TWO, action="delete")),
        (ONE, replace(TWO, rule="旧事")),
        (),
    ],
)
def test_another_list_makes_another_name(other):
    assert plan_name(POLICY, ALL, other) != plan_name(POLICY, ALL, (ONE, TWO))


@pytest.mark.parametrize(
    "other",
    [
        replace(POLICY, enabled=False),
        replace(POLICY, rules=POLICY.rules[::-1]),
        replace(POLICY, protected_tags=frozenset()),
        replace(POLICY, human_only=True),
    ],
)
def test_another_document_makes_another_name(other):
    assert plan_name(other, ALL, (ONE, TWO)) != plan_name(POLICY, ALL, (ONE, TWO))


def test_the_same_document_as_another_version_makes_the_same_name():
    assert plan_name(replace(POLICY, version=7), ALL, (ONE,)) == plan_name(POLICY, ALL, (ONE,))


def test_another_choice_of_rules_makes_another_name_for_the_same_list():
    assert plan_name(POLICY, {"chatter"}, (ONE,)) != plan_name(POLICY, ALL, (ONE,))


@pytest.mark.parametrize("names", [ALL, {"chatter"}, {"旧事", "chatter"}])
def test_a_plan_tells_the_rules_it_was_made_with(names):
    assert rules_of_plan(POLICY, plan_name(POLICY, names, (ONE, TWO))) == names


def test_a_plan_of_no_rules_tells_none():
    nothing = ForgettingPolicy()
    assert rules_of_plan(nothing, plan_name(nothing, chosen_rules(nothing, ()), ())) == frozenset()


@pytest.mark.parametrize("plan", ["", "all", "none:00", "1-:00", "+1:00", "١:00"])
def test_what_is_no_plan_is_refused(plan):
    assert refused(rules_of_plan, POLICY, plan) == ("invalid_params", "plan")


def test_without_names_all_rules_are_chosen_and_with_them_those():
    assert chosen_rules(POLICY, ()) == ALL
    assert chosen_rules(POLICY, ("todos", "chatter")) == {"todos", "chatter"}


def test_the_name_of_no_rule_is_refused_by_its_place():
    assert refused(chosen_rules, POLICY, ("todos", "todo")) == ("invalid_params", "rules[1]")
