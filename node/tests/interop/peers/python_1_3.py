"""Drive an agent with the official Python client, a2a-sdk 1.3: every binding its card offers for A2A 1.0.

Usage: python_1_3.py URL [PREFIX]. A message whose id begins with PREFIX leaves its task waiting for input; without
one, subscribing to the ended task and canceling it must be refused. Prints one JSON object a step; exits 0 when all
steps are ok.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any
from uuid import uuid4

import httpx
from a2a.client import A2ACardResolver, Client, ClientConfig, ClientFactory
from a2a.types import (
    AgentCard,
    CancelTaskRequest,
    DeleteTaskPushNotificationConfigRequest,
    GetTaskPushNotificationConfigRequest,
    GetTaskRequest,
    ListTaskPushNotificationConfigsRequest,
    ListTasksRequest,
    Message,
    Part,
    Role,
    SendMessageRequest,
    StreamResponse,
    SubscribeToTaskRequest,
    Task,
    TaskPushNotificationConfig,
    TaskState,
)
from a2a.utils.errors import TaskNotCancelableError, TaskNotFoundError, UnsupportedOperationError

ENDED = {
    TaskState.TASK_STATE_COMPLETED,
    TaskState.TASK_STATE_FAILED,
    TaskState.TASK_STATE_CANCELED,
    TaskState.TASK_STATE_REJECTED,
}
WEBHOOK = "https://hooks.example.com/csbond"
TEXT = "The tide table hangs beside the door."
PATIENCE_S = 10.0


def said(prefix: str = "peer") -> SendMessageRequest:
    message = Message(message_id=f"{prefix}-{uuid4()}", role=Role.ROLE_USER, parts=[Part(text=TEXT)])
    return SendMessageRequest(message=message)


def state_of(event: StreamResponse) -> TaskState | None:
    kind = event.WhichOneof("payload")
    if kind == "task":
        return event.task.status.state
    return event.status_update.status.state if kind == "status_update" else None


class Visit:
    """One binding's steps; later ones use the tasks of earlier ones."""

    def __init__(self, prefix: str, once: Client, streaming: Client) -> None:
        self.prefix, self.once, self.streaming = prefix, once, streaming
        self.task = Task()

    async def send(self) -> str:
        self.task = await self.task_of(said())
        assert self.task.status.state in ENDED | {TaskState.TASK_STATE_INPUT_REQUIRED}, self.task.status
        return TaskState.Name(self.task.status.state)

    async def task_of(self, request: SendMessageRequest) -> Task:
        events = [event async for event in self.once.send_message(request)]
        assert len(events) == 1, f"{len(events)} answers"
        assert events[0].HasField("task"), events[0]
        return events[0].task

    async def stream(self) -> str:
        events = [event async for event in self.streaming.send_message(said())]
        assert events[0].HasField("task"), events[0]
        states = [state for state in map(state_of, events) if state is not None]
        assert states[-1] in ENDED | {TaskState.TASK_STATE_INPUT_REQUIRED}, states
        return f"{len(events)} events, last {TaskState.Name(states[-1])}"

    async def get(self) -> str:
        task = await self.once.get_task(GetTaskRequest(id=self.task.id))
        assert (task.id, task.context_id) == (self.task.id, self.task.context_id), task
        assert any(part.text == TEXT for message in task.history for part in message.parts), task.history
        return f"{len(task.history)} messages"

    async def get_unknown(self) -> str:
        try:
            await self.once.get_task(GetTaskRequest(id=str(uuid4())))
        except TaskNotFoundError as refusal:
            return f"refused: {refusal}"
        raise AssertionError("a task nobody made was found")

    async def list(self) -> str:
        page = await self.once.list_tasks(ListTasksRequest(context_id=self.task.context_id, page_size=10))
        assert [task.id for task in page.tasks] == [self.task.id], page
        return f"{page.total_size} in the context"

    async def push(self) -> str:
        wanted = TaskPushNotificationConfig(task_id=self.task.id, id="hook", url=WEBHOOK, token="quay")
        await self.once.create_task_push_notification_config(wanted)
        query = GetTaskPushNotificationConfigRequest(task_id=self.task.id, id="hook")
        assert (await self.once.get_task_push_notification_config(query)).url == WEBHOOK
        every = ListTaskPushNotificationConfigsRequest(task_id=self.task.id)
        assert [each.id for each in (await self.once.list_task_push_notification_configs(every)).configs] == ["hook"]
        gone = DeleteTaskPushNotificationConfigRequest(task_id=self.task.id, id="hook")
        await self.once.delete_task_push_notification_config(gone)
        assert not (await self.once.list_task_push_notification_configs(every)).configs
        return "set, got, listed, deleted"

    async def waiting_task(self) -> Task:
        task = await self.task_of(said(self.prefix))
        assert task.status.state == TaskState.TASK_STATE_INPUT_REQUIRED, task
        return task

    async def subscribe(self) -> str:
        if not self.prefix:
            try:
                await anext(self.streaming.subscribe(SubscribeToTaskRequest(id=self.task.id)))
            except UnsupportedOperationError as refusal:
                return f"refused: {refusal}"
            raise AssertionError("an ended task has nothing to subscribe to")
        waiting = await self.waiting_task()
        events = self.streaming.subscribe(SubscribeToTaskRequest(id=waiting.id))
        first = await anext(events)
        assert first.task.id == waiting.id, first
        await self.once.cancel_task(CancelTaskRequest(id=waiting.id))
        rest = [state_of(event) async for event in events]
        assert rest[-1] == TaskState.TASK_STATE_CANCELED, rest
        return "snapshot, then the end"

    async def cancel(self) -> str:
        if self.prefix:
            waiting = await self.waiting_task()
            task = await self.once.cancel_task(CancelTaskRequest(id=waiting.id))
            assert task.status.state == TaskState.TASK_STATE_CANCELED, task
            return TaskState.Name(task.status.state)
        try:
            await self.once.cancel_task(CancelTaskRequest(id=self.task.id))
        except TaskNotCancelableError as refusal:
            return f"refused: {refusal}"
        raise AssertionError("an ended task was canceled")


