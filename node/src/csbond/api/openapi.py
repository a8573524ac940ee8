"""The OpenAPI 3.1 document: the REST routes as FastAPI sees them, every other route from the access table."""

from __future__ import annotations

import re
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from csbond.api.access import CARD, CONTINUITY, HTTP, HTTP_V0_3, NODE, PRINCIPALS, ROUTES, RPC
from csbond.api.memory_access import MEMORY
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
_ANY_ERROR = {
    "description": "A fault: its code, the reason, and what would help.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
}


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
    operation: dict[str, Any] = {
        "parameters": [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
            for name in _PARAMETER.findall(row.path)
        ],
        "responses": {"200": {"description": "The answer of the operation."}},
    }
    if row.method == "POST":
        operation["requestBody"] = {"content": {"application/json": {"schema": {"type": "object"}}}}
    return operation


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
    if row.path.startswith("/v1/") and row.tag != HTTP_V0_3:
        responses["default"] = _ANY_ERROR


def _operation_id(row: RouteRow) -> str:
    words = re.findall(r"[A-Za-z0-9-]+", row.path) or ["root"]
    end = ["slash"] if len(row.path) > 1 and row.path.endswith("/") else []
    return "_".join([row.method.lower(), *words, *end])
