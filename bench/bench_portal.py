"""How long the server and a browser take for each page of the portal, as JSON.

The store has 100,000 jobs, 1,000 in each collection, and ten million runs of 30 days; `--jobs` and
`--runs` say otherwise, `--only` measures some pages. Each page is asked for one at a time by a
signed-in browser of our own on a connection that is kept; figures of the server are milliseconds
from the request to the last byte, medians. The overview is kept for two seconds by the server, so
each figure of it is taken after it has been forgotten. The first request of a page has a figure of
its own, and so has the time until a timeline has counted everything. The figure of the browser is
the median time from the navigation to the end of loading in chromium, if it is installed. The
timeline of a week is also measured on a server with 10,000 jobs. `--keep` names a directory for the
databases: one of the same size that is there is used again, so that only the first time is long.
"""

import argparse
import gzip
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import sync_playwright

from portal_data import fill, places
from portal_pages import PAGES, TIMELINE_OF_A_WEEK, check_that_all_are_measured

ROUNDS = 9
BROWSER_ROUNDS = 5
TOKEN = "t" * 40
MOST_MS = 150.0
MOST_BROWSER_MS = 1000.0
TIMELINE_JOBS = 10_000
MOST_TIMELINE_MS = 300.0
# A list that people wait for on a slow line.
MOST_BYTES = 60_000
_LISTENS = re.compile(r"listens on http://[^:]+:(\d+)")
_LOADED = "performance.getEntriesByType('navigation')[0].loadEventEnd"


class Portal(NamedTuple):
    """A server that somebody is signed in to."""

    port: int
    connection: HTTPConnection
    session: str

    def get(self, path: str) -> tuple[float, bytes]:
        """Return how many milliseconds a page took, and the page."""
        headers = {"Cookie": self.session, "Accept": "text/html"}
        headers |= {"HX-Request": "true"} if is_part(path) else {}
        before = time.perf_counter()
        self.connection.request("GET", path, headers=headers)
        answer = self.connection.getresponse()
        body = answer.read()
        took = (time.perf_counter() - before) * 1000
        if answer.status != 200:
            raise SystemExit(f"{path} was answered with {answer.status}")
        return took, body


def is_part(path: str) -> bool:
    """Tell whether a path is that of a part, which no browser opens as a page."""
    return re.sub(r"\?.*", "", path).endswith(("/live", "/preview"))


