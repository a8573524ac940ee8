"""Clients of a node over gRPC, in v1.0 and in v0.3, that speak and hear the JSON of A2A v1.0."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, cast

import grpc
import grpc.aio
from a2a.compat.v0_3 import a2a_v0_3_pb2 as old_pb
from a2a.compat.v0_3 import a2a_v0_3_pb2_grpc, types
from a2a.compat.v0_3.proto_utils import FromProto, ToProto
from a2a.types import a2a_pb2 as pb
from a2a.types import a2a_pb2_grpc
from google.protobuf.json_format import MessageToDict, ParseDict
from google.rpc import error_details_pb2  # type: ignore[import-untyped]
from grpc_status import rpc_status

from csbond_tests.speakers import (
    Json,
    SaidNo,
    newer_event,
    newer_webhook,
    older_configuration,
    older_message,
    older_webhook,
    send_params,
    spoken,
)

__all__ = ["GrpcSpeaker", "OldGrpcSpeaker"]


_NAMES = {
    "PUSH_NOTIFICATION_NOT_SUPPORTED": "push_not_supported",
    "EXTENDED_AGENT_CARD_NOT_CONFIGURED": "extended_card_not_configured",
}
"""Where the protocol's name of an error is not that of the registry."""


def refused(fault: grpc.aio.AioRpcError) -> SaidNo:
    """The refusal inside a failed call, by its ErrorInfo where it has one."""
    status = rpc_status.from_call(cast(Any, fault))
    reason = fault.code().name.lower()
    for detail in status.details if status else ():
        info = error_details_pb2.ErrorInfo()
        if detail.Unpack(info):
            reason = _NAMES.get(info.reason, info.reason.lower())
    return SaidNo(reason, status, fault.code().name)


class GrpcSpeaker:
    """A2AService of v1.0."""

    version = "1.0"
    stubs: Any = a2a_pb2_grpc

    def __init__(self, address: str, token: str = "", **metadata: str) -> None:
        self.channel = grpc.aio.insecure_channel(address)
        self.stub = self.stubs.A2AServiceStub(self.channel)
        stated = {"a2a-version": self.version} | {name.replace("_", "-"): value for name, value in metadata.items()}
        if token:
            stated["authorization"] = f"Bearer {token}"
        self.metadata = tuple((name, value) for name, value in stated.items() if value)

    async def close(self) -> None:
        await self.channel.close()

    async def call(self, name: str, request: Any) -> Any:
        """The answer of a call; `SaidNo` for an error."""
        try:
            return await getattr(self.stub, name)(request, metadata=self.metadata, timeout=20)
        except grpc.aio.AioRpcError as fault:
            raise refused(fault) from fault

    async def follow(self, name: str, request: Any) -> AsyncIterator[Any]:
        """The answers of a call that streams."""
        try:
            async for answer in getattr(self.stub, name)(request, metadata=self.metadata, timeout=20):
                yield answer
        except grpc.aio.AioRpcError as fault:
            raise refused(fault) from fault

    async def send(self, message: Json, **facts: Any) -> Any:
        request = ParseDict(send_params(message, **facts), pb.SendMessageRequest())
        return MessageToDict(await self.call("SendMessage", request))

    async def stream(self, message: Json, **facts: Any) -> AsyncIterator[Any]:
        request = ParseDict(send_params(message, **facts), pb.SendMessageRequest())
        async for event in self.follow("SendStreamingMessage", request):
            yield MessageToDict(event)

    async def subscribe(self, task_id: str) -> AsyncIterator[Any]:
        async for event in self.follow("SubscribeToTask", pb.SubscribeToTaskRequest(id=task_id)):
            yield MessageToDict(event)

    async def get(self, task_id: str, **facts: Any) -> Any:
        return MessageToDict(await self.call("GetTask", ParseDict({"id": task_id, **facts}, pb.GetTaskRequest())))

    async def list(self, **facts: Any) -> Any:
        answer = await self.call("ListTasks", ParseDict(facts, pb.ListTasksRequest()))
        return MessageToDict(answer, always_print_fields_with_no_presence=True)

    async def cancel(self, task_id: str) -> Any:
        return MessageToDict(await self.call("CancelTask", pb.CancelTaskRequest(id=task_id)))

    async def push_create(self, task_id: str, config: Json) -> Any:
        request = ParseDict({"taskId": task_id, **config}, pb.TaskPushNotificationConfig())
        return MessageToDict(await self.call("CreateTaskPushNotificationConfig", request))

    async def push_get(self, task_id: str, config_id: str) -> Any:
        request = pb.GetTaskPushNotificationConfigRequest(task_id=task_id, id=config_id)
        return MessageToDict(await self.call("GetTaskPushNotificationConfig", request))

    async def push_list(self, task_id: str) -> Any:
        request = pb.ListTaskPushNotificationConfigsRequest(task_id=task_id)
        return {"configs": []} | MessageToDict(await self.call("ListTaskPushNotificationConfigs", request))

    async def push_delete(self, task_id: str, config_id: str) -> Any:
        request = pb.DeleteTaskPushNotificationConfigRequest(task_id=task_id, id=config_id)
        await self.call("DeleteTaskPushNotificationConfig", request)

    async def card(self) -> Any:
        return MessageToDict(await self.call("GetExtendedAgentCard", pb.GetExtendedAgentCardRequest()))


