"""Under which address a request came: as bound or set, or as a trusted proxy says."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence

from starlette.requests import Request

_HOST = re.compile(r"(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?")
_PREFIX = re.compile(r"(?:/[A-Za-z0-9._~-]+)*")


class Reach:
    """Knows the address of the node, and whom to believe about another one."""

    def __init__(self, address: str, proxies: Sequence[str], *, fixed: bool) -> None:
        self.address = address
        self._fixed = fixed
        self._proxies = [ipaddress.ip_network(proxy, strict=False) for proxy in proxies]

    def base_url(self, request: Request) -> str:
        """The base address others reach the node at.

        1. One that is set is always it. 2. X-Forwarded-Host, -Proto (https, unless it says http) and -Prefix of a
        trusted proxy. 3. Where the node listens. Of several values the last counts: it is the proxy's own, whatever
        the client wrote before it. A value that is no host, scheme or path counts for nothing.
        """
        host = _last(request, "x-forwarded-host")
        if self._fixed or not _HOST.fullmatch(host) or not self._trusts(request):
            return self.address
        scheme = _last(request, "x-forwarded-proto").lower()
        prefix = _last(request, "x-forwarded-prefix").rstrip("/")
        return f"{'http' if scheme == 'http' else 'https'}://{host}{prefix if _PREFIX.fullmatch(prefix) else ''}"

    def _trusts(self, request: Request) -> bool:
        try:
            peer = ipaddress.ip_address(request.client.host if request.client else "")
        except ValueError:
            return False
        if isinstance(peer, ipaddress.IPv6Address):
            peer = peer.ipv4_mapped or peer  # how a socket of both families shows who came by IPv4
        return any(peer in network for network in self._proxies)


def _last(request: Request, name: str) -> str:
    return ",".join(request.headers.getlist(name)).rpartition(",")[2].strip()
