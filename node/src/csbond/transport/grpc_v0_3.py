"""The gRPC service of v0.3, by the SDK's rewriting; what that would misread or stumble over is refused before."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from typing import Any

import grpc
import grpc.aio
from a2a.compat.v0_3 import a2a_v0_3_pb2 as pb
from a2a.compat.v0_3.grpc_handler import CompatGrpcHandler

from csbond.protocol.errors import RemoteProtocolError
from csbond.transport.limits import TransportLimits
from csbond.transport.request_handler import GrpcRequestHandler
from csbond.transport.request_size import check_size

_ROLES = (pb.ROLE_USER, pb.ROLE_AGENT)


class ServiceV03(CompatGrpcHandler):
    """The SDK's servicer, with the size and the required fields of a message checked first (v0.3 §6.4, §6.5)."""

    def __init__(self, handler: GrpcRequestHandler, limits: TransportLimits, contexts: Any) -> None:
        super().__init__(handler, contexts)
        self._limits = limits

    async def SendMessage(self, request: Any, context: Any) -> Any:
        """message/send; INVALID_ARGUMENT names the field that is missing or unknown."""
        await self._refuse_unfit(request, context)
        return await super().SendMessage(request, context)

    async def SendStreamingMessage(self, request: Any, context: Any) -> AsyncIterator[Any]:
        """message/stream; INVALID_ARGUMENT as above."""
        await self._refuse_unfit(request, context)
        async for event in super().SendStreamingMessage(request, context):
            yield event

    async def _refuse_unfit(self, request: Any, context: Any) -> None:
        try:
            check_size(request, self._limits)
            unfit = unfit_field(request.request)
        except RemoteProtocolError as fault:
            unfit = fault.reason
        if unfit:
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, f"InvalidParamsError: {unfit}")
        for part in request.request.content:
            if part.file.file_with_bytes:
                part.file.file_with_bytes = as_base64(part.file.file_with_bytes)


def unfit_field(message: Any) -> str:
    """What is wrong with a v0.3 Message as one sentence; empty when it can be read."""
    if not message.message_id:
        return "message.message_id is missing"
    if message.role not in _ROLES:
        return "message.role must be ROLE_USER or ROLE_AGENT"
    if any(part.WhichOneof("part") is None for part in message.content):
        return "message.content[] must be text, data or file"
    return ""


def as_base64(content: bytes) -> bytes:
    """The bytes of a file as the SDK's rewriting wants them: its own clients send base64, others the bytes themselves.

    Bytes that happen to be base64 are taken for it.
    """
    try:
        base64.b64decode(content, validate=True)
    except ValueError:
        return base64.b64encode(content)
    return content
