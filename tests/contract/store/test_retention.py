"""What the janitor asks of a store: whose history is too much, which jobs ended long ago."""

import pytest

from foliot.core.ids import JobId
from foliot.core.instant import LAST_TICK, SECOND, Instant
from foliot.core.model.history import HistoryEntry
from foliot.core.model.job import Job, JobState
from foliot.ports.store import Inspection, Transaction
from tests.support.builders import NOW, a_collection, a_job, an_entry
from tests.support.store_harness import Open, run, with_jobs, written

ALL = 1000


def at(second: int) -> Instant:
    return Instant(NOW + second * SECOND)


def fill(store: Open, **seconds: list[int]) -> list[Job]:
    """Add jobs with entries that began so many seconds after NOW."""

    def add(to: Transaction) -> list[Job]:
        _, jobs = with_jobs(to, *seconds)
        for job in jobs:
            for second in seconds[job.name]:
                to.add_history(an_entry(job.id, second=second))
        return jobs

    return written(store, add)


def seconds_left(store: Open, job: Job) -> list[int]:
    entries: list[HistoryEntry] = list(written(store, lambda to: to.history(job.id, limit=ALL)))
    return [(entry.started_at - NOW) // SECOND for entry in reversed(entries)]


@pytest.mark.parametrize(
    ("since", "kept", "limit", "left"),
    [
        pytest.param(0, 9, 9, [0, 1, 2, 2, 3], id="nothing is too old or too much"),
        pytest.param(2, 9, 9, [2, 2, 3], id="what began before"),
        pytest.param(9, 9, 9, [], id="all began before"),
        pytest.param(0, 5, 9, [0, 1, 2, 2, 3], id="as many as are kept"),
        pytest.param(0, 4, 9, [1, 2, 2, 3], id="one too many"),
        pytest.param(0, 2, 9, [2, 3], id="of those that began together the one stored first"),
        pytest.param(0, 0, 9, [], id="none are kept"),
        pytest.param(3, 4, 9, [3], id="older than those that are kept"),
        pytest.param(1, 1, 9, [3], id="fewer are kept than are young enough"),
        pytest.param(0, 0, 2, [2, 2, 3], id="at most so many, the oldest first"),
        pytest.param(9, 9, 0, [0, 1, 2, 2, 3], id="at most none"),
    ],
)
def test_a_history_is_trimmed(
    store: Open, since: int, kept: int, limit: int, left: list[int]
) -> None:
    job, other = fill(store, a=[3, 1, 2, 2, 0], b=[0])

    removed = written(
        store, lambda to: to.trim_history(job.id, since=at(since), kept=kept, limit=limit)
    )

    assert seconds_left(store, job) == left
    assert removed == 5 - len(left)
    assert seconds_left(store, other) == [0]


def test_the_history_of_a_job_that_is_gone_is_trimmed_of_nothing(store: Open) -> None:
    assert written(store, lambda to: to.trim_history(JobId(9), since=NOW, kept=0, limit=9)) == 0


def inspected(store: Open, *, after: int = 0, since: int = 0, kept: int, limit: int) -> Inspection:
    return run(
        store,
        lambda it: it.read(
            lambda view: view.inspect_histories(
                JobId(after), since=at(since), kept=kept, limit=limit
            )
        ),
    )


def test_jobs_are_inspected_for_history_that_is_too_much(store: Open) -> None:
    a, b, c, d = fill(store, a=[1, 2, 3], b=[], c=[1], d=[2, 3])

    assert inspected(store, kept=3, limit=9) == Inspection([], None)
    assert inspected(store, kept=2, limit=9) == Inspection([a.id], None)
    assert inspected(store, kept=1, limit=9) == Inspection([a.id, d.id], None)
    assert inspected(store, kept=9, since=2, limit=9) == Inspection([a.id, c.id], None)
    assert inspected(store, kept=0, limit=2) == Inspection([a.id], b.id)
    assert inspected(store, kept=0, limit=2, after=b.id) == Inspection([c.id, d.id], d.id)
    assert inspected(store, kept=0, limit=2, after=d.id) == Inspection([], None)


def test_a_store_without_jobs_has_nothing_to_inspect(store: Open) -> None:
    assert inspected(store, kept=0, limit=9) == Inspection([], None)


def test_jobs_that_ended_before_a_moment_are_found_the_earliest_first(store: Open) -> None:
    def add(to: Transaction) -> dict[str, JobId]:
        collection = to.add_collection(a_collection())
        ends = {"last": 3, "second": 2, "first": 1, "never": None}
        return {
            name: to.add_job(
                a_job(
                    collection.id,
                    name,
                    state=JobState.ENABLED if end is None else JobState.COMPLETED,
                    ended_at=None if end is None else at(end),
                )
            ).id
            for name, end in ends.items()
        }

    ids = written(store, add)

    def found(before: Instant, limit: int = 9) -> list[JobId]:
        return list(written(store, lambda to: to.jobs_ended_before(before, limit)))

    assert found(at(1)) == []
    assert found(at(3)) == [ids["first"], ids["second"]]
    assert found(Instant(LAST_TICK)) == [ids["first"], ids["second"], ids["last"]]
    assert found(Instant(LAST_TICK), 1) == [ids["first"]]
