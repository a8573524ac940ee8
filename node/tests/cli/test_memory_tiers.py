"""`csb memory promote`, `demote` and `tend`: memories change their tier."""

from __future__ import annotations

import pytest

from csbond.cli.output import moment
from csbond_tests.memory_answers import AT, ENTRY, ID, PLACE, TENDED, rows
from csbond_tests.requirements import requirement


@requirement("MEM-003-3.1-commands", "MEM-001-1.2-every-door")
@pytest.mark.parametrize("way", ["promote", "demote"])
def test_a_memory_takes_another_tier_by_one_or_by_its_name(csb, home, node, way: str) -> None:
    node.answer(f"PATCH {PLACE}/{way}", {**ENTRY, "level": "山"})
    assert csb("memory", way, ID, "--home", home.path).out == f"{ID} is 山\n"
    assert node.last.body == {}
    assert csb("memory", way, ID, "--to", "山", "--home", home.path, "--json").json["level"] == "山"
    assert node.last.body == {"to": "山"}


@requirement("MEM-003-3.1-commands", "MEM-005-tend")
def test_tending_tells_each_move_and_how_many_there_are(csb, home, node) -> None:
    node.answer("POST /v1/memory/tend", TENDED)
    ended = csb("memory", "tend", "--home", home.path)
    assert rows(ended) == [
        "step memory from to by",
        f"rules {ID} hot deleted old tea",
        f"hot_idle {ID} hot warm system",
        f"As of {moment(AT)}: 2 memories moved",
        "Records of the archive that are past their time: 2",
        "For your yes or no: 1. To see what waits: csb memory review",
        "Not shown: 3",
    ]
    assert node.last.body == {}
    assert csb("memory", "tend", "--home", home.path, "--json").json == TENDED


@requirement("MEM-003-3.1-commands", "MEM-005-tend")
def test_tending_may_be_tried_as_of_another_time(csb, home, node) -> None:
    steps = {"keep_uses": 4, "purge": 0, "hot_idle": 1}
    node.answer("POST /v1/memory/tend", {**TENDED, "steps": steps, "moves": [], "dry_run": True, "reviews": []})
    ended = csb("memory", "tend", "--now", str(AT), "--dry-run", "--clear", "--home", home.path)
    assert rows(ended) == [f"As of {moment(AT)}: 1 memory would move", "Not shown: 3"]
    assert node.last.body == {"as_of": AT, "dry_run": True, "clear": True}


def test_a_time_beyond_the_calendar_is_shown_as_its_number(csb, home, node) -> None:
    node.answer("POST /v1/memory/tend", {**TENDED, "as_of": 10**18, "steps": {}, "moves": []})
    assert csb("memory", "tend", "--home", home.path).out.startswith(f"As of {10**18}: 0 memories moved\n")


@requirement("MEM-003-3.1-commands", "MEM-004-4.2-shown")
def test_the_outlook_of_an_entry_is_shown(csb, home, node) -> None:
    outlook = {
        "uses": 2.5,
        "uses_wanted": 3,
        "score": 0.6512,
        "score_wanted": 0.7,
        "pinned": False,
        "next_move": {"to": "warm", "at": AT, "because": "unused"},
    }
    node.answer(f"GET {PLACE}", {**ENTRY, "outlook": outlook})
    ended = csb("memory", "show", ID, "--outlook", "--home", home.path)
    assert rows(ended)[-3:] == [
        "uses 2.5 of 3",
        "score 0.6512 of 0.7",
        f"next move warm at {moment(AT)}: unless it is used",
    ]
    assert node.last.path == f"{PLACE}?outlook=true"
    node.answer(f"GET {PLACE}", {**ENTRY, "outlook": {**outlook, "pinned": True, "next_move": None}})
    assert rows(csb("memory", "show", ID, "--outlook", "--home", home.path))[-2:] == [
        "pinned yes",
        "next move none by itself",
    ]
    assert csb("memory", "show", ID, "--outlook", "--home", home.path, "--json").json["outlook"]["pinned"] is True


@requirement("MEM-004-4.2-shown")
@pytest.mark.parametrize(
    "move, says",
    [
        ({"because": "rule", "rule": "drafts"}, "by the rule drafts"),
        ({"because": "rule"}, "a rule takes it"),
        ({"because": "ttl", "asked": True}, "its time to live ends, if a person says yes"),
    ],
)
def test_the_outlook_tells_the_rule_and_the_person_that_decide(csb, home, node, move, says) -> None:
    outlook = {"uses": 0, "uses_wanted": 3, "score": 0, "score_wanted": 0.7, "pinned": False}
    node.answer(f"GET {PLACE}", {**ENTRY, "outlook": {**outlook, "next_move": {"to": "cold", "at": AT, **move}}})
    ended = csb("memory", "show", ID, "--outlook", "--home", home.path)
    assert rows(ended)[-1] == f"next move cold at {moment(AT)}: {says}"


def test_the_outlook_of_a_long_text_stays_when_the_text_takes_several_answers(csb, home, node) -> None:
    def part(asked):
        if "cursor=p2" in asked.path:
            return {**ENTRY, "text": "two", "pieces": ["b"], "next_cursor": ""}
        return {**ENTRY, "text": "one ", "pieces": ["a"], "next_cursor": "p2", "outlook": {"uses": 1}}

    node.answer(f"GET {PLACE}", part)
    found = csb("memory", "show", ID, "--outlook", "--home", home.path, "--json").json
    assert (found["text"], found["outlook"]) == ("one two", {"uses": 1})
