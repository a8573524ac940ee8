from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csbond.protocol.errors import CsbError
from csbond.protocol.memory.entry import ENTRY_TYPES, SOURCES
from csbond.protocol.memory.forgetting import KEEPING_MOST, MOST_PRESSING, ForgettingPolicy, Match, Rule
from csbond.protocol.memory.forgetting_json import RULES_MAX, policy_from_json, policy_to_json
from csbond_tests.refusals import refused_field
from csbond_tests.requirements import requirement

SESSIONS = {
    "name": "临时对话遗忘",
    "match": {"type": "event", "source": "session", "age_hours": 24},
    "action": "soft_delete",
    "priority": "low",
}
FAILURES = {
    "name": "失败记录保留",
    "match": {"type": "lesson", "tags": ["failure"]},
    "action": "protect",
    "priority": "high",
}
SOURCE_EXAMPLE = {
    "selective_forgetting": {
        "enabled": True,
        "rules": [SESSIONS, FAILURES],
        "default_action": "ttl_evict",
        "protected_tags": ["identity", "milestone"],
    }
}


def with_rules(*rules, **changes):
    return {"selective_forgetting": {"rules": list(rules), **changes}}


@requirement("MEM-005-5.3-whole-document")
def test_the_document_of_the_source_is_read_whole():
    assert policy_from_json(SOURCE_EXAMPLE, version=3) == ForgettingPolicy(
        enabled=True,
        rules=(
            Rule("临时对话遗忘", Match(type="event", source="session", age_hours=24), "soft_delete", "low"),
            Rule("失败记录保留", Match(type="lesson", tags=("failure",)), "protect", "high"),
        ),
        default_action="ttl_evict",
        protected_tags=frozenset({"identity", "milestone"}),
        human_only=False,
        version=3,
    )


@requirement("MEM-005-5.3-whole-document")
def test_what_is_inside_the_document_alone_means_the_same():
    assert policy_from_json(SOURCE_EXAMPLE["selective_forgetting"]) == policy_from_json(SOURCE_EXAMPLE)


def test_what_is_left_out_is_as_preset():
    assert policy_from_json({}) == ForgettingPolicy()
    (rule,) = policy_from_json(with_rules({"name": "x", "action": "archive", "match": {"tags": ["a"]}})).rules
    assert rule.priority == "medium"


@requirement("MEM-005-5.3-protected-tags")
def test_an_empty_list_of_protected_tags_protects_nothing():
    assert policy_from_json({"protected_tags": []}).protected_tags == frozenset()


@requirement("MEM-005-5.5-human-only")
def test_human_only_stands_in_the_document_or_beside_it_but_not_in_both():
    assert policy_from_json({"human_only": True}).human_only
    assert policy_from_json({"selective_forgetting": {"human_only": True}}).human_only
    assert policy_from_json({"selective_forgetting": {}, "human_only": True}).human_only
    assert refused_field(lambda: policy_from_json({"selective_forgetting": {"human_only": True}, "human_only": 1}))


@requirement("MEM-005-5.3-default")
@pytest.mark.parametrize("action", ["soft_delete", "archive", "delete", "", None, 1])
def test_no_default_action_deletes(action):
    field = refused_field(lambda: policy_from_json({"default_action": action}))
    assert field == "selective_forgetting.default_action"


@requirement("MEM-005-5.3-default")
@pytest.mark.parametrize("action", ["ttl_evict", "protect"])
def test_a_default_action_leaves_a_memory_to_its_time_or_protects_it(action):
    assert policy_from_json({"default_action": action}).default_action == action


@requirement("MEM-005-5.3-whole-document")
@pytest.mark.parametrize(
    "document,place",
    [
        ({"selective_forgetting": {}, "rules": []}, "selective_forgetting"),
        ({"enable": True}, "enable"),
        ({"version": 1}, "version"),
        (with_rules(SESSIONS, FAILURES | {"prio": "low"}), "rules[1].prio"),
        (with_rules(SESSIONS | {"match": {"tag": "a"}}), "rules[0].match.tag"),
        (with_rules(SESSIONS | {"match": {"type": "event", "level": "hot"}}), "rules[0].match.level"),
    ],
)
def test_an_unknown_key_is_refused_by_its_place(document, place):
    assert refused_field(lambda: policy_from_json(document)).removeprefix("selective_forgetting.") == place


@requirement("MEM-005-5.3-whole-document")
@pytest.mark.parametrize(
    "change,place",
    [
        ({"action": "delete"}, "action"),
        ({"action": None}, "action"),
        ({"action": ["soft_delete"]}, "action"),
        ({"priority": "urgent"}, "priority"),
        ({"priority": None}, "priority"),
        ({"name": ""}, "name"),
        ({"name": " \n"}, "name"),
        ({"name": "n" * 65}, "name"),
        ({"name": "a\ud800"}, "name"),
        ({"name": 7}, "name"),
        ({"name": "protected_tags"}, "name"),
        ({"name": "default_action "}, "name"),
        ({"name": "spared"}, "name"),
        ({"match": {"type": "thing"}}, "match.type"),
        ({"match": {"type": None}}, "match.type"),
        ({"match": {"source": "delegation"}}, "match.source"),
        ({"match": {"source": ""}}, "match.source"),
        ({"match": {"age_hours": -1}}, "match.age_hours"),
        ({"match": {"age_hours": "24"}}, "match.age_hours"),
        ({"match": {"age_hours": True}}, "match.age_hours"),
        ({"match": {"age_hours": math.nan}}, "match.age_hours"),
        ({"match": {"age_hours": math.inf}}, "match.age_hours"),
        ({"match": {"age_hours": 10**400}}, "match.age_hours"),
        ({"match": {"tags": "failure"}}, "match.tags"),
        ({"match": {"tags": []}}, "match.tags"),
        ({"match": {"tags": ["a", "b" * 33]}}, "match.tags[1]"),
        ({"match": {"tags": ["\u200b"]}}, "match.tags[0]"),
        ({"match": {"tags": [None]}}, "match.tags[0]"),
        ({"match": {"tags": [str(number) for number in range(21)]}}, "match.tags"),
        ({"match": []}, "match"),
        ({"match": None}, "match"),
    ],
)
def test_what_is_not_accepted_in_a_rule_is_refused_by_its_place(change, place):
    document = with_rules(FAILURES, SESSIONS | change)
    assert refused_field(lambda: policy_from_json(document)) == f"selective_forgetting.rules[1].{place}"


