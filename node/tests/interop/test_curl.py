"""The calls that the drafts print for `curl` work as printed."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any
from uuid import uuid4

import pytest

pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")

CALL_TIMEOUT_S = 20
ANSWERED = {"completed", "input-required"}


def curl(url: str, body: dict[str, Any]) -> tuple[int, str]:
    """POST the body as JSON with no other header; return the HTTP status and the answer."""
    command = ["curl", "-sS", "--noproxy", "*", "--max-time", str(CALL_TIMEOUT_S), "-w", "\n%{http_code}"]
    command += ["-X", "POST", url, "-H", "Content-Type: application/json", "-d", json.dumps(body, ensure_ascii=False)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=2 * CALL_TIMEOUT_S, check=True)
    answer, _, status = done.stdout.rpartition("\n")
    return int(status), answer


def delegated() -> dict[str, Any]:
    """The message of CSB v0.8 DEL-002 §2.1."""
    return {
        "jsonrpc": "2.0",
        "method": "tasks/send",
        "params": {
            "id": f"task_{uuid4().hex}",
            "sessionId": f"session_{uuid4().hex}",
            "message": {
                "role": "agent",
                "parts": [{"type": "text", "text": "请完成晋升/遗忘标准定义，DDL: 5/24 18:00"}],
            },
            "authority": {
                "delegated_by": "用户",
                "scope": ["csb-protocol", "protocol-group-management"],
                "level": "execute",
                "delegation_id": "del_csb_20260523_001",
                "issued_at": 1700000000000,
                "expires_at": 1700086400000,
            },
        },
    }


def test_the_compatibility_check_of_the_draft_is_answered_at_the_bare_address(target: Any) -> None:
    """A2A draft v0.6, part five §5.4: no message id, no kind, no version header."""
    message = {"role": "user", "parts": [{"text": "Hello!"}]}
    body = {"jsonrpc": "2.0", "method": "message/send", "params": {"message": message}, "id": 1}

    status, answer = curl(target.url, body)

    reply = json.loads(answer)
    assert (status, reply["jsonrpc"], reply["id"]) == (200, "2.0", 1), answer
    task = reply["result"]
    assert task["kind"] == "task", answer
    assert task["status"]["state"] in ANSWERED, answer
    assert task["history"][0]["parts"][0]["text"] == "Hello!", answer


def test_a_delegated_task_of_the_draft_is_answered(target: Any) -> None:
    body = {**delegated(), "id": 1}

    status, answer = curl(target.url, body)

    reply = json.loads(answer)
    assert (status, reply["jsonrpc"], reply["id"]) == (200, "2.0", 1), answer
    assert "error" not in reply, answer
    task = reply["result"].get("task", reply["result"])
    assert task["id"], answer
    assert task["metadata"]["clientTaskId"] == body["params"]["id"], answer
    assert task["status"]["state"] in ANSWERED, answer


def test_a_delegated_task_without_a_request_id_is_taken(target: Any) -> None:
    """The draft prints it so and shows the answer; the id of the task is the node's (A2A v1.0.1 §3.4.2)."""
    body = delegated()
    status, answer = curl(target.url, body)
    reply = json.loads(answer)
    assert status == 200, answer
    assert "error" not in reply, answer
    task_id = reply["result"].get("task", reply["result"])["id"]

    _, found = curl(target.url, {"jsonrpc": "2.0", "method": "tasks/get", "params": {"id": task_id}, "id": 2})

    reply = json.loads(found)
    assert "error" not in reply, found
    task = reply["result"].get("task", reply["result"])
    assert (task["id"], task["metadata"]["clientTaskId"]) == (task_id, body["params"]["id"]), found
