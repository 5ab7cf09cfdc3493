"""What metrics and traces cost: each settled attempt, and a scrape with 100,000 jobs.

`make bench-metrics` prints JSON. Times per attempt are processor time of this process, the best of
several rounds; those of a scrape are seconds of the clock.
"""

import argparse
import asyncio
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec.structs import replace
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor
from opentelemetry.sdk.trace.sampling import DEFAULT_ON, ParentBasedTraceIdRatio, Sampler

from foliot.core.ids import CollectionKey
from foliot.core.instant import Instant
from foliot.core.model.attempt import Attempt, Outcome
from foliot.core.model.run import DueRun
from foliot.engine.settle import EndedAttempt
from foliot.ports import clock
from foliot.ports.metrics import NO_METER
from foliot.ports.random_ids import new_id
from foliot.ports.store import Store, Transaction
from foliot.serve.metrics import Metrics
from foliot.serve.metrics.by_collection import CountersByCollection
from foliot.serve.otel_spans import OtelTracer
from foliot.store.sealing.keyring import Keyring
from tests.support.builders import NOW, a_collection, a_job, a_run
from tests.support.stores import IMPLEMENTATIONS

ATTEMPTS, BATCH, COLLECTIONS = 20_000, 500, 200
OK = Outcome(succeeded=True, message="ok", host="example.com", status_code=200)
YEAR_AHEAD = Instant(NOW + 365 * 24 * 3600 * 10**7)


class MachineClock:
    """The clock of the machine."""

    def now(self) -> Instant:
        return clock.now()


class KeptSpans(SpanProcessor):
    """Keeps the spans instead of exporting them."""

    def __init__(self) -> None:
        self.spans: list[ReadableSpan] = []

    def on_end(self, span: ReadableSpan) -> None:
        self.spans.append(span)


def ended_attempts() -> list[list[EndedAttempt]]:
    collections = [replace(a_collection(), id=number + 1) for number in range(COLLECTIONS)]
    found: list[EndedAttempt] = []
    for number in range(ATTEMPTS):
        collection = collections[number % COLLECTIONS]
        job = a_job(collection.id)
        due = DueRun(replace(a_run(job), tag=new_id()), job, collection)
        started_at = Instant(NOW + 500 * number)
        ended_at = Instant(started_at + 50_000)
        attempt = Attempt(outcome=OK, started_at=started_at, ended_at=ended_at)
        found.append(EndedAttempt(due, attempt, new_id()))
    return [found[start : start + BATCH] for start in range(0, ATTEMPTS, BATCH)]


def microseconds(
    batches: Sequence[Sequence[EndedAttempt]],
    work: Callable[[Sequence[EndedAttempt]], None],
    rounds: int,
) -> float:
    best = float("inf")
    for _ in range(rounds):
        began = time.process_time()
        for batch in batches:
            work(batch)
        best = min(best, time.process_time() - began)
    return round(best / ATTEMPTS * 1e6, 2)


def traced(tracer: OtelTracer, batch: Sequence[EndedAttempt]) -> None:
    for each in batch:
        if isinstance(each.attempt, Attempt) and each.request_id is not None:
            tracer.headers(each.due, each.request_id)
            tracer.ended(each.due, each.attempt, each.request_id)
    tracer.settled(batch, ())


def per_attempt(rounds: int) -> dict[str, float]:
    batches = ended_attempts()

    def with_sampler(sampler: Sampler) -> float:
        tracer = OtelTracer(SpanProcessor(), sampler, Resource({}))
        return microseconds(batches, lambda batch: traced(tracer, batch), rounds)

    kept = KeptSpans()
    tracer = OtelTracer(kept, DEFAULT_ON, Resource({}))
    microseconds(batches, lambda batch: traced(tracer, batch), 1)
    parts = [kept.spans[start : start + 512] for start in range(0, len(kept.spans), 512)]
    began = time.process_time()
    for spans in parts:
        encode_spans(spans).SerializePartialToString()
    encoding = time.process_time() - began
    counters = CountersByCollection(100)
    return {
        "nothing is counted": microseconds(batches, lambda it: NO_METER.settled(it, ()), rounds),
        "by collection": microseconds(batches, lambda it: counters.settled(it, ()), rounds),
        "traced": with_sampler(DEFAULT_ON),
        "traced, one in a hundred": with_sampler(ParentBasedTraceIdRatio(0.01)),
        "exporting both spans, in a thread": round(encoding / ATTEMPTS * 1e6, 2),
    }


async def fill(store: Store, jobs: int) -> None:
    for number in range(COLLECTIONS):
        key = CollectionKey("subscription", "group", f"collection{number}")

        def change(to: Transaction, key: CollectionKey = key) -> None:
            collection = to.add_collection(replace(a_collection(), id=0, key=key))
            for place in range(jobs // COLLECTIONS):
                to.add_job(replace(a_job(collection.id, f"job{place}"), next_at=YEAR_AHEAD))

        await store.write(change)


async def scrapes(store: Store, jobs: int, rounds: int) -> dict[str, float]:
    await fill(store, jobs)
    with_reading: list[float] = []
    cached: list[float] = []
    lines = 0
    for _ in range(rounds):
        metrics = Metrics(store, MachineClock())
        for taken in (with_reading, cached):
            began = time.perf_counter()
            lines = (await metrics.text()).count("\n")
            taken.append(time.perf_counter() - began)
    await store.close()
    return {
        "jobs": jobs,
        "lines": lines,
        "ms with figures read": round(min(with_reading) * 1e3, 1),
        "ms with figures cached": round(min(cached) * 1e3, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    with TemporaryDirectory() as folder, IMPLEMENTATIONS["sqlite"](Path(folder)) as database:
        store = database.open(Keyring([bytes(32)]))
        scraped = asyncio.run(scrapes(store, given.jobs, given.rounds))
    found = {"microseconds for each attempt": per_attempt(given.rounds), "scrape": scraped}
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
