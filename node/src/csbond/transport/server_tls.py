"""The certificate a node shows, for all its ports: a renewed one is taken over whole, or the old one stays in force."""

from __future__ import annotations

import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from csbond.protocol.errors import LocalProtocolError


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """Where the certificate chain, its key and, where clients must show certificates, their CA are; all in PEM."""

    cert: str
    key: str
    client_ca: str = ""


@dataclass(frozen=True, slots=True)
class TlsMaterial:
    """What the files held when they were read and found to fit together."""

    cert: bytes
    key: bytes
    client_ca: bytes | None


class ServerTls:
    """The certificate in force."""

    def __init__(self, files: TlsFiles) -> None:
        """`setting_invalid` when the files do not make a certificate with its key."""
        self._files = files
        self.material, self._current = _read(files)
        _, self.context = _read(files)
        self.context.sni_callback = self._show_current

    def renew(self) -> None:
        """Read the files again; `setting_invalid` leaves what is in force as it is."""
        self.material, self._current = _read(self._files)

    def _show_current(self, connection: ssl.SSLSocket | ssl.SSLObject, _name: str | None, _: ssl.SSLContext) -> None:
        """Called for every handshake, also of a client that names no host: it goes on with the latest certificate."""
        connection.context = self._current


def _read(files: TlsFiles) -> tuple[TlsMaterial, ssl.SSLContext]:
    """The files as bytes and as a context, of one moment."""
    names = [files.cert, files.key, *filter(None, [files.client_ca])]
    try:
        before = _contents(names)
        context = _context(files)
        if _contents(names) != before:
            raise _refuse(files, "they changed while they were read", "send SIGHUP again")
    except (OSError, ValueError) as fault:
        raise _refuse(files, str(fault.strerror or fault) if isinstance(fault, OSError) else str(fault)) from fault
    return TlsMaterial(before[0], before[1], before[2] if files.client_ca else None), context


def _contents(names: Sequence[str]) -> list[bytes]:
    return [Path(name).read_bytes() for name in names]


def _context(files: TlsFiles) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(files.cert, files.key, password=_no_password)
    if files.client_ca:
        context.load_verify_locations(files.client_ca)
        context.verify_mode = ssl.CERT_REQUIRED
        # A resumed session would skip the look at the client's certificate, also after its CA was taken away.
        context.options |= ssl.OP_NO_TICKET
        context.num_tickets = 0
    return context


def _no_password() -> str:
    """Instead of a question at a terminal where nobody sits."""
    raise ValueError("the key is protected by a password")


def _refuse(files: TlsFiles, reason: str, next_step: str = "") -> LocalProtocolError:
    of_clients = f", with the client CA {files.client_ca}" if files.client_ca else ""
    return LocalProtocolError(
        "setting_invalid",
        f"{files.cert} and {files.key} are no certificate with its key{of_clients}: {reason}",
        next_step=next_step or "csb doctor says more",
        field="tls.cert",
    )
