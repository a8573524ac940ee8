"""Drive an agent with the official Python client of A2A 0.3, a2a-sdk 0.3.26, over JSON-RPC and HTTP+JSON.

Usage: python_0_3.py URL [PREFIX]. A message whose id begins with PREFIX leaves its task waiting for input; without
one, resubscribing to the ended task and canceling it must be refused. Prints one JSON object a step; exits 0 when all
steps are ok.
"""
# The types of this release are in its own environment only.
# mypy: ignore-errors

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from uuid import uuid4

import httpx
from a2a.client import A2ACardResolver, A2AClientError, Client, ClientConfig, ClientFactory
from a2a.client.errors import A2AClientHTTPError, A2AClientJSONRPCError
from a2a.types import (
    AgentCard,
    GetTaskPushNotificationConfigParams,
    Message,
    Part,
    PushNotificationConfig,
    Role,
    Task,
    TaskIdParams,
    TaskPushNotificationConfig,
    TaskQueryParams,
    TaskState,
    TextPart,
    TransportProtocol,
)

ANSWERED = {TaskState.completed, TaskState.input_required}
TASK_NOT_FOUND, TASK_NOT_CANCELABLE, UNSUPPORTED_OPERATION = -32001, -32002, -32004
WEBHOOK = "https://hooks.example.com/csbond"
TEXT = "The tide table hangs beside the door."
PATIENCE_S = 10.0


def said(prefix: str = "peer") -> Message:
    return Message(message_id=f"{prefix}-{uuid4()}", role=Role.user, parts=[Part(TextPart(text=TEXT))])


def refusal_of(problem: A2AClientError, code: int) -> str:
    """HTTP+JSON of 0.3 has no error codes: there the status must say that the request was the client's mistake."""
    if isinstance(problem, A2AClientJSONRPCError):
        assert problem.error.code == code, problem
    else:
        assert isinstance(problem, A2AClientHTTPError), problem
        assert 400 <= problem.status_code < 500, problem
    return f"refused: {problem}"


class Visit:
    """One binding's steps; later ones use the task of the first."""

    def __init__(self, binding: str, prefix: str, once: Client, streaming: Client) -> None:
        self.binding, self.prefix, self.once, self.streaming = binding, prefix, once, streaming
        self.task: Task | None = None

    async def task_of(self, message: Message) -> Task:
        answers = [answer async for answer in self.once.send_message(message)]
        assert len(answers) == 1, f"{len(answers)} answers"
        assert isinstance(answers[0], tuple), answers[0]
        return answers[0][0]

    async def waiting_task(self) -> Task:
        task = await self.task_of(said(self.prefix))
        assert task.status.state == TaskState.input_required, task
        return task

    async def send(self) -> str:
        self.task = await self.task_of(said())
        assert self.task.status.state in ANSWERED, self.task.status
        return self.task.status.state.value

    async def stream(self) -> str:
        events = [event async for event in self.streaming.send_message(said())]
        assert events[0][1] is None, f"the first event is no task: {events[0]}"
        assert events[-1][0].status.state in ANSWERED, events[-1]
        return f"{len(events)} events, last {events[-1][0].status.state.value}"

    async def get(self) -> str:
        task = await self.once.get_task(TaskQueryParams(id=self.task.id))
        assert (task.id, task.context_id) == (self.task.id, self.task.context_id), task
        assert any(part.root.text == TEXT for message in task.history for part in message.parts), task.history
        return f"{len(task.history)} messages"

    async def get_unknown(self) -> str:
        try:
            await self.once.get_task(TaskQueryParams(id=str(uuid4())))
        except A2AClientError as refusal:
            return refusal_of(refusal, TASK_NOT_FOUND)
        raise AssertionError("a task nobody made was found")

    async def push(self) -> str:
        wanted = PushNotificationConfig(id="hook", url=WEBHOOK, token="quay")
        kept = TaskPushNotificationConfig(task_id=self.task.id, push_notification_config=wanted)
        assert (await self.once.set_task_callback(kept)).push_notification_config.url == WEBHOOK
        asked = [GetTaskPushNotificationConfigParams(id=self.task.id, push_notification_config_id="hook")]
        if self.binding == TransportProtocol.jsonrpc:
            asked.append(GetTaskPushNotificationConfigParams(id=self.task.id))
        for query in asked:
            assert (await self.once.get_task_callback(query)).push_notification_config.url == WEBHOOK, query
        return f"set, got in {len(asked)} way(s)"

    async def resubscribe(self) -> str:
        if not self.prefix:
            try:
                event = await anext(self.streaming.resubscribe(TaskIdParams(id=self.task.id)))
            except A2AClientError as refusal:
                return refusal_of(refusal, UNSUPPORTED_OPERATION)
            raise AssertionError(f"an ended task has nothing to resubscribe to: {event}")
        waiting = await self.waiting_task()
        events = self.streaming.resubscribe(TaskIdParams(id=waiting.id))
        assert (await anext(events))[0].id == waiting.id
        await self.once.cancel_task(TaskIdParams(id=waiting.id))
        rest = [event async for event in events]
        assert rest[-1][0].status.state == TaskState.canceled, rest
        return "snapshot, then the end"

    async def cancel(self) -> str:
        if self.prefix:
            task = await self.once.cancel_task(TaskIdParams(id=(await self.waiting_task()).id))
            assert task.status.state == TaskState.canceled, task
            return task.status.state.value
        try:
            await self.once.cancel_task(TaskIdParams(id=self.task.id))
        except A2AClientError as refusal:
            return refusal_of(refusal, TASK_NOT_CANCELABLE)
        raise AssertionError("an ended task was canceled")


async def run(step: str, call: Callable[[], Awaitable[str]]) -> bool:
    try:
        ok, detail = True, await asyncio.wait_for(call(), 2 * PATIENCE_S)
    except Exception as problem:
        ok, detail = False, f"{type(problem).__name__}: {problem}"
    sys.stdout.write(json.dumps({"step": step, "ok": ok, "detail": detail}) + "\n")
    return ok


async def visit(card: AgentCard, binding: str, prefix: str, http: httpx.AsyncClient) -> list[bool]:
    config = {"httpx_client": http, "supported_transports": [binding], "use_client_preference": True}
    once = ClientFactory(ClientConfig(streaming=False, **config)).create(card)
    streaming = ClientFactory(ClientConfig(streaming=True, **config)).create(card)
    steps = Visit(binding, prefix, once, streaming)
    names = ("send", "stream", "get", "get_unknown", "push", "resubscribe", "cancel")
    return [await run(f"{binding} {name}", getattr(steps, name)) for name in names]


async def main(url: str, prefix: str = "") -> int:
    async with httpx.AsyncClient(timeout=PATIENCE_S, trust_env=False) as http:
        cards: list[AgentCard] = []

        async def resolve() -> str:
            cards.append(await A2ACardResolver(http, url).get_agent_card())
            return f"{cards[0].name}, protocol {cards[0].protocol_version}"

        done = [await run("card", resolve)]
        for card in cards:
            for binding in (TransportProtocol.jsonrpc, TransportProtocol.http_json):
                done += await visit(card, binding.value, prefix, http)
    return 0 if all(done) else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main(*sys.argv[1:])))
