"""Calling a model of the owner's choice over HTTP: nothing is followed elsewhere, and the key stays unseen."""

from __future__ import annotations

import asyncio
import os
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import httpx
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_after_attempt

_BUSY = frozenset({408, 429, 500, 502, 503, 504})
"""Statuses that say "later"."""
_FIRST_WAIT_S, _WAIT_MAX_S = 1.0, 20.0


@dataclass(frozen=True, slots=True)
class EndpointAddress:
    """Where an endpoint is, and who may call it; checked by the settings of the node."""

    url: str = ""
    """The address that a path is added to."""
    token_file: str = ""
    """Read before each call."""
    token_env: str = ""
    """Name of the variable that holds the key, when no file does."""
    ca_file: str = ""


class EndpointFailed(Exception):
    """The endpoint gave no answer that can be used; the text names it, and nothing of what was sent or answered."""


class _Later(EndpointFailed):
    """The endpoint asks to be called later, or cannot be reached."""

    def __init__(self, reason: str, wait_s: float | None = None) -> None:
        super().__init__(reason)
        self.wait_s = wait_s


class Endpoint:
    """An address with its client and its key, called by POST of JSON."""

    def __init__(
        self, address: EndpointAddress, name: str, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self._address = address
        self._name = name
        self._sleep = sleep
        self._opened: httpx.AsyncClient | None = None

    async def answer(self, path: str, body: bytes, *, seconds: float, attempts: int, bytes_max: int) -> bytes:
        """The body of a good answer to one of so many calls, each of so many seconds; `EndpointFailed`."""
        retrying = AsyncRetrying(
            sleep=self._sleep,
            stop=stop_after_attempt(attempts),
            retry=retry_if_exception_type(_Later),
            wait=_wait_s,
            reraise=True,
        )
        answer: bytes = await retrying(self._called, path, body, seconds, bytes_max)
        return answer

    async def close(self) -> None:
        """Let go of the connections."""
        if self._opened is not None:
            await self._opened.aclose()

    async def _called(self, path: str, body: bytes, seconds: float, bytes_max: int) -> bytes:
        """The body of the answer; `_Later` when another call may do better."""
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}
        try:
            request = self._client().build_request(
                "POST",
                f"{self._address.url}{path}",
                content=body,
                headers=headers | self._authorization(),
                timeout=httpx.Timeout(seconds, connect=5.0),
            )
            async with asyncio.timeout(seconds):
                response = await self._client().send(request, stream=True)
                try:
                    return await self._read(response, bytes_max)
                finally:
                    await response.aclose()
        except (httpx.HTTPError, TimeoutError) as fault:
            raise _Later(f"{self._name} does not answer ({type(fault).__name__})") from fault
        except (httpx.InvalidURL, UnicodeError) as fault:
            raise EndpointFailed(f"the address of {self._name}, or the one it sends on to, is none") from fault

    def _client(self) -> httpx.AsyncClient:
        if self._opened is None:
            self._opened = httpx.AsyncClient(verify=self._trust(), follow_redirects=False, trust_env=False)
        return self._opened

    def _trust(self) -> ssl.SSLContext:
        try:
            return ssl.create_default_context(cafile=self._address.ca_file or None)
        except (OSError, ssl.SSLError) as fault:
            raise EndpointFailed(f"{self._address.ca_file} holds no certificates for {self._name}") from fault

    def _authorization(self) -> dict[str, str]:
        """The header with the key; what is wrong with it is told without it."""
        address = self._address
        if address.token_file:
            try:
                token = Path(address.token_file).read_text(encoding="utf-8").strip()
            except (OSError, UnicodeDecodeError) as fault:
                raise EndpointFailed(f"the key of {self._name} cannot be read from its file") from fault
        elif address.token_env:
            token = os.environ.get(address.token_env, "").strip()
        else:
            return {}
        if not token or not token.isascii() or not token.isprintable() or " " in token:
            raise EndpointFailed(f"the key of {self._name} is missing, or is none")
        return {"Authorization": f"Bearer {token}"}

    async def _read(self, response: httpx.Response, bytes_max: int) -> bytes:
        """The body of a good answer; nothing of another is told, for it may hold what was asked."""
        if response.status_code in _BUSY:
            raise _Later(
                f"{self._name} answered with the HTTP status {response.status_code}",
                _seconds(response.headers.get("retry-after", "")),
            )
        if not response.is_success:
            raise EndpointFailed(f"{self._name} answered with the HTTP status {response.status_code}")
        body = b""
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > bytes_max:
                raise EndpointFailed(f"{self._name} answered with more than {bytes_max} bytes")
        return body


def _wait_s(state: RetryCallState) -> float:
    """What the endpoint asked for, or a second that doubles with each call."""
    later = state.outcome.exception() if state.outcome else None
    asked = later.wait_s if isinstance(later, _Later) else None
    return min(_FIRST_WAIT_S * 2.0 ** (state.attempt_number - 1) if asked is None else asked, _WAIT_MAX_S)


def _seconds(retry_after: str) -> float | None:
    """The seconds of a Retry-After header; a date in it is as good as none, for the clocks may differ."""
    return float(retry_after) if retry_after.strip().isdigit() else None
