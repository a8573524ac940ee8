"""`csb thread`, `csb principal` and `csb talk` ask the node of the home."""

from __future__ import annotations

import pytest

MESSAGE = {
    "thread_id": "tea talk",
    "sender": {"name": "Ada", "did": "", "verified": False},
    "role": "user",
    "said_at": 1_700_000_000_000,
    "text": "三点喝茶\nat three",
}
THREAD = {
    "thread_id": "tea talk",
    "caller": "anonymous",
    "title": "三点喝茶",
    "updated_at": 1_700_000_000_000,
    "message_count": 2,
}


def test_threads_are_listed_with_how_to_go_on(csb, home, node) -> None:
    node.answer("GET /v1/continuity/threads", {"threads": [THREAD], "total": 2, "next_cursor": "abc"})
    ended = csb("thread", "list", "--home", home.path, "--limit", "1")
    assert "tea talk" in ended.out
    assert "三点喝茶" in ended.out
    assert "--after abc" in ended.out
    assert node.last.path == "/v1/continuity/threads?limit=1"


def test_a_thread_is_shown_message_by_message(csb, home, node) -> None:
    node.answer("GET /v1/continuity/thread/tea%20talk", {**THREAD, "messages": [MESSAGE], "next_cursor": ""})
    ended = csb("thread", "show", "tea talk", "--home", home.path)
    assert "Ada" in ended.out
    assert "三点喝茶 at three" in ended.out


@pytest.mark.parametrize("command", ["thread show", "principal remove"])
@pytest.mark.parametrize("name", ["", "bad\udcff"])
def test_a_name_that_nothing_can_have_is_not_asked_for(csb, home, node, command: str, name: str) -> None:
    ended = csb(*command.split(), name, "--home", home.path)
    assert (ended.status, ended.err.count("\n")) == (2, 1)
    assert node.asked == []


def test_a_thread_may_have_a_slash_in_its_name_and_a_principal_none(csb, home, node) -> None:
    node.answer("GET /v1/continuity/thread/..%2Ftea", {**THREAD, "messages": [MESSAGE], "next_cursor": ""})
    assert csb("thread", "show", "../tea", "--home", home.path).status == 0
    ended = csb("principal", "remove", "a/b", "--home", home.path, "--json")
    assert (ended.status, ended.error["code"]) == (1, "principal_not_found")


def test_messages_are_searched_in_all_threads(csb, home, node) -> None:
    node.answer("GET /v1/continuity/search", {"query": "喝茶", "results": [MESSAGE], "total": 1})
    ended = csb("thread", "search", "喝茶 three", "--home", home.path)
    assert "tea talk" in ended.out
    assert node.last.path == "/v1/continuity/search?q=%E5%96%9D%E8%8C%B6+three&limit=20"
    node.answer("GET /v1/continuity/search", {"query": "x", "results": [], "total": 0})
    assert csb("thread", "search", "x", "--home", home.path).out == "Nothing fits.\n"


def test_what_somebody_said_is_shown_apart_by_did(csb, home, node) -> None:
    agents = [{"did": "did:key:z6Mk", "messages": [MESSAGE]}, {"did": None, "messages": [{**MESSAGE, "text": "no"}]}]
    page = {"agent_name": "Ada L", "agents": agents, "next_cursor": "abc"}
    node.answer("GET /v1/continuity/agent/Ada%20L", page)
    ended = csb("thread", "said", "Ada L", "--limit", "2", "--after", "x", "--home", home.path)
    assert node.last.path == "/v1/continuity/agent/Ada%20L?limit=2&cursor=x"
    first, second = ended.out.index("Ada L, did:key:z6Mk:\n"), ended.out.index("Ada L, who showed no DID:\n")
    assert first < ended.out.index("三点喝茶 at three") < second
    assert "tea talk" in ended.out
    assert ended.out.endswith("There is more: add --after abc\n")
    assert csb("thread", "said", "Ada L", "--home", home.path, "--json").json == page


def test_where_there_is_nothing_a_list_says_so_in_a_line(csb, home, node) -> None:
    node.answer("GET /v1/continuity/threads", {"threads": [], "total": 0, "next_cursor": ""})
    assert csb("thread", "list", "--home", home.path).out == "No threads yet.\n"
    node.answer("GET /v1/principals", {"principals": []})
    assert csb("principal", "list", "--home", home.path).out == "Nobody but the owner yet.\n"
    node.answer("GET /v1/continuity/thread/tea", {**THREAD, "messages": [], "next_cursor": ""})
    assert csb("thread", "show", "tea", "--home", home.path).out == "Nothing was said.\n"


def test_a_principal_s_token_is_printed_once_on_a_line_of_its_own(csb, home, node) -> None:
    made = {"name": "Ada", "role": "viewer", "spaces": ["home"], "token": "t0ken"}
    node.answer("POST /v1/principals", made, 201)
    ended = csb("principal", "add", "Ada", "--role", "viewer", "--space", "home", "--home", home.path)
    assert ended.out == "Ada is viewer in home. The token, shown only now:\nt0ken\n"
    assert node.last.body == {"name": "Ada", "role": "viewer", "spaces": ["home"]}
    assert csb("principal", "add", "Ada", "--role", "viewer", "--home", home.path, "--json").json == made
    assert node.last.body == {"name": "Ada", "role": "viewer"}


def test_principals_are_listed_and_removed(csb, home, node) -> None:
    node.answer(
        "GET /v1/principals",
        {"principals": [{"name": "Ada", "role": "viewer", "spaces": ["home"], "created_at": 1_700_000_000_000}]},
    )
    assert "Ada" in csb("principal", "list", "--home", home.path).out
    node.answer("DELETE /v1/principals/Ada%20L", {"name": "Ada L", "removed": True})
    assert csb("principal", "remove", "Ada L", "--home", home.path).out == "Ada L may no longer use the node\n"


def test_talk_has_the_own_node_speak_and_shows_the_answer(csb, home, node) -> None:
    node.answer("POST /v1/talk", {"name": "Bo", "text": "hello\x1b[2J", "thread_id": "t"})
    ended = csb("talk", "http://127.0.0.1:9/", "hi", "--thread", "t", "--home", home.path)
    assert ended.out == "Bo: hello\\x1b[2J\n"
    assert node.last.body == {"url": "http://127.0.0.1:9", "text": "hi", "thread": "t"}
    assert csb("talk", "not an address", "hi", "--home", home.path).status == 2
