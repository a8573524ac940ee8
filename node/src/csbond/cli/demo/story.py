"""The story: every line of it comes from an answer of a node, and it ends when one is not what it should be."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from csbond.cli.demo.processes import NodeProcess, owner_client
from csbond.protocol.errors import RemoteProtocolError

PERSON = "You"
FACT_EN = "The blue boat is moored at the north pier until Friday evening."
FACT_ZH = "小船的钥匙放在灯塔旁边的木箱里。"
QUESTION_EN = "Where is the blue boat?"
QUESTION_ZH = "小船的钥匙在哪里？"

INDEX_S = 60.0
"""Seconds the embedder may take to load and to catch up."""

Tell = Callable[[str], None]


@dataclass
class Storyteller:
    """Asks the nodes and tells what they say."""

    heading: Tell
    say: Callable[[str, str], None]
    """(who, what)"""
    note: Tell
    table: Callable[[Sequence[str], Sequence[Sequence[str]]], None]


def tell_story(first: NodeProcess, second: NodeProcess, teller: Storyteller) -> None:
    """The whole story of two started nodes; `peer_broke_protocol` names the answer that was not as it should be."""
    _meet(first, second, teller)
    _person_tells(first, teller)
    _agents_talk(first, second, teller)
    _memories(first, second, teller)
    _search(first, second, teller)
    _crash(second, teller)


def _meet(first: NodeProcess, second: NodeProcess, teller: Storyteller) -> None:
    teller.heading("Two agents, two homes")
    for node in (first, second):
        with owner_client(node) as client:
            card = client.get("/.well-known/agent-card.json").json()
            health = client.get("/health").json()
        _expect(card["name"] == node.name and health["did"] == node.did, f"the card of {node.name}", card["name"])
        meaning = "by words and by meaning" if health["semantic"] else "by words only (extra `semantic` not installed)"
        teller.note(f"{card['name']} answers at {node.url}, searches {meaning}")
        teller.note(f"  {health['did']}")


def _person_tells(node: NodeProcess, teller: Storyteller) -> None:
    teller.heading(f"A person talks to {node.name}")
    answer = ""
    for text in (FACT_EN, QUESTION_EN):
        teller.say(PERSON, text)
        answer = ask(node, text)
        teller.say(node.name, answer)
    _expect("north pier" in answer, f"{node.name} knows where the boat is", answer)


def _agents_talk(first: NodeProcess, second: NodeProcess, teller: Storyteller) -> None:
    teller.heading(f"{first.name} talks to {second.name}")
    with owner_client(first) as client:
        talked: dict[str, Any] = {"thread_id": "", "text": ""}
        for text in (FACT_ZH, QUESTION_ZH):
            body = {"url": second.url, "text": text, "thread": talked["thread_id"]}
            talked = _json(client.post("/v1/talk", json=body))
            teller.say(first.name, talked["said"]["parts"][0]["text"])
            teller.say(talked["name"], talked["text"])
    _expect("木箱" in talked["text"], f"{second.name} knows where the key is", talked["text"])


def _memories(first: NodeProcess, second: NodeProcess, teller: Storyteller) -> None:
    teller.heading("What they remember now")
    rows: list[Sequence[str]] = []
    for node in (first, second):
        with owner_client(node) as client:
            listing = _json(client.get("/v1/memory"))
        rows += [
            (node.name, entry["level"], ", ".join(entry["tags"]), entry["content"]) for entry in listing["memories"]
        ]
    teller.table(("Home of", "Tier", "Tags", "Memory"), rows)
    told = [row[3] for row in rows]
    _expect(FACT_EN in told and FACT_ZH in told, "both facts are remembered", f"{len(rows)} memories")


def _search(first: NodeProcess, second: NodeProcess, teller: Storyteller) -> None:
    teller.heading("Found again, in both languages")
    for node, query, fact in ((first, "blue boat pier", FACT_EN), (second, "灯塔 钥匙", FACT_ZH)):
        best = _best(node, query)
        teller.note(f"search at {node.name} for: {query}")
        teller.say("→", best)
        _expect(best == fact, f"the search for {query!r}", best)
    with owner_client(second) as client:
        semantic = client.get("/health").json()["semantic"]
    if semantic:
        _until_indexed(second)
        query = "Where is the key of the little boat kept?"
        best = _best(second, query)
        teller.note(f"search at {second.name} for: {query}")
        teller.say("→", best)
        _expect(best == FACT_ZH, "an English question finds a Chinese memory", best)


def _until_indexed(node: NodeProcess) -> None:
    """Vectors come after the write; wait until every memory has its own."""
    end = time.monotonic() + INDEX_S
    with owner_client(node) as client:
        while (waiting := _json(client.get("/v1/status"))["memory"]["waiting"]) and time.monotonic() < end:
            time.sleep(0.1)
    _expect(not waiting, "every memory has its vector", f"{waiting} wait")


def _crash(node: NodeProcess, teller: Storyteller) -> None:
    teller.heading(f"{node.name} crashes")
    pid = node.process.pid if node.process else 0
    node.kill()
    teller.note(f"kill -9 {pid}: the process is gone in the middle of things")
    node.start()
    teller.note(f"{node.name} is back at {node.url}")
    teller.say(PERSON, QUESTION_ZH)
    answer = ask(node, QUESTION_ZH)
    teller.say(node.name, answer)
    _expect("木箱" in answer, f"{node.name} still knows after the crash", answer)


def ask(node: NodeProcess, text: str) -> str:
    """What the agent of a node answers to its owner."""
    message = {"messageId": str(uuid.uuid4()), "role": "ROLE_USER", "parts": [{"text": text}]}
    call = {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": message}}
    with owner_client(node) as client:
        reply = _json(client.post("/a2a/json-rpc", json=call, headers={"A2A-Version": "1.0"}))
    task = reply.get("result", {}).get("task", {})
    parts = [part for artifact in task.get("artifacts", []) for part in artifact["parts"]]
    answer = "".join(part.get("text", "") for part in parts)
    _expect(bool(answer), f"{node.name} answers {text!r}", str(reply.get("error", task.get("status"))))
    return answer


def _best(node: NodeProcess, query: str) -> str:
    with owner_client(node) as client:
        found = _json(client.post("/v1/memory/search", json={"query": query, "limit": 1}))
    _expect(bool(found["results"]), f"something is found for {query!r}", "nothing")
    return str(found["results"][0]["content"])


def _json(response: Any) -> Any:
    _expect(response.is_success, f"{response.request.method} {response.request.url.path}", response.text[:200])
    return response.json()


def _expect(held: bool, what: str, found: str) -> None:
    if not held:
        raise RemoteProtocolError("peer_broke_protocol", f"the story broke off: expected: {what}; a node said: {found}")
