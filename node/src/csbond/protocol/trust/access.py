"""Which callers a route admits: every route has exactly one access class."""

from __future__ import annotations

from enum import StrEnum

from csbond.protocol.errors import Refused
from csbond.protocol.messages.caller import Caller, CallerKind


class Access(StrEnum):
    """The access classes, from the most open to the most closed; verified peers come with signed requests."""

    PUBLIC = "public"
    PRINCIPAL = "named principal"
    OWNER = "owner"


_RANK = {Access.PUBLIC: 0, Access.PRINCIPAL: 1, Access.OWNER: 2}
_REACH = {CallerKind.ANONYMOUS: 0, CallerKind.PRINCIPAL: 1, CallerKind.OWNER: 2}


def admit(access: Access, caller: Caller) -> Caller:
    """The caller, when the class admits it; `unauthenticated` or `forbidden` otherwise."""
    if _REACH[caller.kind] >= _RANK[access]:
        return caller
    if caller.kind is CallerKind.ANONYMOUS:
        raise Refused(
            "unauthenticated",
            f"this route is for: {access.value}",
            next_step="send the header `Authorization: Bearer <token>`; the owner's token is in the home's owner.token",
        )
    raise Refused(
        "forbidden",
        f"this route is for: {access.value}",
        next_step="ask the owner of the node to do it, or for a token that may",
    )
