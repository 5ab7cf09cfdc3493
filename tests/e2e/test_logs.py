"""The log of a real server, as JSON: who changed what, which attempts failed, and no secret."""

# ruff: noqa: S106  (the secrets are made up)

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlencode

from tests.support.http_target import HISTORY, JOB, TOKEN, a_job, answer
from tests.support.server import COLLECTION, Server, eventually, running

ONCE = {"retryPolicy": {"retryType": "none"}}
RUN = JOB.replace("?", "/run?")
Line = dict[str, Any]


def lines_of(log: str) -> list[Line]:
    return [json.loads(line) for line in log.splitlines()]


def without_time(line: Line) -> Line:
    changing = ("timestamp", "request_id", "duration_ms", "tag", "expected_at")
    return {name: value for name, value in line.items() if name not in changing}


def named(lines: list[Line], event: str) -> Line:
    (found,) = [line for line in lines if line["event"] == event]
    return found


@contextmanager
def repeating_target() -> Iterator[str]:
    """Return the address of a target that fails and says again all that it was sent."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            self.send_response(500)
            self.send_header("X-Path", self.path)
            for name, value in self.headers.items():
                self.send_header(f"X-Sent-{name}", value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def put_job(server: Server, uri: str, **action: Any) -> None:
    job = a_job(uri)
    job["properties"]["action"] |= ONCE | action
    assert server.call("PUT", JOB, token=TOKEN, body=job).status == 201


def wait_for_attempt(server: Server) -> None:
    eventually(lambda: bool(answer(server, HISTORY)["value"]))


def test_the_log_tells_of_start_changes_failures_and_stop(tmp_path: Path) -> None:
    with (
        repeating_target() as uri,
        running(
            tmp_path / "data", "--log-format", "json", NO_ENGINE="0", ADMIN_TOKEN=TOKEN
        ) as server,
    ):
        put = server.call("PUT", COLLECTION, token=TOKEN, body={"location": "westus"})
        put_job(server, uri)
        wait_for_attempt(server)
        server.call("DELETE", JOB, token=TOKEN)
        code, _, log = server.stop()

    lines = lines_of(log)
    run = {"collection": "s/g/c", "job": "j", "attempt": 1, "action": "main"}
    why = {
        "reason": "HttpStatus",
        "host": "127.0.0.1",
        "status_code": 500,
        "message": "Http Action - Response from host '127.0.0.1': 'InternalServerError'",
    }
    assert code == 0
    events = [line["event"] for line in lines]
    # The worker process starts beside the rest.
    assert sorted(events[:4]) == [
        "Engine started",
        "Node joined",
        "Server started",
        "Worker process started",
    ]
    assert events[4:] == [
        "Collection created",
        "Job created",
        "Attempt failed",
        "Run given up",
        "Job deleted",
        "Server stops",
        "Engine stopped",
        "Node left",
        "Server stopped",
    ]
    assert named(lines, "Server started")["port"] == server.port
    created = named(lines, "Collection created")
    assert created["request_id"] == put.headers["x-ms-request-id"]
    assert without_time(created) == {
        "level": "info",
        "logger": "foliot.changes",
        "event": "Collection created",
        "collection": "s/g/c",
        "state": "Enabled",
        "who": "FOLIOT_ADMIN_TOKEN",
    }
    failed, given_up = named(lines, "Attempt failed"), named(lines, "Run given up")
    assert without_time(failed) == run | why | {
        "level": "warning",
        "logger": "foliot.engine",
        "event": "Attempt failed",
    }
    assert without_time(given_up) == run | why | {
        "level": "error",
        "logger": "foliot.engine",
        "event": "Run given up",
        "error_action_follows": False,
    }
    assert (failed["tag"], failed["request_id"]) == (given_up["tag"], given_up["request_id"])


def test_at_debug_the_log_tells_of_every_request_and_attempt_but_no_secret(tmp_path: Path) -> None:
    headers = {"X-Key": "m4rk-header", "Cookie": "a=m4rk-cookie"}
    basic = {"type": "Basic", "username": "u", "password": "m4rk-password"}
    sign_in = urlencode({"token": "m4rk-typed"})
    with (
        repeating_target() as uri,
        running(
            tmp_path / "data",
            on_terminal=True,
            NO_ENGINE="0",
            ADMIN_TOKEN=TOKEN,
            LOG_LEVEL="debug",
            LOG_FORMAT="json",
        ) as server,
    ):
        code = server.text.split("sign-in?code=")[1].split()[0]
        server.call("GET", f"/sign-in?code={code}")
        server.call("GET", f"{COLLECTION}&sig=m4rk-query", token="m4rk-token")
        server.call("GET", "/sign-in?code=m4rk-code", headers=headers)
        connection = server.connect()
        connection.request("POST", "/sign-in", sign_in, {"Origin": f"http://{server.host}"})
        connection.getresponse().read()
        connection.close()
        server.call("PUT", COLLECTION, token=TOKEN, body={"location": "westus"})
        request = {
            "uri": f"{uri}/?sig=m4rk-sent-query",
            "method": "POST",
            "body": "m4rk-body",
            "headers": headers,
            "authentication": basic,
        }
        put_job(server, uri, request=request)
        wait_for_attempt(server)
        _, _, log = server.stop()

    lines = lines_of(log)
    requests = [line for line in lines if line["event"] == "Request answered"]
    assert {"method", "path", "status", "duration_ms", "request_id"} <= set.intersection(
        *(set(line) for line in requests)
    )
    assert (requests[0]["path"], requests[1]["status"]) == ("/sign-in", 401)
    assert {line.get("who") for line in requests} == {None, "FOLIOT_ADMIN_TOKEN"}
    assert named(lines, "Attempt failed")["job"] == "j"
    assert "m4rk" not in log
    assert code not in log
    assert TOKEN not in log


def test_a_run_that_a_caller_asks_for_is_logged_with_its_tag(tmp_path: Path) -> None:
    with running(tmp_path / "data", NO_AUTH="1", LOG_FORMAT="json") as server:
        json_body = {"Content-Type": "application/json"}
        server.call("PUT", COLLECTION, body={"location": "westus"}, headers=json_body)
        server.call("PUT", JOB, body=a_job("http://h.example/"), headers=json_body)
        assert server.call("POST", RUN).status == 200
        lines = lines_of(server.stop()[2])

    requested = named(lines, "Run requested")
    assert (requested["collection"], requested["job"]) == ("s/g/c", "j")
    assert (requested["who"], len(requested["tag"])) == ("--no-auth", 32)
