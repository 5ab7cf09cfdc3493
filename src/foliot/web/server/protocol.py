"""The HTTP protocol of a connection: reads one request at a time, each within limits.

uvicorn alone would read heads and trailers of any length, queue any number of requests, wait for a
head for ever, take the body of a request with `Upgrade` for the next request, and answer bad HTTP
with plain text. So the parser gets one piece at a time, a head or a part of a body, and never sees
a byte of the next request before this one is answered.
"""

import asyncio

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from foliot.web.server.connection_limits import ClientConnection
from foliot.web.server.lingering_transport import (
    MAX_DISCARDED_BYTES,
    HoldableFlowControl,
    LingeringTransport,
)
from foliot.web.server.refusals import (
    MAX_HEAD_BYTES,
    NO_HOST,
    NOT_HTTP,
    TOO_LONG_AFTER,
    TOO_MANY_CHUNKS,
    TOO_SLOW,
    Refusal,
    encode_refusal,
)
from foliot.web.server.request_head import fault_of_head, fault_of_incomplete_head, for_parser

_END = b"\r\n\r\n"
_LINE_ENDS = b"\r\n"
_MEBIBYTE = 1024 * 1024
# A chunk costs as much work as a kilobyte of content.
_FREE_CHUNKS = 10_000
_BYTES_PER_CHUNK = 1024


