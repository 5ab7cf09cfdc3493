"""A caller cancels, through one node, runs that another node has."""

import json
import socket
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

from tests.support.postgres_address import KEY, address
from tests.support.server import Server, running

TOKEN = "t" * 40
COLLECTION = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Scheduler/jobCollections/c"
SECONDS = 30


class Target:
    """Takes one request and never answers it; tells when it came, and when it was broken off."""

    def __init__(self, server: socket.socket) -> None:
        self._server = server
        self.url = f"http://127.0.0.1:{server.getsockname()[1]}/"
        self.has_begun, self.was_broken_off = Event(), Event()

    def serve(self) -> None:
        connection, _ = self._server.accept()
        with closing(connection):
            connection.settimeout(SECONDS)
            connection.recv(65536)
            self.has_begun.set()
            if not connection.recv(1):
                self.was_broken_off.set()


@contextmanager
def target() -> Generator[Target]:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        server.settimeout(SECONDS)
        found = Target(server)
        thread = Thread(target=found.serve)
        thread.start()
        yield found
        thread.join()


def call(server: Server, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    connection = server.connect()
    try:
        address = f"{COLLECTION}{path}?api-version=2026-11-01"
        headers = {"Authorization": f"Bearer {TOKEN}"}
        connection.request(method, address, body and json.dumps(body), headers)
        answer = connection.getresponse()
        text = answer.read()
        return answer.status, json.loads(text) if text else None
    finally:
        connection.close()


def runs(server: Server) -> dict[str, tuple[str, str]]:
    """Return trigger, outcome and tag of the runs of the job."""
    _, answer = call(server, "GET", "/jobs/j/runs")
    found = (each["properties"] for each in answer["value"])
    return {each["trigger"]: (each["outcome"], each["tag"]) for each in found}


def test_another_node_aborts_the_attempt_and_forgets_the_run_that_waits(
    url: str, tmp_path: Path
) -> None:
    environ = {"SECRET_KEYS": KEY, "ADMIN_TOKEN": TOKEN, "DATABASE": address(url)}
    with (
        target() as held,
        running(tmp_path / "one", **environ) as caller,
        running(tmp_path / "two", NO_ENGINE="0", EGRESS_ALLOW="127.0.0.1", **environ),
    ):
        call(caller, "PUT", "", {"properties": {"sku": {"name": "Standard"}}})
        action = {"type": "Http", "request": {"uri": held.url, "method": "GET"}}
        recurrence = {"frequency": "hour"}
        job = {"action": action, "recurrence": recurrence, "policy": {"overlap": "queue"}}
        assert call(caller, "PUT", "/jobs/j", {"properties": job})[0] == 201
        assert held.has_begun.wait(SECONDS)
        assert call(caller, "POST", "/jobs/j/run")[0] == 200
        before = runs(caller)
        # The one that waits first: it would begin when the other one is canceled.
        for trigger in ("manual", "schedule"):
            _, tag = before[trigger]
            assert call(caller, "POST", f"/jobs/j/runs/{tag}/cancel") == (200, None)

        assert held.was_broken_off.wait(SECONDS)
        assert {trigger: outcome for trigger, (outcome, _) in before.items()} == {
            "schedule": "running",
            "manual": "waiting",
        }
        assert {outcome for outcome, _ in runs(caller).values()} == {"canceled"}
