"""Answers to what is not a request, made without the application."""

from uuid import uuid4

from msgspec import json

MAX_HEAD_BYTES = 64 * 1024

NOT_HTTP = "The request is not HTTP, or has a method that is not known."
NO_HOST = "A request has one Host header."
TOO_LONG = f"The address and the headers are longer than {MAX_HEAD_BYTES} bytes."
TOO_LONG_AFTER = f"What follows the chunks is longer than {MAX_HEAD_BYTES} bytes."


def bad_request(message: str) -> bytes:
    """Return an answer in the shape that all the others have."""
    body = json.encode({"error": {"code": "BadRequest", "message": message}})
    request_id = uuid4()
    head = (
        "HTTP/1.1 400 Bad Request\r\n"
        "content-type: application/json; charset=utf-8\r\n"
        f"content-length: {len(body)}\r\n"
        f"x-ms-request-id: {request_id}\r\n"
        f"x-ms-correlation-request-id: {request_id}\r\n"
        "connection: close\r\n\r\n"
    )
    return head.encode() + body
