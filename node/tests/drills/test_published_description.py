"""Thousands of calls drawn from the OpenAPI document of a node: each answer is one that the document declares."""

from __future__ import annotations

import asyncio
import json
import os
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from random import Random
from urllib.parse import urlsplit

import pytest

from csbond_tests.drills.described import Answered, Call, Described, Drawn, Pool
from csbond_tests.drills.form import FULL
from csbond_tests.drills.processes import new_home, serving
from csbond_tests.requirements import requirement

CALLS = 20_000 if FULL else 600
SEED = int(os.environ.get("CSB_DRILL_SEED", "23"))
GOOD_SHARE = 0.2
"""Of all calls at least this many are answered well: calls that are all refused would show little."""
SETTINGS = """
[memory]
semantic = "off"
[log]
level = "warning"
"""
TOLD_SO = {("POST", "/v1/memory/reindex"): "embedder_unavailable"}
"""What is not there in a home that searches by words alone, and is told so with 503."""
LEADS_TO = {
    "/v1/memory/snapshot/{id}": ("/v1/memory/snapshot/verify", "/v1/memory/snapshot/load"),
    "/v1/memory/export": ("/v1/memory/import",),
}
"""Answers that are bodies of other calls."""
MESSAGE = {"messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": "Hello"}]}
SEND = json.dumps({"message": MESSAGE}).encode()
SEND_0_3 = json.dumps({"message": {"messageId": "m-2", "role": "ROLE_USER", "content": [{"text": "Hello"}]}}).encode()
RPC = [
    json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    for method, params in (
        ("SendMessage", {"message": MESSAGE}),
        (
            "message/send",
            {"message": {"messageId": "m-3", "role": "user", "parts": [{"kind": "text", "text": "Hello"}]}},
        ),
        ("ListTasks", {}),
        ("GetTask", {"id": "nobody's"}),
        ("Dance", {}),
    )
]
A2A_BODIES = {
    **{
        path + end: [body]
        for path, body in (("", SEND), ("/v1", SEND_0_3))
        for end in ("/message:send", "/message:stream")
    },
    **dict.fromkeys(("/", "/a2a", "/a2a/json-rpc", "/a2a/json-rpc/"), RPC),
}
"""A2A describes its bodies itself; the document says only that they are objects."""

pytestmark = pytest.mark.alone


@dataclass
class Exchange:
    """All calls of a run on one connection, and what was wrong with their answers."""

    port: int
    rng: Random = field(default_factory=lambda: Random(SEED))
    statuses: Counter[int] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.connection = HTTPConnection("127.0.0.1", self.port, timeout=60)

    def send(self, method: str, target: str, headers: dict[str, str], body: bytes | None) -> Answered:
        """One request and its answer, whatever is in the headers."""
        self.connection.putrequest(method, target, skip_accept_encoding=True)
        for name, value in headers.items():
            self.connection.putheader(name, value.encode("latin-1"))
        if body is not None:
            self.connection.putheader("Content-Length", str(len(body)))
        self.connection.endheaders(body)
        answer = self.connection.getresponse()
        return Answered(answer.status, answer.headers.get("content-type", "").partition(";")[0], answer.read())

    def owners(self, token: str, target: str, document: object) -> dict:
        """What the owner is answered to a document."""
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json", "A2A-Version": "1.0"}
        answer = self.send("POST", target, headers, json.dumps(document).encode())
        assert answer.status < 300, answer
        return json.loads(answer.body)

    def drawn(self, owner: str) -> Drawn:
        """What draws the calls, with memories, a snapshot, a task and a principal that are there."""
        described = Described(json.loads(self.send("GET", "/openapi.json", {}, None).body))
        principal = self.owners(owner, "/v1/principals", {"name": "ana", "role": "editor"})["token"]
        pool = Pool()
        for number in range(20):
            memory = {"content": f"Luna drinks tea number {number}", "tags": ["tea"]}
            pool.learn(self.owners(owner, "/v1/memory", memory), self.rng)
        pool.learn(self.owners(owner, "/v1/memory/snapshot", {}), self.rng)
        pool.learn(self.owners(owner, "/message:send", {"message": {**MESSAGE, "messageId": "m-0"}}), self.rng)
        return Drawn(described, self.rng, pool, (owner, owner, principal, ""), dict(A2A_BODIES))

    def run(self, owner: str) -> None:
        """All calls; each operation of the document has its share."""
        drawn = self.drawn(owner)
        operations = drawn.described.operations
        for number in range(CALLS):
            call = drawn.call(operations[number % len(operations)])
            if call.target == "/v1/principals/ana":
                continue  # her token is needed on
            try:
                answer = self.send(call.method, call.target, dict(call.headers), call.body)
            except (HTTPException, OSError) as fault:
                self.faults.append(f"{told(call)}: no answer: {fault!r}")
                self.connection.close()
                continue
            self.statuses[answer.status] += 1
            if wrong := wrong_with(drawn.described, call, answer):
                self.faults.append(f"{told(call)} -> {answer.status} {answer.body[:300]!r}: {wrong}")
            if answer.status < 300:
                self.learn(drawn, call, answer)

    def learn(self, drawn: Drawn, call: Call, answer: Answered) -> None:
        """Let later calls use what an answer holds."""
        if answer.media_type == "application/json" and answer.body and call.operation.path != "/openapi.json":
            drawn.pool.learn(json.loads(answer.body), self.rng)
        for path in LEADS_TO.get(call.operation.path, ()):
            if answer.body:
                drawn.bodies.setdefault(path, []).append(answer.body)
                del drawn.bodies[path][:-3]


def wrong_with(described: Described, call: Call, answer: Answered) -> str:
    """What is wrong with an answer; empty when nothing is."""
    if answer.status >= 500:
        known = TOLD_SO.get((call.method, call.operation.path))
        if answer.status != 503 or known is None or json.loads(answer.body)["error"]["code"] != known:
            return "a fault of the node"
    return described.undeclared(call.operation, answer) if call.method == call.operation.method else ""


def told(call: Call) -> str:
    """The call without its token, short enough to be read."""
    headers = {name: value[:40] for name, value in call.headers.items() if name != "Authorization"}
    query, body = urlsplit(call.target).query[:200], (call.body or b"")[:300]
    return f"{call.method} {call.operation.path} {query} {headers} {body!r}"


@requirement("MEM-003-3.2-openapi")
@pytest.mark.timeout(0 if FULL else 180)
async def test_every_answer_to_a_call_drawn_from_the_document_is_one_that_it_declares(tmp_path, record_figures):
    async with serving(new_home(tmp_path / "home", SETTINGS)) as node:
        exchange = Exchange(node.port)
        with closing(exchange.connection):
            await asyncio.to_thread(exchange.run, node.token)
    assert not exchange.faults, f"{len(exchange.faults)} of {CALLS} calls:\n" + "\n".join(exchange.faults[:20])
    assert sum(count for status, count in exchange.statuses.items() if status < 300) > CALLS * GOOD_SHARE
    record_figures(f"{CALLS} calls: {dict(sorted(exchange.statuses.items()))}")
