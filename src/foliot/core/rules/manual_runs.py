"""Limits how often jobs are run by hand: enough for tests, but no way around a plan."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Final, Literal

from foliot.core.errors import Conflict
from foliot.core.instant import SECOND, Instant, tell_instant, tell_length, to_the_second
from foliot.core.model.collection import Collection
from foliot.core.model.job import Job
from foliot.core.plurals import how_many
from foliot.core.rules.quota import PLANS
from foliot.core.rules.request_windows import RequestWindows

RUNS_OF_A_JOB: Final = 10
RUNS_OF_A_COLLECTION: Final = 50

_Key = tuple[Literal["job", "collection"], int]


class ManualRuns:
    """Counts runs by hand of each job and collection, in windows whose length the plan sets.

    Tests of jobs count too. A job that is not stored counts for its collection alone. Each node
    counts the runs that it has accepted, in memory only.
    """

    def __init__(self, max_open_runs: int) -> None:
        self.max_open_runs = max_open_runs
        self._windows: RequestWindows[_Key] = RequestWindows()

    def check(self, collection: Collection, job: Job, open_runs: int, now: Instant) -> None:
        """Refuse a run beyond a limit."""
        if open_runs >= self.max_open_runs:
            raise Conflict(
                f"The job '{job.name}' has {how_many(open_runs, 'open run')}, and"
                f" {self.max_open_runs} may be open; run it again when one of them has ended."
            )
        of_collection = max(RUNS_OF_A_COLLECTION, PLANS[collection.sku].max_jobs)
        if job.id:
            self._check(("job", job.id), f"job '{job.name}'", RUNS_OF_A_JOB, collection, now)
        named = f"collection '{collection.key.name}'"
        self._check(("collection", collection.id), named, of_collection, collection, now)

    def add(self, collection: Collection, job: Job, now: Instant) -> None:
        """Count a run that was accepted."""
        self._windows.add(_keys(collection, job), now, window_ticks(collection))

    def _check(
        self, key: _Key, what: str, limit: int, collection: Collection, now: Instant
    ) -> None:
        full_until = self._windows.full_until(key, limit, now)
        if full_until is None:
            return
        until = to_the_second(full_until, up=True)
        raise Conflict(
            f"The plan {collection.sku} allows {how_many(limit, 'run')} by hand of the {what} in "
            f"{tell_length(window_ticks(collection))}; "
            f"it can be run by hand again at {tell_instant(until)}."
        )


def _keys(collection: Collection, job: Job) -> Iterator[_Key]:
    yield "collection", collection.id
    if job.id:
        yield "job", job.id


def window_ticks(collection: Collection) -> int:
    """Return the length of a window: the shortest interval that the plan allows."""
    return PLANS[collection.sku].fastest // timedelta(seconds=1) * SECOND
