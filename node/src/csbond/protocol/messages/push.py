"""Where a caller wants to be told about a task (A2A v1.0.1 §4.3.1)."""

from __future__ import annotations

from dataclasses import dataclass

from csbond.protocol.errors import RemoteProtocolError

ID_LENGTH = 256
"""Characters of the id of a webhook: as of every other id a caller gives."""
TOKEN_LENGTH = 2_048
"""Characters of a token: with the credentials, what servers take in the head of one request (8 KB)."""
CREDENTIALS_LENGTH = 4_096
"""Characters of credentials: a signed token that names the groups of somebody."""
SCHEME_LENGTH = 64
"""Characters of an authentication scheme: the registered ones have at most 20."""


@dataclass(frozen=True, slots=True)
class PushConfig:
    """A webhook; the token and credentials are given back to it and to nobody else."""

    id: str
    task_id: str
    url: str
    token: str = ""
    scheme: str = ""
    credentials: str = ""
    dialect: str = "1.0"
    """The A2A version its notifications are written in: that of the request that made it."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """One notification waiting in the outbox."""

    id: str
    task_id: str
    config_id: str
    payload: bytes
    attempts: int
    due_at: int
    """Not before this time, in milliseconds since 1970."""


def check_push_config(config: PushConfig) -> None:
    """Nothing, or `invalid_params` for what is too long or, in the id, is not printable; the url is looked at apart."""
    for field, value, longest in (
        ("id", config.id, ID_LENGTH),
        ("token", config.token, TOKEN_LENGTH),
        ("scheme", config.scheme, SCHEME_LENGTH),
        ("credentials", config.credentials, CREDENTIALS_LENGTH),
    ):
        if len(value) > longest:
            raise RemoteProtocolError("invalid_params", f"{field} has more than {longest} characters", field=field)
    if not config.id.isprintable():
        raise RemoteProtocolError("invalid_params", "id holds what cannot be printed", field="id")
