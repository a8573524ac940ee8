"""What clients of the drafts send, over the wire and as the drafts print it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from csbond.protocol.messages.extensions import AUTHORITY, CONTEXT_SUMMARY, SENDER, SESSION_CONTEXT
from csbond_tests.requirements import requirement

AUTHORITY_BLOCK = {
    "delegated_by": "用户",
    "scope": ["csb-protocol", "protocol-group-management"],
    "level": "execute",
    "delegation_id": "del_csb_20260523_001",
    "issued_at": 1700000000000,
    "expires_at": 1700086400000,
}
CONTEXT_BLOCK = {
    "thread_id": "thread_alpha_001",
    "continuity_ref": "session_previous_zzz",
    "agent_lifespan": 38,
    "importance": 0.7,
}
_numbers = iter(range(1, 1_000_000))


def task_params(text: str = "hello", **facts: Any) -> dict[str, Any]:
    number = next(_numbers)
    message = {"role": "agent", "parts": [{"type": "text", "text": text}]}
    return {"id": f"task_{number}", "sessionId": f"session_{number}", "message": message, **facts}


async def post(node, method: str, params: Any, path: str = "/", **headers: str) -> Any:
    """The whole answer to a call, sent with no header but the content type."""
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    async with node.client(**headers) as http:
        content = json.dumps(body, ensure_ascii=False).encode()
        answer = await http.post(path, content=content, headers={"content-type": "application/json"})
    assert answer.status_code == 200, answer.text
    return answer


async def ask(node, method: str, params: Any, path: str = "/") -> Any:
    body = (await post(node, method, params, path)).json()
    assert "error" not in body, body
    return body["result"]


@requirement("DRAFT-005", "DRAFT-003")
@pytest.mark.parametrize("path", ["/", "/a2a", "/a2a/json-rpc"])
async def test_the_compatibility_call_of_the_draft_is_answered(node, path: str) -> None:
    params = {"message": {"role": "user", "parts": [{"text": "Hello!"}]}}
    task = await ask(node, "message/send", params, path)
    assert task["kind"] == "task"
    assert task["history"][0]["messageId"]
    assert task["history"][0]["parts"][0]["text"] == "Hello!"


@requirement("DRAFT-006", "DRAFT-007")
async def test_the_delegated_task_of_the_draft_is_answered_and_its_authority_kept(node) -> None:
    params = task_params("请完成晋升/遗忘标准定义，DDL: 5/24 18:00", authority=AUTHORITY_BLOCK)
    result = await ask(node, "tasks/send", params)
    task = result["task"]
    assert result["sessionId"] == task["sessionId"] == task["contextId"] == params["sessionId"]
    assert task["history"][0]["metadata"][AUTHORITY] == AUTHORITY_BLOCK
    part = task["history"][0]["parts"][0]
    assert (part["type"], part["kind"], part["text"]) == ("text", "text", params["message"]["parts"][0]["text"])


@requirement("DRAFT-008")
async def test_a_session_context_beside_the_message_is_kept_and_decides_the_thread(node) -> None:
    params = task_params("清漪你好，我是青烛 🕯️", session_context={**CONTEXT_BLOCK, "thread_id": "thread_of_drafts"})
    task = (await ask(node, "tasks/send", params))["task"]
    assert task["history"][0]["metadata"][SESSION_CONTEXT]["importance"] == 0.7
    said = await node.world.ledger.thread_messages("thread_of_drafts", "anonymous", None, 10)
    assert (said[0].message.text, said[0].importance) == ("清漪你好，我是青烛 🕯️", 0.7)


@requirement("DRAFT-008")
async def test_a_broken_session_context_is_refused(node) -> None:
    body = (await post(node, "tasks/send", task_params(session_context={"importance": 2}))).json()
    assert body["error"]["code"] == -32602
    assert body["error"]["data"]["field"].startswith("session_context")


@requirement("DRAFT-006")
async def test_a_client_of_the_drafts_follows_its_task(node) -> None:
    params = task_params("one")
    task = (await ask(node, "tasks/send", params))["task"]
    assert task["status"]["state"] == "input-required"
    again = {**task_params("end"), "sessionId": params["sessionId"]}
    again["message"]["taskId"] = task["id"]
    ended = (await ask(node, "tasks/send", again))["task"]
    assert (ended["id"], ended["status"]["state"]) == (task["id"], "completed")
    found = await ask(node, "tasks/get", {"id": task["id"]})
    assert found["sessionId"] == params["sessionId"]
    assert found["history"][0]["parts"][0]["type"] == "text"
    canceled = await post(node, "tasks/cancel", {"id": task["id"]})
    assert canceled.json()["error"]["code"] == -32002


@requirement("DRAFT-012")
async def test_a_draft_stream_is_the_task_its_chunks_and_its_last_status(node) -> None:
    answer = await post(node, "tasks/sendSubscribe", task_params("end"))
    assert answer.headers["content-type"].startswith("text/event-stream")
    results = [json.loads(line[6:])["result"] for line in answer.text.splitlines() if line.startswith("data: ")]
    assert results[0]["status"]["state"] == "submitted"
    assert results[1]["artifact"]["parts"][0]["text"] == "end"
    assert (results[-1]["status"]["state"], results[-1]["final"]) == ("completed", True)
    assert {result["id"] for result in results} == {results[0]["id"]}


@requirement("DRAFT-010")
@pytest.mark.parametrize("sender", ["若兰 🌸", {"name": "若兰 🌸", "did": "did:key:z6Mk"}])
@pytest.mark.parametrize("place", ["beside", "inside", "metadata"])
async def test_a_sender_is_known_wherever_it_is_named(node, sender: Any, place: str) -> None:
    params = task_params()
    if place == "beside":
        params["sender"] = sender
    elif place == "inside":
        params["message"]["sender"] = sender
    else:
        params["message"]["metadata"] = {SENDER: sender}
    task = (await ask(node, "tasks/send", params))["task"]
    (kept, _answer) = await node.world.ledger.thread_messages(task["contextId"], "anonymous", None, 10)
    assert kept.sender.name == "若兰 🌸"
    assert kept.sender.did == ("did:key:z6Mk" if isinstance(sender, dict) else "")


@requirement("DRAFT-009")
async def test_parent_and_history_length_are_known(node) -> None:
    params = task_params(parent_id="msg-before", history_length=1)
    task = (await ask(node, "tasks/send", params))["task"]
    (kept, _answer) = await node.world.ledger.thread_messages(task["contextId"], "anonymous", None, 10)
    assert kept.parent_id == "msg-before"
    assert node.world.skill.turns[-1].message.metadata["history_length"] == 1


@requirement("DRAFT-014")
async def test_a_context_summary_in_the_metadata_comes_back_with_its_message(node) -> None:
    params = task_params()
    summary = {"summary": "They agreed on Friday.", "messages": 12}
    params["message"]["metadata"] = {CONTEXT_SUMMARY: summary}
    task = (await ask(node, "tasks/send", params))["task"]
    assert task["history"][0]["metadata"][CONTEXT_SUMMARY] == summary


@requirement("DRAFT-011")
@pytest.mark.parametrize("role", ["user", "User", "ROLE_USER", "agent", "ROLE_AGENT", None])
async def test_roles_are_read_in_every_spelling(node, role: str | None) -> None:
    params = task_params()
    params["message"].pop("role")
    if role:
        params["message"]["role"] = role
    task = (await ask(node, "tasks/send", params))["task"]
    assert task["history"][0]["role"] == ("agent" if role and "agent" in role.lower() else "user")


@requirement("DRAFT-003")
async def test_chinese_comes_back_as_it_was_in_utf_8(node) -> None:
    answer = await post(node, "tasks/send", task_params("碳硅契 🌟 ü"))
    assert "碳硅契 🌟 ü".encode() in answer.content


@requirement("DRAFT-001", "DRAFT-002")
async def test_the_documents_of_the_node_say_who_it_is_and_nothing_private(node) -> None:
    async with node.client() as http:
        identity = (await http.get("/identity.json")).json()
        health = (await http.get("/health")).json()
        text = (await http.get("/identity.json")).text + (await http.get("/health")).text
    assert (identity["name"], identity["emoji"]) == ("Luna", "🌙")
    assert identity["did"].startswith("did:key:z6Mk")
    assert identity["version"]
    assert "capabilities" in identity
    assert health["pka"]["fingerprint"].startswith("sha256:")
    assert health["status"] in ("ok", "healthy", "online")
    seed = (node.node.home.path / "node.key").read_text().strip()
    for secret in (seed, node.token, str(node.node.home.path)):
        assert secret not in text
