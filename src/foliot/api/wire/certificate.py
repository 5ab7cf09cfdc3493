"""Client certificates: a PFX file in base64, and what can be told of it without its key."""

import binascii
from base64 import b64decode

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.serialization.pkcs12 import load_pkcs12
from cryptography.x509 import Certificate

from foliot.core.errors import Invalid, Path
from foliot.core.instant import instant_of
from foliot.core.model import ClientCertificate
from foliot.core.secret import Secret


def read_certificate(pfx: Secret, password: Secret | None, path: Path) -> ClientCertificate:
    """Open a PFX file and tell its thumbprint, expiry and subject."""
    certificate = _open(pfx, password, path)
    return ClientCertificate(
        pfx=pfx,
        password=password,
        thumbprint=certificate.fingerprint(SHA1()).hex().upper(),  # noqa: S303  (the contract's)
        expires_at=instant_of(certificate.not_valid_after_utc),
        subject=certificate.subject.rfc4514_string(),
    )


def _open(pfx: Secret, password: Secret | None, path: Path) -> Certificate:
    try:
        content = b64decode("".join(pfx.reveal().split()), validate=True)
    except (binascii.Error, ValueError):
        raise Invalid(path, "is not base64; give the PFX file encoded in base64.") from None
    secret = password.reveal().encode() if password else None
    try:
        opened = load_pkcs12(content, secret)
    except (ValueError, UnsupportedAlgorithm):
        raise Invalid(
            path, "cannot be opened: the file is broken or the password is wrong; give both again."
        ) from None
    if opened.cert is None or opened.key is None:
        raise Invalid(path, "holds no certificate with its private key; give a PFX that does.")
    return opened.cert.certificate
