"""How a fault looks in each binding (A2A v1.0.1 §9.5, §10.6, §11.6); nothing internal leaves the node."""

from __future__ import annotations

from typing import Any

from csbond.protocol.errors import CsbError, ErrorCode, RemoteProtocolError
from csbond.protocol.messages.dialects import Version

_INFO = "type.googleapis.com/google.rpc.ErrorInfo"
_BAD_REQUEST = "type.googleapis.com/google.rpc.BadRequest"
_A2A_DOMAIN = "a2a-protocol.org"
_CSB_DOMAIN = "csb-protocol.org"

_A2A_NAMES = {
    "push_not_supported": "PUSH_NOTIFICATION_NOT_SUPPORTED",
    "extended_card_not_configured": "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
}
"""Reasons that A2A spells otherwise than the registry (§10.6)."""

_STATUS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    408: "DEADLINE_EXCEEDED",
    409: "ABORTED",
    413: "OUT_OF_RANGE",
    500: "INTERNAL",
    502: "UNAVAILABLE",
    503: "UNAVAILABLE",
    507: "RESOURCE_EXHAUSTED",
}
_PRECONDITION = range(-32009, -32001)
"""A2A's own 400s, but that of content types, are failed preconditions (§5.4)."""

_TRANSPORT_STATUS = frozenset({401, 403, 408, 413, 503, 507})
"""HTTP statuses a JSON-RPC answer carries as well: they concern the connection, not the call."""


def rpc_error(fault: CsbError, dialect: Version) -> dict[str, Any]:
    """The `error` of a JSON-RPC answer; older dialects get plain `data` with `csb_code`."""
    error: dict[str, Any] = {"code": fault.code.rpc, "message": _sentence(fault)}
    error["data"] = details(fault) if dialect is Version.V1_0 else _plain(fault)
    return error


def rpc_status(fault: CsbError) -> int:
    """The HTTP status of a JSON-RPC answer: 200, unless the connection itself is concerned."""
    return fault.code.http if fault.code.http in _TRANSPORT_STATUS else 200


def rest_body(fault: CsbError, status: int = 0) -> dict[str, Any]:
    """A google.rpc.Status; `status` where HTTP has a better one than the table of A2A."""
    return {
        "error": {
            "code": status or fault.code.http,
            "status": grpc_status(fault.code),
            "message": _sentence(fault),
            "details": details(fault),
        }
    }


def grpc_status(code: ErrorCode) -> str:
    """The gRPC status name of a code (§5.4)."""
    if code.rpc in _PRECONDITION and code.http == 400 and code.name != "content_type_not_supported":
        return "FAILED_PRECONDITION"
    return _STATUS[code.http]


def details(fault: CsbError) -> list[dict[str, Any]]:
    """Typed details: the reason for a machine, the field that is wrong, the next step."""
    ours = fault.code.rpc <= -32050 and fault.code.rpc > -32100
    metadata = {"csb_code": fault.code.name}
    if fault.next_step:
        metadata["next_step"] = fault.next_step
    found: list[dict[str, Any]] = [
        {
            "@type": _INFO,
            "reason": _A2A_NAMES.get(fault.code.name, fault.code.name.upper()),
            "domain": _CSB_DOMAIN if ours else _A2A_DOMAIN,
            "metadata": metadata,
        }
    ]
    if fault.field:
        violation = {"field": fault.field, "description": fault.reason}
        found.append({"@type": _BAD_REQUEST, "fieldViolations": [violation]})
    return found


def internal_fault() -> CsbError:
    """What a caller is told of a bug of this node: that there is one."""
    return RemoteProtocolError("internal_error", "a fault of this node", next_step="its owner finds it in the log")


def _plain(fault: CsbError) -> dict[str, Any]:
    data = {"csb_code": fault.code.name}
    if fault.field:
        data["field"] = fault.field
    if fault.next_step:
        data["next_step"] = fault.next_step
    return data


def _sentence(fault: CsbError) -> str:
    return f"{fault.reason[:1].upper()}{fault.reason[1:]}"
