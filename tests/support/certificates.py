"""Client certificates made on the spot, as PFX files in base64."""

from base64 import b64encode
from datetime import UTC, datetime
from functools import cache
from typing import NamedTuple

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA1, SHA256
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    KeySerializationEncryption,
    NoEncryption,
)
from cryptography.hazmat.primitives.serialization.pkcs12 import serialize_key_and_certificates
from cryptography.x509 import CertificateBuilder, Name, NameAttribute, NameOID


class Pfx(NamedTuple):
    text: str
    thumbprint: str


@cache
def a_pfx(name: str = "client", password: str | None = None, *, has_key: bool = True) -> Pfx:
    """Return the PFX file of a certificate that is good until the end of 2026."""
    key = ec.generate_private_key(ec.SECP256R1())
    parts = [NameAttribute(NameOID.ORGANIZATION_NAME, "Acme")]
    subject = Name([*parts, NameAttribute(NameOID.COMMON_NAME, name)])
    certificate = (
        CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(datetime(2026, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC))
        .sign(key, SHA256())
    )
    encryption: KeySerializationEncryption = (
        BestAvailableEncryption(password.encode()) if password else NoEncryption()
    )
    file = serialize_key_and_certificates(
        b"client", key if has_key else None, certificate, None, encryption
    )
    thumbprint = certificate.fingerprint(SHA1()).hex().upper()  # noqa: S303
    return Pfx(b64encode(file).decode(), thumbprint)
