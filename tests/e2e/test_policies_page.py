"""The page about policies, word for word, against a real server."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any, NamedTuple, cast

import pytest

from foliot.core.instant import HOUR, Instant, format_instant
from foliot.ports import clock
from tests.support.api_client import COLLECTION as BILLING
from tests.support.api_client import Client, a_collection, http_job
from tests.support.http_target import TOKEN, answer
from tests.support.server import DEADLINE, Server, eventually, running

PAGE = (Path(__file__).parents[2] / "docs/how-to/run-nothing-twice.md").read_text()
HEADING = re.compile(r"^## (.*)\n", re.MULTILINE)
STEP = re.compile(r"^```sh\n(.*?)^```\n(?:\n```json\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)
INSTANT = re.compile(r"\d{4}-\d\d-\d\d[T ][\d:.]+(Z| UTC)")
JOB = re.compile(r"jobs/([a-z-]+)|tenant-\d")
GROUP = "/subscriptions/me/resourceGroups/home"
COLLECTION = f"{GROUP}/providers/Microsoft.Scheduler/jobCollections/first"
VERSION = "api-version=2026-11-01"
DAILY = {"frequency": "day", "interval": 1}
FAILING = ("sync", "nightly")
OLD_RUNS = "Why did it not run on Sunday?"


class Step(NamedTuple):
    """Commands of the page, and what the page says that the last answer has."""

    commands: str
    expected: Any


def sections() -> dict[str, list[Step]]:
    _, *parts = HEADING.split(PAGE)
    return {
        title: [
            Step(commands, json.loads(expected) if expected else None)
            for commands, expected in STEP.findall(text)
        ]
        for title, text in zip(parts[::2], parts[1::2], strict=True)
    }


class Shell:
    """Runs commands of the page as a reader would, with the names that the page sets."""

    def __init__(self, server: Server, slow_is_reached: Event) -> None:
        self._server = server
        self.slow_is_reached = slow_is_reached
        self.names: dict[str, str] = {
            "collection": f"http://127.0.0.1:{server.port}{COLLECTION}",
            "sign_in": f"Authorization: Bearer {TOKEN}",
        }

    def run(self, step: Step) -> Any:
        """Run the commands of a step; the last answer must have what the page says."""
        done = subprocess.run(  # noqa: S603  (the page's own words)
            ["bash", "-euo", "pipefail", "-c", step.commands],  # noqa: S607
            env=os.environ | self.names,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, ""), step.commands
        last = documents(done.stdout)[-1]
        if step.expected is not None:
            assert part_of(last, step.expected) == without_times(step.expected)
        return last

    def read(self, path: str) -> Any:
        return answer(self._server, f"{COLLECTION}/{path}{'&' if '?' in path else '?'}{VERSION}")

    def start(self, job: str) -> None:
        path = f"{COLLECTION}/jobs/{job}/run?{VERSION}"
        assert self._server.call("POST", path, token=TOKEN).status == 200

    def failed_runs(self, job: str) -> list[Any]:
        return self.read(f"jobs/{job}/runs?outcome=failed")["value"]

    def wait_for_failures(self, job: str, count: int) -> None:
        eventually(lambda: len(self.failed_runs(job)) == count)


def documents(text: str) -> list[Any]:
    decoder, found, place = json.JSONDecoder(), list[Any](), 0
    while place < len(text):
        document, place = decoder.raw_decode(text, place)
        found.append(document)
    return found


def part_of(given: Any, expected: Any) -> Any:
    """Return of an answer only what the page shows, without its times."""
    if isinstance(expected, dict):
        names = cast("dict[str, Any]", expected)
        return {name: part_of(given[name], part) for name, part in names.items()}
    return without_times(given)


def without_times(value: Any) -> Any:
    return json.loads(INSTANT.sub("TIME", json.dumps(value)))


@contextmanager
def slow_target() -> Generator[tuple[str, Event]]:
    """Return the address of a target, and an event: one run has reached `/slow`, and stays."""
    reached, is_over = Event(), Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/slow":
                reached.set()
                is_over.wait(DEADLINE)
            self.send_response(503 if self.path == "/broken" else 200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (its name there)
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", reached
        is_over.set()
        server.shutdown()


def body_of(job: str, uri: str) -> dict[str, Any]:
    place = "/broken" if job in FAILING else "/slow" if job == "import" else "/"
    body = http_job(uri + place, recurrence=DAILY)
    body["properties"]["action"]["retryPolicy"] = {"retryType": "none"}
    if job != "nightly":
        # Only the job that failed last night runs at once; no other one runs on schedule.
        away = format_instant(Instant(clock.now() + 12 * HOUR))
        body["properties"]["startTime"] = f"2020-01-01T{away[11:]}"
    return body


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    """Return a shell on a server that has the jobs of the page."""
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    jobs = {found[1] or found[0] for found in JOB.finditer(PAGE)}
    with (
        slow_target() as (uri, reached),
        running(tmp_path, NO_ENGINE="0", ADMIN_TOKEN=TOKEN) as server,
    ):
        path = f"{COLLECTION}?{VERSION}"
        server.call("PUT", path, token=TOKEN, body=a_collection("P20Premium"))
        for job in sorted(jobs):
            path = f"{COLLECTION}/jobs/{job}?{VERSION}"
            assert server.call("PUT", path, token=TOKEN, body=body_of(job, uri)).status == 201
        yield Shell(server, reached)


def test_the_page_about_policies_works_as_written(shell: Shell) -> None:
    checks = {
        "A job must not overlap itself": policies_are_stored,
        "A job must not run late": policies_are_stored,
        "A job must run every occurrence, late if need be": policies_are_stored,
        "Many jobs call one server at the full hour": all_get_jitter,
        "Stop a job that keeps failing": a_failing_job_is_paused_and_resumed,
        "Run again what failed last night": failed_runs_are_repeated,
        "Run a month again": a_month_is_run_again,
        "Cancel what is too much": runs_are_canceled,
        OLD_RUNS: the_ledger_answers,
    }
    page = sections()

    assert list(page) == list(checks)
    for title, check in checks.items():
        check(shell, page[title])


def policies_are_stored(shell: Shell, steps: list[Step]) -> None:
    for step in steps:
        changed = shell.run(step)
        wanted = json.loads(step.commands.partition("-d '")[2].rpartition("'")[0])
        assert part_of(changed, wanted) == wanted


def all_get_jitter(shell: Shell, steps: list[Step]) -> None:
    (step,) = steps
    shell.run(step)
    jobs = [shell.read(f"jobs/tenant-{number}")["properties"] for number in (1, 2, 3)]
    assert [job["policy"] for job in jobs] == [{"jitter": "PT5M"}] * 3


def a_failing_job_is_paused_and_resumed(shell: Shell, steps: list[Step]) -> None:
    limit, ask, resume = steps
    shell.run(limit)
    for number in (1, 2, 3):
        shell.start("sync")
        shell.wait_for_failures("sync", number)
    shell.run(ask)
    shell.run(resume)


def failed_runs_are_repeated(shell: Shell, steps: list[Step]) -> None:
    look, by_range, by_tag = steps
    shell.wait_for_failures("nightly", 1)
    assert len(shell.run(look)["value"]) == 4
    shell.run(by_range)
    shell.wait_for_failures("nightly", 2)
    shell.names["tag"] = shell.failed_runs("nightly")[0]["properties"]["tag"]
    shell.run(by_tag)
    shell.wait_for_failures("nightly", 3)


def a_month_is_run_again(shell: Shell, steps: list[Step]) -> None:
    (step,) = steps
    shell.run(step)
    assert shell.slow_is_reached.wait(DEADLINE)


def runs_are_canceled(shell: Shell, steps: list[Step]) -> None:
    for step in steps:
        shell.run(step)


def the_ledger_answers(shell: Shell, steps: list[Step]) -> None:
    (step,) = steps
    # This server did not exist on that Sunday; the test below has the answer of the page.
    (line,) = shell.run(step._replace(expected=None))["value"]
    assert line["reason"] == "notCreated"


def test_the_ledger_says_what_the_page_says_about_a_sunday(tmp_path: Path) -> None:
    (step,) = sections()[OLD_RUNS]
    found = re.search(r'"\$collection(\S+)\?(\S+)"', step.commands)
    assert found
    path, query = found.groups()
    job = f"{BILLING}/jobs/backup"
    body = http_job(startTime="2026-01-01T06:00:00Z", recurrence=DAILY)

    with Client(tmp_path) as client:
        client.clock.set("2026-02-28T12:00:00Z")
        client.put(BILLING, a_collection())
        client.put(job, body)
        client.patch(job, {"properties": {"state": "disabled"}})
        client.clock.set("2026-03-02T08:00:00Z")
        client.patch(job, {"properties": {"state": "enabled"}})
        reply = client.get(BILLING + path, query=query)

    assert reply.json["value"] == step.expected["value"]
