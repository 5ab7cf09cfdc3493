"""A proxy before a server that kills the client at its n-th change: before or after it is made."""

import re
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any
from urllib.parse import urlsplit

_APPLYING = re.compile(r".*/apply(?:\?.*)?")
_TO_SERVER = ("Authorization", "Content-Type", "User-Agent")


class KillingProxy:
    """Passes requests on, and counts those that change something."""

    def __init__(self, server: str) -> None:
        self.changes: list[str] = []
        self._server = urlsplit(server)
        self._victim: subprocess.Popen[Any] | None = None
        self._has_victim = Event()
        self._at: int | None = None
        self._is_after = False
        self.url = ""

    def plan(self, at: int | None, *, is_after: bool) -> None:
        """Forget what was; kill the next client at its change of this number."""
        self.changes.clear()
        self._has_victim.clear()
        self._at, self._is_after = at, is_after

    def watch(self, process: "subprocess.Popen[Any]") -> None:
        """Name the client."""
        self._victim = process
        self._has_victim.set()

    def pass_on(self, method: str, path: str, headers: Any, body: bytes) -> tuple[int, bytes]:
        """Make a call of the client, unless the client is killed instead."""
        assert self._has_victim.wait(30)
        is_last = False
        if method in {"PUT", "DELETE"} or (method == "POST" and _APPLYING.fullmatch(path)):
            self.changes.append(f"{method} {path.partition('?')[0]}")
            is_last = len(self.changes) == self._at
        if is_last and not self._is_after:
            self._kill()
        connection = HTTPConnection(self._server.hostname or "", self._server.port)
        sent = {name: headers[name] for name in _TO_SERVER if headers[name]}
        try:
            if not (is_last and not self._is_after):
                connection.request(method, path, body or None, sent)
                answer = connection.getresponse()
                found = answer.status, answer.read()
            else:
                found = 503, b""
        finally:
            connection.close()
        if is_last and self._is_after:
            self._kill()
        return found

    def _kill(self) -> None:
        assert self._victim
        self._victim.kill()
        self._victim.wait(30)


@contextmanager
def proxy_of(server: str) -> Generator[KillingProxy]:
    """Run a proxy before a server."""
    proxy = KillingProxy(server)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"] or 0))
            status, content = proxy.pass_on(self.command, self.path, self.headers, body)
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
        proxy.url = f"http://127.0.0.1:{listener.server_port}"
        yield proxy
        listener.shutdown()
