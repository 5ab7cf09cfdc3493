"""HTTP on the wire: requests are read one at a time, each within limits.

uvicorn reads heads and trailers without end, queues as many requests as come, waits for ever for
a head, takes the body of a request with `Upgrade` for the next request, and answers what is not
HTTP with plain text. So the parser is given one piece at a time, a head or a part of a body, and
never sees a byte of the next request before this one is answered.
"""

import asyncio

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from foliot.web.server.connection_limits import Connection
from foliot.web.server.lingering_transport import MAX_DISCARDED_BYTES, Flow, Outlet
from foliot.web.server.refusals import (
    MAX_HEAD_BYTES,
    NO_HOST,
    NOT_HTTP,
    TOO_LONG,
    TOO_LONG_AFTER,
    TOO_MANY_CHUNKS,
    TOO_SLOW,
    Refusal,
    encode_refusal,
)
from foliot.web.server.request_head import fault_of_head, fault_of_line, without_upgrade

_END = b"\r\n\r\n"
_LINE_ENDS = b"\r\n"
_MEBIBYTE = 1024 * 1024
# Each costs as much as a kilobyte of content.
_FREE_CHUNKS = 10_000
_BYTES_PER_CHUNK = 1024


class Protocol(HttpToolsProtocol):
    """One connection."""

    # In seconds: for a head; for a body, before it has to have come at the least rate; and for
    # each mebibyte of a body.
    head_timeout = 15.0
    body_grace = 10.0
    mebibyte_timeout = 60.0
    least_bytes_per_second = 1024

    parser: HttpRequestParser
    # Among all the others, if somebody counts them.
    connection: Connection | None = None
    _outlet: Outlet
    _gate: Flow
    # For whatever is being read: a head or a body.
    _timer: asyncio.TimerHandle | None = None
    _fault = NOT_HTTP
    # What has come and was not given to the parser yet.
    _held = b""
    _is_in_body = False
    # Of a body with a known length, what is still to come.
    _missing_bytes = 0
    # Of a body in chunks: the last bytes the parser got, and how many were not content.
    _tail = b""
    _bare_bytes = 0
    _chunks = 0
    _discarded_bytes = 0
    _content_bytes = 0
    _body_began_at = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]  (as uvicorn's)
        """Begin, and give the peer some time for its first request."""
        self._outlet = Outlet(transport, self._has_unread)
        super().connection_made(self._outlet)
        self._gate = self.flow = Flow(self._outlet)
        if self.connection is not None:
            self.connection.abort = transport.abort
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._cancel_timer()
        self._unset_keepalive_if_required()
        self._outlet.lost()
        self._held = b""
        if self.connection is not None:
            self.connection.end()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on."""
        if self.transport.is_closing():
            self._outlet.discard(data)
            return
        # The rest of a body that nobody wants has no more time than an idle connection.
        if not (self._is_in_body and self.cycle.response_complete):
            self._unset_keepalive_if_required()
        self._held = self._held + data if self._held else data
        self._advance()

    def resume_writing(self) -> None:
        """Go on: the peer has read what it was sent."""
        super().resume_writing()
        self._advance()

    def on_response_complete(self) -> None:
        """Go on with what came in the meantime."""
        super().on_response_complete()
        # A client that was not told to go on may leave the body out, and nobody knows which.
        if self._is_in_body and self.expect_100_continue:
            self.transport.close()
        if self.connection is not None:
            self.connection.wait()
        if self._held:
            self._advance()

    def on_headers_complete(self) -> None:
        """Note how the body is framed, and start to answer."""
        self._check_head()
        super().on_headers_complete()
        if self.connection is not None:
            self.connection.work()
        self._is_in_body = True
        self._content_bytes, self._chunks = 0, 0
        # The parser adds trailers to what is here, and the application has the other list.
        self.headers = []

    def on_body(self, body: bytes) -> None:
        """Take a part of the body."""
        self._bare_bytes = 0
        self._content_bytes += len(body)
        super().on_body(body)

    def on_chunk_header(self) -> None:
        """Count the chunks: what they are framed with is work, however little they hold."""
        self._chunks += 1
        if self._chunks > _FREE_CHUNKS + self._content_bytes // _BYTES_PER_CHUNK:
            self._fail(TOO_MANY_CHUNKS)

    def on_message_complete(self) -> None:
        """Note that the head of the next request begins."""
        trailers = self.headers
        if trailers and sum(len(n) + len(v) + 4 for n, v in trailers) > MAX_HEAD_BYTES:
            self._fail(TOO_LONG_AFTER)
        self._is_in_body = False
        self._cancel_timer()
        self._tail, self._bare_bytes, self._discarded_bytes = b"", 0, 0
        super().on_message_complete()

    def _advance(self) -> None:
        """Give the parser what it may have now."""
        while self._held and not self.transport.is_closing():
            if self._is_in_body:
                self._read_body()
            elif not self._may_begin():
                self._gate.hold()
                return
            elif not self._read_head():
                break
        if self._gate.is_held:
            self._gate.release()

    def _may_begin(self) -> bool:
        """Tell whether the last request is answered, and the peer reads its answers."""
        is_free = not self.cycle or self.cycle.response_complete
        return is_free and not self.flow.write_paused

    def _read_head(self) -> bool:
        """Give the parser a head, if all of it is there."""
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
        if end > MAX_HEAD_BYTES:
            self._refuse(TOO_LONG)
            return False
        head = self._take(end)
        fault = fault_of_head(head)
        if fault is not None:
            self._refuse(fault)
            return False
        self._feed(without_upgrade(head))
        if self._is_in_body:
            self._expect_body()
        return True

    def _await_head(self) -> None:
        """Wait for the rest of a head, if this can become one."""
        if len(self._held) > MAX_HEAD_BYTES:
            self._refuse(TOO_LONG)
        elif self._held and (not self._held[:1].isalpha() or b"\n\n" in self._held):
            self._refuse(NOT_HTTP)
        elif (fault := fault_of_line(self._held)) is not None:
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
        # CONNECT, or a second head in one piece: what follows is not what we take it for.
        if self.parser.should_upgrade() or not self._may_begin():
            self._fail(NOT_HTTP)

    def _fail(self, fault: Refusal) -> None:
        """Stop the parser."""
        self._fault = fault
        raise ValueError(fault.message)

    def _refuse(self, refusal: Refusal) -> None:
        """Answer what is not a request, and read no more."""
        if not self._is_in_body:
            self.transport.write(encode_refusal(refusal))
        else:
            if not self.cycle.response_started:
                self.transport.write(encode_refusal(refusal))
            # Whoever waits for the rest of this body waits in vain.
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self._held = b""
        self._outlet.linger()

    def _has_unread(self) -> bool:
        return self._is_in_body or bool(self._held)

    def _expect_head(self) -> None:
        self._timer = self.loop.call_later(self.head_timeout, self._give_head_up)

    def _give_head_up(self) -> None:
        # A connection that was opened and never used is no mistake: browsers keep some at hand.
        if self._held and not self.transport.is_closing():
            self._refuse(TOO_SLOW)
        else:
            self.timeout_keep_alive_handler()

    def _expect_body(self) -> None:
        self._body_began_at = self.loop.time()
        self._timer = self.loop.call_later(self.body_grace, self._give_body_up)

    def _give_body_up(self) -> None:
        """Refuse a body that is late, or look again when it would be."""
        if self.flow.read_paused or self.cycle.waiting_for_100_continue:
            # The time in which nobody reads is ours.
            self._expect_body()
            return
        by_rate = self.body_grace + self._content_bytes / self.least_bytes_per_second
        at_most = self.mebibyte_timeout * (1 + self._content_bytes // _MEBIBYTE)
        late_at = self._body_began_at + min(by_rate, at_most)
        if self.loop.time() < late_at:
            self._timer = self.loop.call_at(late_at, self._give_body_up)
        elif not self.transport.is_closing():
            self._refuse(TOO_SLOW)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
