"""Opens a PFX file: a program of its own, since a key derivation stops the interpreter.

The worker process imports this module for its messages alone, so only the functions that open a
file import cryptography, which takes 10 MB.
"""

import binascii
import sys
from base64 import b64decode
from typing import TYPE_CHECKING, BinaryIO

from msgspec import msgpack

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.serialization.pkcs12 import PKCS12KeyAndCertificates

# Request: the file in base64 and its password. Reply: certificates and key as PEM, or None.
write_request = msgpack.Encoder().encode
read_reply = msgpack.Decoder(tuple[bytes, bytes] | None).decode
_read_request = msgpack.Decoder(tuple[str, str | None]).decode


def main(given: BinaryIO, told: BinaryIO) -> None:
    """Read a request, and reply to it."""
    pfx, password = _read_request(given.read())
    told.write(write_request(open_pfx(pfx, password)))


def open_pfx(pfx: str, password: str | None) -> tuple[bytes, bytes] | None:
    """Return certificate and key, or None if the file is broken or the password wrong."""
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415
    from cryptography.hazmat.primitives.serialization.pkcs12 import load_pkcs12  # noqa: PLC0415

    try:
        content = b64decode("".join(pfx.split()), validate=True)
        file = load_pkcs12(content, password.encode() if password else None)
    except (binascii.Error, ValueError, UnsupportedAlgorithm):
        return None
    return _pem(file)


def _pem(file: "PKCS12KeyAndCertificates") -> tuple[bytes, bytes] | None:
    """Return certificates and key as PEM: libcurl's own PFX reader does not know old ciphers."""
    from cryptography.hazmat.primitives.serialization import (  # noqa: PLC0415
        Encoding,
        NoEncryption,
        PrivateFormat,
    )

    if file.cert is None or file.key is None:
        return None
    chain = [file.cert, *file.additional_certs]
    certificate = b"".join(each.certificate.public_bytes(Encoding.PEM) for each in chain)
    return certificate, file.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


if __name__ == "__main__":
    main(sys.stdin.buffer, sys.stdout.buffer)
