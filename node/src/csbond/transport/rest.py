"""HTTP+JSON: v1.0 at the root and below a tenant, v0.3 below `/v1` (A2A v1.0.1 §11, v0.3 §3.5.3)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from csbond.protocol.errors import CsbError, RemoteProtocolError
from csbond.protocol.messages import json_rest_v0_3 as v0_3
from csbond.protocol.messages.dialects import STREAMED, Operation, Version
from csbond.protocol.messages.json_v0_3 import expect_object
from csbond.protocol.messages.version import check_version
from csbond.transport.body import check_media_type, read_body, read_json
from csbond.transport.faults import internal_fault, rest_body
from csbond.transport.jsonrpc import call_of, stated_version
from csbond.transport.operations import Operations
from csbond.transport.query import query_params
from csbond.transport.sse import EventStream, event_bytes
from csbond.transport.wire import check_lists

Up = Callable[[object, str], Mapping[str, Any]]
"""(body, task id of the path) → v1.0 params."""
Down = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class RestMethod:
    """One row: a route, the operation behind it, and the rewriting of its body and result."""

    verb: str
    path: str
    version: Version
    operation: Operation
    up: Up
    down: Down


def _as_is(body: object, _task_id: str) -> Mapping[str, Any]:
    return expect_object(body)


def _same(result: Any) -> Any:
    return result


_O, _NEW, _OLD = Operation, Version.V1_0, Version.V0_3
_CONFIGS = "/tasks/{id}/pushNotificationConfigs"

REST_METHODS: tuple[RestMethod, ...] = (
    RestMethod("POST", "/message:send", _NEW, _O.SEND, _as_is, _same),
    RestMethod("POST", "/message:stream", _NEW, _O.STREAM, _as_is, _same),
    RestMethod("GET", "/tasks", _NEW, _O.LIST, _as_is, _same),
    RestMethod("POST", "/tasks/{id}:cancel", _NEW, _O.CANCEL, _as_is, _same),
    RestMethod("POST", "/tasks/{id}:subscribe", _NEW, _O.SUBSCRIBE, _as_is, _same),
    RestMethod("GET", "/tasks/{id}:subscribe", _NEW, _O.SUBSCRIBE, _as_is, _same),
    RestMethod("GET", "/tasks/{id}", _NEW, _O.GET, _as_is, _same),
    RestMethod("POST", _CONFIGS, _NEW, _O.PUSH_CREATE, _as_is, _same),
    RestMethod("GET", _CONFIGS, _NEW, _O.PUSH_LIST, _as_is, _same),
    RestMethod("GET", _CONFIGS + "/{config}", _NEW, _O.PUSH_GET, _as_is, _same),
    RestMethod("DELETE", _CONFIGS + "/{config}", _NEW, _O.PUSH_DELETE, _as_is, _same),
    RestMethod("GET", "/extendedAgentCard", _NEW, _O.EXTENDED_CARD, _as_is, _same),
    RestMethod("POST", "/v1/message:send", _OLD, _O.SEND, v0_3.rest_send_up, v0_3.rest_event_down),
    RestMethod("POST", "/v1/message:stream", _OLD, _O.STREAM, v0_3.rest_send_up, v0_3.rest_event_down),
    RestMethod("POST", "/v1/tasks/{id}:cancel", _OLD, _O.CANCEL, _as_is, v0_3.rest_task_down),
    RestMethod("POST", "/v1/tasks/{id}:subscribe", _OLD, _O.SUBSCRIBE, _as_is, v0_3.rest_event_down),
    RestMethod("GET", "/v1/tasks/{id}:subscribe", _OLD, _O.SUBSCRIBE, _as_is, v0_3.rest_event_down),
    RestMethod("GET", "/v1/tasks/{id}", _OLD, _O.GET, _as_is, v0_3.rest_task_down),
    RestMethod("POST", "/v1" + _CONFIGS, _OLD, _O.PUSH_CREATE, v0_3.rest_push_up, v0_3.rest_push_down),
    RestMethod("GET", "/v1" + _CONFIGS, _OLD, _O.PUSH_LIST, _as_is, v0_3.rest_push_list_down),
    RestMethod("GET", "/v1" + _CONFIGS + "/{config}", _OLD, _O.PUSH_GET, _as_is, v0_3.rest_push_down),
    RestMethod("DELETE", "/v1" + _CONFIGS + "/{config}", _OLD, _O.PUSH_DELETE, _as_is, _same),
    RestMethod("GET", "/v1/card", _OLD, _O.EXTENDED_CARD, _as_is, _same),
)
"""Every route; the v1.0 ones once more below `/{tenant}`. `:verb` paths stand before the id they end in."""


class RestEndpoint:
    """The ASGI application behind one route."""

    def __init__(self, operations: Operations, method: RestMethod) -> None:
        self._operations = operations
        self._method = method
        self._limits = operations.limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or stream its events."""
        request = Request(scope, receive)
        response = await self._answer(request)
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response | EventStream:
        """The ladder: version, media type, size, JSON, params; then the operation."""
        method, operations = self._method, self._operations
        try:
            check_version(stated_version(request), method.version, lenient=self._limits.lenient_version)
            params = await self._params(request)
            call = call_of(request, method.version, operations.reach)
            if method.operation in STREAMED:
                events = operations.stream(method.operation, params, call)
                first = await anext(events)
                return EventStream(self._events(first, events), self._limits)
            result = await operations.run(method.operation, params, call)
            return _reply(request, method.down(result))
        except CsbError as fault:
            return _refusal(fault)
        except Exception as fault:
            operations.world.journal.failed("rest", fault, path=method.path)
            return _refusal(internal_fault())

    async def _params(self, request: Request) -> dict[str, Any]:
        path, method = request.path_params, self._method
        if request.method in ("GET", "HEAD", "DELETE"):
            params = query_params(request.query_params)
        else:
            body = await read_body(request, self._limits)
            if body:
                _check_media_type(request)
            raw = read_json(body, self._limits) if body else {}
            check_lists(raw, self._limits)
            params = dict(method.up(raw, path.get("id", "")))
        if "id" in path:
            params["taskId" if "pushNotificationConfigs" in method.path else "id"] = path["id"]
        if "config" in path:
            params["id"] = path["config"]
        return params

    async def _events(self, first: dict[str, Any], rest: AsyncIterator[dict[str, Any]]) -> AsyncIterator[bytes]:
        down = self._method.down
        try:
            yield event_bytes(down(first))
            async for event in rest:
                yield event_bytes(down(event))
        except CsbError as fault:
            yield event_bytes(rest_body(fault), "error")
        except Exception as fault:
            self._operations.world.journal.failed("rest_stream", fault, path=self._method.path)
            yield event_bytes(rest_body(internal_fault()), "error")
        finally:
            await rest.aclose()  # type: ignore[attr-defined]


class _Unreadable(RemoteProtocolError):
    """A Content-Type header of another kind: HTTP has a status of its own for it (RFC 9110 §15.5.16)."""


def _check_media_type(request: Request) -> None:
    try:
        check_media_type(request)
    except RemoteProtocolError as fault:
        raise _Unreadable(fault.code.name, fault.reason, next_step=fault.next_step) from fault


def _refusal(fault: CsbError) -> Response:
    """Errors are plain JSON for every reader."""
    status = 415 if isinstance(fault, _Unreadable) else fault.code.http
    return Response(orjson.dumps(rest_body(fault, status)), status, media_type="application/json")


def _reply(request: Request, body: Any) -> Response:
    """JSON in the media type the request was made in: `application/json` for those who sent that (§11.1)."""
    asked = request.headers.get("content-type", "") + request.headers.get("accept", "")
    v1_0 = not request.url.path.startswith("/v1/")
    plain = not v1_0 or ("application/json" in asked and "a2a+json" not in asked)
    return Response(orjson.dumps(body), media_type="application/json" if plain else "application/a2a+json")
