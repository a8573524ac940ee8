"""On what a caller's right rests, as audit records state it."""

from __future__ import annotations

from csbond.protocol.messages.caller import Caller, CallerKind

_WORDS = {
    CallerKind.ANONYMOUS: "public",
    CallerKind.PRINCIPAL: "principal token",
    CallerKind.OWNER: "owner token",
}


def authority_of(caller: Caller) -> str:
    """`public`, `principal token` or `owner token`; certificates come with delegation."""
    return _WORDS[caller.kind]
