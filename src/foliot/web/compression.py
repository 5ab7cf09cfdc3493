"""Compresses a response where the client accepts it and it is worth the work."""

import asyncio
import gzip

from starlette.types import Scope

from foliot.web.headers import all_of

GZIP = (b"content-encoding", b"gzip")
VARY = (b"vary", b"accept-encoding")
# Content that fits into one packet does not arrive sooner.
_LEAST_BYTES = 1024
# Below this size a thread costs more than the compression.
_MOST_BYTES_AT_ONCE = 64 * 1024
# Three times as fast as the usual level, for a tenth more bytes.
_LEVEL = 2


def accepts_gzip(scope: Scope) -> bool:
    """Tell whether a client accepts gzip."""
    asked = dict(_codings(scope))
    return asked.get("gzip", asked.get("*", 0)) > 0


async def compressed(content: bytes, scope: Scope) -> bytes | None:
    """Return compressed content, or None if this client gets it as it is."""
    if not is_worth_it(content) or not accepts_gzip(scope):
        return None
    if len(content) <= _MOST_BYTES_AT_ONCE:
        return compress(content)
    return await asyncio.to_thread(compress, content)


def is_worth_it(content: bytes) -> bool:
    """Tell whether content is large enough to be compressed."""
    return len(content) >= _LEAST_BYTES


def compress(content: bytes, level: int = _LEVEL) -> bytes:
    """Compress content, always to the same bytes."""
    return gzip.compress(content, level, mtime=0)


def _codings(scope: Scope) -> list[tuple[str, float]]:
    parts = ",".join(all_of(scope, b"accept-encoding")).lower().split(",")
    return [(name.strip(), _weight(rest)) for name, _, rest in (p.partition(";") for p in parts)]


def _weight(parameters: str) -> float:
    name, _, value = parameters.strip().partition("=")
    try:
        return float(value) if name.strip() == "q" else 1.0
    except ValueError:
        return 0.0
