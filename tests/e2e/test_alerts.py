"""A real server tells a real receiver that a job failed, once, also after a kill."""

import json
import socket
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple

from standardwebhooks import Webhook

from tests.support.http_target import JOB, TOKEN, a_job, answer, text
from tests.support.mail_server import mail_server
from tests.support.server import COLLECTION, DEADLINE, eventually, running

SECRET = f"whsec_{b64encode(b'k' * 32).decode()}"
ALERT = f"{COLLECTION.partition('?')[0]}/alerts/oncall?api-version=2026-11-01"
MAIL = {"SMTP_HOST": "127.0.0.1", "SMTP_SECURITY": "none", "SMTP_FROM": "foliot@example.com"}


class Arrived(NamedTuple):
    headers: dict[str, str]
    body: bytes


@contextmanager
def receiver() -> Iterator[tuple[str, SimpleQueue[Arrived]]]:
    """Return the address of a server that takes alerts at /alerts, and fails all else."""
    arrived: SimpleQueue[Arrived] = SimpleQueue()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            is_alert = self.path == "/alerts"
            if is_alert:
                lowered = {name.lower(): value for name, value in self.headers.items()}
                arrived.put(Arrived(lowered, body))
            self.send_response(200 if is_alert else 500)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", arrived
        server.shutdown()


def test_a_failed_job_is_told_by_webhook_and_email(tmp_path: Path) -> None:
    job = a_job("")
    job["properties"]["action"]["retryPolicy"] = {"retryType": "none"}
    with receiver() as (uri, arrived), mail_server() as mailbox:
        job["properties"]["action"]["request"]["uri"] = f"{uri}/job"
        send_to = [
            {"type": "webhook", "uri": f"{uri}/alerts", "secret": SECRET},
            {"type": "email", "to": ["ops@example.com"]},
        ]
        alert = {"properties": {"when": {"failed": {"inARow": 1}}, "sendTo": send_to}}
        settings = MAIL | {"SMTP_PORT": str(mailbox.port), "PUBLIC_URL": "https://jobs.example.com"}
        with running(tmp_path, NO_ENGINE="0", ADMIN_TOKEN=TOKEN, **settings) as server:
            server.call("PUT", COLLECTION, token=TOKEN, body={"location": "westus"})
            assert server.call("PUT", ALERT, token=TOKEN, body=alert).status == 201
            server.call("PUT", JOB, token=TOKEN, body=job)
            message = arrived.get(timeout=DEADLINE)
            eventually(lambda: bool(mailbox.messages))
            eventually(lambda: "lastSent" in json.dumps(answer(server, ALERT)))
            metrics = text(server, "/metrics")

    body = Webhook(SECRET).verify(message.body, message.headers)
    assert body["type"] == "alert.raised"
    assert body["data"]["job"] == "j"
    assert body["data"]["links"]["job"].startswith("https://jobs.example.com/collections/")
    assert arrived.empty()
    (email,) = mailbox.messages
    assert email["Subject"].startswith("[Foliot] Alert: j failed ")
    assert "given up" in email.get_content()
    assert 'foliot_notifications_total{outcome="completed"}' in metrics
    assert "foliot_incidents_open" in metrics


def test_a_server_ends_though_a_mail_server_does_not_answer(tmp_path: Path) -> None:
    alert = {
        "properties": {
            "when": {"failed": {"inARow": 1}},
            "sendTo": [{"type": "email", "to": ["ops@example.com"]}],
        }
    }
    job = a_job("")
    job["properties"]["action"]["retryPolicy"] = {"retryType": "none"}
    with receiver() as (uri, _), socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(DEADLINE)
        job["properties"]["action"]["request"]["uri"] = f"{uri}/job"
        settings = MAIL | {"SMTP_PORT": str(silent.getsockname()[1])}
        with running(tmp_path, NO_ENGINE="0", ADMIN_TOKEN=TOKEN, **settings) as server:
            server.call("PUT", COLLECTION, token=TOKEN, body={"location": "westus"})
            server.call("PUT", ALERT, token=TOKEN, body=alert)
            server.call("PUT", JOB, token=TOKEN, body=job)
            connection, _ = silent.accept()
            with connection:
                server.process.terminate()
                # An answer may take 20 seconds: those must not pass.
                code = server.process.wait(timeout=15)

    assert code == 0
