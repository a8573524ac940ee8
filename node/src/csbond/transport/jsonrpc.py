"""JSON-RPC over HTTP: one endpoint for every dialect (A2A v1.0.1 §9, v0.3 §3.2.1, A2A-003)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from csbond.protocol.errors import CsbError, RemoteProtocolError
from csbond.protocol.messages.dialects import BY_NAME, STREAMED, Method, Version, lifted
from csbond.protocol.messages.version import check_version
from csbond.transport.body import check_media_type, read_body, read_json
from csbond.transport.call import Call, extensions_of
from csbond.transport.faults import internal_fault, rpc_error, rpc_status
from csbond.transport.operations import Operations
from csbond.transport.reach import Reach
from csbond.transport.sse import EventStream, event_bytes
from csbond.transport.wire import check_lists

RpcId = str | int | float | None


@dataclass(frozen=True, slots=True)
class RpcRequest:
    """A well-formed request; without an id it is answered with a null id, since draft clients send none."""

    id: RpcId
    method: str
    params: Any


class JsonRpcEndpoint:
    """The ASGI application behind `/`, `/a2a` and `/a2a/json-rpc`."""

    def __init__(self, operations: Operations) -> None:
        self._operations = operations
        self._limits = operations.limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or stream its events."""
        request = Request(scope, receive)
        response = await self._answer(request)
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response | EventStream:
        """The ladder: media type, size, JSON, request form, method, version, params; then the operation."""
        rpc = RpcRequest(None, "", None)
        dialect = Version.V1_0
        try:
            check_media_type(request)
            raw = read_json(await read_body(request, self._limits), self._limits)
            rpc = RpcRequest(stated_id(raw), "", None)
            rpc = request_from_json(raw)
            method = _method(rpc.method)
            dialect = method.version
            check_version(stated_version(request), dialect, lenient=self._limits.lenient_version)
            check_lists(rpc.params, self._limits)
            params = lifted(method, rpc.params, self._operations.world.identifiers.unique())
            call = call_of(request, dialect, self._operations.reach)
            if method.operation in STREAMED:
                return await self._stream(method, params, call, rpc)
            result = await self._operations.run(method.operation, params, call)
            return _reply({"jsonrpc": "2.0", "id": rpc.id, "result": method.down(result)})
        except CsbError as fault:
            if _expects_events(request, rpc) and rpc_status(fault) == 200:
                return self._refused_stream(rpc, fault, dialect)
            return _refusal(rpc, fault, dialect)
        except Exception as fault:
            self._operations.world.journal.failed("json_rpc", fault, method=rpc.method[:64])
            return _refusal(rpc, internal_fault(), dialect)

    async def _stream(self, method: Method, params: dict[str, Any], call: Call, rpc: RpcRequest) -> EventStream:
        """The first event is awaited, so that a refusal is a plain answer."""
        events = self._operations.stream(method.operation, params, call)
        first = await anext(events)
        return EventStream(self._events(method, rpc, first, events), self._limits)

    def _refused_stream(self, rpc: RpcRequest, fault: CsbError, dialect: Version) -> EventStream:
        async def refusal() -> AsyncIterator[bytes]:
            yield event_bytes({"jsonrpc": "2.0", "id": rpc.id, "error": rpc_error(fault, dialect)}, "error")

        return EventStream(refusal(), self._limits)

    async def _events(
        self, method: Method, rpc: RpcRequest, first: dict[str, Any], rest: AsyncIterator[dict[str, Any]]
    ) -> AsyncIterator[bytes]:
        try:
            yield event_bytes({"jsonrpc": "2.0", "id": rpc.id, "result": method.down(first)})
            async for event in rest:
                yield event_bytes({"jsonrpc": "2.0", "id": rpc.id, "result": method.down(event)})
        except CsbError as fault:
            yield event_bytes({"jsonrpc": "2.0", "id": rpc.id, "error": rpc_error(fault, method.version)}, "error")
        except Exception as fault:
            self._operations.world.journal.failed("json_rpc_stream", fault, method=rpc.method)
            error = rpc_error(internal_fault(), method.version)
            yield event_bytes({"jsonrpc": "2.0", "id": rpc.id, "error": error}, "error")
        finally:
            await rest.aclose()  # type: ignore[attr-defined]


def stated_id(raw: Any) -> RpcId:
    """The id of a request whose form may be wrong otherwise; None where it cannot be told (JSON-RPC 2.0 §5)."""
    id_ = raw.get("id") if isinstance(raw, dict) else None
    return id_ if isinstance(id_, str | int | float) and not isinstance(id_, bool) else None


def request_from_json(raw: Any) -> RpcRequest:
    """A JSON-RPC 2.0 request; `invalid_request` for batches and for anything that is none."""
    if not isinstance(raw, dict):
        what = "batches are not taken; send one request a call" if isinstance(raw, list) else "not a JSON object"
        raise RemoteProtocolError("invalid_request", what)
    if raw.get("jsonrpc") != "2.0":
        raise RemoteProtocolError("invalid_request", 'the member jsonrpc must be "2.0"', field="jsonrpc")
    id_ = raw.get("id")
    if isinstance(id_, bool) or not isinstance(id_, str | int | float | None):
        raise RemoteProtocolError("invalid_request", "the id must be a text, a number or null", field="id")
    method = raw.get("method")
    if not isinstance(method, str) or not method:
        raise RemoteProtocolError("invalid_request", "the member method must be a text", field="method")
    params = raw.get("params")
    if params is not None and not isinstance(params, dict):
        raise RemoteProtocolError("invalid_params", "params must be an object", field="params")
    return RpcRequest(id_, method, params)


def stated_version(request: Request) -> str:
    """The A2A version a request names, in its header or its query (§3.6.1)."""
    return request.headers.get("a2a-version") or request.query_params.get("A2A-Version", "")


def call_of(request: Request, dialect: Version, reach: Reach) -> Call:
    """The surroundings of an HTTP call; the caller was recognised at the gate."""
    header = ",".join(request.headers.getlist("a2a-extensions") + request.headers.getlist("x-a2a-extensions"))
    tenant = request.path_params.get("tenant", "")
    return Call(request.state.caller, dialect, extensions_of(header), tenant, reach.base_url(request))


def _method(name: str) -> Method:
    method = BY_NAME.get(name)
    if method is None:
        raise RemoteProtocolError(
            "method_not_found", f"there is no method {name[:64]!r}", next_step="see docs/reference/conformance.md"
        )
    return method


def _expects_events(request: Request, rpc: RpcRequest) -> bool:
    """Whether the caller reads nothing but events: v0.3 answers its streaming methods so, refusals too (§3.3.1)."""
    method = BY_NAME.get(rpc.method)
    streamed = method is not None and method.version is not Version.V1_0 and method.operation in STREAMED
    return streamed and "text/event-stream" in request.headers.get("accept", "")


def _reply(body: dict[str, Any], status: int = 200) -> Response:
    return Response(orjson.dumps(body), status, media_type="application/json")


def _refusal(rpc: RpcRequest, fault: CsbError, dialect: Version) -> Response:
    return _reply({"jsonrpc": "2.0", "id": rpc.id, "error": rpc_error(fault, dialect)}, rpc_status(fault))