class HttpProtocol(HttpToolsProtocol):
    """The protocol of one connection."""

    # Seconds for a head; for a body, before the least rate applies; for each mebibyte of a body.
    head_timeout = 15.0
    body_grace = 10.0
    mebibyte_timeout = 60.0
    least_bytes_per_second = 1024

    parser: HttpRequestParser
    # Set where connections are counted.
    connection: ClientConnection | None = None
    _lingering: LingeringTransport
    _reading: HoldableFlowControl
    # The time limit of the head or the body that is being read.
    _timer: asyncio.TimerHandle | None = None
    _fault = NOT_HTTP
    _method = ""
    # Received, but not yet given to the parser.
    _held = b""
    _is_in_body = False
    # Of a body with a known length: the bytes still to come.
    _missing_bytes = 0
    # Of a body in chunks: the last bytes the parser got, and the bytes since the last content.
    _tail = b""
    _bare_bytes = 0
    _chunks = 0
    _discarded_bytes = 0
    _content_bytes = 0
    _body_began_at = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]  (as uvicorn's)
        """Start, with a time limit for the first request."""
        self._lingering = LingeringTransport(transport, self._has_unread)
        super().connection_made(self._lingering)
        self._reading = self.flow = HoldableFlowControl(self._lingering)
        if self.connection is not None:
            self.connection.abort = transport.abort
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timers and release the connection."""
        self._cancel_timer()
        self._unset_keepalive_if_required()
        self._lingering.note_lost()
        self._held = b""
        if self.connection is not None:
            self.connection.mark_closed()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read the bytes, or discard them after the last response."""
        if self.transport.is_closing():
            self._lingering.discard(data)
            return
        # The rest of a body after its response has no more time than an idle connection.
        if not (self._is_in_body and self.cycle.response_complete):
            self._unset_keepalive_if_required()
        self._held = self._held + data if self._held else data
        self._advance()

    def resume_writing(self) -> None:
        """Continue: the peer has read its responses."""
        super().resume_writing()
        self._advance()

    def on_response_complete(self) -> None:
        """Continue with the bytes that came in the meantime."""
        super().on_response_complete()
        # Without 100 Continue the client may leave the body out, and nothing tells if it did.
        if self._is_in_body and self.expect_100_continue:
            self.transport.close()
        if self.connection is not None:
            self.connection.mark_idle()
        if self._held:
            self._advance()

    def on_headers_complete(self) -> None:
        """Check the head, and start the application."""
        self._check_head()
        super().on_headers_complete()
        self.scope["method"] = self._method
        if self.connection is not None:
            self.connection.mark_busy()
        self._is_in_body = True
        self._content_bytes, self._chunks = 0, 0
        # The parser appends trailers to this list; the application keeps the other one.
        self.headers = []

    def on_body(self, body: bytes) -> None:
        """Pass a part of the body to the application."""
        self._bare_bytes = 0
        self._content_bytes += len(body)
        super().on_body(body)

    def on_chunk_header(self) -> None:
        """Count the chunks: parsing each is work, however little it holds."""
        self._chunks += 1
        if self._chunks > _FREE_CHUNKS + self._content_bytes // _BYTES_PER_CHUNK:
            self._fail(TOO_MANY_CHUNKS)

    def on_message_complete(self) -> None:
        """End the body: the head of the next request follows."""
        trailers = self.headers
        if trailers and sum(len(n) + len(v) + 4 for n, v in trailers) > MAX_HEAD_BYTES:
            self._fail(TOO_LONG_AFTER)
        self._is_in_body = False
        self._cancel_timer()
        self._tail, self._bare_bytes, self._discarded_bytes = b"", 0, 0
        super().on_message_complete()

    def _advance(self) -> None:
        """Give the parser the bytes that it may have now."""
        while self._held and not self.transport.is_closing():
            if self._is_in_body:
                self._read_body()
            elif not self._may_begin():
                self._reading.hold()
                return
            elif not self._read_head():
                break
        if self._reading.is_held:
            self._reading.release()

    def _may_begin(self) -> bool:
        """Tell whether the last request is answered, and the peer reads its responses."""
        is_free = not self.cycle or self.cycle.response_complete
        return is_free and not self.flow.write_paused

    def _read_head(self) -> bool:
        """Give the parser a head once it is complete."""
        # Some clients send an empty line after a body.
        if self._held[0] in _LINE_ENDS:
            self._held = self._held.lstrip(_LINE_ENDS)
        end = self._held.find(_END) + len(_END)
        if end < len(_END):
            self._await_head()
            return False
        self._cancel_timer()
        if self.timeout_keep_alive_task is not None:
            self._unset_keepalive_if_required()
        head = self._take(end)
        fault = fault_of_head(head)
        if fault is not None:
            self._refuse(fault)
            return False
        self._method, parsed = for_parser(head)
        self._feed(parsed)
        if self._is_in_body:
            self._expect_body()
        return True

    def _await_head(self) -> None:
        """Wait for the rest of a head, or refuse what cannot become one."""
        fault = fault_of_incomplete_head(self._held)
        if fault is not None:
            self._refuse(fault)
        elif self._timer is None and (self._held or self.timeout_keep_alive_task is None):
            self._expect_head()

    def _read_body(self) -> None:
        size = len(self._held)
        if self._missing_bytes:
            size = min(size, self._missing_bytes)
            self._missing_bytes -= size
            self._feed(self._take(size))
        else:
            self._read_chunks()
        if self.cycle.response_complete:
            self._discarded_bytes += size
            if self._discarded_bytes > MAX_DISCARDED_BYTES:
                self.transport.close()

    def _read_chunks(self) -> None:
        """Give the parser a piece that ends where the body may end: after an empty line."""
        before = len(self._tail)
        end = (self._tail + self._held).find(_END)
        piece = self._take(len(self._held) if end < 0 else end + len(_END) - before)
        self._tail = (self._tail + piece)[1 - len(_END) :]
        self._bare_bytes += len(piece)
        self._feed(piece)
        if self._is_in_body and self._bare_bytes > MAX_HEAD_BYTES:
            self._refuse(TOO_LONG_AFTER)

    def _take(self, size: int) -> bytes:
        taken, self._held = self._held[:size], self._held[size:]
        return taken

    def _feed(self, data: bytes) -> None:
        try:
            self.parser.feed_data(data)
        except (HttpParserError, HttpParserUpgrade):
            self._refuse(self._fault)

    def _check_head(self) -> None:
        hosts = 0
        for name, value in self.headers:
            if name == b"host":
                hosts += 1
            elif name == b"content-length":
                self._missing_bytes = int(value)
        if hosts > 1 or (not hosts and self.parser.get_http_version() == "1.1"):
            self._fail(NO_HOST)
        # CONNECT, or a second head in one piece: the bytes that follow would be misread.
        if self.parser.should_upgrade() or not self._may_begin():
            self._fail(NOT_HTTP)

    def _fail(self, fault: Refusal) -> None:
        """Stop the parser."""
        self._fault = fault
        raise ValueError(fault.message)

    def _refuse(self, refusal: Refusal) -> None:
        """Answer an invalid request, and read no more."""
        if not self._is_in_body:
            self.transport.write(encode_refusal(refusal))
        else:
            if not self.cycle.response_started:
                self.transport.write(encode_refusal(refusal))
            # Wake the application, which may wait for the rest of this body.
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self._held = b""
        self._lingering.linger()

    def _has_unread(self) -> bool:
        return self._is_in_body or bool(self._held)

    def _expect_head(self) -> None:
        self._timer = self.loop.call_later(self.head_timeout, self._on_head_timeout)

    def _on_head_timeout(self) -> None:
        # Browsers open connections in advance: one without a request is closed, not refused.
        if self._held and not self.transport.is_closing():
            self._refuse(TOO_SLOW)
        else:
            self.timeout_keep_alive_handler()

    def _expect_body(self) -> None:
        self._body_began_at = self.loop.time()
        self._timer = self.loop.call_later(self.body_grace, self._on_body_timeout)

    def _on_body_timeout(self) -> None:
        """Refuse a body that is late, or check again when it would be."""
        if self.flow.read_paused or self.cycle.waiting_for_100_continue:
            # While the server itself does not read, the client is not late.
            self._expect_body()
            return
        by_rate = self.body_grace + self._content_bytes / self.least_bytes_per_second
        at_most = self.mebibyte_timeout * (1 + self._content_bytes // _MEBIBYTE)
        late_at = self._body_began_at + min(by_rate, at_most)
        if self.loop.time() < late_at:
            self._timer = self.loop.call_at(late_at, self._on_body_timeout)
        elif not self.transport.is_closing():
            self._refuse(TOO_SLOW)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
