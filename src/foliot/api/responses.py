"""Sends an API response, with the headers that every response has."""

from msgspec import json
from starlette.requests import Request
from starlette.types import Send

from foliot.api.call import ApiResponse
from foliot.ports.logs import context_fields
from foliot.ports.random_ids import new_uuid
from foliot.web.compression import GZIP, VARY, compressed
from foliot.web.headers import header

_JSON = (b"content-type", b"application/json; charset=utf-8")
_HTML = (b"content-type", b"text/html; charset=utf-8")
# The version of Prometheus' text format; the metrics are the only plain text.
_TEXT = (b"content-type", b"text/plain; version=0.0.4; charset=utf-8")
# The documentation page has its style inline and loads nothing.
_POLICY = (b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'")

_NO_CONTENT = 204

Header = tuple[bytes, bytes]


async def send_response(request: Request, response: ApiResponse, send: Send) -> None:
    """Send a response with the headers that every response has."""
    content, kind = _encoded(response)
    request_id = str(context_fields().get("request_id") or new_uuid())
    correlation = header(request.scope, b"x-ms-correlation-request-id")
    headers: list[Header] = [
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
        (b"x-ms-request-id", request_id.encode()),
        (b"x-ms-correlation-request-id", _correlation_id(correlation, request_id)),
        *kind,
        *((name.encode(), value.encode("latin-1")) for name, value in response.headers),
    ]
    smaller = await compressed(content, request.scope)
    if smaller is not None:
        content = smaller
        headers.append(GZIP)
    if kind:
        headers.append(VARY)
    if response.status != _NO_CONTENT:
        headers.append((b"content-length", str(len(content)).encode()))
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    body = b"" if request.method == "HEAD" else content
    await send({"type": "http.response.body", "body": body})


def _encoded(response: ApiResponse) -> tuple[bytes, tuple[Header, ...]]:
    if response.page is not None:
        return response.page.encode(), (_HTML, _POLICY)
    if response.text is not None:
        return response.text.encode(), (_TEXT,)
    if response.content is None:
        return b"", ()
    return json.encode(response.content), (_JSON,)


def _correlation_id(given: str, request_id: str) -> bytes:
    """Return the caller's correlation id if it looks like one, or else the request id."""
    is_id = given.isascii() and given.replace("-", "").isalnum() and len(given) <= len(request_id)
    return (given if is_id else request_id).encode()
