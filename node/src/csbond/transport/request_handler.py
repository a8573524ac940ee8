"""The operations as the SDK's `RequestHandler`: what its gRPC servers (v1.0 and v0.3) call."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

from a2a.server.context import ServerCallContext
from a2a.server.request_handlers.request_handler import RequestHandler
from a2a.types import a2a_pb2 as pb
from a2a.utils import errors as sdk
from google.protobuf.json_format import Error as JsonError
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message import Message as ProtoMessage

from csbond.flows.seen_through import seen_through
from csbond.protocol.errors import CsbError, RemoteProtocolError
from csbond.protocol.messages.caller import ANONYMOUS
from csbond.protocol.messages.dialects import Operation, Version
from csbond.protocol.messages.version import check_version
from csbond.transport.call import Call, extensions_of
from csbond.transport.faults import internal_fault
from csbond.transport.operations import Operations
from csbond.transport.request_size import check_size

CALLER = "csb_caller"
"""The key of the recognised caller in a call context's state."""
DIALECT = "csb_dialect"
STATED_VERSION = "csb_stated_version"

_ERRORS: dict[str, type[sdk.A2AError]] = {
    "task_not_found": sdk.TaskNotFoundError,
    "task_not_cancelable": sdk.TaskNotCancelableError,
    "push_not_supported": sdk.PushNotificationNotSupportedError,
    "unsupported_operation": sdk.UnsupportedOperationError,
    "content_type_not_supported": sdk.ContentTypeNotSupportedError,
    "invalid_agent_response": sdk.InvalidAgentResponseError,
    "extended_card_not_configured": sdk.ExtendedAgentCardNotConfiguredError,
    "extension_support_required": sdk.ExtensionSupportRequiredError,
    "version_not_supported": sdk.VersionNotSupportedError,
    "internal_error": sdk.InternalError,
}

_LARGEST_WHOLE = 2**53
"""Up to it, a double is one whole number and no other (RFC 8259 §6)."""

Event = pb.Message | pb.Task | pb.TaskStatusUpdateEvent | pb.TaskArtifactUpdateEvent


