"""The head of a request: it must be readable in one way only.

A proxy and a server that read one head in two ways do not agree where its body ends, and the rest
of it is taken for a request that nobody checked (RFC 9112, 11.2). The parser is lenient with some
of these heads, so that they are refused before it sees them.
"""

import re

from foliot.web.server.refusals import (
    NOT_HTTP,
    TWO_LENGTHS,
    UNKNOWN_CODING,
    WRONG_VERSION,
    Refusal,
)

_REQUEST_LINE = re.compile(rb"[A-Z-]+ [^\x00-\x20\x7f]+ HTTP/(\d(?:\.\d)?)(?=\r\n)")
# One line each: no line that goes on in the next, no space before the colon, no bare line end.
_FIELDS = re.compile(rb"(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[^\r\n\x00]*\r\n)*\r\n")
_FRAMING = re.compile(
    rb"\r\n(?P<name>transfer-encoding|content-length):[ \t]*(?P<value>[^\r\n]*?)[ \t]*(?=\r\n)",
    re.IGNORECASE,
)
_UPGRADE = re.compile(rb"\r\nupgrade:[^\r\n]*", re.IGNORECASE)
_VERSIONS = (b"1.1", b"1.0")
_MAX_LENGTH_DIGITS = 15


def fault_of_line(head: bytes) -> Refusal | None:
    """Return what is wrong with the first line of a head, as soon as all of it is there."""
    if b"\r\n" not in head:
        return None
    line = _REQUEST_LINE.match(head)
    if line is None:
        return NOT_HTTP
    return None if line[1] in _VERSIONS else WRONG_VERSION


def fault_of_head(head: bytes) -> Refusal | None:
    """Return what keeps a whole head from being read in one way only."""
    fault = fault_of_line(head)
    if fault is not None:
        return fault
    if _FIELDS.fullmatch(head, head.index(b"\r\n") + 2) is None:
        return NOT_HTTP
    return _fault_of_framing(head)


def without_upgrade(head: bytes) -> bytes:
    """Leave out the offer of another protocol: the parser would read no body after it."""
    return _UPGRADE.sub(b"", head) if b"\nupgrade:" in head.lower() else head


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
