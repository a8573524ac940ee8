"""What is known of one call besides its params: who calls, in which dialect, with which extensions."""

from __future__ import annotations

from dataclasses import dataclass

from csbond.protocol.errors import RemoteProtocolError
from csbond.protocol.messages.caller import ANONYMOUS, Caller
from csbond.protocol.messages.dialects import Version


@dataclass(frozen=True, slots=True)
class Call:
    """The surroundings of an operation."""

    caller: Caller = ANONYMOUS
    dialect: Version = Version.V1_0
    extensions: frozenset[str] = frozenset()
    tenant: str = ""
    base_url: str = ""
    """Under which address the call came; empty: the one the node is bound to."""


def check_extensions(required: tuple[str, ...], call: Call) -> None:
    """Nothing, when the caller declared every required extension; `extension_support_required` otherwise."""
    missing = [uri for uri in required if uri not in call.extensions]
    if missing:
        raise RemoteProtocolError(
            "extension_support_required",
            f"this node requires the extension {missing[0]}",
            next_step="name it in the header A2A-Extensions",
        )


def extensions_of(header: str) -> frozenset[str]:
    """The URIs of an A2A-Extensions header."""
    return frozenset(uri.strip() for uri in header.split(",") if uri.strip())
