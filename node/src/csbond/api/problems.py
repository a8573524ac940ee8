"""Every fault as one shape: `{"error": {code, reason, field?, next_step?}}`, and never a traceback."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from csbond.api.access import HTTP, HTTP_V0_3, RPC
from csbond.protocol.errors import CsbError, ErrorCode, RemoteProtocolError, as_body
from csbond.protocol.messages.dialects import Version
from csbond.transport.faults import rest_body, rpc_error

REST_STATUS = {"content_type_not_supported": 415}
"""Codes whose HTTP status under `/v1` is not that of A2A, which answers 400 (A2A v1.0.1 §5.4)."""
RETRY_AFTER_S = 5
"""Seconds a client should wait when the fault is that something is not there now."""


class Json(Response):
    """A JSON answer."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """The bytes of the value, in UTF-8."""
        return orjson.dumps(content)


def status_of(code: ErrorCode) -> int:
    """The HTTP status of a code under `/v1`."""
    return REST_STATUS.get(code.name, code.http)


def problem(fault: CsbError, status: int = 0, headers: Mapping[str, str] | None = None) -> Json:
    """The answer to a fault under `/v1`."""
    status = status or status_of(fault.code)
    return Json(as_body(fault), status, {**_headers(status), **(headers or {})})


def problem_at(tag: str, fault: CsbError, headers: Mapping[str, str]) -> Json:
    """The answer to a fault at a route of some tag: A2A routes have the shapes of their bindings."""
    if tag == RPC:
        body: dict[str, Any] = {"jsonrpc": "2.0", "id": None, "error": rpc_error(fault, Version.V1_0)}
        return Json(body, fault.code.http, {**_headers(fault.code.http), **headers})
    if tag in (HTTP, HTTP_V0_3):
        return Json(rest_body(fault), fault.code.http, {**_headers(fault.code.http), **headers})
    return problem(fault, headers=headers)


def install(app: FastAPI) -> None:
    """Let the application answer every fault in the one shape."""
    app.exception_handler(CsbError)(_considered)
    app.exception_handler(RequestValidationError)(_unacceptable)
    app.exception_handler(HTTPException)(_unroutable)
    app.exception_handler(Exception)(_unexpected)


def _headers(status: int) -> dict[str, str]:
    return {"Retry-After": str(RETRY_AFTER_S)} if status == 503 else {}


async def _considered(_request: Request, fault: CsbError) -> Response:
    return problem(fault)


async def _unacceptable(_request: Request, fault: RequestValidationError) -> Response:
    first = fault.errors()[0]
    name = str(first["loc"][-1])
    message = str(first["msg"]).removeprefix("Input should be ").removeprefix("Field ")
    return problem(RemoteProtocolError("invalid_params", f"{name} should be {message}", field=name))


async def _unroutable(request: Request, fault: HTTPException) -> Response:
    if fault.status_code == 405:
        reason = f"{request.url.path} does not answer {request.method}"
        return problem(RemoteProtocolError("method_not_found", reason), 405, fault.headers)
    if fault.status_code == 404:
        return problem(
            RemoteProtocolError(
                "method_not_found", "there is no such route", next_step="/openapi.json lists the routes of this node"
            )
        )
    return problem(RemoteProtocolError("invalid_request", str(fault.detail)), fault.status_code, fault.headers)


async def _unexpected(_request: Request, _fault: Exception) -> Response:
    return problem(RemoteProtocolError("internal_error", "a fault of this node", next_step="its log has the record"))
