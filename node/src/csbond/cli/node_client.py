"""Asks the running node of a home, as its owner."""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from csbond.config.home import Home
from csbond.config.lock import running_node
from csbond.config.settings_file import read_settings
from csbond.protocol.errors import REGISTRY, CsbError, LocalProtocolError, Refused, RemoteProtocolError, Unavailable
from csbond.protocol.memory.entry import checked_text

if TYPE_CHECKING:
    import httpx

_ANSWER_S = 120.0
"""Seconds to wait for an answer: a skill behind `talk` may think."""
LONG_S = 3600.0
"""Seconds to wait for work on many memories at once."""
_CONNECT_S = 5.0
"""Seconds: a node on this machine connects at once."""
_NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Trusts nobody; reading the system's authorities takes longer than most answers, and plain HTTP needs none."""


class NodeClient:
    """The REST interface of one node; every error is an error of the registry."""

    def __init__(self, http: httpx.Client) -> None:
        self._http = http

    def get(self, path: str, **query: str | int | float | None) -> Any:
        """The JSON a GET answers with; parameters that are None are left out."""
        return self._answer("GET", path, params={name: value for name, value in query.items() if value is not None})

    def post(self, path: str, body: Mapping[str, Any], **query: str) -> Any:
        """The JSON a POST answers with."""
        return self._answer("POST", path, json=dict(body), params=query)

    def put(self, path: str, body: Mapping[str, Any], version: int | None = None) -> Any:
        """The JSON a PUT answers with; it is done only at the version, when one is named."""
        return self._answer("PUT", path, json=dict(body), headers={} if version is None else _if_match(version))

    def patch(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """The JSON a PATCH answers with."""
        return self._answer("PATCH", path, json=None if body is None else dict(body))

    def delete(self, path: str, **query: str) -> Any:
        """The JSON a DELETE answers with; None without a body."""
        return self._answer("DELETE", path, params=query)

    def file(self, path: str) -> bytes:
        """The bytes of a file that a GET answers with."""
        response = self._asked("GET", path)
        if response.is_success:
            return response.content
        raise self._fault(response)

    def post_file(self, path: str, content: bytes, media_type: str, **query: str) -> Any:
        """The JSON a POST of a file answers with."""
        return self._answer("POST", path, content=content, headers={"Content-Type": media_type}, params=query)

    def lines(self, path: str, content: bytes, media_type: str, **query: str) -> Iterator[Any]:
        """The JSON values that a POST answers with, one a line, as they come; an error at their end is raised."""
        headers, last = {"Content-Type": media_type}, b""
        with self._reached(), self._http.stream("POST", path, content=content, headers=headers, params=query) as stream:
            if not stream.is_success:
                stream.read()
                raise self._fault(stream)
            for packet in stream.iter_bytes():
                *whole, last = (last + packet).split(b"\n")
                for line in whole:
                    yield _value_of(line)
        if last:
            yield _value_of(last)

    def _answer(self, method: str, path: str, **request: Any) -> Any:
        response = self._asked(method, path, **request)
        if response.is_success and not response.content:
            return None
        try:
            document = response.json()
        except ValueError as fault:
            raise _no_node(self._http, response) from fault
        if response.is_success:
            return document
        raise _fault_of(document) or _no_node(self._http, response)

    def _fault(self, response: httpx.Response) -> CsbError:
        try:
            return _fault_of(response.json()) or _no_node(self._http, response)
        except ValueError:
            return _no_node(self._http, response)

    def _asked(self, method: str, path: str, **request: Any) -> httpx.Response:
        with self._reached():
            return self._http.request(method, path, **request)

    @contextmanager
    def _reached(self) -> Iterator[None]:
        import httpx

        try:
            yield
        except httpx.TimeoutException as fault:
            raise Unavailable(
                "peer_unreachable", f"the node at {self._http.base_url} did not answer in time"
            ) from fault
        except httpx.TransportError as fault:
            raise Unavailable(
                "peer_unreachable", f"the node at {self._http.base_url} did not answer: {fault}"
            ) from fault
        except UnicodeEncodeError as fault:
            raise LocalProtocolError(
                "invalid_params", "the text holds half of a character, which no node takes"
            ) from fault
        except (httpx.InvalidURL, UnicodeError) as fault:
            raise RemoteProtocolError(
                "peer_broke_protocol", f"what answers at {self._http.base_url} sends on to what is no address"
            ) from fault


def _value_of(line: bytes) -> Any:
    """The value of a line; an error that stands alone in it is raised."""
    try:
        value = json.loads(line)
    except ValueError as fault:
        raise RemoteProtocolError("peer_broke_protocol", "the answer of the node ends in the middle") from fault
    ended = _fault_of(value) if isinstance(value, Mapping) and value.keys() == {"error"} else None
    if ended:
        raise ended
    return value


def _if_match(version: int) -> dict[str, str]:
    return {"If-Match": f'"{version}"'}


def path_of(folder: str, name: str, *, absent: str = "") -> str:
    """The path of one thing; `invalid_params` for a name that is none.

    `absent` is the code for a name with a slash where no name has one: a path cannot ask for it.
    """
    if not name:
        raise LocalProtocolError("invalid_params", "the name is empty")
    if absent and "/" in name:
        raise Refused(absent, f"there is no {absent.removesuffix('_not_found')} {name}")
    if not name.strip("."):
        return f"{folder}/{'%2E' * len(name)}"  # dots alone would lead to another folder
    return f"{folder}/{quote(checked_text('name', name), safe='')}"


@contextmanager
def node_of(home: Home, answer_s: float = _ANSWER_S) -> Iterator[NodeClient]:
    """The running node of a home, asked with its owner's token; `peer_unreachable` when none runs.

    Each of its answers is waited for so many seconds.
    """
    import httpx

    record = running_node(home)
    if record is None or not record.url:
        state = "no node runs" if record is None else "a node is still starting in"
        raise Unavailable(
            "peer_unreachable", f"{state} the home {home.path}", next_step=f"csb serve --home {home.path}"
        )
    with httpx.Client(
        base_url=record.url,
        headers={"Authorization": f"Bearer {home.owner_token()}"},
        timeout=httpx.Timeout(answer_s, connect=_CONNECT_S),
        trust_env=False,
        verify=own_node_tls(home) or (_NO_TLS if record.url.startswith("http:") else True),
    ) as http:
        yield NodeClient(http)


def own_node_tls(home: Home) -> ssl.SSLContext | None:
    """Trusts exactly the certificate the running node shows, whatever name it is for: the node is on this machine.

    None when it shows none: then whoever ends TLS for it is verified as any other place.
    """
    record = running_node(home)
    if record is None or not record.certificate:
        return None
    tls = read_settings(home.settings_file).tls
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    try:
        context.load_verify_locations(cadata=_first_certificate(Path(record.certificate)))
        if tls.client_ca:
            context.load_cert_chain(tls.cert, tls.key)
    except (OSError, ValueError) as fault:
        raise LocalProtocolError("setting_invalid", f"{record.certificate} cannot be used: {fault}") from fault
    return context


def _first_certificate(path: Path) -> str:
    end = "-----END CERTIFICATE-----"
    text, found, _ = path.read_text(encoding="ascii").partition(end)
    if not found:
        raise ValueError("no certificate in PEM")
    return text[text.index("-----BEGIN CERTIFICATE-----") :] + end + "\n"


def _fault_of(document: Any) -> CsbError | None:
    error = document.get("error") if isinstance(document, Mapping) else None
    if not isinstance(error, Mapping) or error.get("code") not in REGISTRY:
        return None
    return Refused(
        str(error["code"]),
        str(error.get("reason", "")),
        next_step=str(error.get("next_step", "")),
        field=str(error.get("field", "")),
    )


def _no_node(http: httpx.Client, response: httpx.Response) -> RemoteProtocolError:
    return RemoteProtocolError(
        "peer_broke_protocol",
        f"what answers at {http.base_url} is no node of this version: HTTP {response.status_code}",
        next_step="csb doctor",
    )
