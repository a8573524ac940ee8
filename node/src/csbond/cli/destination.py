"""Where a call goes: the address, the token that goes along, and whom to trust there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from ssl import SSLContext
from typing import TYPE_CHECKING

from csbond.cli.addresses import agent_address, same_origin
from csbond.cli.node_client import own_node_tls
from csbond.config.home import Home, open_home, read_private
from csbond.config.lock import running_node
from csbond.config.settings_file import read_settings
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


@dataclass(frozen=True, slots=True)
class Destination:
    """An agent and how it is spoken to from here."""

    url: str
    bearer: Bearer | None = None
    tls: SSLContext | None = None
    """Trusts exactly the own node, or beside the system's authorities those of the home; None: the system's."""
    public_url: str = ""
    """What the own node is called outside, where that is another address than the one it is reached at here."""

    def here(self, address: str) -> str:
        """An address of a card as it is reached from here."""
        public = self.public_url
        return self.url + address[len(public) :] if public and address.startswith(public) else address


def destination_of(url: str, token_file: Path | None, home: Path | None) -> Destination:
    """The agent at an address, with the token of a file; else the owner's, when it is the home's own running node.

    `invalid_params` for what is no address, `setting_invalid` for a token that others can read.
    """
    url = agent_address(url)
    own = _own_node(url, home)
    bearer = Bearer(_token_in(token_file), url) if token_file else Bearer(own.owner_token(), url) if own else None
    if own is None:
        return Destination(url, bearer, _trust_of(home))
    return Destination(url, bearer, own_node_tls(own), read_settings(own.settings_file).node.base_url)


def _own_node(url: str, home: Path | None) -> Home | None:
    """The home whose running node answers at an address; None for the nodes of others."""
    if home is None:
        return None
    chosen = open_home(home)
    record = running_node(chosen)
    return chosen if record is not None and record.url and same_origin(record.url, url) else None


def _trust_of(home: Path | None) -> SSLContext | None:
    trust_ca = read_settings(open_home(home).settings_file).tls.trust_ca if home else ""
    if not trust_ca:
        return None
    from csbond.transport.outgoing import outgoing_tls  # most commands do not wait for this to load

    return outgoing_tls(trust_ca)


def _token_in(path: Path) -> str:
    token = read_private(path).strip()
    if not token or not token.isascii() or any(character.isspace() for character in token):
        raise LocalProtocolError("setting_invalid", f"{path} holds no token", field="token_file")
    return token
