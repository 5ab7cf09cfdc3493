"""The cost of opening a PFX file, as far as the file shows before any key is derived.

A PFX file (RFC 7292) says how many rounds its keys are derived with, for its MAC and for each of
its encrypted parts: a kilobyte can ask for hours. OpenSSL reads BER, so this module does too. It
cannot see inside an encrypted part; whoever opens the file limits its CPU time.
"""

from collections.abc import Iterator
from typing import NamedTuple

MAX_BYTES = 64 * 1024
MAX_ROUNDS = 1_000_000
MAX_CERTIFICATES = 10
MAX_RSA_BITS = 4096
# A key of 4096 bits takes 2.4 kB, of 8192 bits 4.7 kB.
_MAX_KEY_BYTES = 3 * 1024
_MAX_DEPTH = 40

_INTEGER, _OCTETS, _OID, _SEQUENCE = 0x02, 0x04, 0x06, 0x30
_CONSTRUCTED = 0x20
_CONSTRUCTED_OCTETS = _OCTETS | _CONSTRUCTED

_PKCS5 = bytes.fromhex("2a864886f70d0105")
_PKCS12 = bytes.fromhex("2a864886f70d010c")
_SCRYPT = bytes.fromhex("2b06010401da47040b")
_BAGS = _PKCS12 + bytes.fromhex("0a01")
_KEY_BAGS = (_BAGS + b"\x01", _BAGS + b"\x02")
_CERTIFICATE_BAG = _BAGS + b"\x03"
# Ways to encrypt whose parameters are a salt and the number of rounds: PBES1 and PBKDF2.
_DERIVATIONS = frozenset(
    [_PKCS5 + bytes([kind]) for kind in (1, 3, 4, 6, 10, 11, 12)]
    + [_PKCS12 + bytes([1, kind]) for kind in range(1, 7)]
)


class Unfit(ValueError):
    """A file that is refused, and why."""


class Asn1Value(NamedTuple):
    """One value of ASN.1: the octet of its type, and its content."""

    tag: int
    content: bytes


def check_cost(file: bytes) -> None:
    """Refuse a file that would take too long to open, or hold too much."""
    if len(file) > MAX_BYTES:
        raise Unfit(f"has {len(file)} bytes; give a PFX file of at most {MAX_BYTES}.")
    whole, _ = _read(file, 0, 0)
    rounds, certificates = _mac_rounds(whole), 0
    for oid, parameters in _algorithms(whole, 0):
        if oid == _SCRYPT:
            raise Unfit("is encrypted with scrypt; export it with PBES2 and AES.")
        if oid in _DERIVATIONS:
            rounds += _rounds(parameters)
        if oid in _KEY_BAGS and len(parameters.content) > _MAX_KEY_BYTES:
            raise Unfit(f"holds a key of more than {MAX_RSA_BITS} bits; give a smaller one.")
        certificates += oid == _CERTIFICATE_BAG
    if rounds > MAX_ROUNDS:
        raise Unfit(
            f"derives its keys in {rounds} rounds, which takes too long; "
            f"export it with at most {MAX_ROUNDS} in all."
        )
    if certificates > MAX_CERTIFICATES:
        raise Unfit(f"holds {certificates} certificates; give at most {MAX_CERTIFICATES}.")


def _mac_rounds(whole: Asn1Value) -> int:
    """Return the rounds of the MAC, the third part of the file: the number at its end."""
    parts = _parts(whole, 0)
    mac = _parts(parts[2], 1) if len(parts) > 2 else []  # noqa: PLR2004  (the third)
    return _number(mac[-1]) if mac and mac[-1].tag == _INTEGER else 0


def _algorithms(item: Asn1Value, depth: int) -> Iterator[tuple[bytes, Asn1Value]]:
    """Go through all sequences that look like an algorithm or a bag: an identifier, parameters."""
    parts = _parts(item, depth)
    if item.tag == _SEQUENCE and len(parts) > 1 and parts[0].tag == _OID:
        yield parts[0].content, parts[1]
    try:
        for part in parts:
            yield from _algorithms(part, depth + 1)
    except Unfit:
        # A salt, a key or an encrypted text may begin like a sequence and not go on like one.
        if item.tag not in (_OCTETS, _CONSTRUCTED_OCTETS):
            raise


def _parts(item: Asn1Value, depth: int) -> list[Asn1Value]:
    """Return what is in an item, also where it is packed into a string of octets."""
    if item.tag == _CONSTRUCTED_OCTETS:
        packed = b"".join(part.content for part in _items(item.content, depth))
        return _unpacked(packed, depth)
    if item.tag == _OCTETS:
        return _unpacked(item.content, depth)
    return _items(item.content, depth) if item.tag & _CONSTRUCTED else []


def _unpacked(packed: bytes, depth: int) -> list[Asn1Value]:
    if packed[:1] != bytes([_SEQUENCE]):
        return []
    try:
        return [_read(packed, 0, depth)[0]]
    except Unfit:
        return []  # what happens to begin like a sequence: a salt, a key, an encrypted text


def _items(content: bytes, depth: int) -> list[Asn1Value]:
    found: list[Asn1Value] = []
    at = 0
    while at < len(content):
        item, at = _read(content, at, depth)
        found.append(item)
    return found


def _read(content: bytes, start: int, depth: int) -> tuple[Asn1Value, int]:
    """Read the item that begins here; return it and where the next one begins."""
    if depth > _MAX_DEPTH:
        raise Unfit("cannot be opened: it is nested too deeply; give a PFX file.")
    at = start + 1
    if content[start : start + 1] and content[start] & 0x1F == 0x1F:  # noqa: PLR2004  (a long tag)
        while at < len(content) and content[at] & 0x80:
            at += 1
        at += 1
    if at >= len(content):
        raise _broken()
    first, at = content[at], at + 1
    if first == 0x80:  # noqa: PLR2004  (a length that is not told: up to two zeros)
        return _read_to_the_zeros(content, start, at, depth)
    if first & 0x80:
        size, at = int.from_bytes(content[at : at + (first & 0x7F)]), at + (first & 0x7F)
    else:
        size = first
    if at + size > len(content):
        raise _broken()
    return Asn1Value(content[start], content[at : at + size]), at + size


def _read_to_the_zeros(content: bytes, start: int, at: int, depth: int) -> tuple[Asn1Value, int]:
    end = at
    while content[end : end + 2] != b"\0\0":
        _, end = _read(content, end, depth + 1)
    return Asn1Value(content[start], content[at:end]), end + 2


def _rounds(parameters: Asn1Value) -> int:
    """Return the second of a salt and a number of rounds."""
    parts = _parts(parameters, 0)
    return _number(parts[1]) if len(parts) > 1 and parts[1].tag == _INTEGER else 0


def _number(item: Asn1Value) -> int:
    return int.from_bytes(item.content[:16])


def _broken() -> Unfit:
    return Unfit("cannot be opened: the file is broken; give a PFX file encoded in base64.")
