from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csbond.protocol.memory.deletion import DAY_MS
from csbond.protocol.memory.forgetting import (
    HOUR_MS,
    KEEPING_MOST,
    MOST_PRESSING,
    ForgettingPolicy,
    Match,
    Rule,
    Verdict,
    matches,
    verdict,
)
from csbond_tests.aged_memories import NOW, aged
from csbond_tests.requirements import requirement

ENTRY = aged("warm", type="event", source="session", timestamp=NOW - 2 * DAY_MS, tags=("failure", "api"))
EVERYTHING = Match()


def policy(*rules, **changes):
    return ForgettingPolicy(rules=rules, **changes)


@requirement("MEM-005-5.3-match")
@pytest.mark.parametrize(
    "match,fits",
    [
        (EVERYTHING, True),
        (Match(type="event"), True),
        (Match(type="lesson"), False),
        (Match(source="session"), True),
        (Match(source="user"), False),
        (Match(age_hours=48), True),
        (Match(age_hours=48.001), False),
        (Match(age_hours=0), True),
        (Match(tags=("api",)), True),
        (Match(tags=("failure", "api")), True),
        (Match(tags=("failure", "db")), False),
        (Match(tags=("Failure",)), False),
        (Match(type="event", source="session", age_hours=24, tags=("api",)), True),
        (Match(type="event", source="session", age_hours=72, tags=("api",)), False),
        (Match(type="event", source="user", age_hours=24, tags=("api",)), False),
        (Match(type="todo", source="session", age_hours=24, tags=("api",)), False),
        (Match(type="event", source="session", age_hours=24, tags=("db",)), False),
    ],
)
def test_everything_that_a_rule_names_has_to_fit(match, fits):
    assert matches(match, ENTRY, NOW) is fits


@requirement("MEM-005-5.3-match")
def test_age_counts_from_the_timestamp_and_not_from_the_latest_use():
    used = aged("warm", used=(0,), timestamp=NOW - HOUR_MS)
    assert matches(Match(age_hours=1), used, NOW)
    assert not matches(Match(age_hours=1), used, NOW - 1)


@given(st.floats(0, 100_000), st.integers(0, 10**12))
def test_an_age_in_whole_milliseconds_parts_the_same_memories(hours, age):
    assert matches(Match(age_hours=hours), aged(timestamp=NOW - age), NOW) is (age >= hours * HOUR_MS)


@requirement("MEM-005-5.3-actions")
@pytest.mark.parametrize("action", KEEPING_MOST)
def test_the_rule_that_fits_decides_and_is_named(action):
    rule = Rule("Old sessions", Match(source="session"), action)
    assert verdict(policy(rule), ENTRY, NOW) == Verdict(action, "Old sessions")


@requirement("MEM-005-5.3-default")
@pytest.mark.parametrize("default", ["ttl_evict", "protect"])
def test_where_no_rule_fits_the_default_decides(default):
    rule = Rule("Lessons", Match(type="lesson"), "soft_delete")
    assert verdict(policy(rule, default_action=default), ENTRY, NOW) == Verdict(default, "default_action")
    assert verdict(policy(), ENTRY, NOW) == Verdict("ttl_evict", "default_action")


@requirement("MEM-005-5.3-priority")
@pytest.mark.parametrize(
    "first,second,winner",
    [
        (("soft_delete", "high"), ("protect", "low"), 0),
        (("protect", "low"), ("soft_delete", "medium"), 1),
        (("soft_delete", "medium"), ("protect", "medium"), 1),
        (("soft_delete", "high"), ("archive", "high"), 1),
        (("archive", "low"), ("ttl_evict", "low"), 1),
        (("ttl_evict", "low"), ("protect", "low"), 1),
        (("archive", "low"), ("archive", "low"), 0),
    ],
)
def test_the_higher_priority_decides_then_what_keeps_more_then_the_earlier(first, second, winner):
    rules = [Rule(name, EVERYTHING, *row) for name, row in (("first", first), ("second", second))]
    assert verdict(policy(*rules), ENTRY, NOW).rule == ("first", "second")[winner]


@requirement("MEM-005-5.3-priority")
def test_a_rule_that_does_not_fit_is_no_rule_however_high():
    rules = (Rule("High", Match(type="todo"), "protect", "high"), Rule("Low", EVERYTHING, "archive", "low"))
    assert verdict(policy(*rules), ENTRY, NOW) == Verdict("archive", "Low")


@requirement("MEM-005-5.3-protected-tags")
@pytest.mark.parametrize("tag", ["identity", "milestone"])
@pytest.mark.parametrize("enabled", [True, False])
def test_a_protected_tag_protects_from_every_rule(tag, enabled):
    rule = Rule("Everything", EVERYTHING, "soft_delete", "high")
    entry = aged("warm", tags=("api", tag))
    assert verdict(policy(rule, enabled=enabled), entry, NOW) == Verdict("protect", "protected_tags")


@pytest.mark.parametrize("later, spared", [(-1, True), (0, False)])
def test_what_a_person_kept_is_protected_from_every_rule_for_a_while(later, spared):
    rules = policy(Rule("Everything", EVERYTHING, "soft_delete", "high"))
    decided = verdict(rules, aged("warm", spared_until=NOW), NOW + later)
    assert decided == (Verdict("protect", "spared") if spared else Verdict("soft_delete", "Everything"))


@requirement("MEM-005-5.3-protected-tags")
def test_which_tags_protect_is_the_documents():
    own = policy(Rule("Everything", EVERYTHING, "archive"), protected_tags=frozenset({"family"}))
    assert verdict(own, aged(tags=("family",)), NOW).action == "protect"
    assert verdict(own, aged(tags=("identity",)), NOW).action == "archive"


@requirement("MEM-005-5.3-switched-off")
@pytest.mark.parametrize("default", ["ttl_evict", "protect"])
def test_switched_off_no_rule_acts(default):
    off = policy(Rule("Everything", EVERYTHING, "soft_delete", "high"), enabled=False, default_action=default)
    assert verdict(off, ENTRY, NOW) == Verdict(default, "default_action")


@requirement("MEM-005-5.3-priority")
@given(st.lists(st.tuples(st.sampled_from(KEEPING_MOST), st.sampled_from(MOST_PRESSING)), min_size=1, max_size=4))
def test_the_order_of_the_rules_changes_no_action(rows):
    rules = [Rule(str(number), EVERYTHING, *row) for number, row in enumerate(rows)]
    assert len({verdict(policy(*order), ENTRY, NOW).action for order in permutations(rules)}) == 1