@requirement("MEM-005-5.3-whole-document", "MEM-005-report-01-bulk-delete")
@pytest.mark.parametrize("action", ["soft_delete", "archive", "ttl_evict"])
@pytest.mark.parametrize("match", [{}, {"age_hours": 0}, {"age_hours": 1e-300}, {"age_hours": 0.016}])
def test_a_rule_for_everything_is_refused_unless_it_protects(action, match):
    rule = {"name": "x", "match": match, "action": action}
    assert refused_field(lambda: policy_from_json(with_rules(rule))) == "selective_forgetting.rules[0].match"
    assert policy_from_json(with_rules(rule | {"action": "protect"})).rules[0].action == "protect"


@requirement("MEM-005-5.3-match")
@pytest.mark.parametrize(
    "part", [{"type": "todo"}, {"source": "user"}, {"age_hours": 0.5}, {"age_hours": 1 / 60}, {"tags": ["a"]}]
)
def test_each_part_alone_makes_a_match(part):
    (rule,) = policy_from_json(with_rules({"name": "x", "match": part, "action": "soft_delete"})).rules
    assert rule.match != Match()


@requirement("MEM-005-5.3-whole-document")
def test_a_rule_without_a_match_is_one_for_everything():
    assert policy_from_json(with_rules({"name": "x", "action": "protect"})).rules == (Rule("x", Match(), "protect"),)
    field = refused_field(lambda: policy_from_json(with_rules({"name": "x", "action": "soft_delete"})))
    assert field == "selective_forgetting.rules[0].match"


@requirement("MEM-005-5.3-whole-document")
@pytest.mark.parametrize("name", ["临时对话遗忘", " 临时对话遗忘"])
def test_two_rules_of_one_name_are_refused(name):
    document = with_rules(SESSIONS, FAILURES | {"name": name})
    assert refused_field(lambda: policy_from_json(document)) == "selective_forgetting.rules[1].name"


@requirement("MEM-005-5.3-whole-document")
def test_200_rules_are_kept_and_no_201st():
    rules = [SESSIONS | {"name": str(number)} for number in range(RULES_MAX + 1)]
    assert len(policy_from_json(with_rules(*rules[:-1])).rules) == 200
    assert refused_field(lambda: policy_from_json(with_rules(*rules))) == "selective_forgetting.rules"


@pytest.mark.parametrize(
    "document,place",
    [
        (None, ""),
        ([], ""),
        ("x", ""),
        ({"selective_forgetting": None}, ""),
        ({"selective_forgetting": []}, ""),
        ({"enabled": "true"}, ".enabled"),
        ({"enabled": None}, ".enabled"),
        ({"human_only": 1}, ".human_only"),
        ({"rules": {}}, ".rules"),
        ({"rules": [7]}, ".rules[0]"),
        ({"protected_tags": "identity"}, ".protected_tags"),
        ({"protected_tags": ["a", ""]}, ".protected_tags[1]"),
        ({"protected_tags": [str(number) for number in range(201)]}, ".protected_tags"),
    ],
)
def test_a_part_of_another_shape_is_refused_by_its_place(document, place):
    assert refused_field(lambda: policy_from_json(document)) == f"selective_forgetting{place}"


names = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=20).filter(str.strip)
tags = st.sampled_from(["failure", "identity", "里程碑", "a b", "x-1"])
matches = st.builds(
    Match,
    type=st.sampled_from([None, *ENTRY_TYPES]),
    source=st.sampled_from(["", *SOURCES]),
    age_hours=st.none() | st.floats(0, 10_000),
    tags=st.lists(tags, unique=True).map(tuple),
)
rules = st.builds(
    Rule, st.sampled_from("甲乙丙丁abcd"), matches, st.sampled_from(KEEPING_MOST), st.sampled_from(MOST_PRESSING)
).filter(lambda rule: rule.action == "protect" or any((rule.match.type, rule.match.source, rule.match.tags)))
policies = st.builds(
    ForgettingPolicy,
    st.booleans(),
    st.lists(rules, unique_by=lambda rule: rule.name, max_size=5).map(tuple),
    st.sampled_from(["ttl_evict", "protect"]),
    st.frozensets(tags),
    st.booleans(),
)


@requirement("MEM-005-5.3-whole-document")
@given(policies)
def test_what_is_written_is_read_as_the_same_policy(policy):
    assert policy_from_json(policy_to_json(policy)) == policy


known = ("selective_forgetting", "enabled", "rules", "name", "match", "type", "source", "age_hours", "tags", "action")
keys = st.sampled_from(known) | st.text(max_size=4)
json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda part: st.lists(part, max_size=3) | st.dictionaries(keys, part, max_size=4),
    max_leaves=12,
)


@given(json)
def test_any_other_json_is_a_policy_or_refused_by_its_place(document):
    try:
        policy_from_json(document)
    except CsbError:
        assert refused_field(lambda: policy_from_json(document))
