from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict
from hypothesis import given, settings

from csbond.protocol.errors import RemoteProtocolError
from csbond.protocol.messages.dialects import Operation
from csbond.transport import wire
from csbond.transport.wire import REQUESTS, checked_params
from csbond_tests.canonical import MESSAGE, PARTS, messages
from csbond_tests.requirements import requirement

HELLO = {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "hi"}]}


def send(**changes: Any) -> dict[str, Any]:
    return checked_params(Operation.SEND, {"message": {**HELLO, **changes}})["message"]


def refused(operation: Operation, params: dict[str, Any]) -> RemoteProtocolError:
    with pytest.raises(RemoteProtocolError) as fault:
        checked_params(operation, params)
    assert fault.value.code.name == "invalid_params"
    return fault.value


def test_every_operation_has_its_type() -> None:
    assert set(REQUESTS) == set(Operation)


@requirement("A2A-DATA-004", "FAULT-29")
def test_params_come_out_as_they_went_in() -> None:
    message = {**MESSAGE, "referenceTaskIds": ["t-0"], "parts": list(PARTS.values())}
    params = {
        "tenant": "a",
        "message": message,
        "configuration": {"returnImmediately": True, "historyLength": 0, "acceptedOutputModes": ["text/plain"]},
        "metadata": {"n": 1, "deep": {"list": [1, 2.5, None]}},
    }
    assert json.dumps(checked_params(Operation.SEND, params), sort_keys=True) == json.dumps(params, sort_keys=True)


@requirement("A2A-DATA-004", "FAULT-29")
@settings(deadline=None, max_examples=60)
@given(message=messages)
def test_a_message_of_any_content_comes_out_as_it_went_in(message: dict[str, Any]) -> None:
    assert checked_params(Operation.SEND, {"message": message}) == {"message": message}


@requirement("FAULT-29")
@pytest.mark.parametrize("number", [0, 1, -1, 2**53 + 1, 2**63, 18_446_744_073_709_551_615, 1.5])
def test_numbers_stay_what_they_are(number: float) -> None:
    found = send(parts=[{"data": {"n": number}}], metadata={"n": [number]})
    assert repr(found["parts"][0]["data"]["n"]) == repr(found["metadata"]["n"][0]) == repr(number)


@requirement("FAULT-29")
def test_protobuf_is_slow_and_is_not_given_what_free_json_holds(monkeypatch) -> None:
    given_to_protobuf: list[Any] = []

    def noted(params: Any, *rest: Any) -> Any:
        given_to_protobuf.append(json.loads(json.dumps(params)))
        return ParseDict(params, *rest)

    monkeypatch.setattr(wire, "ParseDict", noted)
    parts = [{"data": [0] * 1000, "metadata": {"a": 1}}, {"data": {"n": [0]}}, {"data": "text"}, {"data": None}]
    params = {"message": {**HELLO, "parts": parts, "metadata": {"a": [1]}}, "metadata": {"b": {"c": 2}}}
    assert checked_params(Operation.SEND, params) == params
    hollow = [{"data": [], "metadata": {}}, {"data": {}}, {"data": "text"}, {"data": None}]
    assert given_to_protobuf == [{"message": {**HELLO, "parts": hollow, "metadata": {}}, "metadata": {}}]


@requirement("A2A-DATA-005")
def test_unknown_fields_are_ignored() -> None:
    params = {"message": {**HELLO, "colour": "blue", "parts": [{"text": "hi", "size": 3}]}, "futureField": {"a": 1}}
    assert checked_params(Operation.SEND, params) == {"message": HELLO}


@requirement("A2A-DATA-001")
def test_the_names_of_protobuf_are_read_as_well() -> None:
    params = {"message": {"message_id": "m", "role": 1, "parts": [{"text": "hi", "media_type": "text/plain"}]}}
    parts = [{"text": "hi", "mediaType": "text/plain"}]
    assert checked_params(Operation.SEND, params) == {"message": {**HELLO, "parts": parts}}


