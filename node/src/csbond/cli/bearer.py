"""Which token goes with a call, and that it goes nowhere else."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from csbond.cli.addresses import same_origin
from csbond.config.home import Home, open_home, read_private
from csbond.config.lock import running_node
from csbond.protocol.errors import LocalProtocolError

if TYPE_CHECKING:
    from httpx import Request


class Bearer:
    """Sends a token to the origin it is for; a card that points elsewhere does not get it."""

    def __init__(self, token: str, url: str) -> None:
        self._token = token
        self._url = url

    def __call__(self, request: Request) -> Request:
        """The request with the header, where it goes to the origin of the token."""
        if same_origin(request.url, self._url):
            request.headers["Authorization"] = f"Bearer {self._token}"
        return request


def bearer_for(url: str, token_file: Path | None, home: Path | None) -> Bearer | None:
    """The token of a file; else the owner's, when the address is the running node of the home; else none."""
    if token_file is not None:
        return Bearer(_token_in(token_file), url)
    own = own_node(url, home)
    return Bearer(own.owner_token(), url) if own else None


def own_node(url: str, home: Path | None) -> Home | None:
    """The home whose running node answers at an address; None for the nodes of others."""
    if home is None:
        return None
    chosen = open_home(home)
    record = running_node(chosen)
    return chosen if record is not None and record.url and same_origin(record.url, url) else None


def _token_in(path: Path) -> str:
    token = read_private(path).strip()
    if not token or not token.isascii() or any(character.isspace() for character in token):
        raise LocalProtocolError("setting_invalid", f"{path} holds no token", field="token_file")
    return token
