"""Foliot as one of the systems of a comparison: `create` stores jobs, `work` runs them.

`peer.py create --n N --t0 EPOCH [--rate R] --mode fast|seq|best` stores N jobs, due at t0 or, with
a rate, one after the other from there, each POSTing to $SINK_URL?job=<i> every minute, and prints
how long it took: straight into the store (fast), or through the API of a server, one call at a
time (seq) or 32 (best). `peer.py work` prints READY and runs a server in $PEER_STATE until SIGTERM.
"""

import argparse
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import uvloop
from msgspec.structs import replace

from foliot.core.instant import Instant, format_instant
from foliot.core.model.job import Job
from foliot.core.recurrence import Frequency, Recurrence
from load import measure
from scene import ADMIN_TOKEN, BODY, PER_COLLECTION, Sink, fill, http_job, instant_of_ns
from scene import running_server as running

STATE = Path(os.environ.get("PEER_STATE", "."))
SINK_URL = os.environ.get("SINK_URL", "http://127.0.0.1:9955/fire")
CONNECTIONS = {"seq": 1, "best": 32}
MINUTELY = Recurrence(frequency=Frequency.MINUTE)
GROUP = "/subscriptions/bench/resourceGroups/g/providers/Microsoft.Scheduler/jobCollections"


class GivenSink(Sink):
    """The comparison's own sink."""

    def url(self, job: int) -> str:
        return f"{SINK_URL}?job={job}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("action", choices=["create", "work"])
    parser.add_argument("--n", type=int, default=1000)
    parser.add_argument("--t0", type=float, default=0)
    parser.add_argument("--rate", type=float, default=0)
    parser.add_argument("--mode", choices=["fast", *CONNECTIONS], default="fast")
    given = parser.parse_args()
    if given.action == "work":
        work()
        return

    def due_at(number: int) -> Instant:
        after = number / given.rate if given.rate else 0
        return instant_of_ns(int((given.t0 + after) * 1e9))

    seconds = create(given.n, due_at, given.mode)
    print(json.dumps({"created": given.n, "seconds": seconds}), flush=True)


def create(count: int, due_at: Callable[[int], Instant], mode: str) -> float:
    """Store jobs and return the seconds that took."""
    if mode in CONNECTIONS:
        return _create_by_calls(count, due_at, CONNECTIONS[mode])
    begin = time.perf_counter()
    fill(STATE, count, lambda number: _minutely(number, due_at(number)))
    return time.perf_counter() - begin


def work() -> None:
    """Run what is due until told to end."""
    with running(STATE):
        signal.signal(signal.SIGTERM, lambda *_: sys.exit())
        print("READY", flush=True)
        signal.pause()


def _minutely(number: int, due_at: Instant) -> Job:
    job = http_job(GivenSink(0), number, due_at)
    return replace(job, definition=replace(job.definition, recurrence=MINUTELY))


def _create_by_calls(count: int, due_at: Callable[[int], Instant], connections: int) -> float:
    with running(STATE) as server:
        rooms = range(0, count, PER_COLLECTION)
        plan = {"properties": {"sku": {"name": "P20Premium"}}}
        _call(server.port, [_put(f"{GROUP}/c{room}", plan) for room in rooms], 1)
        requests = [_put_job(number, due_at(number)) for number in range(count)]
        begin = time.perf_counter()
        _call(server.port, requests, connections)
        return time.perf_counter() - begin


def _put_job(number: int, due_at: Instant) -> bytes:
    request = {
        "uri": f"{SINK_URL}?job={number}",
        "method": "POST",
        "headers": {"content-type": "application/json"},
        "body": BODY,
    }
    room = number - number % PER_COLLECTION
    properties = {
        "startTime": format_instant(due_at),
        "action": {"type": "Http", "request": request},
        "recurrence": {"frequency": "minute"},
    }
    return _put(f"{GROUP}/c{room}/jobs/j{number}", {"properties": properties})


def _put(path: str, body: dict[str, Any]) -> bytes:
    content = json.dumps(body).encode()
    return (
        f"PUT {path}?api-version=2016-03-01 HTTP/1.1\r\nhost: localhost\r\n"
        f"authorization: Bearer {ADMIN_TOKEN}\r\ncontent-type: application/json\r\n"
        f"content-length: {len(content)}\r\n\r\n"
    ).encode() + content


def _call(port: int, requests: list[bytes], connections: int) -> None:
    uvloop.run(measure(port, requests, connections))


if __name__ == "__main__":
    main()
