"""A request is complete exactly when the A2A library finds nothing missing in it."""

from __future__ import annotations

from typing import Any

import pytest
from a2a.utils.errors import InvalidParamsError
from a2a.utils.proto_utils import validate_proto_required_fields
from google.protobuf.json_format import ParseDict
from google.protobuf.message import Message as ProtoMessage

from csbond.protocol.messages.dialects import Operation
from csbond.transport.required_fields import is_complete
from csbond.transport.wire import REQUESTS

WHOLE: dict[str, Any] = {"messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": ""}]}
HOOK: dict[str, Any] = {"url": "https://hooks.example/a2a", "authentication": {"scheme": "Bearer"}}


def without(name: str, whole: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in whole.items() if key != name}


def library_finds_it_complete(message: ProtoMessage) -> bool:
    try:
        validate_proto_required_fields(message)
    except InvalidParamsError:
        return False
    return True


SENT: list[tuple[dict[str, Any], bool]] = [
    ({"message": WHOLE}, True),
    ({"message": WHOLE, "metadata": {"deep": [{"er": {}}]}, "configuration": {}}, True),
    ({}, False),
    ({"message": {}}, False),
    *(({"message": without(name, WHOLE)}, False) for name in WHOLE),
    ({"message": {**WHOLE, "messageId": ""}}, False),
    ({"message": {**WHOLE, "role": "ROLE_UNSPECIFIED"}}, False),
    ({"message": {**WHOLE, "parts": []}}, False),
    ({"message": {**WHOLE, "parts": [{}]}}, True),
    ({"message": WHOLE, "configuration": {"taskPushNotificationConfig": HOOK}}, True),
    ({"message": WHOLE, "configuration": {"taskPushNotificationConfig": without("url", HOOK)}}, False),
    ({"message": WHOLE, "configuration": {"taskPushNotificationConfig": {**HOOK, "authentication": {}}}}, False),
]


@pytest.mark.parametrize("params, complete", SENT)
def test_a_message_is_complete_when_the_library_says_so(params: dict[str, Any], complete: bool) -> None:
    request = ParseDict(params, REQUESTS[Operation.SEND]())
    assert is_complete(request) is complete
    assert library_finds_it_complete(request) is complete


@pytest.mark.parametrize("operation", Operation)
def test_an_empty_request_is_complete_when_the_library_says_so(operation: Operation) -> None:
    request = REQUESTS[operation]()
    assert is_complete(request) is library_finds_it_complete(request)
