"""What the timeline counts: jobs that will run, and runs that have ended."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from foliot.core.ids import CollectionKey, JobId
from foliot.core.instant import HOUR, MINUTE, SECOND, Instant
from foliot.core.model.collection import Collection, CollectionState
from foliot.core.model.history import RunOutcome
from foliot.core.model.job import Job, JobState
from foliot.core.model.timeline import QUARTER, EndedCount, EntryNumbers, JobName, ScheduledJob
from foliot.core.model.token import Scope
from foliot.ports.store import Transaction
from tests.support.builders import NOW, a_collection, a_job, an_entry
from tests.support.store_harness import Open, run, written

LATER = Instant(NOW + HOUR)
EVERYTHING = Scope()
GROUP = Scope(subscription="s", group="g")


def key(name: str) -> CollectionKey:
    return CollectionKey("s", "g", name)


def add(to: Transaction, name: str, *jobs: dict[str, Any]) -> tuple[Collection, list[Job]]:
    """Add a collection with jobs that have these fields."""
    collection = to.add_collection(replace(a_collection(), key=key(name)))
    made = [
        replace(a_job(collection.id, f"job{number}"), next_at=LATER) for number in range(len(jobs))
    ]
    return collection, [
        to.add_job(replace(job, **fields)) for job, fields in zip(made, jobs, strict=True)
    ]


def viewed(store: Open, view: Any) -> Any:
    return run(store, lambda it: it.browse(view))


def scheduled(store: Open, scope: Scope = EVERYTHING) -> Sequence[ScheduledJob]:
    return viewed(store, lambda reading: reading.scheduled_jobs(scope))


def test_jobs_that_will_run_are_found_by_scope(store: Open) -> None:
    def change(to: Transaction) -> None:
        add(to, "a", {}, {"next_at": None}, {"state": JobState.DISABLED})
        add(to, "b", {"occurrence": 7})
        halted, _ = add(to, "c", {})
        to.save_collection(replace(halted, state=CollectionState.SUSPENDED))

    written(store, change)

    everything = scheduled(store)
    assert sorted((job.job_id, job.next_at, job.occurrence) for job in everything) == [
        (1, LATER, 0),
        (4, LATER, 7),
    ]
    assert [job.job_id for job in scheduled(store, replace(GROUP, collection="b"))] == [4]


def test_the_mark_of_a_job_differs_after_a_change_of_its_definition(store: Open) -> None:
    _, (job,) = written(store, lambda to: add(to, "a", {}))
    before = scheduled(store)
    written(store, lambda to: to.advance_job(replace(job, next_at=Instant(LATER - 1))))
    advanced = scheduled(store)

    written(store, lambda to: to.save_job(job))

    after = scheduled(store)
    assert before[0].seal == advanced[0].seal
    assert before[0].seal != after[0].seal


def test_jobs_and_their_names_are_found_by_id(store: Open) -> None:
    def change(to: Transaction) -> None:
        add(to, "a", {}, {})
        gone, _ = add(to, "gone", {})
        to.delete_collection(gone.id)

    written(store, change)
    ids = [JobId(2), JobId(3), JobId(99)]

    jobs = viewed(store, lambda reading: reading.readable_jobs(ids))
    names = viewed(store, lambda reading: reading.job_names(ids))

    assert [job.id for job in jobs] == [2]
    assert names == {2: JobName(key("a"), "job1")}


def test_the_jobs_of_a_collection_are_listed_in_pages(store: Open) -> None:
    collection, _ = written(store, lambda to: add(to, "a", {}, {}, {}))

    found = viewed(store, lambda reading: reading.jobs_by_name(collection.id, skip=1, limit=1))

    assert found == [(2, "job1")]


def test_the_collections_of_a_scope_are_listed_by_name(store: Open) -> None:
    def change(to: Transaction) -> None:
        for name in ("b", "A", "c"):
            add(to, name)

    written(store, change)

    found = viewed(store, lambda reading: reading.collections_in_scope(GROUP))
    one = viewed(
        store,
        lambda reading: reading.collections_in_scope(replace(GROUP, collection="c")),
    )

    assert [each.key.name for each in found] == ["A", "b", "c"]
    assert [each.key.name for each in one] == ["c"]


def test_ended_runs_are_counted_by_quarter_and_outcome(store: Open) -> None:
    """Runs of two collections, a retry, an error action, and a stretch of skipped occurrences."""
    minutes = MINUTE // SECOND

    def change(to: Transaction) -> None:
        _, (first,) = add(to, "a", {})
        _, (second,) = add(to, "b", {})
        well, bad = {"outcome": RunOutcome.SUCCEEDED}, {"outcome": RunOutcome.FAILED}
        to.add_history(
            an_entry(first.id, second=1, **well),
            an_entry(first.id, second=2, **well),
            an_entry(first.id, second=3),
            an_entry(first.id, second=4, is_error_action=True),
            an_entry(first.id, second=20 * minutes, **bad),
            an_entry(second.id, second=21 * minutes, **well),
            an_entry(second.id, second=22 * minutes, outcome=RunOutcome.SKIPPED, skipped_count=5),
            an_entry(second.id, second=70 * minutes, **well),
        )

    written(store, change)
    since, before = NOW, LATER
    quarter = NOW // QUARTER

    def by_collection(reading: Any) -> Any:
        numbers = reading.numbers_ended_between(since, before)
        return reading.ended_by_collection(numbers, since, before)

    expected = [
        EndedCount(1, quarter, RunOutcome.SUCCEEDED, 2),
        EndedCount(1, quarter + 1, RunOutcome.FAILED, 1),
        EndedCount(2, quarter + 1, RunOutcome.SKIPPED, 5),
        EndedCount(2, quarter + 1, RunOutcome.SUCCEEDED, 1),
    ]
    ids = [JobId(1), JobId(2)]
    assert sorted(viewed(store, by_collection)) == expected
    found = viewed(store, lambda reading: reading.ended_by_job(ids, since, before))
    assert sorted(found) == expected


def test_a_store_without_history_has_nothing_to_count(store: Open) -> None:
    numbers = viewed(store, lambda reading: reading.numbers_ended_between(NOW, LATER))

    assert numbers.first >= numbers.end
    assert viewed(store, lambda it: it.ended_by_collection(EntryNumbers(1, 9), NOW, LATER)) == []
