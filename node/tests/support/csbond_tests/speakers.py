"""Clients of a node, one for each binding and dialect over HTTP, that all speak and hear the JSON of A2A v1.0.

What they say and hear in older dialects is translated by the compatibility layer of the official SDK, so that a node
that misunderstands a dialect cannot agree with itself about it.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx
from a2a.compat.v0_3 import a2a_v0_3_pb2 as old_pb
from a2a.compat.v0_3 import conversions, types
from a2a.compat.v0_3.proto_utils import FromProto, ToProto
from a2a.types import a2a_pb2 as pb
from google.protobuf.json_format import MessageToDict, ParseDict

__all__ = ["HttpSpeaker", "OldHttpSpeaker", "OldRpcSpeaker", "RpcSpeaker", "SaidNo", "older_message", "older_webhook"]

Json = dict[str, Any]


class SaidNo(Exception):
    """The node refused; `name` is the code of the registry, `error` what came over the wire."""

    def __init__(self, name: str, error: Any, status: int | str) -> None:
        super().__init__(f"{name}: {error}")
        self.name, self.error, self.status = name, error, status


async def events_of(response: httpx.Response) -> AsyncIterator[Any]:
    """The JSON of each event of a stream."""
    assert response.headers["content-type"].startswith("text/event-stream"), response.headers
    async for line in response.aiter_lines():
        if line.startswith("data: "):
            yield json.loads(line.removeprefix("data: "))


def send_params(message: Json, **facts: Any) -> Json:
    """A SendMessageRequest; facts of the configuration go there."""
    metadata = facts.pop("metadata", None)
    return {"message": message, "configuration": facts} | ({"metadata": metadata} if metadata else {})


@dataclass
class RpcSpeaker:
    """JSON-RPC in v1.0."""

    http: httpx.AsyncClient
    path: str = "/"
    headers: tuple[tuple[str, str], ...] = (("A2A-Version", "1.0"),)

    async def send(self, message: Json, **facts: Any) -> Any:
        return await self.ask("SendMessage", send_params(message, **facts))

    def stream(self, message: Json, **facts: Any) -> AsyncIterator[Any]:
        return self.follow("SendStreamingMessage", send_params(message, **facts))

    async def get(self, task_id: str, **facts: Any) -> Any:
        return await self.ask("GetTask", {"id": task_id, **facts})

    async def list(self, **facts: Any) -> Any:
        return await self.ask("ListTasks", facts)

    async def cancel(self, task_id: str) -> Any:
        return await self.ask("CancelTask", {"id": task_id})

    def subscribe(self, task_id: str) -> AsyncIterator[Any]:
        return self.follow("SubscribeToTask", {"id": task_id})

    async def push_create(self, task_id: str, config: Json) -> Any:
        return await self.ask("CreateTaskPushNotificationConfig", {"taskId": task_id, **config})

    async def push_get(self, task_id: str, config_id: str) -> Any:
        return await self.ask("GetTaskPushNotificationConfig", {"taskId": task_id, "id": config_id})

    async def push_list(self, task_id: str) -> Any:
        return await self.ask("ListTaskPushNotificationConfigs", {"taskId": task_id})

    async def push_delete(self, task_id: str, config_id: str) -> Any:
        return await self.ask("DeleteTaskPushNotificationConfig", {"taskId": task_id, "id": config_id})

    async def card(self) -> Any:
        return await self.ask("GetExtendedAgentCard", {})

    async def ask(self, method: str, params: Any) -> Any:
        """The result of a method; `SaidNo` for an error."""
        body = {"jsonrpc": "2.0", "id": "call-1", "method": method, "params": params}
        response = await self.http.post(self.path, json=body, headers=dict(self.headers))
        return self.result_of(response.json(), response.status_code)

    async def follow(self, method: str, params: Any) -> AsyncIterator[Any]:
        """The results of a method that streams."""
        body = {"jsonrpc": "2.0", "id": "call-1", "method": method, "params": params}
        async with self.http.stream("POST", self.path, json=body, headers=dict(self.headers)) as response:
            if not response.headers["content-type"].startswith("text/event-stream"):
                self.result_of(json.loads(await response.aread()), response.status_code)
            async for answer in events_of(response):
                yield self.result_of(answer, response.status_code)

    def result_of(self, answer: Any, status: int) -> Any:
        assert answer["jsonrpc"] == "2.0"
        # Whoever is turned away at the door has not been read.
        assert answer["id"] == (None if status == 401 else "call-1")
        if "error" in answer:
            raise SaidNo(self.name_of(answer["error"]), answer["error"], status)
        return answer["result"]

    def name_of(self, error: Json) -> str:
        return str(error["data"][0]["metadata"]["csb_code"])


def older_message(message: Json) -> types.Message:
    """A v1.0 message as the SDK says it in v0.3."""
    return conversions.to_compat_message(ParseDict(message, pb.Message()))


def spoken(model: Any) -> Json:
    """The JSON of a v0.3 value."""
    found: Json = model.model_dump(mode="json", by_alias=True, exclude_none=True)
    return found


def older_webhook(config: Json) -> Json:
    """A flat v1.0 webhook in the nested form of v0.3."""
    inner: Json = {name: config[name] for name in ("id", "url", "token") if name in config}
    if "authentication" in config:
        authentication = config["authentication"]
        inner["authentication"] = {
            "schemes": [authentication["scheme"]],
            "credentials": authentication.get("credentials"),
        }
    return inner


def newer_webhook(config: Any) -> Json:
    """A v0.3 webhook as the flat v1.0 one."""
    return MessageToDict(conversions.to_core_task_push_notification_config(config))


def older_configuration(facts: Json) -> Json:
    """The configuration of a v1.0 request as v0.3 says it."""
    found: Json = {name: facts[name] for name in ("acceptedOutputModes", "historyLength") if name in facts}
    found["blocking"] = not facts.get("returnImmediately", False)
    if "taskPushNotificationConfig" in facts:
        found["pushNotificationConfig"] = older_webhook(facts["taskPushNotificationConfig"])
    return found


def newer_event(result: Json) -> Json:
    """A v0.3 result by its kind as a v1.0 StreamResponse."""
    kind = result["kind"]
    if kind == "task":
        return {"task": MessageToDict(conversions.to_core_task(types.Task.model_validate(result)))}
    if kind == "message":
        return {"message": MessageToDict(conversions.to_core_message(types.Message.model_validate(result)))}
    if kind == "status-update":
        status = types.TaskStatusUpdateEvent.model_validate(result)
        return {"statusUpdate": MessageToDict(conversions.to_core_task_status_update_event(status))}
    chunk = types.TaskArtifactUpdateEvent.model_validate(result)
    return {"artifactUpdate": MessageToDict(conversions.to_core_task_artifact_update_event(chunk))}


class OldRpcSpeaker(RpcSpeaker):
    """JSON-RPC in v0.3."""

    send_name, stream_name, subscribe_name = "message/send", "message/stream", "tasks/resubscribe"

    def params_of(self, message: Json, facts: Json) -> Json:
        params = send_params({}, **facts)
        return {
            **params,
            "message": spoken(older_message(message)),
            "configuration": older_configuration(params["configuration"]),
        }

    def event_of(self, result: Json) -> Json:
        return newer_event(result)

    async def send(self, message: Json, **facts: Any) -> Any:
        return self.event_of(await self.ask(self.send_name, self.params_of(message, facts)))

    async def stream(self, message: Json, **facts: Any) -> AsyncIterator[Any]:
        async for result in self.follow(self.stream_name, self.params_of(message, facts)):
            yield self.event_of(result)

    async def subscribe(self, task_id: str) -> AsyncIterator[Any]:
        async for result in self.follow(self.subscribe_name, {"id": task_id}):
            yield self.event_of(result)

    async def get(self, task_id: str, **facts: Any) -> Any:
        return self.event_of(await self.ask("tasks/get", {"id": task_id, **facts}))["task"]

    async def list(self, **facts: Any) -> Any:
        listing = await self.ask("tasks/list", facts)
        return {**listing, "tasks": [self.event_of(task)["task"] for task in listing["tasks"]]}

    async def cancel(self, task_id: str) -> Any:
        return self.event_of(await self.ask("tasks/cancel", {"id": task_id}))["task"]

    async def push_create(self, task_id: str, config: Json) -> Any:
        params = {"taskId": task_id, "pushNotificationConfig": older_webhook(config)}
        return self._webhook(await self.ask("tasks/pushNotificationConfig/set", params))

    async def push_get(self, task_id: str, config_id: str) -> Any:
        params = {"id": task_id} | ({"pushNotificationConfigId": config_id} if config_id else {})
        return self._webhook(await self.ask("tasks/pushNotificationConfig/get", params))

    async def push_list(self, task_id: str) -> Any:
        found = await self.ask("tasks/pushNotificationConfig/list", {"id": task_id})
        return {"configs": [self._webhook(each) for each in found]}

    async def push_delete(self, task_id: str, config_id: str) -> Any:
        params = {"id": task_id, "pushNotificationConfigId": config_id}
        return await self.ask("tasks/pushNotificationConfig/delete", params)

    async def card(self) -> Any:
        return await self.ask("agent/getAuthenticatedExtendedCard", None)

    def name_of(self, error: Json) -> str:
        data = error["data"]
        return super().name_of(error) if isinstance(data, list) else str(data["csb_code"])

    def _webhook(self, result: Json) -> Json:
        return newer_webhook(types.TaskPushNotificationConfig.model_validate(result))


@dataclass
class HttpSpeaker:
    """HTTP+JSON in v1.0."""

    http: httpx.AsyncClient
    prefix: str = ""
    headers: tuple[tuple[str, str], ...] = (("A2A-Version", "1.0"),)

    async def send(self, message: Json, **facts: Any) -> Any:
        return await self.ask("POST", "/message:send", send_params(message, **facts))

    def stream(self, message: Json, **facts: Any) -> AsyncIterator[Any]:
        return self.follow("POST", "/message:stream", send_params(message, **facts))

    async def get(self, task_id: str, **facts: Any) -> Any:
        return await self.ask("GET", f"/tasks/{task_id}", None, **facts)

    async def list(self, **facts: Any) -> Any:
        return await self.ask("GET", "/tasks", None, **facts)

    async def cancel(self, task_id: str) -> Any:
        return await self.ask("POST", f"/tasks/{task_id}:cancel", {})

    def subscribe(self, task_id: str) -> AsyncIterator[Any]:
        return self.follow("POST", f"/tasks/{task_id}:subscribe", None)

    async def push_create(self, task_id: str, config: Json) -> Any:
        return await self.ask("POST", f"/tasks/{task_id}/pushNotificationConfigs", config)

    async def push_get(self, task_id: str, config_id: str) -> Any:
        return await self.ask("GET", f"/tasks/{task_id}/pushNotificationConfigs/{config_id}", None)

    async def push_list(self, task_id: str) -> Any:
        return await self.ask("GET", f"/tasks/{task_id}/pushNotificationConfigs", None)

    async def push_delete(self, task_id: str, config_id: str) -> Any:
        return await self.ask("DELETE", f"/tasks/{task_id}/pushNotificationConfigs/{config_id}", None)

    async def card(self) -> Any:
        return await self.ask("GET", "/extendedAgentCard", None)

    async def ask(self, verb: str, path: str, body: Any, **query: Any) -> Any:
        """The answer of a route; `SaidNo` for an error."""
        words = {name: str(value).lower() if isinstance(value, bool) else value for name, value in query.items()}
        response = await self.http.request(
            verb, self.prefix + path, json=body, params=words, headers=dict(self.headers)
        )
        return self.result_of(response.status_code, response.json())

    async def follow(self, verb: str, path: str, body: Any) -> AsyncIterator[Any]:
        """The events of a route that streams."""
        async with self.http.stream(verb, self.prefix + path, json=body, headers=dict(self.headers)) as response:
            if not response.headers["content-type"].startswith("text/event-stream"):
                self.result_of(response.status_code, json.loads(await response.aread()))
            async for answer in events_of(response):
                yield self.result_of(response.status_code, answer)

    def result_of(self, status: int, answer: Any) -> Any:
        if "error" in answer:
            error = answer["error"]
            raise SaidNo(str(error["details"][0]["metadata"]["csb_code"]), error, status)
        assert status == 200, (status, answer)
        return answer


class OldHttpSpeaker(HttpSpeaker):
    """HTTP+JSON in v0.3: the JSON of its protobuf types."""

    def body_of(self, message: Json, facts: Json) -> Json:
        configuration = older_configuration(facts)
        settings = types.MessageSendConfiguration.model_validate(configuration)
        request = old_pb.SendMessageRequest(
            request=ToProto.message(older_message(message)),
            configuration=ToProto.message_send_configuration(settings),
        )
        body = MessageToDict(request)
        # ProtoJSON leaves out what is 0 or false; this client does not.
        body["configuration"] |= {
            name: configuration[name] for name in ("blocking", "historyLength") if name in configuration
        }
        return body

    def event_of(self, answer: Json) -> Json:
        ((name, value),) = answer.items()
        if name == "task":
            return newer_event(spoken(FromProto.task(ParseDict(value, old_pb.Task()))))
        if name == "message":
            return newer_event(spoken(FromProto.message(ParseDict(value, old_pb.Message()))))
        if name == "statusUpdate":
            status = ParseDict(value, old_pb.TaskStatusUpdateEvent())
            return newer_event(spoken(FromProto.task_status_update_event(status)))
        chunk = ParseDict(value, old_pb.TaskArtifactUpdateEvent())
        return newer_event(spoken(FromProto.task_artifact_update_event(chunk)))

    async def send(self, message: Json, **facts: Any) -> Any:
        return self.event_of(await self.ask("POST", "/message:send", self.body_of(message, facts)))

    async def stream(self, message: Json, **facts: Any) -> AsyncIterator[Any]:
        async for answer in self.follow("POST", "/message:stream", self.body_of(message, facts)):
            yield self.event_of(answer)

    async def subscribe(self, task_id: str) -> AsyncIterator[Any]:
        async for answer in self.follow("GET", f"/tasks/{task_id}:subscribe", None):
            yield self.event_of(answer)

    async def get(self, task_id: str, **facts: Any) -> Any:
        return self.event_of({"task": await self.ask("GET", f"/tasks/{task_id}", None, **facts)})["task"]

    async def cancel(self, task_id: str) -> Any:
        return self.event_of({"task": await self.ask("POST", f"/tasks/{task_id}:cancel", {})})["task"]

    async def push_create(self, task_id: str, config: Json) -> Any:
        inner = {"pushNotificationConfig": older_webhook(config)}
        body = {"parent": f"tasks/{task_id}", "configId": config.get("id", ""), "config": inner}
        return self._webhook(await self.ask("POST", f"/tasks/{task_id}/pushNotificationConfigs", body))

    async def push_get(self, task_id: str, config_id: str) -> Any:
        return self._webhook(await super().push_get(task_id, config_id))

    async def push_list(self, task_id: str) -> Any:
        found = await super().push_list(task_id)
        ParseDict(found, old_pb.ListTaskPushNotificationConfigResponse())
        return {"configs": [self._webhook(each) for each in found.get("configs", [])]}

    async def card(self) -> Any:
        return await self.ask("GET", "/card", None)

    def _webhook(self, answer: Json) -> Json:
        config = ParseDict(answer, old_pb.TaskPushNotificationConfig())
        return newer_webhook(FromProto.task_push_notification_config(config))
