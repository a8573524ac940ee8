"""The certificate of the node: that it loads, fits its key and has not run out."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from csbond.cli.checkup.finding import Finding
from csbond.config.settings import TlsSettings

if TYPE_CHECKING:
    from csbond.flows.ports import Clock

_SOON = timedelta(days=14)
"""Time enough to renew a certificate."""


def check_tls(tls: TlsSettings, clock: Clock) -> Iterator[Finding]:
    """The files of [tls]; nothing where it is not set."""
    if not tls.cert:
        return
    from cryptography import x509

    try:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(tls.cert, tls.key)
        if tls.client_ca:
            context.load_verify_locations(tls.client_ca)
        certificate = x509.load_pem_x509_certificate(Path(tls.cert).read_bytes())
    except (OSError, ValueError) as fault:
        yield Finding("TLS", "fault", f"the files of [tls] cannot be used: {fault}", "name a certificate and its key")
        return
    yield _life(certificate.not_valid_before_utc, certificate.not_valid_after_utc, clock)


def _life(begins: datetime, ends: datetime, clock: Clock) -> Finding:
    now = datetime.fromtimestamp(clock.now() / 1000, UTC)
    detail = f"valid from {begins:%Y-%m-%d} to {ends:%Y-%m-%d}"
    if not begins <= now <= ends:
        return Finding(
            "TLS", "fault", f"the certificate is not valid now: {detail}", "renew it, then kill -HUP the node"
        )
    if ends - now < _SOON:
        return Finding(
            "TLS", "warning", f"the certificate runs out soon: {detail}", "renew it, then kill -HUP the node"
        )
    return Finding("TLS", "ok", detail)
