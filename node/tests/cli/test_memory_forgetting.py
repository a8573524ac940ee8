"""`csb memory` moves memories between tiers, forgets them by filter and by rule, and erases them."""

from __future__ import annotations

import io
import json
import sys

import httpx
import pytest

from csbond.cli.node_client import LONG_S
from csbond.cli.output import moment
from csbond_tests.requirements import requirement

ID = "mem_1700000000000_k3x9"
AT = 1_800_000_000_000
ENTRY = {
    "id": ID,
    "type": "event",
    "content": "茶在三点 tea at three",
    "tags": ["tea"],
    "timestamp": 1_700_000_000_000,
    "level": "hot",
    "metadata": {"version": 2},
}
PLACE = f"/v1/memory/{ID}"
MOVE = {"memoryId": ID, "previousLevel": "hot", "newLevel": "warm", "action": "demote"}
TENDED = {
    "as_of": AT,
    "dry_run": False,
    "steps": {"keep_uses": 4, "purge": 2, "rules": 1, "hot_idle": 1},
    "moves": [
        {**MOVE, "timestamp": AT, "trigger": "rule", "rule_name": "old tea", "newLevel": "deleted", "step": "rules"},
        {**MOVE, "timestamp": AT, "trigger": "system", "step": "hot_idle"},
    ],
    "reviews": [{}],
    "left_off": 3,
}
PLAN = {"plan": "all:5c", "planned": [{**MOVE, "rule_name": "old tea"}], "total": 2, "next_cursor": "abc"}
RULE = {"name": "old tea", "match": {"type": "event", "tags": ["tea", "茶"]}, "action": "archive", "priority": "low"}
POLICY = {"enabled": True, "default_action": "protect", "protected_tags": ["a", "b"], "human_only": False}
RULES = {"selective_forgetting": {**POLICY, "rules": [RULE, {**RULE, "name": "all", "match": {}}]}}


REFUSED = json.dumps({"id": ID, "erased": False}, indent=2) + "\n"


class Terminal(io.StringIO):
    """What a person types."""

    def isatty(self) -> bool:
        return True


def rows(ended) -> list[str]:
    return [" ".join(line.split()) for line in ended.out.splitlines()]


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


FOUND = {"dry_run": True, "count": 12, "memories": [ENTRY], "total": 12, "next_cursor": "abc"}
EVERY = {
    "--type": ("type", "event"),
    "--level": ("level", "hot"),
    "--tag": ("tag", "tea"),
    "--source": ("source", "user"),
    "--project": ("project", "harbour"),
    "--thread": ("thread", "t1"),
    "--link-target": ("link_target", "agent:bo"),
    "--since": ("since", "1700000000000"),
    "--until": ("until", "1800000000000"),
    "--text": ("text", "three o'clock"),
}


@requirement("MEM-003-3.1-commands", "MEM-005-5.3-dry-run")
def test_forgetting_lists_and_counts_first_whatever_narrows_it(csb, home, node) -> None:
    node.answer("POST /v1/memory/forget", FOUND)
    given = [each for option, (_, value) in EVERY.items() for each in (option, value)]
    ended = csb("memory", "forget", *given, "--limit", "1", "--after", "xyz", "--home", home.path)
    assert rows(ended)[1:] == [
        f"{ID} {moment(ENTRY['timestamp'])} event hot tea 茶在三点 tea at three",
        "There is more: add --after abc",
        "12 memories would be deleted. To do it: add --apply 12",
    ]
    wanted = dict(EVERY.values()) | {"since": 1_700_000_000_000, "until": 1_800_000_000_000}
    assert node.last.body == {"filter": wanted, "mode": "soft", "limit": 1, "cursor": "xyz"}
    assert csb("memory", "forget", "--tag", "tea", "--home", home.path, "--json").json == FOUND
    node.answer("POST /v1/memory/forget", {**FOUND, "count": 0, "memories": [], "next_cursor": ""})
    assert csb("memory", "forget", "--tag", "tea", "--home", home.path).out == "Nothing fits.\n"


