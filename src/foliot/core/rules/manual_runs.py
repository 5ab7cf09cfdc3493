"""Limits how often jobs are run by hand: enough for tests, but no way around a plan."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Final, Literal

from msgspec import Struct

from foliot.core.errors import Conflict
from foliot.core.instant import SECOND, Instant, tell_instant, tell_length, to_the_second
from foliot.core.model.collection import Collection
from foliot.core.model.job import Job
from foliot.core.rules.quota import PLANS

RUNS_OF_A_JOB: Final = 10
RUNS_OF_A_COLLECTION: Final = 50
_KEPT: Final = 10_000

_Key = tuple[Literal["job", "collection"], int]


class _Window(Struct):
    since: Instant
    until: Instant
    count: int = 0


class ManualRuns:
    """Counts runs by hand of each job and collection, in windows whose length the plan sets.

    Tests of jobs count too. A job that is not stored counts for its collection alone. Each node
    counts the runs that it has accepted, in memory only.
    """

    def __init__(self, max_open_runs: int) -> None:
        self.max_open_runs = max_open_runs
        self._windows: dict[_Key, _Window] = {}

    def check(self, collection: Collection, job: Job, open_runs: int, now: Instant) -> None:
        """Refuse a run beyond a limit."""
        if open_runs >= self.max_open_runs:
            raise Conflict(
                f"{open_runs} runs of the job '{job.name}' are open, and {self.max_open_runs} may "
                "be; run it again when one of them has ended."
            )
        of_collection = max(RUNS_OF_A_COLLECTION, PLANS[collection.sku].max_jobs)
        if job.id:
            self._check(("job", job.id), f"job '{job.name}'", RUNS_OF_A_JOB, collection, now)
        named = f"collection '{collection.key.name}'"
        self._check(("collection", collection.id), named, of_collection, collection, now)

    def add(self, collection: Collection, job: Job, now: Instant) -> None:
        """Count a run that was accepted."""
        if len(self._windows) >= _KEPT:
            self._windows = {
                key: window for key, window in self._windows.items() if _is_open(window, now)
            }
        until = Instant(now + _window_ticks(collection))
        for key in _keys(collection, job):
            window = self._windows.get(key)
            if window is None or not _is_open(window, now):
                window = self._windows[key] = _Window(now, until)
            window.count += 1

    def _check(
        self, key: _Key, what: str, limit: int, collection: Collection, now: Instant
    ) -> None:
        window = self._windows.get(key)
        if window is None or not _is_open(window, now) or window.count < limit:
            return
        until = to_the_second(window.until, up=True)
        raise Conflict(
            f"The plan {collection.sku} allows {limit} runs by hand of the {what} in "
            f"{tell_length(_window_ticks(collection))}; "
            f"it can be run by hand again at {tell_instant(until)}."
        )


def _keys(collection: Collection, job: Job) -> Iterator[_Key]:
    yield "collection", collection.id
    if job.id:
        yield "job", job.id


def _window_ticks(collection: Collection) -> int:
    return PLANS[collection.sku].fastest // timedelta(seconds=1) * SECOND


def _is_open(window: _Window, now: Instant) -> bool:
    # The clock may have been set back: a window in the future is not open.
    return window.since <= now < window.until
