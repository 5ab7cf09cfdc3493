"""What is due: jobs by their calendar, runs by their due time or a lease that has run out."""

from typing import Any

import pytest
from msgspec.structs import replace

from foliot.core.instant import SECOND, Instant
from foliot.core.model.collection import Collection, CollectionState
from foliot.core.model.job import Job, JobState
from foliot.core.model.run import DueJob, DueRun, Run, Trigger
from foliot.ports.store import Transaction
from tests.support.builders import LONG_AGO, NOW, a_collection, a_job, a_lease, a_run
from tests.support.definitions import DEFINITIONS
from tests.support.store_harness import Open, run, with_jobs, written

STANDSTILL = [CollectionState.DISABLED, CollectionState.SUSPENDED]
NOT_ENABLED = [state for state in JobState if state is not JobState.ENABLED]


def at(second: int) -> Instant:
    return Instant(NOW + second * SECOND)


def plan(to: Transaction, **seconds: int) -> tuple[Collection, list[Job]]:
    """Add a collection with jobs that are due so many seconds after NOW."""
    collection, _ = with_jobs(to)
    return collection, [
        to.add_job(a_job(collection.id, name, next_at=at(second)))
        for name, second in seconds.items()
    ]


def due_jobs(store: Open, *, limit: int = 100) -> list[str]:
    found = written(store, lambda to: to.due_jobs(NOW, limit))
    return [due.job.name for due in found]


def due_tags(store: Open, *, second: int = 0, limit: int = 100) -> list[str]:
    found = written(store, lambda to: to.due_runs(at(second), limit))
    return [due.run.tag for due in found]


def earliest(store: Open) -> Instant | None:
    return run(store, lambda it: it.read(lambda view: view.earliest_due_at()))


def set_state(store: Open, collection: Collection, state: CollectionState) -> None:
    written(store, lambda to: to.save_collection(replace(collection, state=state)))


def add_runs(store: Open, *runs: Run) -> None:
    written(store, lambda to: [to.add_run(each) for each in runs])


def test_a_due_job_comes_with_its_definition_its_collection_and_its_open_runs(store: Open) -> None:
    def add(to: Transaction) -> list[DueJob]:
        collections = [
            to.add_collection(a_collection("one", tags={"a": "b"})),
            to.add_collection(a_collection("two")),
        ]
        expected: list[DueJob] = []
        for number, definition in enumerate(DEFINITIONS.values()):
            collection = collections[number % 2]
            job = a_job(collection.id, f"j{number}", definition=definition, next_at=at(-99))
            stored = to.add_job(replace(job, next_at=at(number - 50), settled_well=False))
            for second in range(number % 3):
                to.add_run(a_run(stored, second=second))
            expected.append(DueJob(stored, collection, number % 3))
        return expected

    expected = written(store, add)

    assert written(store, lambda to: to.due_jobs(NOW, 100)) == expected


def test_jobs_are_due_the_earliest_first_and_not_before_their_time(store: Open) -> None:
    written(store, lambda to: plan(to, late=1, now=0, b=-5, c=-9, d=-5))

    assert due_jobs(store) == ["c", "b", "d", "now"]
    assert due_jobs(store, limit=2) == ["c", "b"]
    assert due_jobs(store, limit=0) == []


def test_a_job_that_has_no_next_time_is_not_due(store: Open) -> None:
    written(store, lambda to: with_jobs(to, "a"))

    assert due_jobs(store) == []
    assert earliest(store) is None


def test_a_job_is_due_again_only_when_it_was_advanced_to_the_past(store: Open) -> None:
    _, (job,) = written(store, lambda to: plan(to, a=-1))

    written(store, lambda to: to.advance_job(replace(job, next_at=at(1))))
    assert due_jobs(store) == []

    written(store, lambda to: to.advance_job(replace(job, next_at=at(0))))
    assert due_jobs(store) == ["a"]


@pytest.mark.parametrize("state", NOT_ENABLED)
@pytest.mark.parametrize("change", ["saved", "advanced"])
def test_a_job_that_is_not_enabled_is_not_due(store: Open, state: JobState, change: str) -> None:
    _, (job, _) = written(store, lambda to: plan(to, a=-2, b=-1))
    changed = replace(job, state=state)

    written(store, lambda to: (to.save_job if change == "saved" else to.advance_job)(changed))
    assert due_jobs(store) == ["b"]
    assert earliest(store) == at(-1)

    written(store, lambda to: (to.save_job if change == "saved" else to.advance_job)(job))
    assert due_jobs(store) == ["a", "b"]
    assert earliest(store) == at(-2)


