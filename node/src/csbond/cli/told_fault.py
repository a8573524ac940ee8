"""What an agent says by an HTTP status that is no success: the code in its body, or what the status itself means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from csbond.protocol.errors import REGISTRY, CsbError, Refused, RemoteProtocolError

if TYPE_CHECKING:
    import httpx

_CODE_OF_STATUS = {
    401: "unauthenticated",
    403: "forbidden",
    408: "request_timeout",
    413: "body_too_large",
    429: "too_busy",
    502: "peer_unreachable",
    503: "peer_unreachable",
    504: "peer_unreachable",
    507: "storage_full",
}
"""Statuses that say enough without a body; 502 to 504 come from what stands before an agent that is not there."""
_NEXT_STEP = {"unauthenticated": "show a token it knows: --token-file F"}


def told_fault(url: str, response: httpx.Response) -> CsbError:
    """The error an answer is: 1. the code in its body, in any of the three shapes; 2. that of its status.

    The body must have been read. `peer_broke_protocol` where neither says anything of the registry.
    """
    if told := _told(_document(response)):
        code, reason, next_step = told
        return Refused(code, f"{url} answers: {reason}", next_step=next_step or _NEXT_STEP.get(code, ""))
    status = response.status_code
    if code := _CODE_OF_STATUS.get(status, ""):
        return Refused(code, f"{url} answers with HTTP {status}", next_step=_NEXT_STEP.get(code, ""))
    return RemoteProtocolError("peer_broke_protocol", f"{url} answered outside the protocol: HTTP {status}")


def _document(response: httpx.Response) -> Any:
    try:
        return response.json()
    except (ValueError, RecursionError):
        return None


def _told(document: Any) -> tuple[str, str, str] | None:
    """Code, reason and next step: of `/v1`, of JSON-RPC with its `data`, or of google.rpc.Status with its details."""
    error = document.get("error") if isinstance(document, Mapping) else None
    if not isinstance(error, Mapping):
        return None
    reason = str(error.get("reason") or error.get("message") or "")
    for place in _places(error):
        name = place.get("csb_code", place.get("code"))
        if isinstance(name, str) and name in REGISTRY:
            return name, reason or REGISTRY[name].meaning, str(place.get("next_step") or "")
    for code in REGISTRY.values():
        if code.rpc == error.get("code"):
            return code.name, reason or code.meaning, ""
    return None


def _places(error: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield error
    for found in (error.get("data"), error.get("details")):
        for each in found if isinstance(found, list) else [found]:
            if isinstance(each, Mapping):
                yield each
                if isinstance(metadata := each.get("metadata"), Mapping):
                    yield metadata
