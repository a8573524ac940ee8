"""`csb memory review` and `csb memory archive`: what waits for a person, and what is left of what went."""

from __future__ import annotations

import pytest

from csbond.cli.output import moment
from csbond_tests.memory_answers import AT, ENTRY, ID, rows
from csbond_tests.requirements import requirement

QUESTION = {
    "id": "review_1_a",
    "memory_id": ID,
    "proposed": {"to": "cold", "trigger": "ttl"},
    "verdict": "",
    "stale": False,
    "memory": ENTRY,
}


@requirement("MEM-003-3.1-commands", "MEM-005-5.5-queue")
def test_what_waits_for_a_person_is_listed(csb, home, node) -> None:
    waiting = {**QUESTION, "proposed": {"to": "deleted", "trigger": "rule", "rule_name": "old tea"}}
    page = {"reviews": [QUESTION, waiting], "total": 3, "next_cursor": "abc"}
    node.answer("GET /v1/memory/reviews", page)
    ended = csb("memory", "review", "--limit", "2", "--after", "xyz", "--home", home.path)
    assert rows(ended) == [
        "review from to by memory",
        f"review_1_a hot cold ttl {ID} 茶在三点 tea at three",
        f"review_1_a hot deleted old tea {ID} 茶在三点 tea at three",
        "There is more: add --after abc",
    ]
    assert node.last.path == "/v1/memory/reviews?state=open&limit=2&cursor=xyz"
    assert csb("memory", "review", "list", "--home", home.path, "--json").json == page
    node.answer("GET /v1/memory/reviews", {"reviews": [], "total": 0, "next_cursor": ""})
    assert csb("memory", "review", "--home", home.path).out == "Nothing waits.\n"


def test_what_was_answered_and_what_has_changed_since_is_told_so(csb, home, node) -> None:
    deleted = {**ENTRY, "metadata": {"version": 3, "deleted": True}}
    gone = {name: each for name, each in QUESTION.items() if name != "memory"}
    reviews = [{**QUESTION, "verdict": "declined"}, {**QUESTION, "stale": True, "memory": deleted}, gone]
    node.answer("GET /v1/memory/reviews", {"reviews": reviews, "total": 3, "next_cursor": ""})
    ended = csb("memory", "review", "--state", "all", "--home", home.path)
    assert rows(ended) == [
        "review from to by answer memory",
        f"review_1_a hot cold ttl declined {ID} 茶在三点 tea at three",
        f"review_1_a deleted cold ttl stale {ID} 茶在三点 tea at three",
        f"review_1_a cold ttl {ID}",
    ]
    assert node.last.path == "/v1/memory/reviews?state=all&limit=20"


@requirement("MEM-003-3.1-commands", "MEM-005-5.5-queue")
@pytest.mark.parametrize(
    "what, sent, verdict, told, status",
    [
        ("approve", "approved", "approved", f"{ID} is cold", 0),
        ("decline", "declined", "declined", f"{ID} stays as it is", 0),
        ("approve", "approved", "stale", f"{ID} has changed since this was asked: nothing is done", 1),
        ("decline", "declined", "stale", f"{ID} has changed since this was asked: nothing is done", 0),
    ],
)
def test_a_question_is_answered(csb, home, node, what, sent, verdict, told, status) -> None:
    answered = {**QUESTION, "verdict": verdict}
    node.answer("POST /v1/memory/reviews/review_1_a", answered)
    ended = csb("memory", "review", what, "review_1_a", "--home", home.path)
    assert (ended.status, ended.out) == (status, told + "\n")
    assert node.last.body == {"verdict": sent}
    assert csb("memory", "review", what, "review_1_a", "--home", home.path, "--json").json == answered


ARCHIVED = {
    "id": ID,
    "type": "event",
    "timestamp": 1_700_000_000_000,
    "original_level": "cold",
    "deleted_at": AT,
    "cleared_at": AT + 1000,
    "ethical_log": [
        {"reason": "too 老", "operator": "owner", "timestamp": AT, "trigger": "rule", "rule_name": "old tea"}
    ],
}


@requirement("MEM-003-3.1-commands", "MEM-004-4.3-ethical-log")
def test_what_is_left_of_cleared_memories_is_listed_and_shown(csb, home, node) -> None:
    page = {"archive": [ARCHIVED], "total": 2, "next_cursor": "abc"}
    node.answer("GET /v1/memory/archive", page)
    node.answer(f"GET /v1/memory/archive/{ID}", ARCHIVED)
    ended = csb("memory", "archive", "list", "--limit", "1", "--after", "xyz", "--home", home.path)
    assert rows(ended) == [
        "id cleared type tier by why",
        f"{ID} {moment(AT + 1000)} event cold owner too 老",
        "There is more: add --after abc",
    ]
    assert node.last.path == "/v1/memory/archive?limit=1&cursor=xyz"
    assert csb("memory", "archive", "list", "--home", home.path, "--json").json == page
    assert rows(csb("memory", "archive", "show", ID, "--home", home.path)) == [
        f"id {ID}",
        "type event",
        "tier cold",
        f"when {moment(1_700_000_000_000)}",
        f"deleted {moment(AT)}",
        f"cleared {moment(AT + 1000)}",
        "why too 老",
        "by owner",
        "trigger rule",
        "rule old tea",
    ]
    assert csb("memory", "archive", "show", ID, "--home", home.path, "--json").json == ARCHIVED
    node.answer("GET /v1/memory/archive", {"archive": [], "total": 0, "next_cursor": ""})
    assert csb("memory", "archive", "list", "--home", home.path).out == "Nothing yet.\n"


@requirement("MEM-005-report-escaped")
def test_no_text_of_a_question_or_of_the_archive_steers_the_terminal(csb, home, node) -> None:
    nasty = "茶\u202e\x1b[31m"
    node.answer(
        "GET /v1/memory/reviews", {"reviews": [{**QUESTION, "memory": {**ENTRY, "content": nasty}}], "total": 1}
    )
    log = [{"reason": nasty, "operator": nasty, "trigger": "rule", "rule_name": nasty}]
    node.answer(f"GET /v1/memory/archive/{ID}", {**ARCHIVED, "ethical_log": log})
    for command in (["review"], ["archive", "show", ID]):
        for as_json in ([], ["--json"]):
            out = csb("memory", *command, "--home", home.path, *as_json).out
            assert "茶" in out
            assert not set("\u202e\x1b") & set(out)
