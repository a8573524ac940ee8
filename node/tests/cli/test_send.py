"""`csb send` speaks A2A to any agent, shows what it answers, and gives no token away."""

from __future__ import annotations

import asyncio
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from csbond.protocol.messages.extensions import SENDER, SESSION_CONTEXT
from csbond_tests.played_node import NO_ADDRESSES, Asked, Played, played
from csbond_tests.served_node import served


def card(url: str, *, streaming: bool = True) -> dict[str, Any]:
    return {
        "name": "Bo",
        "description": "plays an agent",
        "version": "1",
        "supportedInterfaces": [{"url": f"{url}/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
        "capabilities": {"streaming": streaming},
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [],
    }


def result(asked: Asked, value: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": asked.body["id"], "result": value}


def task(state: str = "TASK_STATE_COMPLETED", **more: object) -> dict[str, Any]:
    return {"id": "task-1", "contextId": "c", "status": {"state": state}, **more}


def artifact(*texts: str) -> dict[str, Any]:
    return {"artifactId": "answer", "parts": [{"text": text} for text in texts]}


@pytest.fixture
def agent(server: Played) -> Played:
    server.answer("GET /.well-known/agent-card.json", card(server.url))
    reply(server, task(artifacts=[artifact("hello", "again")]))
    return server


def reply(agent: Played, answered: dict[str, Any]) -> None:
    agent.answer("POST /a2a SendMessage", lambda asked: result(asked, {"task": answered}))


def test_the_texts_of_the_answer_are_shown(csb, agent) -> None:
    ended = csb("send", agent.url + "/", "hi")
    assert (ended.status, ended.out, ended.err) == (0, "hello\nagain\n", "")
    said = agent.last.body["params"]["message"]
    assert said["parts"] == [{"text": "hi"}]
    assert said["role"] == "ROLE_USER"
    assert len(said["messageId"]) == 36


def test_a_text_that_ends_its_line_leaves_no_empty_one(csb, agent) -> None:
    reply(agent, task(artifacts=[artifact("I remember:\n", "the tea")]))
    assert csb("send", agent.url, "hi").out == "I remember:\nthe tea\n"


def test_with_json_the_task_is_one_document(csb, agent) -> None:
    assert csb("send", agent.url, "hi", "--json").json["artifacts"][0]["artifactId"] == "answer"


def test_a_bare_message_is_an_answer_too(csb, agent) -> None:
    message = {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": "plain"}]}
    agent.answer("POST /a2a SendMessage", lambda asked: result(asked, {"message": message}))
    assert csb("send", agent.url, "hi").out == "plain\n"
    assert csb("send", agent.url, "hi", "--json").json["messageId"] == "m"


def test_thread_and_name_go_along_as_extensions(csb, agent) -> None:
    csb("send", agent.url, "hi", "--thread", "tea", "--as", "Ada", "--task", "task-1")
    said = agent.last.body["params"]["message"]
    assert said["metadata"][SESSION_CONTEXT]["thread_id"] == "tea"
    assert said["metadata"][SENDER] == {"name": "Ada"}
    assert said["taskId"] == "task-1"
    assert agent.last.headers["A2A-Extensions"] == f"{SESSION_CONTEXT}, {SENDER}"


def test_files_data_and_addresses_go_along_as_parts(csb, agent, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_bytes(b"\x00\xff")
    csb(
        *("send", agent.url, "hi", "--file", tmp_path / "notes.txt", "--data", '{"茶": [1]}'),
        *("--url", "https://files.example/a.pdf?x=1"),
    )
    assert agent.last.body["params"]["message"]["parts"] == [
        {"text": "hi"},
        {"raw": "AP8=", "mediaType": "text/plain", "filename": "notes.txt"},
        {"data": {"茶": [1]}},
        {"url": "https://files.example/a.pdf?x=1", "mediaType": "application/pdf", "filename": "a.pdf"},
    ]


def test_parts_that_are_no_text_are_named(csb, agent) -> None:
    parts = [{"raw": "AP8=", "filename": "a.bin"}, {"url": "https://files.example/a"}, {"data": {"a": "茶"}}]
    reply(agent, task(artifacts=[{"artifactId": "answer", "parts": parts}]))
    assert csb("send", agent.url, "hi").out == '[file a.bin: 2 bytes]\n[file at https://files.example/a]\n{"a": "茶"}\n'


def test_the_answer_of_a_stranger_steers_no_terminal(csb, agent) -> None:
    reply(agent, task(artifacts=[artifact("\x1b]0;title\x07 \u202e")]))
    assert csb("send", agent.url, "hi").out == "\\x1b]0;title\\x07 \\u202e\n"


def test_a_stream_is_shown_piece_by_piece_in_order(csb, agent) -> None:
    def chunk(text: str, *, append: bool) -> dict[str, Any]:
        update = {"taskId": "task-1", "contextId": "c", "artifact": artifact(text), "append": append}
        return {"artifactUpdate": update}

    def status(state: str) -> dict[str, Any]:
        return {"statusUpdate": {"taskId": "task-1", "contextId": "c", "status": {"state": state}}}

    events = [
        {"task": task("TASK_STATE_SUBMITTED")},
        status("TASK_STATE_WORKING"),
        chunk("one ", append=False),
        chunk("two", append=True),
        status("TASK_STATE_COMPLETED"),
    ]
    agent.answer("POST /a2a SendStreamingMessage", lambda asked: [result(asked, event) for event in events])
    assert csb("send", agent.url, "hi", "--stream").out == "one two\n"
    agent.answer("POST /a2a GetTask", lambda asked: result(asked, task(artifacts=[artifact("one two")])))
    assert csb("send", agent.url, "hi", "--stream", "--json").json["artifacts"][0]["parts"] == [{"text": "one two"}]


@pytest.mark.parametrize("state, word", [("FAILED", "failed"), ("REJECTED", "rejected"), ("CANCELED", "canceled")])
def test_a_task_that_did_not_end_well_ends_the_command_with_1(csb, agent, state: str, word: str) -> None:
    message = {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": "no tea"}]}
    reply(agent, task(f"TASK_STATE_{state}") | {"status": {"state": f"TASK_STATE_{state}", "message": message}})
    ended = csb("send", agent.url, "hi")
    assert (ended.status, ended.out) == (1, f"no tea\nThe task task-1 ended as: {word}\n")


def test_an_agent_that_waits_is_answered_by_its_task(csb, agent) -> None:
    reply(agent, task("TASK_STATE_INPUT_REQUIRED", artifacts=[artifact("which tea?")]))
    ended = csb("send", agent.url, "hi")
    assert ended.status == 0
    assert ended.out == f"which tea?\nIt waits for you: csb send {agent.url} TEXT --task task-1\n"


def test_the_owner_s_token_goes_to_the_own_node_and_to_nobody_else(csb, home, node) -> None:
    node.answer("GET /.well-known/agent-card.json", card(node.url))
    reply(node, task())
    csb("send", node.url, "hi", "--home", home.path)
    assert {asked.headers.get("Authorization") for asked in node.asked} == {f"Bearer {home.owner_token()}"}
    with played() as stranger:
        stranger.answer("GET /.well-known/agent-card.json", card(stranger.url))
        reply(stranger, task())
        assert csb("send", stranger.url, "hi", "--home", home.path).status == 0
        assert not any("Authorization" in asked.headers for asked in stranger.asked)


def test_a_card_that_points_elsewhere_does_not_take_the_token_along(csb, agent, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("s3cret\n")
    token.chmod(0o600)
    with played() as elsewhere:
        agent.answer("GET /.well-known/agent-card.json", card(elsewhere.url))
        reply(elsewhere, task())
        assert csb("send", agent.url, "hi", "--token-file", token).status == 0
        assert agent.last.headers["Authorization"] == "Bearer s3cret"
        assert "Authorization" not in elsewhere.last.headers


def test_a_token_file_that_others_can_read_is_refused(csb, agent, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("s3cret\n")
    token.chmod(0o644)
    ended = csb("send", agent.url, "hi", "--token-file", token)
    assert ended.status == 2
    assert f"chmod 600 {token}" in ended.err
    assert "s3cret" not in ended.err
    assert agent.asked == []


def test_the_own_node_is_reached_here_whatever_it_is_called_outside(csb, home, node) -> None:
    home.settings_file.write_text('[node]\nbase_url = "https://agent.example/heng"\n')
    node.answer("GET /.well-known/agent-card.json", card("https://agent.example/heng"))
    reply(node, task())
    assert csb("send", node.url, "hi", "--home", home.path).status == 0
    assert node.last.path == "/a2a"
    assert csb("send", node.url, "hi").status == 3


def test_a_dead_node_s_address_does_not_get_the_owner_s_token(csb, home, agent) -> None:
    home.run_file.write_text(json.dumps({"pid": 1, "url": agent.url, "started_at": 1, "certificate": ""}))
    csb("send", agent.url, "hi", "--home", home.path)
    assert "Authorization" not in agent.last.headers


@pytest.mark.parametrize(
    "number, code, status",
    [
        (-32001, "task_not_found", 1),
        (-32602, "invalid_params", 2),
        (-32050, "unauthenticated", 4),
        (-32067, "too_busy", 3),
    ],
)
def test_an_error_of_the_agent_is_shown_by_its_code(csb, agent, number: int, code: str, status: int) -> None:
    def refuse(asked: Asked) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "id": asked.body["id"], "error": {"code": number, "message": "so it is"}}

    agent.answer("POST /a2a SendMessage", refuse)
    ended = csb("send", agent.url, "hi", "--json")
    assert ended.status == status
    assert ended.error["code"] == code
    assert ended.error["reason"] == f"{agent.url} answers: so it is"


@pytest.mark.parametrize(
    "answer", [b"", b"<html>", b"[]", b'{"jsonrpc": "2.0", "id": 1, "result": {}}', b'{"result": {"task": 3}}']
)
def test_an_answer_outside_the_protocol_is_said_to_be_one(csb, agent, answer: bytes) -> None:
    agent.answer("POST /a2a SendMessage", answer)
    ended = csb("send", agent.url, "hi", "--json")
    assert ended.status == 3
    assert ended.error["code"] == "peer_broke_protocol"


@pytest.mark.parametrize("content", [b"{}", b"oops", b"[]", b'{"name": 3}'])
def test_a_card_that_is_none_is_said_to_be_none(csb, server, content: bytes) -> None:
    server.answer("GET /.well-known/agent-card.json", content)
    ended = csb("send", server.url, "hi", "--json")
    assert (ended.status, ended.error["code"]) == (3, "peer_broke_protocol")


@pytest.mark.parametrize("place", NO_ADDRESSES)
def test_an_agent_that_is_said_to_be_at_no_address_breaks_the_protocol(csb, server, place: str) -> None:
    server.redirect("GET /.well-known/agent-card.json", place)
    ended = csb("send", server.url, "hi", "--json")
    assert ended.status == 3
    server.answer("GET /.well-known/agent-card.json", card(place))
    ended = csb("send", server.url, "hi", "--json")
    assert ended.status == 3


def test_the_old_place_of_the_card_is_tried(csb, agent) -> None:
    agent.answers["GET /.well-known/agent.json"] = agent.answers.pop("GET /.well-known/agent-card.json")
    assert csb("send", agent.url, "hi").status == 0


def test_an_agent_that_is_not_there_is_unreachable(csb) -> None:
    ended = csb("send", "http://127.0.0.1:1", "hi", "--json")
    assert (ended.status, ended.error["code"]) == (3, "peer_unreachable")


@pytest.mark.parametrize(
    "url",
    [
        "127.0.0.1:3100",
        "ftp://a.example",
        "http://",
        "http://a:b@c.example",
        "http://a.example?x",
        "http://a:x",
        "http://a:99999",
        "http://xn--",
        f"http://{'a' * 64}.example",
        "http://a.example/\x01",
        "http://.:80",
    ],
)
def test_an_address_that_is_none_is_misuse(csb, url: str) -> None:
    ended = csb("send", url, "hi")
    assert ended.status == 2
    assert "an address is like http://127.0.0.1:3100" in ended.err


@pytest.mark.parametrize(
    "arguments",
    [
        *(["--data", each] for each in ("{", "NaN", "[" * 9999, '"\udcff"', '"\\ud800"')),
        ["--file", "/nowhere/at/all"],
        *([option, "bad\udcff"] for option in ("--as", "--thread", "--task", "--url")),
    ],
)
def test_what_no_message_can_hold_is_refused_before_it_is_sent(csb, agent, arguments: list[str]) -> None:
    ended = csb("send", agent.url, "hi", *arguments)
    assert ended.status == 2
    assert ended.err.count("\n") == 1
    assert agent.asked == []


def test_a_file_whose_name_is_no_text_is_refused_before_it_is_sent(csb, agent, tmp_path: Path) -> None:
    file = tmp_path / "bad\udcff"
    file.write_bytes(b"x")
    assert csb("send", agent.url, "hi", "--file", file).status == 2
    assert agent.asked == []


RPC_ERROR = {
    "jsonrpc": "2.0",
    "id": None,
    "error": {"code": -32059, "message": "No", "data": [{"metadata": {"csb_code": "draining", "next_step": "wait"}}]},
}
V0_3_ERROR = {"jsonrpc": "2.0", "id": None, "error": {"code": -1, "message": "No", "data": {"csb_code": "draining"}}}
STATUS_ERROR = {"error": {"code": 503, "message": "No", "details": [{"metadata": {"csb_code": "draining"}}]}}


@pytest.mark.parametrize("stream", [[], ["--stream"]])
@pytest.mark.parametrize(
    "status, body, code, ends_with",
    [
        (503, RPC_ERROR, "draining", 3),
        (503, V0_3_ERROR, "draining", 3),
        (503, STATUS_ERROR, "draining", 3),
        (507, {"error": {"code": "storage_full", "reason": "No"}}, "storage_full", 3),
        (413, {"error": {"code": -32056, "message": "No"}}, "body_too_large", 2),
        (401, b"", "unauthenticated", 4),
        (403, b"<html>", "forbidden", 4),
        (408, b"\xff", "request_timeout", 2),
        (429, b"[" * 99999, "too_busy", 3),
        (502, {"error": "bad gateway"}, "peer_unreachable", 3),
        (418, {"error": {"code": "teapot"}}, "peer_broke_protocol", 3),
    ],
)
def test_an_http_status_is_told_by_the_code_in_its_body_or_by_itself(
    csb, agent, status: int, body: object, code: str, ends_with: int, stream: list[str]
) -> None:
    agent.answer(f"POST /a2a Send{'Streaming' if stream else ''}Message", body, status)
    ended = csb("send", agent.url, "hi", "--json", *stream)
    assert (ended.error["code"], ended.status) == (code, ends_with)
    assert "developer" not in ended.err


@pytest.mark.parametrize("command", [["card"], ["send", "hi"]])
@pytest.mark.parametrize("status, code, ends_with", [(401, "unauthenticated", 4), (403, "forbidden", 4)])
def test_a_card_that_is_not_for_everybody_is_said_so(
    csb, server, command: list[str], status: int, code: str, ends_with: int
) -> None:
    server.answer("GET /.well-known/agent-card.json", b"", status)
    ended = csb(command[0], server.url, *command[1:], "--json")
    assert (ended.error["code"], ended.status) == (code, ends_with)
    assert ended.error["reason"] == f"{server.url} answers with HTTP {status}"


def test_an_agent_without_a_card_is_said_to_serve_none(csb, server) -> None:
    ended = csb("send", server.url, "hi")
    assert (ended.status, ended.err) == (3, f"csb: {server.url} serves no agent card: HTTP 404\n")


async def test_a_node_that_refuses_is_not_said_to_break_the_protocol(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("nobody-s-token")
    token.chmod(0o600)
    file = tmp_path / "long.bin"
    file.write_bytes(bytes(9_000_000))
    async with served(tmp_path) as node:

        async def sent(*arguments: object) -> tuple[int, str]:
            ended = await asyncio.to_thread(command, "send", node.url, *arguments, "--json")
            return ended.returncode, json.loads(ended.stderr)["error"]["code"]

        for stream in ([], ["--stream"]):
            assert await sent("hi", "--token-file", token, *stream) == (4, "unauthenticated")
            assert await sent("hi", "--file", file, *stream) == (2, "body_too_large")
            assert await sent("-", *stream) == (2, "body_too_large")
        await node.world.live.drain(0.0)
        assert await sent("hi") == (3, "draining")


def command(*arguments: object) -> subprocess.CompletedProcess[str]:
    """`csb` as a process; its standard input is a text that is longer than a message may be."""
    called = [sys.executable, "-m", "csbond.cli", *map(str, arguments)]
    return subprocess.run(called, capture_output=True, text=True, input="a" * 270_000, check=False)


def test_the_text_may_come_from_standard_input(csb, agent, monkeypatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("long\ntext"))
    csb("send", agent.url, "-")
    assert agent.last.body["params"]["message"]["parts"] == [{"text": "long\ntext"}]


def test_standard_input_that_is_no_text_is_refused(csb, agent, monkeypatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xfe"), encoding="utf-8"))
    ended = csb("send", agent.url, "-")
    assert (ended.status, ended.err) == (2, "csb: standard input is not UTF-8\n")
