from __future__ import annotations

from dataclasses import fields, replace
from functools import partial
from itertools import combinations
from typing import Any

import pytest

from csbond.protocol.memory.entry import Level, MemoryEntry, Origin
from csbond.protocol.memory.filter import FILTERS, EntryFilter, admits, checked_filter
from csbond.protocol.memory.level_names import LevelNames, level_names
from csbond.protocol.memory.link import Link
from csbond.protocol.memory.visibility import Audience
from csbond_tests.refusals import refused_field
from csbond_tests.requirements import requirement

NOW = 1_700_000_000_000
NAMES = LevelNames()
EVERYTHING = Audience(everything=True)
ENTRY = MemoryEntry(
    id="mem_1_a",
    space="home",
    type="lesson",
    content="x",
    tags=("测试", "b"),
    timestamp=NOW,
    source="skill",
    level=Level.HOT,
    origin=Origin(thread_id="t-1"),
    project="apollo",
    links=(Link("mem_2_b", "causes"), Link("agent:ann", "cited_by")),
)
FITTING: dict[str, Any] = {
    "level": "hot",
    "type": "lesson",
    "tag": "测试",
    "source": "skill",
    "project": "Apollo",
    "link_target": "mem_2_b",
    "since": NOW,
    "until": NOW,
    "thread": "t-1",
    "deleted": False,
}
OTHER: dict[str, Any] = {
    "level": "cold",
    "type": "event",
    "tag": "测",
    "source": "user",
    "project": "gemini",
    "link_target": "mem_2_c",
    "since": NOW + 1,
    "until": NOW - 1,
    "thread": "t-2",
    "deleted": True,
}


def passes(raw, entry=ENTRY):
    return admits(checked_filter(raw, NAMES, NOW), EVERYTHING, entry)


@requirement("MEM-003-3.1-filters")
@pytest.mark.parametrize("name", FITTING)
def test_each_part_of_a_filter_narrows_alone(name):
    assert passes({name: FITTING[name]})
    assert not passes({name: OTHER[name]})


@requirement("MEM-003-3.1-filters")
@pytest.mark.parametrize("one, other", list(combinations(FITTING, 2)))
def test_two_parts_of_a_filter_narrow_together(one, other):
    assert passes({one: FITTING[one], other: FITTING[other]})
    for first, second in ((FITTING, OTHER), (OTHER, FITTING)):
        raw = {one: first[one], other: second[other]}
        if raw.get("since", 0) > raw.get("until", NOW + 1):
            assert refused_field(partial(passes, raw)) == "since"
        else:
            assert not passes(raw)


@requirement("MEM-003-3.1-link-target")
def test_a_filter_by_target_admits_what_links_to_it():
    assert passes({"link_target": "agent:ann"})
    assert not passes({"link_target": "mem_2_b"}, replace(ENTRY, links=ENTRY.links[1:]))


def test_a_filter_of_the_deleted_admits_them_alone():
    assert passes({"deleted": "true"}, replace(ENTRY, deleted_at=1))
    assert not passes({}, replace(ENTRY, deleted_at=1))


def test_a_filter_without_parts_admits_every_living_entry():
    assert checked_filter({}, NAMES, NOW) == EntryFilter()
    assert passes({})


@requirement("MEM-005-report-no-namespace")
@pytest.mark.parametrize("name", ["", "colour", "Level", "user_id", "projects", "x" * 100])
def test_a_part_that_there_is_none_of_is_refused(name):
    assert refused_field(lambda: checked_filter({name: "x"}, NAMES, NOW)) == name[:64]


@requirement("MEM-005-report-no-namespace")
@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("value", ["", " ", None, {}, [], "\ud800", "\x00"])
def test_an_empty_or_unreadable_part_never_means_everything(name, value):
    assert refused_field(lambda: checked_filter({name: value}, NAMES, NOW)) == name


@requirement("MEM-005-report-no-namespace")
@pytest.mark.parametrize(
    "name, value",
    [
        ("type", "rumour"),
        ("source", "Skill"),
        ("level", "lukewarm"),
        ("project", "--"),
        ("link_target", "note"),
        ("since", -1),
        ("since", "yesterday"),
        ("until", 1.5),
        ("until", True),
        ("deleted", "perhaps"),
        ("tag", "x" * 257),
        ("text", "x" * 4097),
        ("text", " ".join(f"word{number}" for number in range(33))),
        ("text", " ".join(chr(0x4E00 + number) for number in range(33))),
        ("thread", 7),
    ],
)
def test_a_value_that_cannot_be_read_is_refused(name, value):
    assert refused_field(lambda: checked_filter({name: value}, NAMES, NOW)) == name


@requirement("MEM-005-report-no-namespace")
def test_times_that_can_match_nothing_are_refused():
    assert refused_field(lambda: checked_filter({"since": 8, "until": 7}, NAMES, NOW)) == "since"
    assert refused_field(lambda: checked_filter({"since": NOW + 300_001}, NAMES, NOW)) == "since"
    assert checked_filter({"since": NOW + 300_000, "until": 10**15}, NAMES, NOW).since == NOW + 300_000


@pytest.mark.parametrize(
    "text", [" ".join(f"word{number}" for number in range(32)), "the river " * 400, "河流" * 2_000]
)
def test_of_a_text_each_word_counts_once_and_a_run_without_spaces_as_one(text):
    assert checked_filter({"text": text}, NAMES, NOW).text == text


def test_times_may_stand_in_a_text_as_in_a_query():
    assert checked_filter({"since": "7", "until": "8"}, NAMES, NOW) == EntryFilter(since=7, until=8)


@requirement("MEM-005-report-13-overwritten")
def test_names_are_looked_for_as_they_are_compared():
    names = level_names({"hot": "active"})
    wanted = checked_filter({"project": "ＡPOLLO", "tag": " cafe\u0301 ", "level": "Active"}, names, NOW)
    assert wanted == EntryFilter(project="apollo", tag="café", level=Level.HOT)


def test_a_filter_has_every_part_that_clients_can_name():
    assert set(FILTERS) == {field.name for field in fields(EntryFilter)}