class GrpcRequestHandler(RequestHandler):
    """Translates protobuf requests to operations and faults to the SDK's errors."""

    def __init__(self, operations: Operations) -> None:
        self._operations = operations
        self._lenient = operations.limits.lenient_version

    async def _run(self, operation: Operation, params: ProtoMessage, context: ServerCallContext) -> dict[str, Any]:
        """gRPC cancels the handler of a caller who gives up; the operation itself is seen through."""
        operations = self._operations
        try:
            call = call_in(context, lenient=self._lenient)
            return await seen_through(operations.world, operations.run(operation, self._json(params), call))
        except CsbError as fault:
            raise sdk_error(fault) from fault
        except Exception as fault:
            operations.world.journal.failed("grpc", fault, operation=operation.value)
            raise sdk_error(internal_fault()) from fault

    async def _stream(
        self, operation: Operation, params: ProtoMessage, context: ServerCallContext
    ) -> AsyncGenerator[Event]:
        try:
            call = call_in(context, lenient=self._lenient)
            async for event in self._operations.stream(operation, self._json(params), call):
                response = ParseDict(event, pb.StreamResponse())
                yield getattr(response, response.WhichOneof("payload") or "task")
        except CsbError as fault:
            raise sdk_error(fault) from fault
        except Exception as fault:
            self._operations.world.journal.failed("grpc_stream", fault, operation=operation.value)
            raise sdk_error(internal_fault()) from fault

    def _json(self, params: ProtoMessage) -> Any:
        check_size(params, self._operations.limits)
        return json_of(params)

    async def on_message_send(self, params: pb.SendMessageRequest, context: ServerCallContext) -> pb.Task | pb.Message:
        """SendMessage."""
        result = ParseDict(await self._run(Operation.SEND, params, context), pb.SendMessageResponse())
        return result.task if result.HasField("task") else result.message

    async def on_message_send_stream(
        self, params: pb.SendMessageRequest, context: ServerCallContext
    ) -> AsyncGenerator[Event]:
        """SendStreamingMessage."""
        async for event in self._stream(Operation.STREAM, params, context):
            yield event

    async def on_subscribe_to_task(
        self, params: pb.SubscribeToTaskRequest, context: ServerCallContext
    ) -> AsyncGenerator[Event]:
        """SubscribeToTask."""
        async for event in self._stream(Operation.SUBSCRIBE, params, context):
            yield event

    async def on_get_task(self, params: pb.GetTaskRequest, context: ServerCallContext) -> pb.Task:
        """GetTask."""
        return ParseDict(await self._run(Operation.GET, params, context), pb.Task())

    async def on_list_tasks(self, params: pb.ListTasksRequest, context: ServerCallContext) -> pb.ListTasksResponse:
        """ListTasks."""
        return ParseDict(await self._run(Operation.LIST, params, context), pb.ListTasksResponse())

    async def on_cancel_task(self, params: pb.CancelTaskRequest, context: ServerCallContext) -> pb.Task:
        """CancelTask."""
        return ParseDict(await self._run(Operation.CANCEL, params, context), pb.Task())

    async def on_create_task_push_notification_config(
        self, params: pb.TaskPushNotificationConfig, context: ServerCallContext
    ) -> pb.TaskPushNotificationConfig:
        """CreateTaskPushNotificationConfig."""
        return ParseDict(await self._run(Operation.PUSH_CREATE, params, context), pb.TaskPushNotificationConfig())

    async def on_get_task_push_notification_config(
        self, params: pb.GetTaskPushNotificationConfigRequest, context: ServerCallContext
    ) -> pb.TaskPushNotificationConfig:
        """GetTaskPushNotificationConfig."""
        return ParseDict(await self._run(Operation.PUSH_GET, params, context), pb.TaskPushNotificationConfig())

    async def on_list_task_push_notification_configs(
        self, params: pb.ListTaskPushNotificationConfigsRequest, context: ServerCallContext
    ) -> pb.ListTaskPushNotificationConfigsResponse:
        """ListTaskPushNotificationConfigs."""
        listing = await self._run(Operation.PUSH_LIST, params, context)
        return ParseDict(listing, pb.ListTaskPushNotificationConfigsResponse())

    async def on_delete_task_push_notification_config(
        self, params: pb.DeleteTaskPushNotificationConfigRequest, context: ServerCallContext
    ) -> None:
        """DeleteTaskPushNotificationConfig."""
        await self._run(Operation.PUSH_DELETE, params, context)

    async def on_get_extended_agent_card(
        self, params: pb.GetExtendedAgentCardRequest, context: ServerCallContext
    ) -> pb.AgentCard:
        """GetExtendedAgentCard."""
        card = await self._run(Operation.EXTENDED_CARD, params, context)
        return ParseDict(card, pb.AgentCard(), ignore_unknown_fields=True)


def json_of(value: Any) -> Any:
    """The JSON of a request; protobuf has no whole numbers in free JSON, so those that are whole become so again."""
    if isinstance(value, ProtoMessage):
        try:
            value = MessageToDict(value)
        except (ValueError, JsonError) as fault:
            reason = "the request cannot be said in JSON: it holds a number that is not finite"
            raise RemoteProtocolError("invalid_params", reason, field="params") from fault
    if isinstance(value, dict):
        return {name: json_of(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [json_of(inner) for inner in value]
    whole = isinstance(value, float) and value.is_integer() and abs(value) <= _LARGEST_WHOLE
    return int(value) if whole else value


def call_in(context: ServerCallContext, *, lenient: bool) -> Call:
    """The surroundings that the context builder found; `version_not_supported` when they do not fit."""
    extensions = extensions_of(",".join(context.requested_extensions))
    dialect = context.state.get(DIALECT, Version.V1_0)
    check_version(context.state.get(STATED_VERSION, ""), dialect, lenient=lenient)
    return Call(context.state.get(CALLER, ANONYMOUS), dialect, extensions, context.tenant)


def sdk_error(fault: CsbError) -> sdk.A2AError:
    """The SDK's error for a fault; one it has no class for is an invalid request of the caller."""
    if fault.code.name in _ERRORS:
        return _ERRORS[fault.code.name](fault.reason)
    if fault.code.http >= 500:
        return sdk.InternalError(fault.reason)
    data = {"errors": [{"field": fault.field, "message": fault.reason}]} if fault.field else None
    return sdk.InvalidParamsError(fault.reason, data)
