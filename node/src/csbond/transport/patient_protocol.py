"""One HTTP connection: uvicorn's, with limits for its heads, one shape of refusal, and half-closed clients answered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from http import HTTPStatus

import orjson
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from csbond.protocol.errors import RemoteProtocolError, as_body
from csbond.transport.sse import HANG_UP

HEAD_BYTES = 64 * 1024
"""Bytes of a head, or of what stands between pieces of a body: more than common proxies pass on."""


class PatientProtocol(HttpToolsProtocol):
    """An HTTP protocol that ends a connection whose request is too long in coming, or whose head is too long.

    The time of a head counts from the first byte of the connection, and of each further request on it. A request that
    was answered before its body was whole gets as long again, so that a client who still sends can read the answer.
    """

    header_timeout_s = 10.0
    _late: asyncio.TimerHandle | None = None
    _unread = 0
    """Bytes since something came that is not kept until a head is whole."""
    _in_head = True
    _begun = False
    """Whether the first byte of a head has come."""
    _refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait_for(self._give_up)

    def data_received(self, data: bytes) -> None:
        """In pieces, so that a head that is too long is noticed even when it comes at once."""
        while data and not self._refused and not self.transport.is_closing():
            room = HEAD_BYTES - self._unread
            piece, data = data[:room], data[room:]
            self._unread += len(piece)
            super().data_received(piece)
            if self._unread >= HEAD_BYTES:
                self._refuse_long_head()

    def eof_received(self) -> bool:  # type: ignore[override]
        """Whether to keep the connection until the answer is written: a client may close its sending half before.

        TLS has no halves. One who is gone altogether is noticed when something is written.
        """
        if self._refused:
            return False
        if self._may_answer():
            if self._begun or not self._in_head:
                self._refuse(HTTPStatus.BAD_REQUEST, "the request ended before it was whole")
            return False
        if not self._is_answering():
            return False
        self.cycle.keep_alive = False
        return self.scheme == "http"

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._begun = True
        self.scope["extensions"] = {HANG_UP: {"now": self.transport.abort}}
        self._wait_for(self._give_up)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Fields behind a body are not kept."""
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._stop_waiting()
        super().on_headers_complete()
        self._unread, self._in_head = 0, False

    def on_body(self, body: bytes) -> None:
        self._unread = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._stop_waiting()
        super().on_message_complete()
        self._unread, self._in_head, self._begun = 0, True, False

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.cycle.response_complete and self.cycle.more_body and not self.transport.is_closing():
            self._wait_for(self.transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """What is no HTTP is refused in the shape of every other refusal."""
        self._refuse(HTTPStatus.BAD_REQUEST, f"not a request of HTTP/1.1: {msg}")

    def _wait_for(self, end: Callable[[], None]) -> None:
        self._stop_waiting()
        self._late = self.loop.call_later(self.header_timeout_s, end)

    def _stop_waiting(self) -> None:
        if self._late:
            self._late.cancel()
            self._late = None

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, "the head of the request is late", "request_timeout")

    def _refuse_long_head(self) -> None:
        """The client may still be sending: what more it says is thrown away, so that it can read the answer."""
        status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
        reason = f"the header fields of the request have {HEAD_BYTES} bytes or more"
        if self._in_head and self._may_answer() and self.transport.can_write_eof():
            self._refused = True
            self.transport.write(_refusal(status, "invalid_request", reason))
            self.transport.write_eof()
            self._wait_for(self.transport.close)
        else:
            self._refuse(status, reason)

    def _refuse(self, status: HTTPStatus, reason: str, code: str = "invalid_request") -> None:
        if self._may_answer():
            self.transport.write(_refusal(status, code, reason))
        self._refused = True
        self.transport.close()

    def _may_answer(self) -> bool:
        """Whether an answer written now is that of the request that is coming in."""
        if self._in_head:
            return not self._is_answering()
        return self._is_answering() and not self.cycle.response_started and not self.pipeline

    def _is_answering(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is not None and not cycle.response_complete


def patient_protocol(header_timeout_s: float) -> type[PatientProtocol]:
    """The protocol with its patience in seconds; uvicorn makes one for each connection."""
    return type("PatientProtocol", (PatientProtocol,), {"header_timeout_s": header_timeout_s})


def _refusal(status: HTTPStatus, code: str, reason: str) -> bytes:
    """A whole answer, after which the connection ends."""
    body = orjson.dumps(as_body(RemoteProtocolError(code, reason)))
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: application/json\r\nconnection: close\r\n"
        f"content-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body
