"""Calls to other machines: whom they trust, and what is said when they fail."""

from __future__ import annotations

import ssl
from collections.abc import Iterator

from csbond.protocol.errors import LocalProtocolError, Unavailable


def outgoing_tls(trust_ca: str = "") -> ssl.SSLContext:
    """Trusts the system's authorities and, beside them, those of a file; it always verifies.

    `setting_invalid` for a file that holds none.
    """
    system = ssl.get_default_verify_paths()
    if system.cafile or system.capath:
        context = ssl.create_default_context()
    else:
        import certifi  # where Python found no authorities of the system

        context = ssl.create_default_context(cafile=certifi.where())
    if trust_ca:
        try:
            context.load_verify_locations(trust_ca)
        except OSError as fault:
            raise LocalProtocolError(
                "setting_invalid",
                f"{trust_ca} holds no CA certificates in PEM: {fault.strerror or fault}",
                field="tls.trust_ca",
            ) from fault
    return context


def unreachable(url: str, fault: BaseException) -> Unavailable:
    """`peer_unreachable` with the reason; a certificate that is not trusted is told from an agent that is away."""
    for cause in _causes(fault):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return Unavailable(
                "peer_unreachable",
                f"the certificate of {url} is not trusted: {cause.verify_message}",
                next_step="name its authority in tls.trust_ca of csb.toml, if it is one to trust",
            )
        if isinstance(cause, ssl.SSLError) and cause.reason:
            said = cause.reason.lower().replace("_", " ")
            return Unavailable("peer_unreachable", f"no TLS connection to {url}: {said}")
    return Unavailable("peer_unreachable", f"no answer from {url}", next_step="is it running?")


def _causes(fault: BaseException | None) -> Iterator[BaseException]:
    while fault is not None:
        yield fault
        fault = fault.__cause__ or fault.__context__
