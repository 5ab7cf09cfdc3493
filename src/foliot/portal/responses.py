"""Sends a page, with the headers that every page has."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope, Send

from foliot.web.compression import compressed

_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "cross-origin-opener-policy": "same-origin",
    # With a stricter policy a browser would not send the origin of a form.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


async def send_page(request: Request, response: Response, send: Send) -> None:
    """Send a page with the headers that every page has."""
    for name, value in _HEADERS.items():
        response.headers[name] = value
    response.headers.setdefault("cache-control", "no-store")
    await _compress(response, request.scope)
    await response(request.scope, request.receive, send)


async def _compress(response: Response, scope: Scope) -> None:
    response.headers["vary"] = "accept-encoding"
    content = bytes(response.body)
    smaller = None if "content-encoding" in response.headers else await compressed(content, scope)
    if smaller is not None:
        response.body = smaller
        response.headers["content-encoding"] = "gzip"
        response.headers["content-length"] = str(len(smaller))
