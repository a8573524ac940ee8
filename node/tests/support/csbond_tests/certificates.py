"""Throw-away certificates, and a throw-away authority that signs them."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

__all__ = ["Authority", "Pair", "authority", "self_signed"]


@dataclass(frozen=True)
class Pair:
    """The files of a certificate and of its key."""

    cert: Path
    key: Path


@dataclass(frozen=True)
class Authority:
    """Signs certificates that whoever trusts `file` trusts."""

    file: Path
    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    def issue(self, folder: Path, *names: str) -> Pair:
        """The files of a certificate for names and addresses; made anew each time, in files named by the first name."""
        key = ec.generate_private_key(ec.SECP256R1())
        builder = _builder(names, key, self.certificate.subject, self.key).add_extension(
            x509.BasicConstraints(ca=False, path_length=None), critical=True
        )
        return Pair(*_files(folder, names[0], builder.sign(self.key, hashes.SHA256()), key))

    def trust(self) -> ssl.SSLContext:
        """Trusts this authority and nobody else."""
        return ssl.create_default_context(cafile=self.file)


def authority(folder: Path, name: str) -> Authority:
    """A new authority; its certificate is a file in the folder."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    usage = dict.fromkeys(
        ("content_commitment", "key_encipherment", "data_encipherment", "key_agreement", "encipher_only"), False
    )
    builder = (
        _builder((name,), key, subject, key)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(
            x509.KeyUsage(digital_signature=True, key_cert_sign=True, crl_sign=True, decipher_only=False, **usage),
            critical=True,
        )
    )
    certificate = builder.sign(key, hashes.SHA256())
    return Authority(_files(folder, name, certificate, key)[0], certificate, key)


def self_signed(folder: Path, name: str, *, days: int = 30, begins: int = -1) -> tuple[Path, Path]:
    """The files of a certificate for a name, signed by itself, and of its key; valid `days` from `begins` days on."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    certificate = _builder((name,), key, subject, key, days=days, begins=begins).sign(key, hashes.SHA256())
    return _files(folder, name, certificate, key)


def _builder(
    names: tuple[str, ...],
    key: ec.EllipticCurvePrivateKey,
    issuer: x509.Name,
    issuer_key: ec.EllipticCurvePrivateKey,
    *,
    days: int = 30,
    begins: int = -1,
) -> x509.CertificateBuilder:
    """Python 3.13 trusts no certificate without the identifier of the key that signed it."""
    start = datetime.now(UTC) + timedelta(days=begins)
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, names[0])]))
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(start + timedelta(days=days))
        .add_extension(x509.SubjectAlternativeName([_general_name(name) for name in names]), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()), critical=False)
    )


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _files(
    folder: Path, name: str, certificate: x509.Certificate, key: ec.EllipticCurvePrivateKey
) -> tuple[Path, Path]:
    cert_file, key_file = folder / f"{name}.pem", folder / f"{name}.key"
    cert_file.write_bytes(certificate.public_bytes(Encoding.PEM))
    key_file.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return cert_file, key_file
