"""Counters and histograms of each collection, up to a number of collections.

Each settled attempt adds to them, so they are plain integers, as `histogram` explains.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from foliot.core.ids import CollectionId, CollectionKey
from foliot.core.instant import Instant
from foliot.core.model.attempt import Attempt, Expired
from foliot.core.model.collection import Collection
from foliot.core.model.run import REPEATED, Phase, Run
from foliot.ports.logs import collection_text
from foliot.ports.metrics import SettledAttempt
from foliot.serve.metrics.histogram import DurationHistogram

# All collections beyond the limit together; the name of a collection has slashes.
OTHER: Final = "other"

_MAIN: Final = Phase.MAIN
# Few, in seconds: each is a series of every collection.
_LATENESS_BOUNDS: Final = (0.1, 1, 5, 60, 600)
_DURATION_BOUNDS: Final = (0.1, 1, 5, 30, 60, 600, 3600)


class CollectionCounters:
    """What became of the runs of a collection since the server started."""

    __slots__ = (
        "completed",
        "failed",
        "given_up",
        "lateness",
        "recovered",
        "run_duration",
        "succeeded",
        "succeeded_at",
    )

    def __init__(self) -> None:
        self.completed = self.failed = 0
        self.succeeded = self.recovered = self.given_up = 0
        self.succeeded_at: Instant | None = None
        self.lateness = DurationHistogram(_LATENESS_BOUNDS)
        self.run_duration = DurationHistogram(_DURATION_BOUNDS)


class CountersByCollection:
    """The counters of the collections that were created first, and of all others together.

    Counts never move from one name to another: a counter that another one is added to would look
    like a burst of runs.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._counted: dict[CollectionId, CollectionCounters] = {}
        self._names: dict[CollectionId, str] = {}
        self._others = CollectionCounters()

    def settled(
        self, recorded: Sequence[SettledAttempt], given_up: Sequence[SettledAttempt]
    ) -> None:
        """Count attempts that are on disk, and the runs that ended with them."""
        counted = self._counted
        for each in recorded:
            attempt = each.attempt
            if isinstance(attempt, Expired):
                continue
            due = each.due
            counters = counted.get(due.collection.id) or self._new(due.collection)
            if attempt.outcome.succeeded:
                counters.completed += 1
            else:
                counters.failed += 1
            run = due.run
            if run.phase is _MAIN:
                _count_main(counters, run, attempt)
        for each in given_up:
            counters = counted.get(each.due.collection.id) or self._new(each.due.collection)
            counters.given_up += 1
            _add_duration(counters, each.due.run, each.attempt)

    def keep(self, names: Mapping[CollectionId, CollectionKey]) -> None:
        """Count these collections from now on: a deleted one makes room for another."""
        self._names = {each: collection_text(key) for each, key in names.items()}
        self._counted = {
            each: self._counted.get(each) or CollectionCounters() for each in self._names
        }

    def name(self, collection_id: CollectionId) -> str:
        """Return the name under which a collection is counted."""
        return self._names.get(collection_id, OTHER)

    def by_name(self) -> Iterator[tuple[str, CollectionCounters]]:
        """Return the counters by name; those of all others last, if there are any."""
        for each, counters in self._counted.items():
            yield self._names[each], counters
        if self._others.completed or self._others.failed:
            yield OTHER, self._others

    def _new(self, collection: Collection) -> CollectionCounters:
        """Return the counters of a collection that has none of its own yet."""
        if len(self._counted) >= self.limit:
            return self._others
        self._names[collection.id] = collection_text(collection.key)
        return self._counted.setdefault(collection.id, CollectionCounters())


def _count_main(counters: CollectionCounters, run: Run, attempt: Attempt) -> None:
    """Count an attempt at the main action, which ends its run if it succeeds."""
    is_first = run.attempt == 1
    if is_first and run.trigger not in REPEATED:
        counters.lateness.add(attempt.started_at - run.expected_at)
    if attempt.outcome.succeeded:
        counters.succeeded_at = attempt.ended_at
        _add_duration(counters, run, attempt)
        if is_first:
            counters.succeeded += 1
        else:
            counters.recovered += 1


def _add_duration(counters: CollectionCounters, run: Run, attempt: Attempt | Expired) -> None:
    if run.trigger not in REPEATED:
        counters.run_duration.add(attempt.ended_at - run.expected_at)
