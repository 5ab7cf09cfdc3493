"""A real server that tests a job against a real target, through its worker process."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from tests.support.http_target import HISTORY, JOB, TOKEN, a_job, answer
from tests.support.server import COLLECTION, Server, running

OWN = "api-version=2026-11-01"
BASE = COLLECTION.partition("?")[0]
MARKER = "Marker5ecret"
LONG = b"x" * 100_000


@contextmanager
def long_winded_target() -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Return the address of a target with long answers, and the headers of what arrives there."""
    arrived: list[dict[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            arrived.append(dict(self.headers))
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(202)
            self.send_header("X-Echo", self.headers["authorization"])
            self.end_headers()
            self.wfile.write(LONG)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/report", arrived
        server.shutdown()


def post(server: Server, path: str, body: Any = None) -> tuple[int, Any]:
    connection = server.connect()
    content = None if body is None else json.dumps(body)
    connection.request("POST", path, content, {"Authorization": f"Bearer {TOKEN}"})
    response = connection.getresponse()
    found = json.loads(response.read())
    connection.close()
    return response.status, found


def a_disabled_job(uri: str) -> dict[str, Any]:
    job = a_job(uri, state="disabled")
    given = {"type": "Basic", "username": "ann", "password": MARKER}
    job["properties"]["action"]["request"]["authentication"] = given
    return job


def test_the_answer_of_a_test_comes_whole_through_the_worker_process(tmp_path: Path) -> None:
    with (
        long_winded_target() as (uri, arrived),
        running(tmp_path, NO_ENGINE="0", ADMIN_TOKEN=TOKEN) as server,
    ):
        server.call("PUT", COLLECTION, token=TOKEN, body={"location": "westus"})
        assert server.call("PUT", JOB, token=TOKEN, body=a_disabled_job(uri)).status == 201
        status, found = post(server, f"{BASE}/jobs/j/test?{OWN}")
        history, job = answer(server, HISTORY)["value"], answer(server, JOB)
        log = server.log()

    assert status == 200
    assert (found["outcome"], found["statusCode"]) == ("succeeded", 202)
    assert found["response"]["body"] == "x" * 64 * 1024
    assert found["response"]["bodyCut"] is True
    assert found["request"]["headers"]["x-ms-execution-tag"] == found["tag"]
    assert [each["x-ms-execution-tag"] for each in arrived] == [found["tag"]]
    assert found["response"]["headers"]["X-Echo"] == "***"
    assert arrived[0]["Authorization"].startswith("Basic ")
    assert MARKER not in str(found)
    assert arrived[0]["Authorization"].removeprefix("Basic ") not in str(found)
    assert history == []
    assert "status" not in job["properties"]
    assert MARKER not in log


def test_a_server_without_an_engine_says_why_it_cannot_test(tmp_path: Path) -> None:
    with running(tmp_path, NO_ENGINE="1", ADMIN_TOKEN=TOKEN) as server:
        server.call("PUT", COLLECTION, token=TOKEN, body={"location": "westus"})
        job = a_job("http://127.0.0.1:9/")
        status, refused = post(server, f"{BASE}/test?{OWN}", job)

    assert status == 409
    assert "This node runs no jobs" in refused["error"]["message"]