@contextmanager
def serving(data: Path) -> Generator[Portal]:
    environ = os.environ | {"FOLIOT_NO_ENGINE": "1", "FOLIOT_ADMIN_TOKEN": TOKEN}
    process = subprocess.Popen(  # noqa: S603  (our own command)
        [sys.executable, "-m", "foliot", "serve", "--port", "0", "--data-dir", str(data)],
        env=environ,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout  # noqa: S101  (it is a pipe)
    try:
        port = next(int(found[1]) for line in process.stdout if (found := _LISTENS.search(line)))
        connection = HTTPConnection("127.0.0.1", port)
        yield Portal(port, connection, _sign_in(connection, port))
        connection.close()
    finally:
        process.terminate()
        process.wait()


def _sign_in(connection: HTTPConnection, port: int) -> str:
    origin = f"http://127.0.0.1:{port}"
    connection.request("POST", "/sign-in", f"token={TOKEN}", {"Origin": origin})
    answer = connection.getresponse()
    answer.read()
    return answer.headers["set-cookie"].split(";")[0]


def measured(portal: Portal, path: str) -> dict[str, Any]:
    begin = time.perf_counter()
    first, body = portal.get(path)
    while b"are still being" in body:
        time.sleep(0.2)
        _, body = portal.get(path)
    complete_after = time.perf_counter() - begin
    times: list[float] = []
    for _ in range(ROUNDS):
        if path in ("/", "/live"):
            time.sleep(2.05)
        took, body = portal.get(path)
        times.append(took)
    return {
        "first_ms": round(first, 1),
        "complete_after_s": round(complete_after, 2),
        "median_ms": round(statistics.median(times), 1),
        "slowest_ms": round(max(times), 1),
        "bytes": len(body),
        "compressed_bytes": len(gzip.compress(body)),
    }


def in_browser(portal: Portal, pages: Mapping[str, str]) -> dict[str, float]:
    """Return how many milliseconds a browser takes to load each page."""
    chromium = shutil.which("chromium")
    if chromium is None:
        return {}
    found: dict[str, float] = {}
    name, _, value = portal.session.partition("=")
    base = f"http://127.0.0.1:{portal.port}"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        context = browser.new_context()
        context.add_cookies([{"name": name, "value": value, "url": base}])
        page = context.new_page()
        for words, path in pages.items():
            times: list[float] = []
            for _ in range(BROWSER_ROUNDS):
                page.goto(base + path, wait_until="load")
                page.wait_for_function(f"{_LOADED} > 0")
                times.append(page.evaluate(_LOADED))
            found[words] = round(statistics.median(times), 1)
        browser.close()
    return found


def all_pages(data: Path, only: str) -> dict[str, str]:
    known = places(data)
    return {name: path.format(**known) for name, path in PAGES.items() if only in name}


@contextmanager
def filled(jobs: int, runs: int, keep: Path | None) -> Generator[Path]:
    """Yield the data directory of a server with that many jobs and runs."""
    with tempfile.TemporaryDirectory(prefix="foliot-bench-") as folder:
        data = keep / f"{jobs}-{runs}" if keep else Path(folder)
        complete = data / "complete"
        if not complete.exists():
            _note(f"adding {jobs:,} jobs and {runs:,} runs")
            shutil.rmtree(data, ignore_errors=True)
            data.mkdir(parents=True)
            fill(data, jobs, runs)
            complete.touch()
        yield data


def measure_all(jobs: int, runs: int, only: str, keep: Path | None) -> dict[str, Any]:
    with filled(jobs, runs, keep) as data:
        wanted = all_pages(data, only)
        with serving(data) as portal:
            _note(f"asking for {len(wanted)} pages")
            found = {name: measured(portal, path) for name, path in wanted.items()}
            opened = {name: path for name, path in wanted.items() if not is_part(path)}
            for name, milliseconds in in_browser(portal, opened).items():
                found[name]["browser_ms"] = milliseconds
    return found


def _note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--jobs", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=10_000_000)
    parser.add_argument("--only", default="", help="a part of the names of pages")
    parser.add_argument("--keep", type=Path, help="a directory that keeps the databases")
    parser.add_argument("--fill", action="store_true", help="only fill the databases of --keep")
    return parser.parse_args()


def main() -> None:
    check_that_all_are_measured()
    given = arguments()
    few_runs = given.runs // 10
    if given.fill:
        for jobs, runs in ((given.jobs, given.runs), (TIMELINE_JOBS, few_runs)):
            with filled(jobs, runs, given.keep):
                pass
        return
    found = measure_all(given.jobs, given.runs, given.only, given.keep)
    report: dict[str, Any] = {
        "python": platform.python_version(),
        "processors": os.cpu_count(),
        "load_average": [round(each, 1) for each in os.getloadavg()],
        "jobs": given.jobs,
        "runs": given.runs,
        "most_ms": MOST_MS,
        "most_browser_ms": MOST_BROWSER_MS,
        "most_compressed_bytes": MOST_BYTES,
        "not_within": [name for name, page in found.items() if not is_within(page)],
        "pages": found,
    }
    if not given.only:
        few = measure_all(TIMELINE_JOBS, few_runs, TIMELINE_OF_A_WEEK, given.keep)
        timeline = few[TIMELINE_OF_A_WEEK] | {"most_ms": MOST_TIMELINE_MS}
        report["timeline_of_a_week_for_10,000_jobs"] = timeline
    print(json.dumps(report, indent=2))


def is_within(page: Mapping[str, Any]) -> bool:
    return (
        page["median_ms"] < MOST_MS
        and page.get("browser_ms", 0) < MOST_BROWSER_MS
        and page["compressed_bytes"] <= MOST_BYTES
    )


if __name__ == "__main__":
    main()
