"""PKCS#12 files that are costly to open, in base64 as a job has them."""

import base64
import hashlib
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.hashes import SHA1, SHA256
from cryptography.hazmat.primitives.serialization import PrivateFormat, pkcs12
from cryptography.x509.oid import NameOID

PASSWORD = "hostile"  # noqa: S105  (of files made here)

_USUAL_ROUNDS = 2048
# From where the two primes of a large key are reached: to look for them would take minutes.
_STEPS = {"hostile p": 56, "hostile q": 896}
_PRIME_BITS = 4096
_SEQUENCE = 0x30

Key = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey


def usual() -> str:
    """Return a file that is good."""
    return _written(_small_key(), _USUAL_ROUNDS)


def with_rounds(rounds: int) -> str:
    """Return a file whose encryption is derived in so many rounds."""
    return _written(_small_key(), rounds)


def with_mac_rounds(rounds: int) -> str:
    """Return a file whose MAC is said to be derived in so many rounds; it need not be right."""
    whole = _content(_read(base64.b64decode(usual())))
    parts = [_read(part) for part in _parts(whole)]
    version, contents, mac = parts
    digest, salt, _ = _parts(_content(mac))
    changed = _tagged(_SEQUENCE, digest + salt + _integer(rounds))
    return base64.b64encode(_tagged(_SEQUENCE, version + contents + changed)).decode()


def with_certificates(count: int) -> str:
    """Return a file with so many certificates beside its own."""
    return _written(_small_key(), _USUAL_ROUNDS, count)


def with_large_key() -> str:
    """Return a file with an RSA key of 8192 bits."""
    p, q = (_prime(label) for label in _STEPS)
    e = 65537
    d = pow(e, -1, (p - 1) * (q - 1))
    public = rsa.RSAPublicNumbers(e, p * q)
    numbers = rsa.RSAPrivateNumbers(
        p=p, q=q, d=d, dmp1=d % (p - 1), dmq1=d % (q - 1), iqmp=pow(q, -1, p), public_numbers=public
    )
    return _written(numbers.private_key(unsafe_skip_rsa_key_validation=True), _USUAL_ROUNDS)


def _prime(label: str) -> int:
    start = int.from_bytes(hashlib.shake_256(label.encode()).digest(_PRIME_BITS // 8), "big")
    return (start | (3 << (_PRIME_BITS - 2)) | 1) + _STEPS[label]


def _small_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def _written(key: Key, rounds: int, others: int = 0) -> str:
    certificate = _certificate(key)
    encryption = (
        PrivateFormat.PKCS12.encryption_builder()
        .kdf_rounds(rounds)
        .key_cert_algorithm(pkcs12.PBES.PBESv2SHA256AndAES256CBC)
        .hmac_hash(SHA1())  # noqa: S303  (the oldest kind of file)
        .build(PASSWORD.encode())
    )
    file = pkcs12.serialize_key_and_certificates(
        b"hostile", key, certificate, [certificate] * others or None, encryption
    )
    return base64.b64encode(file).decode()


def _certificate(key: Key) -> x509.Certificate:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "hostile")])
    today = datetime.now(UTC)
    # Signed by a key of its own, which is quick whatever key it is for.
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(today - timedelta(days=1))
        .not_valid_after(today + timedelta(days=30))
        .sign(_small_key(), SHA256())
    )


def _read(data: bytes) -> bytes:
    """Return the first DER value of some bytes, with its tag and length."""
    start, size = _header(data)
    return data[: start + size]


def _content(value: bytes) -> bytes:
    start, size = _header(value)
    return value[start : start + size]


def _parts(content: bytes) -> list[bytes]:
    found: list[bytes] = []
    while content:
        found.append(_read(content))
        content = content[len(found[-1]) :]
    return found


def _header(data: bytes) -> tuple[int, int]:
    if data[1] < 0x80:
        return 2, data[1]
    width = data[1] & 0x7F
    return 2 + width, int.from_bytes(data[2 : 2 + width], "big")


def _tagged(tag: int, content: bytes) -> bytes:
    size = len(content)
    if size < 0x80:
        return bytes([tag, size]) + content
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(length)]) + length + content


def _integer(value: int) -> bytes:
    return _tagged(0x02, value.to_bytes(value.bit_length() // 8 + 1, "big"))
