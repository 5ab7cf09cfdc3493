"""Reads the body of a request, within limits."""

from starlette.requests import Request

from foliot.web.headers import header


async def read_body(request: Request, most: int) -> bytes | None:
    """Return the body, or None as soon as it turns out to be too large."""
    if request.method in ("GET", "HEAD"):
        return b""
    declared = header(request.scope, b"content-length")
    if declared.isdigit() and int(declared) > most:
        return None
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > most:
            return None
    return bytes(body)
