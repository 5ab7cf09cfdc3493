"""A target's response, and for how long it asks to wait."""

from collections.abc import Callable, Sequence
from datetime import UTC
from email.utils import parsedate_to_datetime

from msgspec import Struct
from msgspec.structs import replace

from foliot.core.instant import DAY, SECOND, Instant, instant_of

_ASKS_FOR_PATIENCE = (429, 503)
_MOST_DIGITS = 9


class HttpResponse(Struct, frozen=True):
    """A status, the headers as lines that end in CR LF, and the part of the body that was read."""

    status: int
    headers: str = ""
    body: bytes = b""
    is_cut: bool = False

    def header(self, name: str) -> str | None:
        """Return the first value of a header; its name is in lower case."""
        for line in self.headers.splitlines():
            if line[: len(name) + 1].lower() == f"{name}:":
                return line[len(name) + 1 :].strip()
        return None


def read_response(status: int, lines: Sequence[bytes], body: bytearray, kept: int) -> HttpResponse:
    """Build a response from the header lines that libcurl passes on, and the body's first bytes."""
    block = _last_block(lines)
    text = _text(b"".join(block))
    if not text.count(": ") >= len(block) == text.count("\r\n"):
        text = "".join(_tidy(line) for line in block)
    is_cut = len(body) > kept
    return HttpResponse(status, text, bytes(body[:kept] if is_cut else body), is_cut)


def shortened(response: HttpResponse, kept: int) -> HttpResponse:
    """Return a response with the first bytes of its body."""
    if len(response.body) <= kept:
        return response
    return replace(response, body=response.body[:kept], is_cut=True)


def retry_after(response: HttpResponse, now: Callable[[], Instant]) -> int | None:
    """Return the ticks for which a target asks to wait (Retry-After), at most a day."""
    value = response.header("retry-after") if response.status in _ASKS_FOR_PATIENCE else None
    if value is None:
        return None
    if value.isascii() and value.isdigit():
        return min(int(value) * SECOND, DAY) if len(value) <= _MOST_DIGITS else DAY
    return _until(value, now())


def _until(date: str, now: Instant) -> int | None:
    try:
        moment = parsedate_to_datetime(date)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        ticks = instant_of(moment) - now
    except (ValueError, OverflowError):
        return None
    return min(ticks, DAY) if ticks > 0 else None


def _last_block(lines: Sequence[bytes]) -> Sequence[bytes]:
    """Return the final headers, without interim responses (1xx, a proxy's) and trailers."""
    if lines and lines[-1] == b"\r\n" and lines.index(b"\r\n") == len(lines) - 1:
        return lines[1:-1]
    start = max((at for at, line in enumerate(lines) if line.startswith(b"HTTP/")), default=-1) + 1
    end = next((at for at in range(start, len(lines)) if not lines[at].strip()), len(lines))
    return lines[start:end]


def _tidy(line: bytes) -> str:
    name, _, value = _text(line).partition(":")
    return f"{name.strip()}: {value.strip()}\r\n"


def _text(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("latin-1")