@pytest.mark.parametrize("state", STANDSTILL)
def test_jobs_of_a_collection_are_due_only_while_it_is_enabled(
    store: Open, state: CollectionState
) -> None:
    collection, (job,) = written(store, lambda to: plan(to, a=-3))
    other = written(store, lambda to: to.add_collection(a_collection("other")))
    written(store, lambda to: to.add_job(a_job(other.id, "o", next_at=at(-1))))

    set_state(store, collection, state)
    written(store, lambda to: to.add_job(a_job(collection.id, "b", next_at=at(-2))))
    written(store, lambda to: to.advance_job(replace(job, next_at=at(-4))))
    assert due_jobs(store) == ["o"]
    assert earliest(store) == at(-1)

    set_state(store, collection, CollectionState.ENABLED)
    assert due_jobs(store) == ["a", "b", "o"]
    assert earliest(store) == at(-4)


def test_a_collection_that_goes_from_one_standstill_to_the_other_still_stands(store: Open) -> None:
    collection, _ = written(store, lambda to: plan(to, a=-1))

    for state in (CollectionState.DISABLED, CollectionState.SUSPENDED):
        set_state(store, collection, state)

    assert due_jobs(store) == []


def test_a_collection_that_is_saved_in_the_same_state_goes_on(store: Open) -> None:
    collection, _ = written(store, lambda to: plan(to, a=-1))

    written(store, lambda to: to.save_collection(replace(collection, location="elsewhere")))

    assert due_jobs(store) == ["a"]


def test_jobs_of_a_collection_that_was_added_disabled_are_not_due(store: Open) -> None:
    disabled = a_collection(state=CollectionState.DISABLED)
    collection = written(store, lambda to: to.add_collection(disabled))
    written(store, lambda to: to.add_job(a_job(collection.id, next_at=at(-1))))

    assert due_jobs(store) == []
    assert earliest(store) is None


def test_a_due_job_shows_its_collection_as_it_is_now(store: Open) -> None:
    collection, (job,) = written(store, lambda to: plan(to, a=0))
    assert written(store, lambda to: to.due_jobs(NOW, 1)) == [DueJob(job, collection, 0)]
    changed = replace(collection, location="elsewhere")

    written(store, lambda to: to.save_collection(changed))

    assert written(store, lambda to: to.due_jobs(NOW, 1)) == [DueJob(job, changed, 0)]


def test_a_due_run_comes_with_its_job_and_its_collection(store: Open) -> None:
    collection, (job, other) = written(store, lambda to: with_jobs(to, "a", "b"))
    first = written(store, lambda to: to.add_run(a_run(job, lease=a_lease(second=0))))
    second = written(store, lambda to: to.add_run(a_run(other, attempt=2)))

    assert written(store, lambda to: to.due_runs(NOW, 10)) == [
        DueRun(first, job, collection),
        DueRun(second, other, collection),
    ]


def test_runs_are_due_the_earliest_first_and_not_before_their_time(store: Open) -> None:
    _, (job,) = written(store, lambda to: with_jobs(to, "a"))
    add_runs(
        store,
        a_run(job, second=1, tag="late"),
        a_run(job, second=0, tag="now"),
        a_run(job, second=-5, tag="b"),
        a_run(job, second=-9, tag="lost", lease=a_lease(second=-1)),
        a_run(job, second=-7, tag="manual", trigger=Trigger.MANUAL),
        a_run(job, second=-5, tag="d", trigger=Trigger.MANUAL),
        a_run(job, second=-3, tag="lost too", lease=a_lease(second=-2)),
        a_run(job, second=-20, due_at=at(-4), tag="retry", attempt=2),
    )

    assert due_tags(store) == ["lost", "manual", "b", "d", "retry", "lost too", "now"]
    assert due_tags(store, limit=2) == ["lost", "manual"]
    assert due_tags(store, limit=6)[-1] == "lost too"
    assert due_tags(store, limit=0) == []
    assert due_tags(store, second=1)[-1] == "late"


