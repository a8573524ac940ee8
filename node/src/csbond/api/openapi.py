"""The OpenAPI 3.1 document: the REST routes as FastAPI sees them, every other route from the access table."""

from __future__ import annotations

import re
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from csbond.api.access import CARD, CONTINUITY, HTTP, HTTP_V0_3, NODE, PRINCIPALS, ROUTES, RPC
from csbond.api.memory_access import MEMORY
from csbond.api.operation import UNCHANGED
from csbond.api.route_row import RouteRow
from csbond.api.schemas import SCHEMAS
from csbond.protocol.trust.access import Access

_PARAMETER = re.compile(r"\{([^}]*)\}")

_TAGS = {
    MEMORY: "What this agent remembers (MEM-001…003).",
    CONTINUITY: "Conversations that went before (CSB v1.0 §1.2).",
    PRINCIPALS: "Who else has a token.",
    NODE: "The node itself.",
    CARD: "How other agents find this one (A2A v1.0.1 §8).",
    RPC: "A2A over JSON-RPC (A2A v1.0.1 §9).",
    HTTP: "A2A over HTTP and JSON (A2A v1.0.1 §11); every route also below `/{tenant}`.",
    HTTP_V0_3: "A2A over HTTP and JSON as v0.3 had it.",
}
_SCHEMES = {
    "ownerToken": {"type": "http", "scheme": "bearer", "description": "The token in the home's owner.token."},
    "principalToken": {"type": "http", "scheme": "bearer", "description": "A token made by `csb principal add`."},
}
_SECURITY: dict[Access, list[dict[str, list[str]]]] = {
    Access.PUBLIC: [{}, {"principalToken": []}, {"ownerToken": []}],
    Access.PRINCIPAL: [{"principalToken": []}, {"ownerToken": []}],
    Access.OWNER: [{"ownerToken": []}],
}
_JSON, _A2A_JSON, _EVENTS = "application/json", "application/a2a+json", "text/event-stream"
_ANSWERED: dict[str, tuple[str, ...]] = {HTTP: (_JSON, _A2A_JSON), HTTP_V0_3: (_JSON,), RPC: (_JSON, _EVENTS)}
"""The media types of a good answer, by tag; of any other route `_JSON`."""
_FAULTS = {RPC: "JsonRpcAnswer", HTTP: "A2AError", HTTP_V0_3: "A2AError"}
"""The schemas of faults, by tag; of any other route `Error`."""
_FOLLOWED = (":stream", ":subscribe")
"""How the paths end whose answers are events."""
_VERSION = {"name": "A2A-Version", "in": "header", "required": True, "schema": {"type": "string", "enum": ["1.0"]}}
"""Without it a call is one of A2A v0.3, which has routes of its own (A2A v1.0.1 §3.6)."""


def openapi_document(app: FastAPI, version: str) -> dict[str, Any]:
    """The whole document; every operation says who gets in (`x-access`) and what repeating does (`x-idempotency`)."""
    document: dict[str, Any] = get_openapi(title="csbond", version=version, routes=app.routes)
    paths: dict[str, dict[str, Any]] = document.setdefault("paths", {})
    for row in ROUTES:
        operation = paths.setdefault(row.path, {}).setdefault(row.method.lower(), _bare_operation(row))
        _describe(operation, row)
    document["tags"] = [{"name": name, "description": text} for name, text in _TAGS.items()]
    document["components"] = {"schemas": SCHEMAS, "securitySchemes": _SCHEMES}
    return document


def _bare_operation(row: RouteRow) -> dict[str, Any]:
    """An operation whose bodies are A2A's own, or plain JSON."""
    parameters: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in _PARAMETER.findall(row.path)
    ]
    if row.tag == HTTP:
        parameters.append(_VERSION)
    operation: dict[str, Any] = {"parameters": parameters, "responses": _good_answers(row)}
    if row.method == "POST":
        types = (_JSON, _A2A_JSON) if row.tag in (RPC, HTTP, HTTP_V0_3) else (_JSON,)
        operation["requestBody"] = {"content": {each: {"schema": {"type": "object"}} for each in types}}
    return operation


def _good_answers(row: RouteRow) -> dict[str, Any]:
    """What an operation of A2A, or a document about the node, answers when nothing is wrong."""
    types = (_EVENTS,) if row.path.endswith(_FOLLOWED) else _ANSWERED.get(row.tag, (_JSON,))
    shape = {"$ref": "#/components/schemas/JsonRpcAnswer"} if row.tag == RPC else {"type": "object"}
    content = {each: {"schema": {"type": "string"} if each == _EVENTS else shape} for each in types}
    answers: dict[str, Any] = {"200": {"description": "The answer of the operation.", "content": content}}
    if row.tag == CARD:
        answers["304"] = UNCHANGED
    return answers


def _any_fault(row: RouteRow) -> dict[str, Any]:
    schema = {"$ref": f"#/components/schemas/{_FAULTS.get(row.tag, 'Error')}"}
    return {
        "description": "A fault: its code, the reason, and what would help.",
        "content": {_JSON: {"schema": schema}},
    }


def _describe(operation: dict[str, Any], row: RouteRow) -> None:
    operation["operationId"] = _operation_id(row)
    operation["summary"] = row.summary
    operation["tags"] = [row.tag]
    operation["security"] = _SECURITY[row.access]
    operation["x-access"] = row.access.value
    if row.role:
        operation["x-role"] = row.role.value
    operation["x-idempotency"] = row.repeating
    responses = operation["responses"]
    responses.pop("422", None)
    responses["default"] = _any_fault(row)


def _operation_id(row: RouteRow) -> str:
    words = re.findall(r"[A-Za-z0-9-]+", row.path) or ["root"]
    end = ["slash"] if len(row.path) > 1 and row.path.endswith("/") else []
    return "_".join([row.method.lower(), *words, *end])
