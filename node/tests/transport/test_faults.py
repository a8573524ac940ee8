"""How a fault looks in each binding, against the table of A2A v1.0.1 §5.4."""

from __future__ import annotations

from typing import Any

import pytest
from a2a.utils import errors as sdk

from csbond.protocol.errors import REGISTRY, Refused
from csbond.protocol.messages.dialects import Version
from csbond.transport.faults import details, grpc_status, internal_fault, rest_body, rpc_error, rpc_status
from csbond.transport.request_handler import sdk_error
from csbond_tests.requirements import requirement

A2A_ERRORS = [
    ("task_not_found", "TASK_NOT_FOUND", -32001, "NOT_FOUND", 404, sdk.TaskNotFoundError),
    ("task_not_cancelable", "TASK_NOT_CANCELABLE", -32002, "FAILED_PRECONDITION", 400, sdk.TaskNotCancelableError),
    (
        "push_not_supported",
        "PUSH_NOTIFICATION_NOT_SUPPORTED",
        -32003,
        "FAILED_PRECONDITION",
        400,
        sdk.PushNotificationNotSupportedError,
    ),
    (
        "unsupported_operation",
        "UNSUPPORTED_OPERATION",
        -32004,
        "FAILED_PRECONDITION",
        400,
        sdk.UnsupportedOperationError,
    ),
    (
        "content_type_not_supported",
        "CONTENT_TYPE_NOT_SUPPORTED",
        -32005,
        "INVALID_ARGUMENT",
        400,
        sdk.ContentTypeNotSupportedError,
    ),
    ("invalid_agent_response", "INVALID_AGENT_RESPONSE", -32006, "INTERNAL", 500, sdk.InvalidAgentResponseError),
    (
        "extended_card_not_configured",
        "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
        -32007,
        "FAILED_PRECONDITION",
        400,
        sdk.ExtendedAgentCardNotConfiguredError,
    ),
    (
        "extension_support_required",
        "EXTENSION_SUPPORT_REQUIRED",
        -32008,
        "FAILED_PRECONDITION",
        400,
        sdk.ExtensionSupportRequiredError,
    ),
    (
        "version_not_supported",
        "VERSION_NOT_SUPPORTED",
        -32009,
        "FAILED_PRECONDITION",
        400,
        sdk.VersionNotSupportedError,
    ),
]
STANDARD = {
    "parse_error": -32700,
    "invalid_request": -32600,
    "method_not_found": -32601,
    "invalid_params": -32602,
    "internal_error": -32603,
}


def fault_of(code: str, **facts: Any) -> Refused:
    return Refused(code, "the reason", next_step="what would help", **facts)


@requirement("A2A-ERR-001", "A2A-ERR-003")
@pytest.mark.parametrize("code, reason, rpc, grpc, http, kind", A2A_ERRORS, ids=str)
def test_an_a2a_error_has_its_number_its_statuses_and_its_name(
    code: str, reason: str, rpc: int, grpc: str, http: int, kind: type
) -> None:
    fault = fault_of(code)
    assert rpc_error(fault, Version.V1_0)["code"] == rpc
    assert rpc_error(fault, Version.V0_3)["code"] == rpc
    assert grpc_status(fault.code) == grpc
    body = rest_body(fault)["error"]
    assert (body["code"], body["status"]) == (http, grpc)
    info = details(fault)[0]
    assert info["@type"] == "type.googleapis.com/google.rpc.ErrorInfo"
    assert (info["reason"], info["domain"]) == (reason, "a2a-protocol.org")
    assert type(sdk_error(fault)) is kind


@requirement("A2A-RPC-005")
@pytest.mark.parametrize("code, number", STANDARD.items())
def test_the_errors_of_json_rpc_have_their_numbers(code: str, number: int) -> None:
    assert rpc_error(fault_of(code), Version.V1_0)["code"] == number


@requirement("A2A-ERR-002")
@pytest.mark.parametrize("code", REGISTRY)
def test_every_error_has_a_sentence_and_details_that_name_their_type(code: str) -> None:
    fault = fault_of(code, field="message.parts")
    error = rpc_error(fault, Version.V1_0)
    assert error["message"] == "The reason"
    assert [detail["@type"].rpartition(".")[2] for detail in error["data"]] == ["ErrorInfo", "BadRequest"]
    assert error["data"] == rest_body(fault)["error"]["details"]
    assert error["data"][0]["metadata"] == {"csb_code": code, "next_step": "what would help"}
    assert grpc_status(fault.code).isupper()


def test_a_code_of_csb_has_a_number_of_its_own_and_says_whose_it_is() -> None:
    ours = [code for code in REGISTRY.values() if code.rpc <= -32050 and code.rpc > -32100]
    assert all(-32069 <= code.rpc <= -32050 for code in ours)
    assert len({code.rpc for code in ours}) == len(ours)
    assert {details(fault_of(code.name))[0]["domain"] for code in ours} == {"csb-protocol.org"}


@requirement("A2A-ERR-004")
def test_a_field_that_failed_is_named() -> None:
    violation = details(fault_of("invalid_params", field="message.parts"))[1]
    assert violation["fieldViolations"] == [{"field": "message.parts", "description": "the reason"}]


def test_older_dialects_get_plain_data() -> None:
    fault = fault_of("invalid_params", field="id")
    data = {"csb_code": "invalid_params", "field": "id", "next_step": "what would help"}
    assert rpc_error(fault, Version.V0_3)["data"] == rpc_error(fault, Version.DRAFT)["data"] == data


@pytest.mark.parametrize(
    "code, status",
    [
        ("task_not_found", 200),
        ("invalid_params", 200),
        ("parse_error", 200),
        ("internal_error", 200),
        ("unauthenticated", 401),
        ("forbidden", 403),
        ("body_too_large", 413),
        ("request_timeout", 408),
        ("draining", 503),
        ("storage_full", 507),
    ],
)
def test_json_rpc_answers_with_200_unless_the_connection_is_concerned(code: str, status: int) -> None:
    assert rpc_status(fault_of(code)) == status


@requirement("A2A-ERR-007")
def test_a_bug_is_told_as_one_and_nothing_more() -> None:
    fault = internal_fault()
    assert fault.code.name == "internal_error"
    assert isinstance(sdk_error(fault), sdk.InternalError)