def test_a_held_run_is_not_due_until_its_lease_has_run_out(store: Open) -> None:
    _, (job,) = written(store, lambda to: with_jobs(to, "a"))
    add_runs(store, a_run(job, second=-9, lease=a_lease(second=10)))

    assert due_tags(store, second=9) == []
    assert due_tags(store, second=10) == ["tag"]

    written(store, lambda to: to.renew_leases("node", at(20), since=LONG_AGO))
    assert due_tags(store, second=19) == []
    assert due_tags(store, second=20) == ["tag"]


def test_a_run_that_was_taken_is_not_due_and_one_that_was_put_back_is(store: Open) -> None:
    _, (job,) = written(store, lambda to: with_jobs(to, "a"))
    waiting = written(store, lambda to: to.add_run(a_run(job)))

    written(store, lambda to: to.save_runs([replace(waiting, lease=a_lease())]))
    assert due_tags(store) == []

    written(store, lambda to: to.save_runs([replace(waiting, due_at=at(5))]))
    assert due_tags(store, second=4) == []
    assert due_tags(store, second=5) == ["tag"]


def test_of_a_disabled_job_only_manual_runs_are_due(store: Open) -> None:
    _, (job,) = written(store, lambda to: with_jobs(to, "a"))
    add_runs(
        store,
        a_run(job, second=-4, tag="planned"),
        a_run(job, second=-3, tag="lost", lease=a_lease(second=-1)),
        a_run(job, second=-2, tag="manual", trigger=Trigger.MANUAL),
        a_run(job, second=-1, tag="lost manual", trigger=Trigger.MANUAL, lease=a_lease(second=-1)),
    )

    written(store, lambda to: to.advance_job(replace(job, state=JobState.DISABLED)))
    assert due_tags(store) == ["manual", "lost manual"]
    assert earliest(store) == at(-2)

    written(store, lambda to: to.advance_job(replace(job, state=JobState.ENABLED)))
    assert due_tags(store) == ["planned", "lost", "manual", "lost manual"]


@pytest.mark.parametrize("state", [JobState.COMPLETED, JobState.FAULTED])
def test_a_run_that_is_open_when_its_job_ends_goes_on(store: Open, state: JobState) -> None:
    _, (job,) = written(store, lambda to: with_jobs(to, "a"))
    add_runs(store, a_run(job, second=-4, tag="planned"))

    written(store, lambda to: to.advance_job(replace(job, state=state)))

    assert due_tags(store) == ["planned"]
    assert earliest(store) == at(-4)


@pytest.mark.parametrize("state", STANDSTILL)
def test_runs_of_a_collection_are_due_only_while_it_is_enabled(
    store: Open, state: CollectionState
) -> None:
    collection, (job,) = written(store, lambda to: with_jobs(to, "a"))
    add_runs(
        store,
        a_run(job, second=-3, tag="planned"),
        a_run(job, second=-2, tag="manual", trigger=Trigger.MANUAL),
        a_run(job, second=-1, tag="lost", lease=a_lease(second=-1)),
    )

    set_state(store, collection, state)
    assert due_tags(store) == []
    assert earliest(store) is None

    set_state(store, collection, CollectionState.ENABLED)
    assert due_tags(store) == ["planned", "manual", "lost"]
    assert earliest(store) == at(-3)


def test_nothing_is_due_in_an_empty_store(store: Open) -> None:
    assert due_jobs(store) == []
    assert due_tags(store) == []
    assert earliest(store) is None