@requirement("MEM-003-3.1-commands", "MEM-005-5.3-dry-run")
def test_forgetting_is_done_by_the_count_of_the_dry_run_alone(csb, home, node) -> None:
    did = {"dry_run": False, "count": 2, "entries": [ID], "left": 1, "erased": False, "copies": []}
    node.answer("POST /v1/memory/forget", did)
    ended = csb("memory", "forget", "--tag", "tea", "--apply", "3", "--home", home.path)
    assert ended.out == "2 memories forgotten\n1 memory changed meanwhile and left as they are\n"
    assert node.last.body == {"filter": {"tag": "tea"}, "mode": "soft", "dry_run": False, "expected": 3}
    conflict = {"error": {"code": "version_conflict", "reason": "4 fit now", "next_step": "look again"}}
    node.answer("POST /v1/memory/forget", conflict, 409)
    ended = csb("memory", "forget", "--tag", "tea", "--apply", "3", "--home", home.path)
    assert (ended.status, ended.err) == (1, "csb: 4 fit now — look again\n")


@requirement("MEM-003-3.1-commands", "MEM-005-5.2-copies-named")
def test_what_is_erased_by_a_filter_names_the_messages_that_still_say_it(csb, home, node) -> None:
    node.answer("POST /v1/memory/forget", FOUND)
    hard = ("memory", "forget", "--tag", "tea", "--deleted", "--hard", "--reason", "told in confidence")
    assert "12 memories would be erased for good. To do it: add --apply 12\n" in csb(*hard, "--home", home.path).out
    copies = [{"thread_id": "t1", "message_id": "m1"}, {"thread_id": "t1", "message_id": "m2", "task_id": "k2"}]
    node.answer(
        "POST /v1/memory/forget",
        {"dry_run": False, "count": 1, "entries": [ID], "left": 0, "erased": False, "copies": copies},
    )
    told = rows(csb(*hard, "--apply", "1", "--home", home.path))
    assert told == [
        "1 memory forgotten",
        "Somebody still reads an earlier state of the files; the node overwrites them as soon as it can",
        "These messages still say it:",
        "thread message task",
        "t1 m1",
        "t1 m2 k2",
    ]
    assert node.last.body == {
        "filter": {"tag": "tea", "deleted": True},
        "mode": "hard",
        "reason": "told in confidence",
        "dry_run": False,
        "expected": 1,
    }


@requirement("MEM-003-3.1-commands", "MEM-003-3.1-hard")
def test_an_entry_is_erased_with_a_reason(csb, home, node) -> None:
    answer = {"id": ID, "erased": True, "entries": [ID], "archived": True, "copies": []}
    node.answer(f"DELETE {PLACE}/hard", answer)
    ended = csb("memory", "delete", ID, "--hard", "--reason", "tea & 茶", "--yes", "--home", home.path)
    assert (ended.status, ended.out) == (0, f"{ID} is erased\n")
    assert node.last.path == f"{PLACE}/hard?reason=tea+%26+%E8%8C%B6"
    assert csb("memory", "delete", ID, "--hard", "--yes", "--home", home.path, "--json").json == answer
    assert node.last.path == f"{PLACE}/hard"


@requirement("MEM-003-3.1-commands")
@pytest.mark.parametrize("typed", ["y\n", "Yes\n"])
def test_an_entry_is_erased_when_a_person_says_yes(csb, home, node, monkeypatch, typed: str) -> None:
    node.answer(f"DELETE {PLACE}/hard", {"id": ID, "erased": True, "copies": []})
    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    ended = csb("memory", "delete", ID, "--hard", "--home", home.path)
    assert ended.out == f"{ID} is erased\n"
    assert ended.err == f"Erase {ID} for good, with every piece of its text? [y/N] "


@requirement("MEM-003-3.1-commands")
@pytest.mark.parametrize("typed", ["n\n", "\n", "", "yours\n"])
def test_nothing_is_erased_without_a_yes(csb, home, node, monkeypatch, typed: str) -> None:
    for as_json, told in ([], "Nothing is erased\n"), (["--json"], REFUSED):
        monkeypatch.setattr(sys, "stdin", Terminal(typed))
        ended = csb("memory", "delete", ID, "--hard", "--home", home.path, *as_json)
        assert (ended.status, ended.out) == (1, told)
    assert node.asked == []