async def run(step: str, call: Callable[[], Awaitable[str]]) -> bool:
    try:
        ok, detail = True, await asyncio.wait_for(call(), 2 * PATIENCE_S)
    except Exception as problem:
        ok, detail = False, f"{type(problem).__name__}: {problem}"
    sys.stdout.write(json.dumps({"step": step, "ok": ok, "detail": detail}) + "\n")
    return ok


async def visit(card: AgentCard, binding: str, prefix: str, http: httpx.AsyncClient) -> list[bool]:
    config: dict[str, Any] = {
        "httpx_client": http,
        "supported_protocol_bindings": [binding],
        "use_client_preference": True,
    }
    if binding == "GRPC":
        from grpc.aio import insecure_channel

        config["grpc_channel_factory"] = insecure_channel
    once = ClientFactory(ClientConfig(streaming=False, **config)).create(card)
    streaming = ClientFactory(ClientConfig(streaming=True, **config)).create(card)
    steps = Visit(prefix, once, streaming)
    names = ("send", "stream", "get", "get_unknown", "list", "push", "subscribe", "cancel")
    return [await run(f"{binding} {name}", getattr(steps, name)) for name in names]


async def main(url: str, prefix: str = "") -> int:
    async with httpx.AsyncClient(timeout=PATIENCE_S, trust_env=False) as http:
        cards: list[AgentCard] = []

        async def resolve() -> str:
            cards.append(await A2ACardResolver(http, url).get_agent_card())
            return cards[0].name

        done = [await run("card", resolve)]
        for card in cards:
            offered = {each.protocol_binding for each in card.supported_interfaces if each.protocol_version == "1.0"}
            done.append(await run("bindings", partial(named, offered)))
            for binding in sorted(offered):
                done += await visit(card, binding, prefix, http)
    return 0 if all(done) else 1


async def named(bindings: set[str]) -> str:
    assert {"JSONRPC", "HTTP+JSON"} <= bindings, bindings
    return ", ".join(sorted(bindings))


if __name__ == "__main__":
    sys.exit(asyncio.run(main(*sys.argv[1:])))
