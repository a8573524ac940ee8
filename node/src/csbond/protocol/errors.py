"""Every error of the node: four kinds of fault, one registry of codes.

The kind says whose fault it is; the code says what happened; the reason and the next step are for a
person. JSON-RPC numbers of A2A operations are A2A's own (v1.0.1 §5.4); what only CSB knows lives in
-32050…-32069, beside `data.csb_code`, because the drafts' own numbers collide with A2A's.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Exit(StrEnum):
    """Why a command ended; the numbers are in `EXIT_STATUS`."""

    NEGATIVE = "negative"
    USAGE = "usage"
    UNAVAILABLE = "unavailable"
    FORBIDDEN = "forbidden"
    INTERNAL = "internal"


EXIT_STATUS: dict[Exit, int] = {
    Exit.NEGATIVE: 1,
    Exit.USAGE: 2,
    Exit.UNAVAILABLE: 3,
    Exit.FORBIDDEN: 4,
    Exit.INTERNAL: 70,
}


@dataclass(frozen=True, slots=True)
class ErrorCode:
    """One row of the registry: how an error looks at every door."""

    name: str
    http: int
    rpc: int
    exit: Exit
    meaning: str


def _code(name: str, http: int, rpc: int, exit_: Exit, meaning: str) -> tuple[str, ErrorCode]:
    return name, ErrorCode(name, http, rpc, exit_, meaning)


_NO, _USE, _OFF, _DENY, _BUG = (
    Exit.NEGATIVE,
    Exit.USAGE,
    Exit.UNAVAILABLE,
    Exit.FORBIDDEN,
    Exit.INTERNAL,
)

REGISTRY: dict[str, ErrorCode] = dict(
    (
        # JSON-RPC 2.0
        _code("parse_error", 400, -32700, _USE, "The body is not valid JSON in UTF-8."),
        _code("invalid_request", 400, -32600, _USE, "The body is JSON, but not a request of this protocol."),
        _code("method_not_found", 404, -32601, _USE, "No method or route of that name."),
        _code("invalid_params", 400, -32602, _USE, "A field is missing, or its value is not accepted."),
        _code("internal_error", 500, -32603, _BUG, "A fault of this node; its log has the record."),
        # A2A v1.0.1 §5.4
        _code("task_not_found", 404, -32001, _NO, "No such task for this caller."),
        _code("task_not_cancelable", 400, -32002, _NO, "The task has already ended."),
        _code("push_not_supported", 400, -32003, _USE, "This node sends no push notifications."),
        _code("unsupported_operation", 400, -32004, _NO, "The operation does not fit the state of the task or node."),
        _code("content_type_not_supported", 400, -32005, _USE, "The media type is not one this node reads."),
        _code("invalid_agent_response", 500, -32006, _BUG, "The skill answered outside its contract."),
        _code("extended_card_not_configured", 400, -32007, _NO, "There is no extended card for this caller."),
        _code("extension_support_required", 400, -32008, _USE, "A required extension was not declared."),
        _code("version_not_supported", 400, -32009, _USE, "The A2A version asked for is not spoken here."),
        # CSB
        _code("unauthenticated", 401, -32050, _DENY, "The route needs a token, or the token is unknown."),
        _code("forbidden", 403, -32051, _DENY, "The token is known, but its rights end before this."),
        _code("memory_not_found", 404, -32052, _NO, "No such memory entry."),
        _code("version_conflict", 409, -32053, _NO, "The record changed since it was read."),
        _code("already_exists", 409, -32054, _NO, "Something of that name or id is there already."),
        _code("thread_not_found", 404, -32055, _NO, "No such thread for this caller."),
        _code("body_too_large", 413, -32056, _USE, "The body is longer than the node's limit."),
        _code("request_timeout", 408, -32057, _USE, "The request did not arrive in time."),
        _code("draining", 503, -32058, _OFF, "The node is shutting down and takes no new work."),
        _code("storage_unavailable", 503, -32059, _OFF, "The database does not take writes or cannot be read."),
        _code("storage_full", 507, -32060, _OFF, "The disk is full."),
        _code("skill_failed", 500, -32061, _NO, "The skill that should answer failed or ran out of time."),
        _code("peer_unreachable", 502, -32062, _OFF, "The other agent could not be reached."),
        _code("peer_broke_protocol", 502, -32063, _OFF, "The other agent answered outside the protocol."),
        _code("webhook_refused", 400, -32064, _USE, "The notification address is not one this node may call."),
        _code("principal_not_found", 404, -32065, _NO, "No principal of that name."),
        _code("embedder_unavailable", 503, -32066, _OFF, "The sentence embedder did not answer."),
        _code("too_busy", 503, -32067, _OFF, "A queue of the node is at its limit; nothing was taken."),
        _code("link_cycle", 409, -32602, _NO, "The link would lead back to the memory where it begins."),
        _code("not_restorable", 409, -32602, _NO, "The memory was deleted too long ago to be restored."),
        _code("review_not_found", 404, -32602, _NO, "No such question to a person."),
        _code("snapshot_not_found", 404, -32602, _NO, "No such snapshot of memories."),
        _code("snapshot_refused", 400, -32602, _NO, "The file is no snapshot of memories, or not as it was made."),
        _code("vector_map_refused", 409, -32602, _NO, "No map between two models that would be of use."),
        # The command and its home
        _code("home_missing", 400, -32068, _USE, "There is no agent home at the place named."),
        _code("home_busy", 409, -32069, _OFF, "Another process already runs this home, or works on its database."),
        _code("setting_invalid", 400, -32602, _USE, "A setting is unknown, or its value is not accepted."),
    )
)


class CsbError(Exception):
    """A fault with a code of the registry, a reason and, where there is one, the next step."""

    def __init__(
        self,
        code: str,
        reason: str,
        *,
        next_step: str = "",
        field: str = "",
    ) -> None:
        super().__init__(reason)
        self.code = REGISTRY[code]
        self.reason = reason
        self.next_step = next_step
        self.field = field


class Refused(CsbError):
    """A considered no: a rule decided against it, and the record says why."""


class RemoteProtocolError(CsbError):
    """The other side sent what the protocol does not allow."""


class LocalProtocolError(CsbError):
    """This side (its settings, its skill, its command line) broke the protocol."""


class Unavailable(CsbError):
    """Something needed is not there now; trying again later may help."""


def as_body(error: CsbError) -> dict[str, object]:
    """The one error shape of the REST interfaces."""
    body: dict[str, object] = {"code": error.code.name, "reason": error.reason}
    if error.field:
        body["field"] = error.field
    if error.next_step:
        body["next_step"] = error.next_step
    return {"error": body}
