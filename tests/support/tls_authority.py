"""Certificates for tests: an authority, a server's and a client's, good for a long time."""

import ssl
from base64 import b64encode
from datetime import UTC, datetime
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from cryptography.hazmat.primitives.serialization.pkcs12 import serialize_key_and_certificates
from cryptography.x509 import (
    BasicConstraints,
    Certificate,
    CertificateBuilder,
    DNSName,
    IPAddress,
    Name,
    NameAttribute,
    NameOID,
    SubjectAlternativeName,
    random_serial_number,
)

PASSWORD = "pfx-pa$$word"  # noqa: S105  (a test's)


class Issued(NamedTuple):
    certificate: Certificate
    key: ec.EllipticCurvePrivateKey

    def pem(self) -> bytes:
        key = self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        return key + self.certificate.public_bytes(Encoding.PEM)

    def pfx(self, password: str = PASSWORD) -> str:
        encryption = BestAvailableEncryption(password.encode())
        file = serialize_key_and_certificates(b"x", self.key, self.certificate, None, encryption)
        return b64encode(file).decode()


class Authority:
    """Issues certificates, and keeps what others need as files in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._own = _issue("Test authority", None)
        self.file = folder / "ca.pem"
        self.file.write_bytes(self._own.certificate.public_bytes(Encoding.PEM))

    def issue(self, name: str) -> Issued:
        return _issue(name, self._own)

    def server(self, name: str = "127.0.0.1", *, asks: bool = False) -> ssl.SSLContext:
        """Return what a server for this name needs; one that asks wants to see a certificate."""
        file = self._folder / f"{name}.pem"
        file.write_bytes(self.issue(name).pem())
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        context.load_verify_locations(self.file)
        context.verify_mode = ssl.CERT_OPTIONAL if asks else ssl.CERT_NONE
        return context


def _issue(name: str, issuer: Issued | None) -> Issued:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = Name([NameAttribute(NameOID.COMMON_NAME, name)])
    builder = (
        CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer.certificate.subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(random_serial_number())
        .not_valid_before(datetime(2020, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(2120, 1, 1, tzinfo=UTC))
        .add_extension(BasicConstraints(ca=issuer is None, path_length=None), critical=True)
    )
    if issuer is not None:
        builder = builder.add_extension(
            SubjectAlternativeName([_alternative(name)]), critical=False
        )
    return Issued(builder.sign(issuer.key if issuer else key, SHA256()), key)


def _alternative(name: str) -> DNSName | IPAddress:
    try:
        return IPAddress(ip_address(name))
    except ValueError:
        return DNSName(name)
