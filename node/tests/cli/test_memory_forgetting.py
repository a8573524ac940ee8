"""`csb memory forget` and `csb memory delete --hard`, and what no command of forgetting takes."""

from __future__ import annotations

import io
import json
import sys

import httpx
import pytest

from csbond.cli.node_client import LONG_S
from csbond.cli.output import moment
from csbond_tests.memory_answers import ENTRY, ID, PLACE, PLAN, TENDED, Terminal, rows
from csbond_tests.requirements import requirement

REFUSED = json.dumps({"id": ID, "erased": False}, indent=2) + "\n"

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
        "Bytes of it are still in the files; the node overwrites them by itself, mostly within an hour",
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
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        assert csb("memory", *command, "--home", home.path, *as_json).status == 0
        assert (what in terminal.getvalue()) is not bool(as_json)
    assert patience == [LONG_S, LONG_S]
