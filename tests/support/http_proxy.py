"""A proxy before a server: passes requests on, as whoever stands between them says."""

import re
from collections.abc import Generator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Semaphore, Thread
from typing import Any, Protocol
from urllib.parse import urlsplit

_TO_SERVER = ("Authorization", "Content-Type", "User-Agent")
_DEADLINE = 30


class Between(Protocol):
    """Decides what happens to a request; `url` is where it listens."""

    url: str

    def pass_on(self, method: str, path: str, headers: Any, body: bytes) -> tuple[int, bytes]:
        """Return the status and the content of an answer."""
        ...


def forwarded(server: str, method: str, path: str, headers: Any, body: bytes) -> tuple[int, bytes]:
    """Make a call of a client; return the status and the content of the answer."""
    where = urlsplit(server)
    connection = HTTPConnection(where.hostname or "", where.port)
    sent = {name: headers[name] for name in _TO_SERVER if headers[name]}
    try:
        connection.request(method, path, body or None, sent)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


@contextmanager
def listening(between: Between) -> Generator[None]:
    """Run a proxy."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"] or 0))
            status, content = between.pass_on(self.command, self.path, self.headers, body)
            try:
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
            except ConnectionError:
                self.close_connection = True

        do_GET = do_POST = do_PUT = do_DELETE = answer  # noqa: N815  (of the base)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listener:
        listener.daemon_threads = True
        Thread(target=listener.serve_forever, args=(0.01,), daemon=True).start()
        between.url = f"http://127.0.0.1:{listener.server_port}"
        yield
        listener.shutdown()


class GatedProxy:
    """Holds requests whose method and path match, until the gate is opened."""

    def __init__(self, server: str, held: str) -> None:
        self.url = ""
        self._server = server
        self._held = re.compile(held)
        self._opened = Event()
        self._waiting = Semaphore(0)

    def pass_on(self, method: str, path: str, headers: Any, body: bytes) -> tuple[int, bytes]:
        """Make a call of a client, when the gate is open."""
        if self._held.fullmatch(f"{method} {path.partition('?')[0]}"):
            self._waiting.release()
            assert self._opened.wait(_DEADLINE)
        return forwarded(self._server, method, path, headers, body)

    def open(self) -> None:
        """Let all pass, now and later."""
        self._opened.set()

    def wait_for_request(self) -> None:
        """Return when one more request waits."""
        assert self._waiting.acquire(timeout=_DEADLINE)


@contextmanager
def gate_before(server: str, held: str) -> Generator[GatedProxy]:
    """Run a gate before a server."""
    gate = GatedProxy(server, held)
    with listening(gate):
        yield gate