class OldGrpcSpeaker(GrpcSpeaker):
    """A2AService of v0.3."""

    version = ""
    stubs = a2a_v0_3_pb2_grpc

    def request_of(self, message: Json, facts: Json) -> Any:
        settings = types.MessageSendConfiguration.model_validate(older_configuration(facts))
        return old_pb.SendMessageRequest(
            request=ToProto.message(older_message(message)),
            configuration=ToProto.message_send_configuration(settings),
        )

    async def send(self, message: Json, **facts: Any) -> Any:
        answer = await self.call("SendMessage", self.request_of(message, facts))
        found = FromProto.task(answer.task) if answer.HasField("task") else FromProto.message(answer.msg)
        return newer_event(spoken(found))

    async def stream(self, message: Json, **facts: Any) -> AsyncIterator[Any]:
        async for event in self.follow("SendStreamingMessage", self.request_of(message, facts)):
            yield newer_event(spoken(FromProto.stream_response(event)))

    async def subscribe(self, task_id: str) -> AsyncIterator[Any]:
        async for event in self.follow("TaskSubscription", old_pb.TaskSubscriptionRequest(name=f"tasks/{task_id}")):
            yield newer_event(spoken(FromProto.stream_response(event)))

    async def get(self, task_id: str, **facts: Any) -> Any:
        length = facts.get("historyLength", 0)
        request = old_pb.GetTaskRequest(name=f"tasks/{task_id}", history_length=length)
        return newer_event(spoken(FromProto.task(await self.call("GetTask", request))))["task"]

    async def cancel(self, task_id: str) -> Any:
        answer = await self.call("CancelTask", old_pb.CancelTaskRequest(name=f"tasks/{task_id}"))
        return newer_event(spoken(FromProto.task(answer)))["task"]

    async def push_create(self, task_id: str, config: Json) -> Any:
        name = f"tasks/{task_id}/pushNotificationConfigs/{config.get('id', '')}"
        named = {"name": name, "pushNotificationConfig": older_webhook(config)}
        inner = ParseDict(named, old_pb.TaskPushNotificationConfig())
        request = old_pb.CreateTaskPushNotificationConfigRequest(
            parent=f"tasks/{task_id}", config_id=config.get("id", ""), config=inner
        )
        return self._webhook(await self.call("CreateTaskPushNotificationConfig", request))

    async def push_get(self, task_id: str, config_id: str) -> Any:
        name = f"tasks/{task_id}/pushNotificationConfigs/{config_id}"
        request = old_pb.GetTaskPushNotificationConfigRequest(name=name)
        return self._webhook(await self.call("GetTaskPushNotificationConfig", request))

    async def push_list(self, task_id: str) -> Any:
        request = old_pb.ListTaskPushNotificationConfigRequest(parent=f"tasks/{task_id}")
        answer = await self.call("ListTaskPushNotificationConfig", request)
        return {"configs": [self._webhook(each) for each in answer.configs]}

    async def push_delete(self, task_id: str, config_id: str) -> Any:
        name = f"tasks/{task_id}/pushNotificationConfigs/{config_id}"
        await self.call("DeleteTaskPushNotificationConfig", old_pb.DeleteTaskPushNotificationConfigRequest(name=name))

    async def card(self) -> Any:
        return MessageToDict(await self.call("GetAgentCard", old_pb.GetAgentCardRequest()))

    def _webhook(self, answer: Any) -> Json:
        return newer_webhook(FromProto.task_push_notification_config(answer))
