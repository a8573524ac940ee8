"""`csb memory rules`: what is forgotten by itself, tried out first."""

from __future__ import annotations

import io
import json
import sys

import pytest

from csbond.cli.output import moment
from csbond_tests.memory_answers import AT, ID, PLAN, TENDED, rows
from csbond_tests.requirements import requirement

RULE = {"name": "old tea", "match": {"type": "event", "tags": ["tea", "茶"]}, "action": "archive", "priority": "low"}

POLICY = {"enabled": True, "default_action": "protect", "protected_tags": ["a", "b"], "human_only": False}

RULES = {"selective_forgetting": {**POLICY, "rules": [RULE, {**RULE, "name": "all", "match": {}}]}}


@requirement("MEM-003-3.1-commands", "MEM-005-5.3-whole-document")
def test_the_rules_are_shown_and_set(csb, home, node, tmp_path) -> None:
    node.answer("GET /v1/memory/forgetting", RULES)
    node.answer("PUT /v1/memory/forgetting", RULES)
    shown = [
        "enabled yes",
        "default protect",
        "protected a, b",
        "human only no",
        "rule action priority fits",
        "old tea archive low type event; tags tea, 茶",
        "all archive low everything",
    ]
    assert rows(csb("memory", "rules", "show", "--home", home.path)) == shown
    document = csb("memory", "rules", "show", "--home", home.path, "--json").json
    assert document == RULES
    file = tmp_path / "rules.json"
    file.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    assert rows(csb("memory", "rules", "set", file, "--home", home.path)) == shown
    assert node.last.body == RULES


@requirement("MEM-003-3.1-commands", "MEM-005-5.3-dry-run")
def test_rules_are_tried_out_and_then_applied_as_they_were_listed(csb, home, node, tmp_path, monkeypatch) -> None:
    node.answer("POST /v1/memory/forgetting/preview", PLAN)
    node.answer("POST /v1/memory/forgetting/apply", {**TENDED, "steps": {"rules": 2}, "reviews": []})
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my rules.json").write_text(json.dumps(RULES))
    ended = csb("memory", "rules", "check", "my rules.json", "--rule", "old tea", "--after", "xyz", "--home", home.path)
    assert rows(ended) == [
        "rule memory from to",
        f"old tea {ID} hot warm",
        "There is more: add --after abc",
        "2 memories would move. To do it:",
        "csb memory rules set 'my rules.json'",
        "csb memory rules apply all:5c",
    ]
    assert node.last.body == {"limit": 20, "cursor": "xyz", "rules": ["old tea"], "document": RULES}
    assert rows(csb("memory", "rules", "check", "--home", home.path))[3:] == [
        "2 memories would move. To do it:",
        "csb memory rules apply all:5c",
    ]
    assert csb("memory", "rules", "check", "--home", home.path, "--json").json == PLAN
    ended = csb("memory", "rules", "apply", "all:5c", "--home", home.path)
    assert f"As of {moment(AT)}: 2 memories moved" in ended.out
    assert node.last.body == {"plan": "all:5c"}


def test_a_plan_as_of_another_time_is_none_to_apply_now(csb, home, node) -> None:
    node.answer("POST /v1/memory/forgetting/preview", {**PLAN, "next_cursor": ""})
    ended = csb("memory", "rules", "check", "--now", str(AT), "--home", home.path)
    assert rows(ended)[2:] == ["2 memories would move."]
    assert node.last.body == {"limit": 20, "as_of": AT}
    node.answer("POST /v1/memory/forgetting/preview", {**PLAN, "planned": [], "total": 0, "next_cursor": ""})
    assert csb("memory", "rules", "check", "--home", home.path).out == "Nothing fits.\n"


@requirement("MEM-005-5.3-whole-document")
@pytest.mark.parametrize(
    "content", [b"{no json", b"\xff", b'{"a": NaN}', b'{"a": 1e999}', b'{"a": "\\ud800"}', b"[" * 99_999]
)
def test_a_file_of_rules_that_is_no_json_is_refused_in_one_line(csb, home, node, monkeypatch, content: bytes) -> None:
    for command in "set", "check":
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        ended = csb("memory", "rules", command, "-", "--home", home.path)
        assert (ended.status, ended.err.count("\n")) == (2, 1)
        assert "is not valid JSON in UTF-8" in ended.err
    assert node.asked == []


def test_rules_from_a_standard_input_that_is_closed_are_refused(csb, home, node, monkeypatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    ended = csb("memory", "rules", "set", "-", "--home", home.path)
    assert (ended.status, ended.err) == (2, "csb: standard input is closed\n")
