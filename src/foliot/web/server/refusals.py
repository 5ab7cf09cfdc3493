"""Responses to requests that are not valid HTTP, made without the application."""

from http import HTTPStatus
from uuid import uuid4

from msgspec import Struct, json

MAX_HEAD_BYTES = 64 * 1024


class Refusal(Struct, frozen=True):
    """Why a request is refused, with its status and error code."""

    message: str
    status: HTTPStatus = HTTPStatus.BAD_REQUEST
    code: str = "BadRequest"
    allow: str = ""


NOT_HTTP = Refusal("The request is not HTTP.")
NO_HOST = Refusal("A request has one Host header.")
TOO_LONG = Refusal(f"The address and the headers are longer than {MAX_HEAD_BYTES} bytes.")
TOO_LONG_AFTER = Refusal(f"What follows the chunks is longer than {MAX_HEAD_BYTES} bytes.")
TOO_MANY_CHUNKS = Refusal("The body comes in too many small chunks; send larger ones.")
TWO_LENGTHS = Refusal(
    "A body has one Content-Length, or 'Transfer-Encoding: chunked' in HTTP/1.1, and never both."
)
UNKNOWN_CODING = Refusal(
    "The only transfer coding is 'chunked'.", HTTPStatus.NOT_IMPLEMENTED, "NotImplemented"
)
_KNOWN_METHODS = "DELETE, GET, HEAD, PATCH, POST, PUT"
UNKNOWN_METHOD = Refusal(
    f"The method is not known; the known ones are {_KNOWN_METHODS}.",
    HTTPStatus.METHOD_NOT_ALLOWED,
    "InvalidHttpVerb",
    _KNOWN_METHODS,
)
WRONG_VERSION = Refusal(
    "The server speaks HTTP/1.1 and HTTP/1.0.",
    HTTPStatus.HTTP_VERSION_NOT_SUPPORTED,
    "HttpVersionNotSupported",
)
TOO_SLOW = Refusal(
    "The request did not arrive in time; send it faster.",
    HTTPStatus.REQUEST_TIMEOUT,
    "RequestTimeout",
)


def encode_refusal(refusal: Refusal) -> bytes:
    """Return a response in the shape of the API's errors."""
    body = json.encode({"error": {"code": refusal.code, "message": refusal.message}})
    request_id = uuid4()
    head = (
        f"HTTP/1.1 {refusal.status.value} {refusal.status.phrase}\r\n"
        "content-type: application/json; charset=utf-8\r\n"
        f"content-length: {len(body)}\r\n"
        f"x-ms-request-id: {request_id}\r\n"
        f"x-ms-correlation-request-id: {request_id}\r\n"
        "connection: close\r\n"
    )
    allow = f"allow: {refusal.allow}\r\n" if refusal.allow else ""
    return f"{head}{allow}\r\n".encode() + body
