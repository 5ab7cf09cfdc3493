"""`uniqueString()` and `guid()`: hashes with the results of the original.

`uniqueString` joins its arguments with hyphens, hashes the UTF-8 with a MurmurHash of two times 32
bits, and writes the 64 bits as 13 digits of base 32. `guid` is a UUID of version 5.
"""

from uuid import UUID, uuid5

_NAMESPACE = UUID("11fb06fb-712d-4ddd-98c7-e71bbd588830")
_DIGITS = "abcdefghijklmnopqrstuvwxyz234567"
_MASK = 2**32 - 1
_FIRST = 0x239B961B
_SECOND = 0xAB0E9789


def guid(*texts: str) -> str:
    """Return the UUID that names these strings."""
    return str(uuid5(_NAMESPACE, "-".join(texts)))


def unique_string(*texts: str) -> str:
    """Return 13 letters and digits that depend on these strings alone."""
    number = _hash("-".join(texts).encode())
    # 13 digits have 65 bits: the last one holds the lowest four.
    return "".join(_DIGITS[(number << 1) >> (60 - 5 * place) & 31] for place in range(13))


def _hash(text: bytes) -> int:
    low = high = 0
    whole = len(text) - len(text) % 8
    for start in range(0, whole, 8):
        block = int.from_bytes(text[start : start + 8], "little")
        low ^= _mixed_low(block & _MASK)
        low = (_rotated(low, 19) + high) * 5 + 0x561CCD1B & _MASK
        high ^= _mixed_high(block >> 32)
        high = (_rotated(high, 13) + low) * 5 + 0x0BCAA747 & _MASK
    rest = int.from_bytes(text[whole:], "little")
    low ^= _mixed_low(rest & _MASK) ^ len(text)
    high ^= _mixed_high(rest >> 32) ^ len(text)
    low = low + high & _MASK
    high = high + low & _MASK
    low, high = _avalanched(low), _avalanched(high)
    low = low + high & _MASK
    return (high + low & _MASK) << 32 | low


def _mixed_low(number: int) -> int:
    return _rotated(number * _FIRST & _MASK, 15) * _SECOND & _MASK


def _mixed_high(number: int) -> int:
    return _rotated(number * _SECOND & _MASK, 17) * _FIRST & _MASK


def _rotated(number: int, bits: int) -> int:
    return (number << bits | number >> (32 - bits)) & _MASK


def _avalanched(number: int) -> int:
    number = (number ^ number >> 16) * 0x85EBCA6B & _MASK
    number = (number ^ number >> 13) * 0xC2B2AE35 & _MASK
    return number ^ number >> 16
