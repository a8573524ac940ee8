"""Several clients that keep a node busy until it dies, and note what it acknowledges before they ask for more."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from csbond_tests.drills.acknowledged import Acknowledged, HeldMemory, HeldTask, HeldWebhook, texts_of
from csbond_tests.drills.wire import Gone, Wire, text_message

__all__ = ["LOAD_SKILL", "Inbox", "Load", "inbox"]

LOAD_SKILL = '''
"""Says back what it is told, word by word; asks for more, or works for ever, when it is told so."""

import asyncio

from csbond.flows.turn import Ask
from csbond.protocol.messages.part import text_part

STEP_S = 0.002


async def answer(text: str):
    if text.startswith("Work"):
        yield "at it"
        await asyncio.Event().wait()
    for word in text[:60].split(" "):
        yield word + " "
        await asyncio.sleep(STEP_S)
    if text.startswith("Ask"):
        yield Ask((text_part("And then?"),))
'''
"""The module of the skill: its chunks reach the disk while others are committed, and some tasks never end."""

_LONG = "Mira keeps the list of everything that was agreed on in the red folder on the second shelf. " * 40
"""More than one entry holds, so that a message leaves several that go on from each other."""
_CHANGES = 3
_WORKING = 2


@dataclass
class Inbox:
    """What the webhooks were told: task ids with the states they heard, in order."""

    port: int
    heard: dict[str, list[str]] = field(default_factory=dict)


@dataclass
class Load:
    """The clients of one life of a node; `name` makes their ids and texts their own."""

    name: str
    port: int
    token: str
    inbox: Inbox
    held: Acknowledged = field(default_factory=Acknowledged)

    async def until_it_dies(self) -> None:
        """Run the clients until the node hangs up on each of them."""
        async with asyncio.TaskGroup() as clients:
            for number in range(3):
                clients.create_task(self._client(self._talk, number))
                clients.create_task(self._client(self._stream, number))
            for number in range(2):
                clients.create_task(self._client(self._remember, number))
            clients.create_task(self._client(self._ask, 0))
            clients.create_task(self._client(self._leave_work, 0))

    async def _client(self, play: Callable[[Wire, str], Awaitable[None]], number: int) -> None:
        try:
            wire = await Wire.open(self.port, self.token)
        except Gone:
            return
        try:
            await play(wire, f"{self.name}-{play.__name__.strip('_')}-{number}")
        except Gone:
            return
        finally:
            wire.vanish()

    async def _talk(self, wire: Wire, me: str) -> None:
        for number in count():
            text = f"The box {me}-{number} is green. " + (_LONG if number % 16 == 0 else "")
            message = text_message(f"{me}-{number}", text, contextId=me)
            self._note(message, (await wire.call("SendMessage", message))["task"], ended=True)

    async def _stream(self, wire: Wire, me: str) -> None:
        for number in count():
            message = text_message(f"{me}-{number}", f"The lamp {me}-{number} stands on the left.", contextId=me)
            said: list[str] = []
            task: dict[str, Any] = {}
            async for event in wire.follow("SendStreamingMessage", message):
                if "task" in event:
                    task = event["task"]
                    self._note(message, task)
                elif "artifactUpdate" in event:
                    said += [part["text"] for part in event["artifactUpdate"]["artifact"]["parts"]]
                else:
                    whole = [{"parts": [{"text": "".join(said)}]}]
                    self._note(message, {**task, "status": event["statusUpdate"]["status"], "artifacts": whole}, True)

    async def _ask(self, wire: Wire, me: str) -> None:
        """Each task gets a second message, on which it goes on."""
        for number in count():
            message = text_message(f"{me}-{number}-a", f"Ask Jonas about {me}-{number}.", contextId=me)
            task = (await wire.call("SendMessage", message))["task"]
            self._note(message, task, ended=True)
            more = text_message(f"{me}-{number}-b", f"Jonas agreed to {me}-{number}.", taskId=task["id"])
            held = self.held.tasks[task["id"]]
            held.state, held.said = "", ()  # until the second answer it is either
            self._note(more, (await wire.call("SendMessage", more))["task"], ended=True)

    async def _leave_work(self, wire: Wire, me: str) -> None:
        """A few tasks that are at work when the node dies, each with two webhooks; then more webhooks."""
        url = f"http://127.0.0.1:{self.inbox.port}/{me}"
        for number in range(_WORKING):
            message = text_message(f"{me}-{number}", f"Work on {me}-{number}.", contextId=me)
            first = {"url": url, "id": "first"}
            settings = {"returnImmediately": True, "taskPushNotificationConfig": first}
            task = (await wire.call("SendMessage", {**message, "configuration": settings}))["task"]
            self._note(message, task)
            self.held.webhooks.append(HeldWebhook(task["id"], "first", url))
            for more in range(4):
                params = {"taskId": task["id"], "url": url, "id": f"more-{more}"}
                await wire.call("CreateTaskPushNotificationConfig", params)
                self.held.webhooks.append(HeldWebhook(task["id"], params["id"], url))

    async def _remember(self, wire: Wire, me: str) -> None:
        """Memories are written, edited and, every third, deleted again."""
        for number in count():
            content = f"The key {me}-{number} hangs by the door."
            id_ = (await wire.good("POST", "/v1/memory", {"content": content}))["id"]
            held = self.held.memories[id_] = HeldMemory(id_, (content, 1), (content, 1))
            held.underway = f"{content} Not any more.", 2
            await wire.good("PUT", f"/v1/memory/{id_}", {"content": held.underway[0]})
            held.state = held.underway
            if number % _CHANGES == 0:
                held.underway = None
                await wire.good("DELETE", f"/v1/memory/{id_}")
                held.state = None

    def _note(self, message: dict[str, Any], task: dict[str, Any], ended: bool = False) -> None:
        held = self.held.tasks.setdefault(task["id"], HeldTask(task["id"], task["contextId"], []))
        id_ = message["message"]["messageId"]
        if id_ not in held.messages:
            held.messages.append(id_)
        if ended:
            held.state, held.said = task["status"]["state"], texts_of(task)


@asynccontextmanager
async def inbox() -> AsyncIterator[Inbox]:
    """A server that takes notifications until the block ends."""
    box = Inbox(0)

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        wire = Wire(reader, writer)
        try:
            while True:
                task = _task_in(await wire.request())
                box.heard.setdefault(task["id"], []).append(task["status"]["state"])
                await wire.say(b"HTTP/1.1 204 No Content\r\n\r\n")
        except Gone:
            wire.vanish()

    server = await asyncio.start_server(take, "127.0.0.1", 0)
    box.port = server.sockets[0].getsockname()[1]
    try:
        yield box
    finally:
        server.close()
        await server.wait_closed()


def _task_in(told: dict[str, Any]) -> dict[str, Any]:
    """The id and the status, whether the whole task was told or one of its events."""
    if "task" in told:
        task: dict[str, Any] = told["task"]
        return task
    event = told.get("statusUpdate") or told.get("artifactUpdate") or {}
    return {"id": event["taskId"], "status": event.get("status", {"state": ""})}
