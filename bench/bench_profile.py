"""Where the microseconds of an occurrence go: samples of both processes of a server in a herd.

py-spy looks at each thread many times a second without stopping it. A thread that waits for work is
not counted. One that waits for the disk in a commit is: that is what a commit costs. The threads
work at the same time, so an occurrence takes less than the sum of its parts.

`bench_profile.py --picture FILE` also draws the parts. py-spy needs root, or the right to trace.
"""

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import NamedTuple

from bench_engine import WARM_UP
from scene import (
    Sink,
    fill,
    http_job,
    instant_of_ns,
    running_server,
    running_sink,
    wait_until_recorded,
)

JOBS = 60_000
SAMPLES_PER_SECOND = 500
GIVE_UP = 120
PY_SPY = Path(sys.executable).with_name("py-spy")

# Threads, and the parts of their work with the functions that belong to each. A sample belongs to
# the part of its innermost frame that is named here.
LOOP, WRITER, WORKER = "event loop", "database thread", "worker process"
PARTS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    LOOP: {
        "messages to the worker": ("WorkerClient._send", "WorkerClient._received"),
        "build attempts": ("attempt_request ",),
        "metrics": ("foliot/serve/metrics",),
        "fair queue": ("FairQueue.", "Engine._send"),
        "attempts": ("Attempts.", "WorkerClient.dispatch"),
    },
    WRITER: {
        "commit and flush": ("SqliteWriter._commit",),
        "read and decrypt due jobs": ("SqlDueChanges.due_jobs",),
        "plan occurrences": ("_plan ",),
        "store claims": ("claim ", "_start "),
        "decide what follows": ("_settle ", "tell_settled_runs"),
        "store outcomes": ("settle_attempts ",),
    },
    WORKER: {
        "libcurl sends and receives": ("Transfers.", "EpollSockets."),
        "set up libcurl": ("Sender._prepared_handle", "CurlHandle.expect_response"),
        "build requests": ("first_request ",),
        "read responses": ("HttpDispatcher._outcome", "_result "),
        "messages to the server": ("WorkerServer._received", "WorkerServer._send_replies"),
    },
}
OTHER, UVLOOP = "other", "uvloop itself"

_WIDTH, _LEFT, _BAR, _ROW, _TOP = 960, 240, 620, 21, 64
_STYLE = """\
text{font:12px system-ui,sans-serif;fill:#24292f}.t{font-weight:600;font-size:14px}
.h{font-weight:600}.l{fill:#57606a}rect{fill:#0969da}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.l{fill:#9198a1}rect{fill:#58a6ff}}"""


class Profile(NamedTuple):
    """Microseconds of each part of each thread for one occurrence, and occurrences per second."""

    threads: dict[str, dict[str, float]]
    per_second: float


def main() -> None:
    """Measure, print, and draw if asked."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--jobs", type=int, default=JOBS)
    parser.add_argument("--picture", type=Path)
    given = parser.parse_args()
    with running_sink() as sink, tempfile.TemporaryDirectory() as folder:
        profile = measure(sink, Path(folder), given.jobs)
    print(json.dumps(profile._asdict(), indent=2))
    if given.picture is not None:
        given.picture.write_text(draw(profile, given.jobs), encoding="utf-8")


def measure(sink: Sink, folder: Path, jobs: int) -> Profile:
    """Let a herd run while py-spy looks at the server and its worker."""
    due_ns = time.time_ns() + int((WARM_UP + jobs / 4000) * 1e9)
    fill(folder, jobs, lambda number: http_job(sink, number, instant_of_ns(due_ns)))
    with running_server(folder) as server:
        time.sleep(max(0.0, due_ns / 1e9 - time.time() - 0.5))
        spies = [_spy(pid, folder / f"{pid}.samples") for pid in server.pids()]
        end = wait_until_recorded(folder, jobs, after=0, give_up_at=due_ns / 1e9 + GIVE_UP)
        for spy in spies:
            spy.send_signal(signal.SIGINT)  # It writes its file then.
            spy.wait(60)
        sampled = [folder / f"{pid}.samples" for pid in server.pids()]
        threads = {**_threads_of(sampled[0], jobs, (LOOP, WRITER))}
        threads |= _threads_of(sampled[1], jobs, (WORKER,))
    return Profile(threads, round(jobs / ((end - due_ns) / 1e9)))


def _spy(pid: str, file: Path) -> "subprocess.Popen[bytes]":
    rate = str(SAMPLES_PER_SECOND)
    options = ["--nonblocking", "--threads", "--format", "raw", "--duration", str(GIVE_UP)]
    command = [PY_SPY, "record", "--pid", pid, "--rate", rate, *options, "--output", file]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603


def _threads_of(file: Path, jobs: int, names: tuple[str, ...]) -> dict[str, dict[str, float]]:
    counts: dict[str, Counter[str]] = {name: Counter() for name in names}
    for frames, count in _samples(file):
        thread = WRITER if "store-writer" in frames[0] else names[0]
        if thread in counts and ("MainThread" in frames[0] or thread == WRITER):
            part = _part_of(frames, PARTS[thread])
            if part is not None:
                counts[thread][part] += count
    microseconds = 1e6 / SAMPLES_PER_SECOND / jobs
    return {
        name: {part: round(count * microseconds, 1) for part, count in found.most_common()}
        for name, found in counts.items()
    }


def _samples(file: Path) -> Iterator[tuple[list[str], int]]:
    for line in file.read_text("utf-8").splitlines():
        stack, _, count = line.rpartition(" ")
        yield stack.split(";"), int(count)


def _part_of(frames: list[str], parts: Mapping[str, tuple[str, ...]]) -> str | None:
    """Return the part that a sample belongs to; None if its thread waits for work."""
    if any(frame.startswith("WorkQueue.take ") for frame in frames[-2:]):
        return None
    if frames[-1].startswith("Runner.run "):
        return UVLOOP
    for frame in reversed(frames):
        for part, functions in parts.items():
            if any(each in frame for each in functions):
                return part
    return OTHER


def draw(profile: Profile, jobs: int) -> str:
    """Draw a bar for each part, thread by thread."""
    longest = max(value for parts in profile.threads.values() for value in parts.values())
    lines, y = [], _TOP
    for thread, parts in profile.threads.items():
        total = sum(parts.values())
        lines.append(f'<text class="h" x="12" y="{y}">{escape(thread)}: {total:.0f} µs</text>')
        y += _ROW
        for part, value in parts.items():
            width = value / longest * _BAR
            lines.append(f'<text x="{_LEFT - 8}" y="{y}" text-anchor="end">{escape(part)}</text>')
            lines.append(f'<rect x="{_LEFT}" y="{y - 11}" width="{width:.1f}" height="14" rx="2"/>')
            label = f'x="{_LEFT + width + 6:.1f}" y="{y}"'
            lines.append(f'<text class="l" {label}>{value:.1f}</text>')
            y += _ROW
        y += _ROW // 2
    title = f"Microseconds of an occurrence, {jobs:,} due at once, {profile.per_second:,.0f}/s"
    note = "The three work at the same time. By make bench-profile."
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {y}" role="img">'
        f"<title>{title}</title><style>{_STYLE}</style>"
        f'<text class="t" x="12" y="22">{title}</text><text class="l" x="12" y="40">{note}</text>'
        f"{''.join(lines)}</svg>\n"
    )


if __name__ == "__main__":
    main()