@requirement("MEM-003-3.1-commands")
@pytest.mark.parametrize("stdin", [None, io.StringIO("y\n")])
def test_without_a_terminal_to_ask_on_nothing_is_erased(csb, home, node, monkeypatch, stdin) -> None:
    monkeypatch.setattr(sys, "stdin", stdin)
    ended = csb("memory", "delete", ID, "--hard", "--home", home.path)
    assert (ended.status, ended.err) == (2, "csb: there is no terminal to ask on — if it is meant, add --yes\n")
    assert node.asked == []


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


def test_the_outlook_of_a_long_text_stays_when_the_text_takes_several_answers(csb, home, node) -> None:
    def part(asked):
        if "cursor=p2" in asked.path:
            return {**ENTRY, "text": "two", "pieces": ["b"], "next_cursor": ""}
        return {**ENTRY, "text": "one ", "pieces": ["a"], "next_cursor": "p2", "outlook": {"uses": 1}}

    node.answer(f"GET {PLACE}", part)
    found = csb("memory", "show", ID, "--outlook", "--home", home.path, "--json").json
    assert (found["text"], found["outlook"]) == ("one two", {"uses": 1})


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


@requirement("MEM-003-3.1-commands")
@pytest.mark.parametrize(
    "arguments, words",
    [
        (["forget"], "everything is never meant — name it, for example by --tag"),
        (["forget", "--deleted", "--hard"], "everything is never meant"),
        (["forget", "--tag", "a", "--deleted"], "--hard erases them"),
        (["forget", "--tag", "a", "--reason", "b"], "only of what --hard erases"),
        (["forget", "--tag", "a", "--apply", "-1"], "--apply"),
        (["forget", "--until", "yesterday"], "'yesterday' is no time: write 2027"),
        (["delete", ID, "--yes"], "--yes is for --hard"),
        (["delete", ID, "--reason", "b"], "--reason is for --hard"),
        (["show", ID, "--versions", "--outlook"], "no outlook"),
        (["tend", "--now", "2027-01-15"], "is no time: write 2027"),
        (["tend", "--now", "9" * 5000], "is no time: write 2027"),
        (["rules", "check", "--now", "soon"], "is no time"),
        (["rules", "set", "nowhere.json"], "nowhere.json cannot be read"),
        (["rules", "check", "nowhere.json"], "nowhere.json cannot be read"),
        (["rules", "set", "list.json"], "must hold one JSON object"),
        (["rules", "apply"], "PLAN"),
        (["review", "approve"], "name what to approve by its ID — to see them: csb memory review"),
        (["review", "list", "review_1_a"], "a list takes no ID"),
        (["review", "forget", "review_1_a"], "is not one of"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line_before_it_is_sent(
    csb, home, node, tmp_path, monkeypatch, arguments, words
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "list.json").write_text("[]")
    ended = csb("memory", *arguments, "--home", home.path)
    assert (ended.status, ended.err.count("\n")) == (2, 1)
    assert words in ended.err
    assert node.asked == []


def test_rules_from_a_standard_input_that_is_closed_are_refused(csb, home, node, monkeypatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    ended = csb("memory", "rules", "set", "-", "--home", home.path)
    assert (ended.status, ended.err) == (2, "csb: standard input is closed\n")


@requirement("MEM-003-3.1-commands")
@pytest.mark.parametrize(
    "route, command, what",
    [
        ("POST /v1/memory/tend", ["tend"], "Tending"),
        ("POST /v1/memory/forget", ["forget", "--tag", "tea"], "Forgetting"),
        ("POST /v1/memory/forgetting/preview", ["rules", "check"], "Looking"),
        ("POST /v1/memory/forgetting/apply", ["rules", "apply", "all:5c"], "Forgetting"),
    ],
)
def test_long_work_shows_that_it_goes_on_and_is_waited_for(csb, home, node, monkeypatch, route, command, what) -> None:
    patience = []

    class Client(httpx.Client):
        def __init__(self, *, timeout, **rest) -> None:
            patience.append(timeout.read)
            super().__init__(timeout=timeout, **rest)

    monkeypatch.setattr(httpx, "Client", Client)
    monkeypatch.setenv("TERM", "xterm")
    node.answer(route, TENDED | PLAN | FOUND)
    for as_json in ([], ["--json"]):
        monkeypatch.setattr(sys, "stderr", Terminal())
        assert csb("memory", *command, "--home", home.path, *as_json).status == 0
        assert (what in sys.stderr.getvalue()) is not bool(as_json)
    assert patience == [LONG_S, LONG_S]


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
