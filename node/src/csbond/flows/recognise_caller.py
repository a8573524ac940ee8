"""Who is calling is recognised by a bearer token, and by nothing else."""

from __future__ import annotations

import hmac

from csbond.flows.ports import Ledger
from csbond.protocol.errors import Refused
from csbond.protocol.identifiers import token_digest
from csbond.protocol.messages.caller import ANONYMOUS, OWNER, Caller

TOKEN_MAX = 512
"""Characters of a token that are looked at: ours have 43."""


async def recognise_caller(ledger: Ledger, owner_digest: str, authorization: str | None) -> Caller:
    """The owner, a named principal, or anybody when the `Authorization` header is missing.

    `unauthenticated` for a header that is no bearer token of this node: whoever shows a wrong token is told so, even
    where none is needed.
    """
    if authorization is None:
        return ANONYMOUS
    scheme, _, token = authorization.partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token or len(token) > TOKEN_MAX:
        raise _unknown("the Authorization header holds no bearer token")
    digest = token_digest(token)
    if hmac.compare_digest(digest, owner_digest):
        return OWNER
    principal = await ledger.principal_by_digest(digest)
    if principal is None:
        raise _unknown("the token is not one of this node")
    return principal


def _unknown(reason: str) -> Refused:
    return Refused(
        "unauthenticated",
        reason,
        next_step="the owner's token is in the home's owner.token; `csb principal add` makes others",
    )
