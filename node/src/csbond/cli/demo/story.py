"""The story: every line of it comes from an answer of a node, and it ends when one is not what it should be."""

from __future__ import annotations

import time
import uuid
from typing import Any, Protocol

from csbond.cli.demo.processes import NodeProcess
from csbond.cli.node_client import node_of
from csbond.protocol.errors import RemoteProtocolError

PERSON = "You"
FACT_EN = "The blue boat is moored at the north pier until Friday evening."
FACT_ZH = "小船的钥匙放在灯塔旁边的木箱里。"
QUESTION_EN = "Where is the blue boat?"
QUESTION_ZH = "小船的钥匙在哪里？"
ACROSS = "Where is the key of the little boat kept?"
"""Shares no word with what it finds."""

INDEX_S = 60.0
"""Seconds the embedder may take to load and to catch up."""


class Teller(Protocol):
    """Whom the story is told by: for people while it happens, or for programs at its end."""

    def chapter(self, english: str, chinese: str) -> None:
        """The next part, by its name in both languages."""

    def say(self, who: str, what: str) -> None:
        """Who says what."""

    def add(self, remark: str) -> None:
        """A remark on what was said last."""

    def note(self, text: str) -> None:
        """A sentence of the story itself."""


def tell_story(first: NodeProcess, second: NodeProcess, teller: Teller) -> None:
    """The whole story of two nodes whose homes are new; `peer_broke_protocol` names the answer that breaks it off."""
    _move_in(first, second, teller)
    _person_tells(first, teller)
    _agents_talk(first, second, teller)
    _remembered(first, second, teller)
    _found_again(first, second, teller)
    _crash(second, teller)


def _move_in(first: NodeProcess, second: NodeProcess, teller: Teller) -> None:
    teller.chapter("Two agents move in", "两个智能体，两个家")
    for node in (first, second):
        node.start()
    for node in (first, second):
        node.await_home()
        with node_of(node.home) as client:
            card = client.get("/.well-known/agent-card.json")
            health = client.get("/health")
        did = node.home.identity.did
        _expect(card["name"] == node.name and health["did"] == did, f"the card of {node.name}", card["name"])
        teller.say(card["name"], f"{health['emoji']} at home at {node.url}")
        teller.add(health["did"])
        meaning = "by words and by meaning" if health["semantic"] else "by words only: the extra `semantic` is not here"
        teller.add(f"finds memories {meaning}")


def _person_tells(node: NodeProcess, teller: Teller) -> None:
    teller.chapter(f"A person talks to {node.name}", f"有人和 {node.name} 说话")
    answer = ""
    for text in (FACT_EN, QUESTION_EN):
        teller.say(PERSON, text)
        answer = ask(node, text)
        teller.say(node.name, answer)
    _expect("north pier" in answer, f"{node.name} knows where the boat is", answer)


def _agents_talk(first: NodeProcess, second: NodeProcess, teller: Teller) -> None:
    teller.chapter(f"{first.name} talks to {second.name}", f"{first.name} 和{second.name}说话")
    talked: dict[str, Any] = {"thread_id": "", "text": ""}
    with node_of(first.home) as client:
        for text in (FACT_ZH, QUESTION_ZH):
            talked = client.post("/v1/talk", {"url": second.url, "text": text, "thread": talked["thread_id"]})
            teller.say(first.name, talked["said"]["parts"][0]["text"])
            teller.say(talked["name"], talked["text"])
    _expect("木箱" in talked["text"], f"{second.name} knows where the key is", talked["text"])


def _remembered(first: NodeProcess, second: NodeProcess, teller: Teller) -> None:
    teller.chapter("What each of them remembers", "它们各自记住了什么")
    told = []
    for node in (first, second):
        with node_of(node.home) as client:
            entries = client.get("/v1/memory")["memories"]
        for entry in entries:
            teller.say(node.name, entry["content"])
            speaker = entry["origin"]["speaker"]
            teller.add(f"{entry['type']}, {entry['level']}, {f'told by {speaker}' if speaker else 'told by a person'}")
        told.append([entry["content"] for entry in entries])
    _expect(told == [[FACT_EN], [FACT_ZH]], "each remembers what it was told, once", str(told))


def _found_again(first: NodeProcess, second: NodeProcess, teller: Teller) -> None:
    teller.chapter("Found again", "重新找到")
    _find(first, "blue boat pier", FACT_EN, teller)
    _find(second, "灯塔 钥匙", FACT_ZH, teller)
    with node_of(second.home) as client:
        semantic = client.get("/health")["semantic"]
    if semantic:
        _until_indexed(second)
        _find(second, ACROSS, FACT_ZH, teller)
        teller.add("no word in common: found by its meaning")


def _find(node: NodeProcess, query: str, fact: str, teller: Teller) -> None:
    teller.say(node.name, f"is searched for “{query}”")
    with node_of(node.home) as client:
        found = client.post("/v1/memory/search", {"query": query, "limit": 1})["results"]
    best = found[0]["content"] if found else "nothing"
    teller.say("→", best)
    _expect(best == fact, f"the search for {query!r} finds {fact!r}", best)


def _until_indexed(node: NodeProcess) -> None:
    """Vectors come after the write; wait until every memory has its own."""
    end = time.monotonic() + INDEX_S
    with node_of(node.home) as client:
        while (waiting := client.get("/v1/status")["memory"]["waiting"]) and time.monotonic() < end:
            time.sleep(0.1)
    _expect(not waiting, "every memory has its vector", f"{waiting} wait")


def _crash(node: NodeProcess, teller: Teller) -> None:
    teller.chapter(f"{node.name} crashes", f"{node.name}崩溃了")
    killed = node.pid
    node.kill()
    teller.note(f"kill -9 {killed}: the process is gone, without a farewell.")
    node.start()
    node.await_home()
    teller.note(f"A new process moves into the same home: {node.url}")
    teller.say(PERSON, QUESTION_ZH)
    answer = ask(node, QUESTION_ZH)
    teller.say(node.name, answer)
    _expect("木箱" in answer, f"{node.name} still knows after the crash", answer)


def ask(node: NodeProcess, text: str) -> str:
    """What the agent of a node answers to its owner."""
    message = {"messageId": str(uuid.uuid4()), "role": "ROLE_USER", "parts": [{"text": text}]}
    with node_of(node.home) as client:
        task = client.post("/message:send", {"message": message}, **{"A2A-Version": "1.0"})["task"]
    parts = [part for artifact in task.get("artifacts", []) for part in artifact["parts"]]
    answer = "".join(part.get("text", "") for part in parts)
    _expect(bool(answer), f"{node.name} answers {text!r}", str(task.get("status")))
    return answer


def _expect(held: bool, what: str, found: str) -> None:
    if not held:
        raise RemoteProtocolError("peer_broke_protocol", f"the story broke off: expected: {what}; a node said: {found}")
