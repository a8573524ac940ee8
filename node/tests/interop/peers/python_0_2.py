"""Drive an agent with the official Python client of A2A 0.2, a2a-sdk 0.2.16, over JSON-RPC, the one binding it has.

Usage: python_0_2.py URL [PREFIX]. A message whose id begins with PREFIX leaves its task waiting for input; without
one, canceling the ended task must be refused. The release has no call to resubscribe. Prints one JSON object a step;
exits 0 when all steps are ok.
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
from a2a.client import A2ACardResolver, A2AClient
from a2a.types import (
    CancelTaskRequest,
    GetTaskPushNotificationConfigParams,
    GetTaskPushNotificationConfigRequest,
    GetTaskRequest,
    JSONRPCErrorResponse,
    Message,
    MessageSendParams,
    Part,
    PushNotificationConfig,
    Role,
    SendMessageRequest,
    SendStreamingMessageRequest,
    SetTaskPushNotificationConfigRequest,
    Task,
    TaskIdParams,
    TaskPushNotificationConfig,
    TaskQueryParams,
    TaskState,
    TextPart,
)

ANSWERED = {TaskState.completed, TaskState.input_required}
TASK_NOT_FOUND, TASK_NOT_CANCELABLE = -32001, -32002
WEBHOOK = "https://hooks.example.com/csbond"
TEXT = "The tide table hangs beside the door."
PATIENCE_S = 10.0


def said(prefix: str = "peer") -> MessageSendParams:
    message = Message(message_id=f"{prefix}-{uuid4()}", role=Role.user, parts=[Part(TextPart(text=TEXT))])
    return MessageSendParams(message=message)


def new_id() -> str:
    return str(uuid4())


def result_of(response: object) -> object:
    assert not isinstance(response.root, JSONRPCErrorResponse), response.root.error
    return response.root.result


def refusal_of(response: object, code: int) -> str:
    assert isinstance(response.root, JSONRPCErrorResponse), response.root
    assert response.root.error.code == code, response.root.error
    return f"refused: {response.root.error.message}"


class Visit:
    """The steps; later ones use the task of the first."""

    def __init__(self, url: str, prefix: str, http: httpx.AsyncClient) -> None:
        self.url, self.prefix, self.http = url, prefix, http
        self.client: A2AClient | None = None
        self.task: Task | None = None

    async def task_of(self, params: MessageSendParams) -> Task:
        answer = result_of(await self.client.send_message(SendMessageRequest(id=new_id(), params=params)))
        assert isinstance(answer, Task), answer
        return answer

    async def waiting_task(self) -> Task:
        task = await self.task_of(said(self.prefix))
        assert task.status.state == TaskState.input_required, task
        return task

    async def card(self) -> str:
        resolver = A2ACardResolver(self.http, self.url)
        assert resolver.agent_card_path == ".well-known/agent.json", resolver.agent_card_path
        card = await resolver.get_agent_card()
        self.client = A2AClient(self.http, agent_card=card)
        return f"{card.name} at {card.url}"

    async def send(self) -> str:
        self.task = await self.task_of(said())
        assert self.task.status.state in ANSWERED, self.task.status
        return self.task.status.state.value

    async def stream(self) -> str:
        request = SendStreamingMessageRequest(id=new_id(), params=said())
        events = [result_of(event) async for event in self.client.send_message_streaming(request)]
        assert isinstance(events[0], Task), events[0]
        assert events[-1].status.state in ANSWERED, events[-1]
        assert events[-1].final, events[-1]
        return f"{len(events)} events, last {events[-1].status.state.value}"

    async def get(self) -> str:
        asked = GetTaskRequest(id=new_id(), params=TaskQueryParams(id=self.task.id))
        task = result_of(await self.client.get_task(asked))
        assert (task.id, task.context_id) == (self.task.id, self.task.context_id), task
        assert any(part.root.text == TEXT for message in task.history for part in message.parts), task.history
        return f"{len(task.history)} messages"

    async def get_unknown(self) -> str:
        asked = GetTaskRequest(id=new_id(), params=TaskQueryParams(id=new_id()))
        return refusal_of(await self.client.get_task(asked), TASK_NOT_FOUND)

    async def push(self) -> str:
        wanted = PushNotificationConfig(id="hook", url=WEBHOOK, token="quay")
        kept = TaskPushNotificationConfig(task_id=self.task.id, push_notification_config=wanted)
        asked = SetTaskPushNotificationConfigRequest(id=new_id(), params=kept)
        assert result_of(await self.client.set_task_callback(asked)).push_notification_config.url == WEBHOOK
        for params in (
            TaskIdParams(id=self.task.id),
            GetTaskPushNotificationConfigParams(id=self.task.id, push_notification_config_id="hook"),
        ):
            query = GetTaskPushNotificationConfigRequest(id=new_id(), params=params)
            assert result_of(await self.client.get_task_callback(query)).push_notification_config.url == WEBHOOK, params
        return "set, got without and with its id"

    async def cancel(self) -> str:
        task = await self.waiting_task() if self.prefix else self.task
        response = await self.client.cancel_task(CancelTaskRequest(id=new_id(), params=TaskIdParams(id=task.id)))
        if not self.prefix:
            return refusal_of(response, TASK_NOT_CANCELABLE)
        assert result_of(response).status.state == TaskState.canceled, response
        return TaskState.canceled.value


async def run(step: str, call: Callable[[], Awaitable[str]]) -> bool:
    try:
        ok, detail = True, await asyncio.wait_for(call(), 2 * PATIENCE_S)
    except Exception as problem:
        ok, detail = False, f"{type(problem).__name__}: {problem}"
    sys.stdout.write(json.dumps({"step": step, "ok": ok, "detail": detail}) + "\n")
    return ok


async def main(url: str, prefix: str = "") -> int:
    async with httpx.AsyncClient(timeout=PATIENCE_S, trust_env=False) as http:
        steps = Visit(url, prefix, http)
        names = ("card", "send", "stream", "get", "get_unknown", "push", "cancel")
        done = [await run(name, getattr(steps, name)) for name in names]
    return 0 if all(done) else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main(*sys.argv[1:])))
