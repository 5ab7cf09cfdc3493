"""HTTP on the wire: what cannot be read as a request is refused as everything else is.

uvicorn answers such bytes with plain text, and reads headers without end.
"""

from uuid import uuid4

from msgspec import json
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_MAX_HEAD_BYTES = 64 * 1024
_NOT_HTTP = "The request is not HTTP, or has a method that is not known."
_TOO_LONG = f"The address and the headers are longer than {_MAX_HEAD_BYTES} bytes."


class Protocol(HttpToolsProtocol):
    """One connection."""

    _head_bytes = 0
    _is_in_head = True

    def data_received(self, data: bytes) -> None:
        """Read on, and give up on a head that does not end."""
        self._head_bytes += len(data)
        super().data_received(data)
        if self._is_in_head and self._head_bytes > _MAX_HEAD_BYTES:
            self._refuse(_TOO_LONG)

    def on_headers_complete(self) -> None:
        """Note that the body begins."""
        self._is_in_head = False
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Note that the head of the next request begins."""
        self._is_in_head, self._head_bytes = True, 0
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002  (uvicorn's words)
        """Refuse what is not a request."""
        self._refuse(_NOT_HTTP)

    def _refuse(self, message: str) -> None:
        if self.transport.is_closing():
            return
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
        self.transport.write(head.encode() + body)
        self.transport.close()
