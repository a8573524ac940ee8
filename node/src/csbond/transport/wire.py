"""v1.0 params checked against the protobuf types of the SDK, and brought into one spelling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from a2a.types import a2a_pb2 as pb
from a2a.utils.errors import InvalidParamsError
from a2a.utils.proto_utils import validate_proto_required_fields
from google.protobuf.json_format import MessageToDict, ParseDict, ParseError
from google.protobuf.message import Message as ProtoMessage

from csbond.protocol.errors import RemoteProtocolError
from csbond.protocol.messages.dialects import Operation

REQUESTS: dict[Operation, type[ProtoMessage]] = {
    Operation.SEND: pb.SendMessageRequest,
    Operation.STREAM: pb.SendMessageRequest,
    Operation.GET: pb.GetTaskRequest,
    Operation.LIST: pb.ListTasksRequest,
    Operation.CANCEL: pb.CancelTaskRequest,
    Operation.SUBSCRIBE: pb.SubscribeToTaskRequest,
    Operation.PUSH_CREATE: pb.TaskPushNotificationConfig,
    Operation.PUSH_GET: pb.GetTaskPushNotificationConfigRequest,
    Operation.PUSH_LIST: pb.ListTaskPushNotificationConfigsRequest,
    Operation.PUSH_DELETE: pb.DeleteTaskPushNotificationConfigRequest,
    Operation.EXTENDED_CARD: pb.GetExtendedAgentCardRequest,
}


def checked_params(operation: Operation, params: Mapping[str, Any]) -> dict[str, Any]:
    """The params in canonical ProtoJSON; `invalid_params` names the field that is missing or of a wrong type."""
    try:
        message = ParseDict(dict(params), REQUESTS[operation](), ignore_unknown_fields=True)
        return params_of(message)
    except (ParseError, ValueError, TypeError, AttributeError, RecursionError) as fault:
        raise RemoteProtocolError("invalid_params", f"the params do not fit {operation.value}: {fault}") from fault


def params_of(message: ProtoMessage) -> dict[str, Any]:
    """The canonical ProtoJSON of a request, its required fields checked."""
    try:
        validate_proto_required_fields(message)
    except InvalidParamsError as fault:
        raise _missing(fault) from fault
    return MessageToDict(message)


def _missing(fault: InvalidParamsError) -> RemoteProtocolError:
    errors = (fault.data or {}).get("errors") or [{}]
    field = str(errors[0].get("field", "params"))
    return RemoteProtocolError("invalid_params", f"{field} is missing or not a known value", field=field)
