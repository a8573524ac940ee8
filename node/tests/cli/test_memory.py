"""`csb memory` writes, lists, shows, searches, edits and deletes through the node of the home."""

from __future__ import annotations

import io
import sys

import pytest

ENTRY = {
    "id": "mem_1700000000000_k3x9",
    "type": "event",
    "content": "茶在三点 tea at three",
    "tags": ["tea"],
    "timestamp": 1_700_000_000_000,
    "source": "user",
    "level": "hot",
    "visibility": "private",
    "metadata": {"version": 2},
    "origin": {"speaker": "Ada", "thread_id": "t1"},
}
PATH = "/v1/memory/mem_1700000000000_k3x9"


def test_add_sends_what_was_given_and_shows_the_entry(csb, home, node) -> None:
    node.answer("POST /v1/memory", ENTRY, 201)
    ended = csb(
        *("memory", "add", "tea at three", "--home", home.path, "--type", "event", "--level", "hot"),
        *("--tag", "tea", "--tag", "茶", "--visibility", "trusted", "--wait"),
    )
    assert ended.status == 0
    assert ENTRY["id"] in ended.out
    assert node.last.path == "/v1/memory?wait=index"
    assert node.last.body == {
        "content": "tea at three",
        "source": "user",
        "type": "event",
        "level": "hot",
        "tags": ["tea", "茶"],
        "visibility": "trusted",
    }


def test_what_is_not_given_is_left_to_the_node(csb, home, node) -> None:
    node.answer("POST /v1/memory", ENTRY, 201)
    assert csb("memory", "add", "x", "--home", home.path, "--json").json == ENTRY
    assert node.last.body == {"content": "x", "source": "user"}
    assert node.last.path == "/v1/memory"


def test_a_long_text_comes_from_standard_input(csb, home, node, monkeypatch) -> None:
    node.answer("POST /v1/memory", ENTRY, 201)
    monkeypatch.setattr(sys, "stdin", io.StringIO("from a file\n"))
    csb("memory", "add", "-", "--home", home.path)
    assert node.last.body["content"] == "from a file"


@pytest.mark.parametrize("text", ["", "  ", "half \udcff", "nul \x00"])
def test_a_text_that_is_none_is_refused_before_it_is_sent(csb, home, node, text: str) -> None:
    ended = csb("memory", "add", text, "--home", home.path)
    assert ended.status == 2
    assert ended.err.count("\n") == 1
    assert node.asked == []


def test_list_shows_a_row_an_entry_and_how_to_go_on(csb, home, node) -> None:
    node.answer("GET /v1/memory", {"memories": [ENTRY], "total": 2, "next_cursor": "abc"})
    ended = csb(
        *("memory", "list", "--home", home.path, "--type", "event", "--level", "hot", "--tag", "tea"),
        *("--limit", "1", "--after", "xyz"),
    )
    assert "茶在三点 tea at three" in ended.out
    assert ended.out.endswith("There is more: add --after abc\n")
    assert node.last.path == "/v1/memory?type=event&level=hot&tag=tea&limit=1&cursor=xyz"


def test_a_list_of_nothing_is_one_line_and_with_json_an_empty_list(csb, home, node) -> None:
    empty = {"memories": [], "total": 0, "next_cursor": ""}
    node.answer("GET /v1/memory", empty)
    assert csb("memory", "list", "--home", home.path).out == "No memories yet.\n"
    assert csb("memory", "list", "--tag", "tea", "--home", home.path).out == "Nothing fits.\n"
    assert csb("memory", "list", "--home", home.path, "--json").json == empty


def test_wide_characters_keep_columns_in_line(csb, home, node) -> None:
    other = {**ENTRY, "tags": ["茶茶茶"], "content": "second"}
    node.answer("GET /v1/memory", {"memories": [ENTRY, other], "total": 2, "next_cursor": ""})
    head, *rows = csb("memory", "list", "--home", home.path).out.splitlines()
    assert head.index("content") == rows[0].index("茶在三点")
    assert rows[1].index("second") == rows[0].index("茶在三点") - 3


def test_nothing_of_an_entry_steers_the_terminal(csb, home, node) -> None:
    nasty = {**ENTRY, "content": "\x1b[31mred\x07 \u202eback\u202c [bold]not bold[/bold]", "tags": ["a\nb"]}
    node.answer("GET /v1/memory", {"memories": [nasty], "total": 1, "next_cursor": ""})
    node.answer(f"GET {PATH}", nasty)
    for ended in (csb("memory", "list", "--home", home.path), csb("memory", "show", ENTRY["id"], "--home", home.path)):
        assert "\x1b" not in ended.out
        assert "\u202e" not in ended.out
        assert "\\x1b[31mred\\x07 \\u202eback" in ended.out
        assert "[bold]not bold[/bold]" in ended.out


def test_json_of_an_entry_means_the_same_and_steers_no_terminal(csb, home, node) -> None:
    nasty = {**ENTRY, "content": "\x9b31m \u202e 茶"}
    node.answer(f"GET {PATH}", nasty)
    ended = csb("memory", "show", ENTRY["id"], "--home", home.path, "--json")
    assert ended.json == nasty
    assert "\x9b" not in ended.out
    assert "\u202e" not in ended.out
    assert "茶" in ended.out


