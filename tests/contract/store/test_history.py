from typing import Any

import pytest
from msgspec.structs import replace

from foliot.core.errors import Conflict
from foliot.core.ids import JobId
from foliot.core.instant import SECOND, Instant
from foliot.core.model.history import AttemptStatus, HistoryEntry, RunOutcome
from foliot.core.model.job import Job
from foliot.core.model.run import Trigger
from foliot.ports.store import Transaction
from tests.support.builders import NOW, a_job, an_entry
from tests.support.store_harness import Open, with_jobs, written

FAILED, POSTPONED = AttemptStatus.FAILED, AttemptStatus.POSTPONED


def a_stored_job(store: Open) -> Job:
    _, (job,) = written(store, lambda to: with_jobs(to, "a"))
    return job


def add_some(store: Open) -> tuple[Job, list[HistoryEntry]]:
    """Attempts numbered 1 to 5, of which 2 and 3 start together and 5 starts first."""
    job = a_stored_job(store)

    given = [
        an_entry(job.id, second=second, status=status)
        for second, status in (
            (1, AttemptStatus.COMPLETED),
            (2, FAILED),
            (2, AttemptStatus.COMPLETED),
            (3, FAILED),
            (0, FAILED),
        )
    ]
    return job, add(store, *given)


def add(store: Open, *entries: HistoryEntry) -> list[HistoryEntry]:
    """Add attempts of one job and return them as they are stored, in the order of their numbers."""

    def change(to: Transaction) -> list[HistoryEntry]:
        before = {entry.number for entry in to.history(entries[0].job_id, limit=1000)}
        to.add_history(*entries)
        after = to.history(entries[0].job_id, limit=1000)
        return sorted((each for each in after if each.number not in before), key=number_of)

    return written(store, change)


def number_of(entry: HistoryEntry) -> int:
    return entry.number


def test_an_attempt_comes_back_as_it_was_stored(store: Open) -> None:
    job = a_stored_job(store)
    entry = HistoryEntry(
        job_id=job.id,
        started_at=Instant(NOW + 1),
        ended_at=Instant(NOW + 2),
        expected_at=NOW,
        status=POSTPONED,
        message="Zeit übersprungen\n\0",
        retry_count=3,
        repeat_count=4,
        is_error_action=True,
        run_id=5,
        trigger=Trigger.CATCH_UP,
        tag="0123456789abcdef",
        outcome=RunOutcome.SKIPPED,
        reason="missed",
        host="example.com",
        status_code=503,
        last_expected_at=Instant(NOW + 3),
        skipped_count=6,
        timings="1,2,3,4,5",
    )

    (added,) = add(store, entry)

    assert added == replace(entry, number=added.number)
    assert added.number != 0
    assert written(store, lambda to: to.history(job.id)) == [added]


def test_an_attempt_is_found_by_its_number(store: Open) -> None:
    job, entries = add_some(store)
    _, (other,) = written(store, lambda to: (None, [to.add_job(a_job(job.collection_id, "b"))]))

    found = [
        written(store, lambda to, each=each: to.attempt(job.id, each.number)) for each in entries
    ]

    assert found == entries
    assert written(store, lambda to: to.attempt(job.id, entries[-1].number + 1)) is None
    assert written(store, lambda to: to.attempt(other.id, entries[0].number)) is None


def test_an_attempt_of_a_deleted_job_is_not_found(store: Open) -> None:
    job, entries = add_some(store)

    def steps(to: Transaction) -> HistoryEntry | None:
        to.delete_job(job.id)
        return to.attempt(job.id, entries[0].number)

    assert written(store, steps) is None


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        pytest.param({}, [3, 2, 1, 0, 4], id="all, the newest first"),
        pytest.param({"limit": 2}, [3, 2], id="limit"),
        pytest.param({"skip": 1, "limit": 2}, [2, 1], id="skip and limit"),
        pytest.param({"skip": 9}, [], id="skip past the end"),
        pytest.param({"status": FAILED}, [3, 1, 4], id="status"),
        pytest.param({"status": POSTPONED}, [], id="status of none"),
        pytest.param({"status": FAILED, "skip": 1, "limit": 1}, [1], id="status, skip and limit"),
    ],
)
def test_history_is_listed(store: Open, page: dict[str, Any], expected: list[int]) -> None:
    job, entries = add_some(store)

    listed = written(store, lambda to: to.history(job.id, **page))

    assert listed == [entries[index] for index in expected]


@pytest.mark.parametrize(
    ("last_seen", "page", "expected"),
    [
        pytest.param(3, {}, [2, 1, 0, 4], id="after the newest"),
        pytest.param(2, {}, [1, 0, 4], id="between two that start together"),
        pytest.param(2, {"skip": 1, "limit": 1}, [0], id="skip and limit"),
        pytest.param(2, {"status": FAILED}, [1, 4], id="status"),
        pytest.param(4, {}, [], id="after the last"),
    ],
)
def test_a_listing_of_history_goes_on_after_what_was_seen(
    store: Open, last_seen: int, page: dict[str, Any], expected: list[int]
) -> None:
    job, entries = add_some(store)
    seen = entries[last_seen]

    after = (seen.started_at, seen.number)
    listed = written(store, lambda to: to.history(job.id, after=after, **page))

    assert listed == [entries[index] for index in expected]


def test_a_listing_of_history_goes_on_stably_while_attempts_are_added(store: Open) -> None:
    job, entries = add_some(store)

    first = written(store, lambda to: to.history(job.id, limit=2))
    written(store, lambda to: to.add_history(an_entry(job.id, second=60)))
    after = (first[-1].started_at, first[-1].number)
    rest = written(store, lambda to: to.history(job.id, after=after))

    assert [*first, *rest] == [entries[index] for index in (3, 2, 1, 0, 4)]


def test_numbers_grow_and_are_not_given_again(store: Open) -> None:
    job, entries = add_some(store)
    written(store, lambda to: to.delete_job(job.id))
    _, (other,) = written(store, lambda to: (None, [to.add_job(replace(job, name="b"))]))

    (added,) = add(store, an_entry(other.id))

    numbers = [entry.number for entry in [*entries, added]]
    assert numbers == sorted(set(numbers))


def test_each_job_has_a_history_of_its_own(store: Open) -> None:
    _, (job, other) = written(store, lambda to: with_jobs(to, "a", "b"))
    written(store, lambda to: to.add_history(an_entry(job.id)))

    assert written(store, lambda to: to.history(other.id)) == []


def test_an_attempt_of_a_job_that_is_gone_is_refused(store: Open) -> None:
    with pytest.raises(Conflict, match="belongs to no longer exists"):
        written(store, lambda to: to.add_history(an_entry(JobId(9))))


def test_the_last_tick_of_time_is_listed(store: Open) -> None:
    job = a_stored_job(store)
    end = Instant(3_652_059 * 24 * 3600 * SECOND - 1)

    (added,) = add(store, an_entry(job.id, started_at=end))

    assert written(store, lambda to: to.history(job.id)) == [added]


def test_many_attempts_are_stored_at_once_in_their_order(store: Open) -> None:
    job = a_stored_job(store)

    stored = add(store, *(an_entry(job.id, second=n, message=f"{n}") for n in range(300)))

    assert [entry.message for entry in stored] == [f"{n}" for n in range(300)]
