"""Checks the head of a request: an ambiguous one is refused.

If a proxy and the server read a head in two ways, they disagree on where its body ends, and the
server takes the rest for a request that the proxy never checked (request smuggling, RFC 9112,
11.2). The parser is lenient with some of these heads, so they are refused before it sees them.
"""

import re

from foliot.web.server.refusals import (
    MAX_HEAD_BYTES,
    NOT_HTTP,
    TOO_LONG,
    TWO_LENGTHS,
    UNKNOWN_CODING,
    UNKNOWN_METHOD,
    WRONG_VERSION,
    Refusal,
)

_REQUEST_LINE = re.compile(rb"([A-Z-]+) [^\x00-\x20\x7f]+ HTTP/(\d(?:\.\d)?)(?=\r\n)")
# One line each: no folded lines, no space before the colon, no bare CR or LF.
_FIELDS = re.compile(rb"(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[^\r\n\x00]*\r\n)*\r\n")
_FRAMING = re.compile(
    rb"\r\n(?P<name>transfer-encoding|content-length):[ \t]*(?P<value>[^\r\n]*?)[ \t]*(?=\r\n)",
    re.IGNORECASE,
)
_UPGRADE = re.compile(rb"\r\nupgrade:[^\r\n]*", re.IGNORECASE)
_VERSIONS = (b"1.1", b"1.0")
# The application knows which of these an address has.
_METHODS = frozenset(b"GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT".split())
_MAX_LENGTH_DIGITS = 15


def fault_of_incomplete_head(head: bytes) -> Refusal | None:
    """Return why these bytes cannot become a valid head, whatever follows them."""
    if len(head) > MAX_HEAD_BYTES:
        return TOO_LONG
    if head and (not head[:1].isalpha() or b"\n\n" in head):
        return NOT_HTTP
    return _fault_of_line(head) if b"\r\n" in head else None


def fault_of_head(head: bytes) -> Refusal | None:
    """Return what makes a complete head invalid or ambiguous."""
    if len(head) > MAX_HEAD_BYTES:
        return TOO_LONG
    fault = _fault_of_line(head)
    if fault is not None:
        return fault
    if _FIELDS.fullmatch(head, head.index(b"\r\n") + 2) is None:
        return NOT_HTTP
    return _fault_of_framing(head)


def without_upgrade(head: bytes) -> bytes:
    """Remove the Upgrade header: the parser would read no body after it."""
    return _UPGRADE.sub(b"", head) if b"\nupgrade:" in head.lower() else head


def _fault_of_line(head: bytes) -> Refusal | None:
    line = _REQUEST_LINE.match(head)
    if line is None:
        return NOT_HTTP
    if line[2] not in _VERSIONS:
        return WRONG_VERSION
    return None if line[1] in _METHODS else UNKNOWN_METHOD


def _fault_of_framing(head: bytes) -> Refusal | None:
    fields = [(match["name"].lower(), match["value"]) for match in _FRAMING.finditer(head)]
    if not fields:
        return None
    (name, value), *others = fields
    if name == b"content-length":
        is_length = value.isdigit() and len(value) <= _MAX_LENGTH_DIGITS
        return None if is_length and not others else TWO_LENGTHS
    if any(other == b"content-length" for other, _ in others) or _is_old(head):
        return TWO_LENGTHS
    return None if value.lower() == b"chunked" and not others else UNKNOWN_CODING


def _is_old(head: bytes) -> bool:
    return head[: head.index(b"\r\n")].endswith(b"1.0")
