"""Counts what the engine does, and exports all metrics."""

import platform
from collections.abc import Callable, Iterator, Sequence
from importlib import metadata

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from foliot.core.errors import Unavailable
from foliot.core.instant import SECOND, UNIX_EPOCH, Instant
from foliot.core.model.action import ActionKind
from foliot.core.model.attempt import Attempt
from foliot.core.model.history import AttemptStatus
from foliot.core.model.node import Node
from foliot.core.model.reason import Reason
from foliot.core.model.run import REPEATED, DueRun, is_first_attempt, planned_at
from foliot.core.rules.retries import action_of
from foliot.ports.clock import Clock
from foliot.ports.health import Health
from foliot.ports.metrics import Load, Meter, SettledAttempt
from foliot.ports.store import Store
from foliot.serve.metrics.by_collection import CountersByCollection
from foliot.serve.metrics.collection_text import collection_text
from foliot.serve.metrics.histogram import DurationHistogram
from foliot.serve.metrics.job_figures import JobFigureCache, StoredFigures

# In seconds: an attempt may be late by hours, but lasts no longer than its deadline.
_LATENESS_BOUNDS = (
    *(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5),
    *(1, 2.5, 5, 10, 30, 60, 300, 900, 3600),
)
_DURATION_BOUNDS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60)
_RECORDING_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5)
# The backlog is counted up to this: a higher number tells an operator nothing and costs the store.
MOST_COUNTED = 100_000
# Collections with series of their own.
MAX_COLLECTIONS = 100
_OUTCOMES = {True: AttemptStatus.COMPLETED, False: AttemptStatus.FAILED}