def test_show_joins_a_long_text_again(csb, home, node) -> None:
    node.answer(f"GET {PATH}", {**ENTRY, "text": "first line\nsecond line", "pieces": ["a", "b"]})
    shown = csb("memory", "show", ENTRY["id"], "--home", home.path).out
    assert "content     first line\n            second line\n" in shown
    assert "Ada" in shown


def test_show_reads_a_long_text_to_its_end(csb, home, node) -> None:
    parts = {"": ("first ", "a", "x"), "x": ("second ", "b", "y"), "y": ("third", "c", "")}

    def part(asked):
        text, piece, cursor = parts[asked.path.partition("?cursor=")[2]]
        return {**ENTRY, "text": text, "pieces": [piece], "next_cursor": cursor}

    node.answer(f"GET {PATH}", part)
    told = csb("memory", "show", ENTRY["id"], "--home", home.path, "--json").json
    assert (told["text"], told["pieces"], told["next_cursor"]) == ("first second third", ["a", "b", "c"], "")


ON_ONE = [["show"], ["delete"], ["edit", "--text", "x"]]


@pytest.mark.parametrize("command", ON_ONE, ids=" ".join)
@pytest.mark.parametrize(
    "entry_id, status, words",
    [
        ("../principals?x", 1, "there is no memory ../principals?x"),
        ("", 2, "the name is empty"),
        ("bad\udcff", 2, "half of a surrogate pair"),
    ],
)
def test_an_id_that_no_entry_can_have_is_not_asked_for(
    csb, home, node, command: list[str], entry_id: str, status: int, words: str
) -> None:
    ended = csb("memory", *command, "--home", home.path, "--", entry_id)
    assert ended.status == status
    assert words in ended.err
    assert ended.err.count("\n") == 1
    assert node.asked == []


@pytest.mark.parametrize("entry_id, path", [("..", "%2E%2E"), (".", "%2E"), ("a?b", "a%3Fb")])
def test_an_id_cannot_leave_its_place_in_the_path(csb, home, node, entry_id: str, path: str) -> None:
    csb("memory", "show", entry_id, "--home", home.path)
    assert node.last.path == f"/v1/memory/{path}"


def test_search_shows_scores_and_says_when_it_went_by_words_only(csb, home, node) -> None:
    found = {"results": [{**ENTRY, "score": 0.875}], "total": 1, "query": "tea", "semantic": False}
    node.answer("POST /v1/memory/search", found)
    ended = csb("memory", "search", "tea", "--home", home.path, "--level", "hot", "--threshold", "0.5", "--limit", "3")
    assert "0.88" in ended.out
    assert "by words only" in ended.out
    assert node.last.body == {"query": "tea", "limit": 3, "level": "hot", "threshold": 0.5}


def test_search_says_why_on_request(csb, home, node) -> None:
    why = {
        "words": {"rank": 3.1, "coverage": 0.5, "terms": [{"term": "tea", "in": 2}]},
        "meaning": {"cosine": 0.44, "p": 0.6},
        "gate": 0.43,
        "order": 12.0,
        "score": 0.8,
    }
    results = [{**ENTRY, "score": 0.8, "why": why}, {**ENTRY, "score": 0.1, "why": {**why, "words": None}}]
    node.answer("POST /v1/memory/search", {"results": results, "semantic": True, "left_off": 3})
    ended = csb("memory", "search", "tea", "--home", home.path, "--explain")
    assert node.last.body == {"query": "tea", "limit": 10, "explain": True}
    assert "words cover 0.50 of the query (tea); meaning is near by 0.44" in ended.out
    assert "Left off for want of room: 3." in ended.out


def test_a_search_without_results_says_so(csb, home, node) -> None:
    node.answer("POST /v1/memory/search", {"results": [], "total": 0, "query": "x", "semantic": True})
    ended = csb("memory", "search", "x", "--home", home.path)
    assert ended.status == 0
    assert ended.out == "Nothing fits.\n"


def test_edit_sends_only_what_is_named(csb, home, node) -> None:
    node.answer(f"PUT {PATH}", ENTRY)
    assert csb("memory", "edit", ENTRY["id"], "--text", "new", "--no-tags", "--home", home.path).status == 0
    assert node.last.body == {"content": "new", "tags": []}


def test_an_edit_of_nothing_is_misuse(csb, home, node) -> None:
    assert csb("memory", "edit", ENTRY["id"], "--home", home.path).status == 2
    assert node.asked == []


def test_delete_says_what_is_deleted(csb, home, node) -> None:
    gone = {"id": ENTRY["id"], "deleted": True, "deleted_at": 1, "entries": [ENTRY["id"]]}
    node.answer(f"DELETE {PATH}", gone)
    assert csb("memory", "delete", ENTRY["id"], "--home", home.path).out == f"{ENTRY['id']} is deleted\n"
    assert csb("memory", "delete", ENTRY["id"], "--home", home.path, "--json").json == gone
