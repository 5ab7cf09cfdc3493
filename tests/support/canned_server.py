"""A server that gives prepared answers, and remembers what it was asked."""

import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit


class Asked(NamedTuple):
    """A request that has arrived."""

    method: str
    path: str
    query: dict[str, str]
    body: Any


class CannedServer:
    """The answers of a server by method and end of path: a status with JSON, or with text."""

    def __init__(self, answers: Mapping[str, tuple[int, Any]]) -> None:
        self.answers = answers
        self.asked: list[Asked] = []
        self.tokens: set[str] = set()
        self.url = ""

    def answer(self, asked: Asked) -> tuple[int, Any]:
        self.asked.append(asked)
        for name, found in self.answers.items():
            method, _, end = name.partition(" ")
            if asked.method == method and asked.path.endswith(end):
                return found
        return 404, {"error": {"code": "ResourceNotFound", "message": f"No {asked.path} here."}}


@contextmanager
def canned(answers: Mapping[str, tuple[int, Any]]) -> Generator[CannedServer]:
    """Serve answers on a free port."""
    server = CannedServer(answers)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            parts = urlsplit(self.path)
            sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            server.tokens.add(self.headers.get("Authorization", ""))
            asked = Asked(
                self.command,
                unquote(parts.path),
                dict(parse_qsl(parts.query)),
                json.loads(sent) if sent else None,
            )
            status, found = server.answer(asked)
            body = found.encode() if isinstance(found, str) else json.dumps(found).encode()
            self.send_response(status)
            self.send_header("Content-Type", "text/html" if isinstance(found, str) else "text/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = answer  # noqa: N815  (of the base)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        listening.daemon_threads = True
        server.url = f"http://127.0.0.1:{listening.server_port}"
        Thread(target=listening.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        listening.shutdown()