class Metrics(Meter, Collector):
    """Counts what the engine does; exports that with the state of the store and the process."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        offset: Callable[[], int] = lambda: 0,
        health: Health | None = None,
        *,
        max_collections: int = MAX_COLLECTIONS,
    ) -> None:
        self._offset = offset
        self._health = health or Health()
        self._nodes: Sequence[Node] = ()
        self._store = store
        self._clock = clock
        self._load: Callable[[], Load] = Load
        self._late = {kind: DurationHistogram(_LATENESS_BOUNDS) for kind in ActionKind}
        self._took = {
            (kind, succeeded): DurationHistogram(_DURATION_BOUNDS)
            for kind in ActionKind
            for succeeded in _OUTCOMES
        }
        self._recording = DurationHistogram(_RECORDING_BOUNDS)
        self._failures: dict[str, int] = dict.fromkeys(Reason, 0)
        self._by_collection = CountersByCollection(max_collections)
        self._job_figures = JobFigureCache(store, clock, max_collections)
        self._stored_figures: StoredFigures | None = None
        self._looked_at: Instant | None = None
        self._skipped = self._stored = self._lost = self._put_back = 0
        self._backlog: int | None = None
        self._incidents: int | None = None
        self._notified = {True: 0, False: 0}
        self._registry = CollectorRegistry()
        self._registry.register(self)
        ProcessCollector(registry=self._registry)

    def watch(self, load: Callable[[], Load]) -> None:
        """Export the load of an engine from now on."""
        self._load = load

    def load(self) -> Load:
        """Return how many runs the engine holds at the moment."""
        return self._load()

    def looked(self, now: Instant) -> None:
        """Remember when the engine last looked for due jobs."""
        self._looked_at = now

    def skipped(self, count: int) -> None:
        """Count skipped occurrences."""
        self._skipped += count

    def sent(self, due: DueRun, at: Instant) -> None:
        """Count how late an attempt starts."""
        run = due.run
        if run.trigger in REPEATED and is_first_attempt(run):
            return
        self._late[action_of(due).kind].add(at - planned_at(run))

    def ended(self, due: DueRun, attempt: Attempt) -> None:
        """Count how long an attempt took, and how it ended."""
        outcome = attempt.outcome
        took = self._took[action_of(due).kind, outcome.succeeded]
        took.add(attempt.ended_at - attempt.started_at)
        if not outcome.succeeded:
            reason = outcome.reason or Reason.BREAKDOWN
            self._failures[reason] += 1

    def recorded(self, stored: int, late: int, took: int) -> None:
        """Count a transaction that stored attempts."""
        self._stored += stored
        self._lost += late
        self._recording.add(took)

    def settled(
        self, recorded: Sequence[SettledAttempt], given_up: Sequence[SettledAttempt]
    ) -> None:
        """Count attempts and runs by collection."""
        self._by_collection.settled(recorded, given_up)

    def put_back(self, count: int) -> None:
        """Count runs that were re-queued because they could not be sent."""
        self._put_back += count

    def notified(self, *, succeeded: bool) -> None:
        """Count a try to send a message of an alert."""
        self._notified[succeeded] += 1

    async def text(self) -> str:
        """Return all metrics in Prometheus' text format."""
        now = self._clock.now()
        try:
            self._backlog, self._nodes, self._incidents = await self._store.read(
                lambda reading: (
                    reading.count_due(now, MOST_COUNTED),
                    reading.nodes(),
                    reading.count_open_incidents(),
                )
            )
        except Unavailable:
            self._backlog, self._nodes, self._incidents = None, (), None
        await self._read_job_figures()
        text = generate_latest(self._registry).decode()
        return text + collection_text(self._by_collection, self._stored_figures)

    async def _read_job_figures(self) -> None:
        try:
            stored = await self._job_figures.figures()
        except Unavailable:
            self._stored_figures = None
            return
        if stored is not self._stored_figures:
            self._by_collection.keep(stored.names)
        self._stored_figures = stored

    def collect(self) -> Iterator[Metric]:
        """Return the metrics that are Foliot's own."""
        yield _build_info()
        yield from self._attempts()
        yield from self._engine()
        yield from self._cluster()
        yield self._problems()
        yield from self._alerts()
        if self._backlog is not None:
            yield _gauge("foliot_due_backlog", "What is due and not claimed.", self._backlog)

    def _attempts(self) -> Iterator[Metric]:
        late = HistogramMetricFamily(
            "foliot_attempt_lateness_seconds", "From planned to sent.", labels=["action"]
        )
        for kind, histogram in self._late.items():
            histogram.add_to(late, [kind])
        took = HistogramMetricFamily(
            "foliot_attempt_duration_seconds", "From sent to done.", labels=["action", "outcome"]
        )
        counts = CounterMetricFamily(
            "foliot_attempts", "Attempts that have ended.", labels=["action", "outcome"]
        )
        for (kind, succeeded), histogram in self._took.items():
            labels = [kind, _OUTCOMES[succeeded]]
            histogram.add_to(took, labels)
            counts.add_metric(labels, histogram.count)
        reasons = CounterMetricFamily(
            "foliot_attempt_failures", "Attempts that failed.", labels=["reason"]
        )
        for reason, count in self._failures.items():
            reasons.add_metric([reason], count)
        yield from (late, took, counts, reasons)

    def _engine(self) -> Iterator[Metric]:
        load = self._load()
        yield _gauge("foliot_attempts_in_flight", "Attempts under way.", load.in_flight)
        yield _gauge("foliot_attempts_waiting", "Claimed, waiting for a slot.", load.waiting)
        yield _counter("foliot_attempts_recorded", "Attempts in history.", self._stored)
        yield _counter("foliot_attempts_lost", "Not recorded: the run was lost.", self._lost)
        yield _counter("foliot_attempts_put_back", "Not sent, for want of ours.", self._put_back)
        batches = self._recording.count
        yield _counter("foliot_recording_batches", "Transactions that recorded.", batches)
        recording = HistogramMetricFamily(
            "foliot_recording_duration_seconds", "From ended to durable, by transaction."
        )
        self._recording.add_to(recording, [])
        yield recording
        yield _counter("foliot_occurrences_skipped", "Occurrences skipped.", self._skipped)
        if self._looked_at is not None:
            yield _gauge(
                "foliot_engine_last_round_timestamp_seconds",
                "When the engine last looked for what is due.",
                (self._looked_at - UNIX_EPOCH) / SECOND,
            )

    def _alerts(self) -> Iterator[Metric]:
        tries = CounterMetricFamily(
            "foliot_notifications", "Tries to send a message of an alert.", labels=["outcome"]
        )
        for succeeded, count in self._notified.items():
            tries.add_metric([_OUTCOMES[succeeded]], count)
        yield tries
        if self._incidents is not None:
            yield _gauge("foliot_incidents_open", "Incidents of alerts.", self._incidents)

    def _problems(self) -> Metric:
        problems = GaugeMetricFamily(
            "foliot_problem", "Parts of this node that do not work.", labels=["part"]
        )
        for part in self._health.problems:
            problems.add_metric([part], 1)
        return problems

    def _cluster(self) -> Iterator[Metric]:
        offset = self._offset() / SECOND
        yield _gauge("foliot_clock_offset_seconds", "The store's clock less this one.", offset)
        seen = GaugeMetricFamily(
            "foliot_node_heartbeat_timestamp_seconds",
            "When a node was last heard of.",
            labels=["node", "name", "version"],
        )
        held = GaugeMetricFamily(
            "foliot_node_attempts_in_flight", "Attempts under way there.", labels=["node", "name"]
        )
        for node in self._nodes:
            seen.add_metric(
                [node.id, node.name, node.version], (node.seen_at - UNIX_EPOCH) / SECOND
            )
            held.add_metric([node.id, node.name], node.in_flight)
        yield from (seen, held)


def _build_info() -> Metric:
    info = {"version": metadata.version("foliot"), "python": platform.python_version()}
    return InfoMetricFamily("foliot_build", "The version that runs.", value=info)


def _gauge(name: str, meaning: str, value: float) -> Metric:
    return GaugeMetricFamily(name, meaning, value=value)


def _counter(name: str, meaning: str, value: float) -> Metric:
    return CounterMetricFamily(name, meaning, value=value)
