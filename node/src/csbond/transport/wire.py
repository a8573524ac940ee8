"""v1.0 params checked against the protobuf types of the SDK, and brought into one spelling."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from a2a.types import a2a_pb2 as pb
from a2a.utils.errors import InvalidParamsError
from a2a.utils.proto_utils import validate_proto_required_fields
from google.protobuf.json_format import MessageToDict, ParseDict, ParseError
from google.protobuf.message import Message as ProtoMessage

from csbond.protocol.errors import RemoteProtocolError
from csbond.protocol.messages.dialects import Operation
from csbond.transport.limits import TransportLimits
from csbond.transport.required_fields import is_complete

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


_FREE = frozenset({"data", "metadata"})
"""Fields that hold whatever JSON people like.

Protobuf knows no whole numbers in them, rounds large ones, and is so slow with each value that it never sees them.
"""
_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=\r\n"
_ANY_STATE = (None, "", 0, "TASK_STATE_UNSPECIFIED", "UNRECOGNIZED")
"""What clients send who ask for no state; the last is what the official JavaScript client makes of a missing one."""
_UNFIT = {
    "null is not allowed": "must not be null",
    "must be in []": "holds something else where a list belongs",
    "oneof": "may have one content only",
    "out of range": "is out of range",
    "imestamp": "must be an ISO 8601 time",
    "base64": "must be base64",
}
_STEP = re.compile(r"Failed to parse (\w+) field")
_PLACE = re.compile(r" at \w+\.([\w.\[\]]+)")


def checked_params(operation: Operation, params: Mapping[str, Any]) -> dict[str, Any]:
    """The params in canonical ProtoJSON; `invalid_params` names the field that is missing or of a wrong type."""
    try:
        message = ParseDict(_outlined(params), REQUESTS[operation](), True)
    except (ParseError, ValueError, TypeError, AttributeError, RecursionError) as fault:
        place = _PLACE.search(str(fault))
        field = place[1].rstrip(".") if place else ".".join(_STEP.findall(str(fault))) or "params"
        reason = f"the params do not fit {operation.value}: {field} {_unfit(str(fault))}"
        raise RemoteProtocolError("invalid_params", reason, field=field) from fault
    known: dict[str, Any] = _as_sent(params_of(message), params)
    if operation is Operation.LIST and "status" not in known and params.get("status") not in _ANY_STATE:
        known["status"] = params["status"]  # an unknown state, which protobuf leaves out without a word
    return known


def _unfit(said: str) -> str:
    """What is wrong with a field: protobuf says it in words of Python, which mean nothing to a caller."""
    return next((reason for mark, reason in _UNFIT.items() if mark in said), "is not of the type it must have")


def params_of(message: ProtoMessage) -> dict[str, Any]:
    """The canonical ProtoJSON of a request, its required fields checked."""
    if not is_complete(message):
        try:
            validate_proto_required_fields(message)
        except InvalidParamsError as fault:
            raise _missing(fault) from fault
    return MessageToDict(message)


def check_lists(params: Any, limits: TransportLimits) -> None:
    """Nothing, unless a message has more parts than the node looks at, or more of anything else: `body_too_large`.

    It reads the params of every dialect, before anything of them is rewritten.
    """
    for place in ("message", "request", "configuration"):
        fields = params.get(place) if isinstance(params, Mapping) else None
        for name, entries in fields.items() if isinstance(fields, Mapping) else ():
            if isinstance(entries, list) and len(entries) > limits.message_parts and name not in _FREE:
                raise RemoteProtocolError(
                    "body_too_large",
                    f"{place}.{name} has {len(entries)} entries; this node takes {limits.message_parts}",
                    next_step="send them in several messages, or ask the owner to raise limits.message_parts",
                    field=f"{place}.{name}",
                )


def _outlined(params: Mapping[str, Any]) -> dict[str, Any]:
    """The params with nothing in their free JSON; `_as_sent` puts back what was there."""
    outline = _hollow(params)
    message = outline.get("message")
    if isinstance(message, Mapping):
        outline["message"] = message = _hollow(message)
        if isinstance(message.get("parts"), list):
            message["parts"] = [_hollow(part) if isinstance(part, Mapping) else part for part in message["parts"]]
    return outline


def _hollow(fields: Mapping[str, Any]) -> dict[str, Any]:
    free = {name: type(fields[name])() for name in _FREE & fields.keys() if isinstance(fields[name], dict | list)}
    return {**fields, **free}


def _as_sent(known: Any, sent: Any) -> Any:
    """The canonical params with free JSON as it came; file bytes that are no base64 are refused."""
    if isinstance(known, dict) and isinstance(sent, Mapping):
        return {name: _field_as_sent(name, value, sent.get(name)) for name, value in known.items()}
    if isinstance(known, list) and isinstance(sent, list):
        return [_as_sent(inner, came) for inner, came in zip(known, sent, strict=True)]
    return known


def _field_as_sent(name: str, known: Any, sent: Any) -> Any:
    if name in _FREE and sent is not None:
        return sent
    if name == "raw" and isinstance(sent, str) and sent.encode().translate(None, _BASE64):
        raise RemoteProtocolError("invalid_params", "the bytes of a file must be base64", field="message.parts[].raw")
    return _as_sent(known, sent)


def _missing(fault: InvalidParamsError) -> RemoteProtocolError:
    errors = (fault.data or {}).get("errors") or [{}]
    field = re.sub(r"_(\w)", lambda letter: letter[1].upper(), str(errors[0].get("field", "params")))
    return RemoteProtocolError("invalid_params", f"{field} is missing or not a known value", field=field)