@requirement("A2A-SEND-016", "A2A-DATA-006", "A2A-ERR-004")
@pytest.mark.parametrize(
    "message, field",
    [
        (None, "message"),
        ({}, "message.messageId"),
        ({**HELLO, "messageId": ""}, "message.messageId"),
        ({**HELLO, "messageId": 5}, "message.messageId"),
        ({**HELLO, "role": "user"}, "message.role"),
        ({**HELLO, "role": "ROLE_UNSPECIFIED"}, "message.role"),
        ({**HELLO, "parts": []}, "message.parts"),
        ({**HELLO, "parts": "hi"}, "message"),
        ({**HELLO, "parts": [{"text": 5}]}, "message.parts.text"),
        ({**HELLO, "parts": [{"text": "a", "url": "b"}]}, "message.parts"),
        ({**HELLO, "parts": [None]}, "message.parts[0]"),
        ({**HELLO, "metadata": "about"}, "message.metadata"),
        ({**HELLO, "metadata": ["about"]}, "message.metadata"),
        ({**HELLO, "parts": [{"data": {"a": 1}, "text": "b"}]}, "message.parts"),
        ({**HELLO, "contextId": ["c"]}, "message.contextId"),
    ],
    ids=repr,
)
def test_what_is_missing_or_of_a_wrong_type_is_refused_by_its_json_name(message: Any, field: str) -> None:
    params = {} if message is None else {"message": message}
    assert refused(Operation.SEND, params).field == field


@requirement("A2A-ERR-004")
@pytest.mark.parametrize(
    "operation, params, reason",
    [
        (Operation.GET, {"id": 5}, "id is not of the type it must have"),
        (Operation.GET, {"id": "t", "historyLength": "x"}, "historyLength is not of the type it must have"),
        (Operation.GET, {"id": "t", "historyLength": 2**31}, "historyLength is out of range"),
        (Operation.LIST, {"status": [1]}, "status is not of the type it must have"),
        (Operation.LIST, {"statusTimestampAfter": "2026-13-45T00:00:00Z"}, "must be an ISO 8601 time"),
        (Operation.LIST, {"statusTimestampAfter": "yesterday"}, "must be an ISO 8601 time"),
        (Operation.LIST, {"statusTimestampAfter": "0001-01-01T00:00:00+14:00"}, "must be an ISO 8601 time"),
        (Operation.LIST, {"statusTimestampAfter": 5}, "must be an ISO 8601 time"),
        (Operation.SEND, {"message": {**HELLO, "parts": [{"raw": "a"}]}}, "message.parts.raw must be base64"),
        (Operation.SEND, {"message": {**HELLO, "parts": [None]}}, "message.parts[0] must not be null"),
        (Operation.SEND, {"message": {**HELLO, "parts": "hi"}}, "holds something else where a list belongs"),
        (Operation.SEND, {"message": {**HELLO, "parts": [{"text": "a", "url": "b"}]}}, "may have one content only"),
        (Operation.SEND, {"message": 5}, "message is not of the type it must have"),
    ],
)
def test_what_is_wrong_with_a_field_is_said_in_words_of_the_protocol(
    operation: Operation, params: dict[str, Any], reason: str
) -> None:
    said = refused(operation, params).reason
    assert said.startswith(f"the params do not fit {operation.value}: ")
    assert said.endswith(reason)


@pytest.mark.parametrize("params", [{"id": 5}, {"id": ""}, {}, {"id": None}, {"id": "t", "historyLength": 1.5}])
def test_other_operations_are_checked_as_well(params: dict[str, Any]) -> None:
    refused(Operation.GET, params)


@requirement("A2A-DATA-004")
@pytest.mark.parametrize("data", [b"", b"a", b"ab", b"abc", bytes(range(256))])
def test_file_bytes_are_read_in_both_alphabets_with_and_without_padding(data: bytes) -> None:
    plain = base64.b64encode(data).decode()
    for text in (plain, plain.rstrip("="), base64.urlsafe_b64encode(data).decode()):
        assert send(parts=[{"raw": text}])["parts"] == [{"raw": plain}]


@requirement("A2A-SEND-016")
@pytest.mark.parametrize("text", ["$$$", "a b", "aGk=é", "data:text/plain;base64,aGk="])
def test_file_bytes_that_are_no_base64_are_refused(text: str) -> None:
    assert refused(Operation.SEND, {"message": {**HELLO, "parts": [{"raw": text}]}}).field.startswith("message.parts")


@requirement("A2A-LIST-009")
@pytest.mark.parametrize("status", ["TASK_STATE_RUNNING", "working", 99])
def test_an_unknown_state_is_not_lost(status: Any) -> None:
    assert checked_params(Operation.LIST, {"status": status})["status"] == status


@pytest.mark.parametrize("status", ["", "TASK_STATE_UNSPECIFIED", 0, None])
def test_no_state_is_no_state(status: Any) -> None:
    assert "status" not in checked_params(Operation.LIST, {"status": status})


@requirement("A2A-LIST-006")
@pytest.mark.parametrize("status", ["TASK_STATE_WORKING", 2])
def test_a_state_is_read_by_name_and_number(status: Any) -> None:
    assert checked_params(Operation.LIST, {"status": status})["status"] == "TASK_STATE_WORKING"
