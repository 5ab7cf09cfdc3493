"""A target that a real server calls, and the job that calls it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from queue import SimpleQueue
from threading import Thread
from typing import Any

from tests.support.server import COLLECTION, Server

TOKEN = "t" * 40
JOB = COLLECTION.replace("?", "/jobs/j?")
HISTORY = COLLECTION.replace("?", "/jobs/j/history?")


@contextmanager
def target() -> Iterator[tuple[str, SimpleQueue[dict[str, str]]]]:
    """Return the address of a target, and the headers of what arrives there."""
    arrived: SimpleQueue[dict[str, str]] = SimpleQueue()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"thanks")
            arrived.put(dict(self.headers))

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/report", arrived
        server.shutdown()


def text(server: Server, path: str) -> str:
    connection = server.connect()
    connection.request("GET", path, headers={"Authorization": f"Bearer {TOKEN}"})
    found = connection.getresponse().read().decode()
    connection.close()
    return found


def answer(server: Server, path: str) -> Any:
    return json.loads(text(server, path))


def a_job(uri: str, **properties: Any) -> dict[str, Any]:
    request = {"uri": uri, "method": "POST", "body": "hello"}
    return {"properties": {"action": {"type": "Http", "request": request}, **properties}}