@pytest.mark.parametrize(
    ("next_at", "runs", "expected"),
    [
        pytest.param(None, [], None, id="nothing"),
        pytest.param(at(5), [], at(5), id="a job"),
        pytest.param(None, [{"second": 5}], at(5), id="a run"),
        pytest.param(at(5), [{"second": 7}], at(5), id="a job before a run"),
        pytest.param(at(7), [{"second": 5}], at(5), id="a run before a job"),
        pytest.param(None, [{"second": 9}, {"second": 8}], at(8), id="the earlier of two runs"),
        pytest.param(None, [{"second": 1, "due_at": at(6)}], at(6), id="a retry"),
        pytest.param(None, [{"second": 5, "trigger": Trigger.MANUAL}], at(5), id="a manual run"),
        pytest.param(None, [{"second": 1, "lease": a_lease()}], None, id="a held run"),
        pytest.param(
            None,
            [{"second": 1, "lease": a_lease(second=-1)}, {"second": 5}],
            at(5),
            id="a lost run, which does not count, and one that waits",
        ),
        pytest.param(at(-5), [], at(-5), id="the past"),
    ],
)
def test_the_earliest_time_is_that_of_a_job_or_a_waiting_run(
    store: Open, next_at: Instant | None, runs: list[dict[str, Any]], expected: Instant | None
) -> None:
    def add(to: Transaction) -> None:
        collection, _ = with_jobs(to)
        job = to.add_job(a_job(collection.id, next_at=next_at))
        for fields in runs:
            to.add_run(a_run(job, **fields))

    written(store, add)

    assert earliest(store) == expected


@pytest.mark.parametrize(
    ("gather", "expected"), [(0, 10), (1, 10), (2, 12), (5, 14), (9, 14), (90, 100)]
)
def test_the_earliest_time_may_be_the_last_of_those_close_to_it(
    store: Open, gather: int, expected: int
) -> None:
    def add(to: Transaction) -> None:
        _, (job, *_) = plan(to, first=10, second=12, far=100)
        to.add_run(a_run(job, second=14))

    written(store, add)

    found = run(store, lambda it: it.read(lambda view: view.earliest_due_at(gather * SECOND)))
    assert found == at(expected)


def test_a_gathered_time_has_a_limited_number_of_jobs(store: Open) -> None:
    written(store, lambda to: plan(to, **{f"job{second}": second for second in range(20)}))

    found = run(store, lambda it: it.read(lambda view: view.earliest_due_at(30 * SECOND)))
    assert found == at(7)


def due_count(store: Open, *, limit: int = 100) -> int:
    return run(store, lambda it: it.read(lambda view: view.count_due(NOW, limit)))


def test_what_is_due_and_held_by_nobody_is_counted(store: Open) -> None:
    _, (_, job, _) = written(store, lambda to: plan(to, due=-1, now=0, later=1))
    assert due_count(store) == 2

    add_runs(
        store,
        a_run(job),
        a_run(job, second=1),
        a_run(job, second=-1, lease=a_lease()),
        a_run(job, second=-2, lease=a_lease(second=0)),
    )

    assert due_count(store) == 4
    assert [due_count(store, limit=limit) for limit in (1, 3, 4)] == [1, 3, 4]


def test_of_a_disabled_job_only_manual_runs_are_counted(store: Open) -> None:
    _, (job,) = written(store, lambda to: plan(to, due=-1))
    written(store, lambda to: to.save_job(replace(job, state=JobState.DISABLED)))

    add_runs(store, a_run(job), a_run(job, trigger=Trigger.MANUAL))

    assert due_count(store) == 1


@pytest.mark.parametrize("state", STANDSTILL)
def test_nothing_of_a_collection_that_stands_still_is_counted(
    store: Open, state: CollectionState
) -> None:
    collection, (job,) = written(store, lambda to: plan(to, due=-1))
    add_runs(store, a_run(job, trigger=Trigger.MANUAL))
    set_state(store, collection, state)

    assert due_count(store) == 0


def test_due_work_of_some_collections_can_be_excluded(store: Open) -> None:
    dominant, (job,) = written(store, lambda to: plan(to, a=-3))
    other = written(store, lambda to: to.add_collection(a_collection("other")))
    quiet = written(store, lambda to: to.add_job(a_job(other.id, "o", next_at=at(-1))))
    add_runs(
        store,
        a_run(job, second=-4, tag="dominant"),
        a_run(job, second=-5, tag="lost dominant", lease=a_lease(second=-1)),
        a_run(quiet, second=-2, tag="waiting"),
        a_run(quiet, second=-3, tag="lost", lease=a_lease(second=-1)),
    )

    def found(to: Transaction) -> tuple[list[str], list[str]]:
        jobs = to.due_jobs(NOW, 10, excluded=[dominant.id])
        runs = to.due_runs(NOW, 10, excluded=[dominant.id])
        return [due.job.name for due in jobs], [due.run.tag for due in runs]

    assert written(store, found) == (["o"], ["lost", "waiting"])
