"""Changes of when jobs run, how planned times ended, and runs that wait their turn."""

from typing import Any

import pytest
from msgspec.structs import replace

from foliot.core.errors import Conflict
from foliot.core.ids import JobId
from foliot.core.instant import DAY, MINUTE, SECOND, Instant, Moment
from foliot.core.model.collection import Collection, CollectionState
from foliot.core.model.history import AttemptStatus, HistoryEntry, RunOutcome
from foliot.core.model.job import Job, JobState
from foliot.core.model.run import Run, RunCounts, Trigger
from foliot.core.model.schedule_change import PastCalendar, ScheduleChange, ScheduleChangeKind
from foliot.core.recurrence import Frequency, Recurrence
from foliot.core.recurrence.exclusion import DateRange, Exclusion
from foliot.ports.store import Transaction
from tests.support.builders import NOW, a_collection, a_job, a_lease, a_run, an_entry
from tests.support.store_harness import Open, run, stored_job, with_jobs, written

CALENDAR, ENABLED, DISABLED = (
    ScheduleChangeKind.CALENDAR,
    ScheduleChangeKind.ENABLED,
    ScheduleChangeKind.DISABLED,
)


def at(second: int) -> Instant:
    return Instant(NOW + second * SECOND)


def fill(store: Open, *names: str) -> tuple[Collection, list[Job]]:
    return written(store, lambda to: with_jobs(to, *names))


def a_stored_job(store: Open) -> Job:
    _, (job,) = fill(store, "a")
    return job


def a_change(job: Job, *, second: int = 0, **fields: Any) -> ScheduleChange:
    moment = at(second)
    change = ScheduleChange(job_id=job.id, at=moment, from_at=moment, kind=DISABLED)
    return replace(change, **fields)


def changes_of(store: Open, job: Job) -> list[ScheduleChange]:
    return list(written(store, lambda to: to.schedule_changes(job.id)))


def test_changes_come_back_as_they_were_stored_in_the_order_they_were_added(store: Open) -> None:
    _, (job, other) = fill(store, "a", "b")
    rule = Recurrence(
        frequency=Frequency.DAY,
        time_zone="Europe/Berlin",
        exclude=Exclusion(dates=(DateRange(739_000, 739_001),)),
    )
    calendar = PastCalendar(
        start=Moment.at(NOW), recurrence=rule, calendar_at=at(1), ended_at=at(2)
    )
    added = [
        a_change(job, second=9, from_at=at(5), kind=CALENDAR, calendar=calendar),
        # The clock was set back.
        a_change(job, second=3, kind=ENABLED),
        a_change(job, second=3, kind=CALENDAR, calendar=PastCalendar(calendar_at=NOW)),
    ]

    written(store, lambda to: to.add_schedule_changes(*added[:2], a_change(other)))
    written(store, lambda to: to.add_schedule_changes(added[2]))

    assert changes_of(store, job) == added
    assert changes_of(store, other) == [a_change(other)]


def test_no_changes_are_no_error(store: Open) -> None:
    job = a_stored_job(store)

    written(store, lambda to: to.add_schedule_changes())

    assert changes_of(store, job) == []


def test_of_one_job_the_newest_thousand_changes_are_kept(store: Open) -> None:
    _, (job, other) = fill(store, "a", "b")
    many = [a_change(job, second=second) for second in range(1003)]

    written(store, lambda to: to.add_schedule_changes(a_change(other), *many[:1000]))
    assert changes_of(store, job) == many[:1000]
    written(store, lambda to: to.add_schedule_changes(*many[1000:]))

    assert changes_of(store, job) == many[3:]
    assert changes_of(store, other) == [a_change(other)]


def test_changes_from_before_an_instant_are_removed_a_few_at_a_time(store: Open) -> None:
    _, (job, other) = fill(store, "a", "b")
    written(
        store,
        lambda to: to.add_schedule_changes(
            a_change(job, second=3),
            a_change(other, second=1),
            a_change(job, second=2),
            a_change(job, second=4),
            a_change(other, second=5),
        ),
    )

    def trim(limit: int) -> int:
        return written(store, lambda to: to.trim_schedule_changes(at(4), limit))

    assert trim(2) == 2
    assert [each.at for each in changes_of(store, job)] == [at(3), at(4)]
    assert trim(2) == 1
    assert trim(2) == 0
    assert changes_of(store, job) == [a_change(job, second=4)]
    assert changes_of(store, other) == [a_change(other, second=5)]


def test_changes_go_with_their_job(store: Open) -> None:
    job = a_stored_job(store)
    written(store, lambda to: to.add_schedule_changes(a_change(job)))

    written(store, lambda to: (to.delete_job(job.id), to.purge_job(job.id)))

    assert written(store, lambda to: to.trim_schedule_changes(at(9), 10)) == 0


@pytest.mark.parametrize("halt", [CollectionState.DISABLED, CollectionState.SUSPENDED])
def test_a_collection_that_is_halted_and_resumed_changes_all_its_jobs(
    store: Open, halt: CollectionState
) -> None:
    collection, _ = fill(store)
    elsewhere = written(store, lambda to: to.add_collection(a_collection("other")))

    def add(to: Transaction) -> list[Job]:
        return [
            to.add_job(a_job(collection.id, "due", next_at=at(-5))),
            to.add_job(a_job(collection.id, "later", next_at=at(50))),
            to.add_job(a_job(collection.id, "idle", state=JobState.DISABLED)),
            # The clock was set back.
            to.add_job(a_job(collection.id, "ahead", next_at=at(60), planned_at=at(30))),
            to.add_job(a_job(elsewhere.id, "other")),
        ]

    jobs = written(store, add)
    halted = replace(collection, state=halt, changed_at=at(10))
    resumed = replace(collection, changed_at=at(20))

    written(store, lambda to: to.save_collection(halted))
    # Another state in which jobs do not run is no change, and neither is another name.
    written(store, lambda to: to.save_collection(replace(halted, tags={"a": "b"})))
    written(store, lambda to: to.save_collection(resumed))

    found = [
        [(each.kind.value, each.at, each.from_at) for each in changes_of(store, job)]
        for job in jobs
    ]
    again = ("resumed", at(20), Instant(at(20) + 1))
    assert found == [
        [("halted", at(10), at(-5)), again],
        [("halted", at(10), at(10)), again],
        [("halted", at(10), at(10)), again],
        [("halted", at(10), at(10)), ("resumed", at(20), Instant(at(30) + 1))],
        [],
    ]


def an_end(job: Job, second: int, outcome: RunOutcome | None, **fields: Any) -> HistoryEntry:
    given = {"trigger": Trigger.SCHEDULE, "tag": f"t{second}", **fields}
    return an_entry(job.id, second=second, outcome=outcome, **given)


def a_stretch(job: Job, first: int, last: int, **fields: Any) -> HistoryEntry:
    return an_entry(
        job.id,
        second=last,
        **{
            "expected_at": at(first),
            "last_expected_at": at(last),
            "outcome": RunOutcome.SKIPPED,
            "status": AttemptStatus.POSTPONED,
            "reason": "missed",
            "skipped_count": 3,
            "run_id": None,
            **fields,
        },
    )


def planned(store: Open, job: Job, since: int, before: int) -> list[tuple[int, int | None]]:
    """Return the first and the last second of what is found in a range of planned times."""
    found = written(store, lambda to: to.planned_entries(job.id, at(since), at(before)))
    return [_seconds(each) for each in found]


def _seconds(entry: HistoryEntry) -> tuple[int, int | None]:
    last = entry.last_expected_at
    return (entry.expected_at - NOW) // SECOND, None if last is None else (last - NOW) // SECOND


def test_ended_occurrences_are_found_by_their_planned_times(store: Open) -> None:
    _, (job, other) = fill(store, "a", "b")
    written(
        store,
        lambda to: to.add_history(
            an_end(job, 10, None),
            an_end(job, 10, RunOutcome.FAILED),
            an_end(job, 20, RunOutcome.SUCCEEDED, trigger=Trigger.CATCH_UP),
            # From before triggers were recorded.
            an_end(job, 30, RunOutcome.RECOVERED, trigger=None, tag=None, run_id=0),
            an_end(job, 25, RunOutcome.CANCELED),
            *(
                an_end(job, 22, RunOutcome.FAILED, trigger=each)
                for each in (Trigger.MANUAL, Trigger.REDRIVE, Trigger.BACKFILL)
            ),
            an_end(other, 20, RunOutcome.FAILED),
        ),
    )

    assert planned(store, job, 10, 31) == [(10, None), (20, None), (30, None), (25, None)]
    assert planned(store, job, 11, 30) == [(20, None), (25, None)]
    assert planned(store, job, 20, 25) == [(20, None)]
    assert planned(store, job, 31, 99) == []


def test_stretches_that_reach_into_a_range_are_found(store: Open) -> None:
    job = a_stored_job(store)
    written(store, lambda to: to.add_history(a_stretch(job, 10, 30), a_stretch(job, 40, 40)))

    assert planned(store, job, 0, 10) == []
    assert planned(store, job, 0, 11) == [(10, 30)]
    assert planned(store, job, 15, 16) == [(10, 30)]
    assert planned(store, job, 30, 40) == [(10, 30)]
    assert planned(store, job, 31, 41) == [(40, 40)]
    assert planned(store, job, 0, 99) == [(10, 30), (40, 40)]


def test_runs_that_began_long_after_their_planned_times_are_found(store: Open) -> None:
    job = a_stored_job(store)
    late = an_end(job, 0, RunOutcome.SUCCEEDED, started_at=at(40 * DAY // SECOND))
    # The clock was set back after it was planned.
    early = an_end(job, 10, RunOutcome.SUCCEEDED, started_at=at(-3600))
    written(store, lambda to: to.add_history(late, early))

    assert planned(store, job, 0, 11) == [(0, None), (10, None)]


def test_all_that_ran_is_found_by_planned_times_but_skipped_occurrences(
    store: Open,
) -> None:
    job = a_stored_job(store)
    triggers = [*Trigger, None]
    written(
        store,
        lambda to: to.add_history(
            *(
                an_end(job, second, RunOutcome.FAILED, trigger=trigger)
                for second, trigger in enumerate(triggers)
            ),
            an_end(job, 1, None),
            a_stretch(job, 0, 9),
        ),
    )

    found = written(store, lambda to: to.ended_runs_by_planned_time(job.id, at(0), at(5)))

    assert [each.trigger for each in found] == [
        Trigger.SCHEDULE,
        Trigger.CATCH_UP,
        Trigger.MANUAL,
        Trigger.REDRIVE,
        Trigger.BACKFILL,
    ]


def queue(store: Open, job: Job, *runs: tuple[str, int, Trigger]) -> None:
    """Add runs that wait their turn: a tag, a second of their planned times, and a trigger."""

    def add(to: Transaction) -> None:
        for tag, second, trigger in runs:
            to.add_run(a_run(job, second=second, tag=tag, trigger=trigger, due_at=None))

    written(store, add)


def due_tags(store: Open, job: Job) -> list[str]:
    runs = written(store, lambda to: to.runs(job.id))
    return sorted(run.tag for run in runs if run.due_at is not None)


MIXED = [
    ("backfill", 1, Trigger.BACKFILL),
    ("redrive", 2, Trigger.REDRIVE),
    ("late", 9, Trigger.SCHEDULE),
    ("manual", 8, Trigger.MANUAL),
    ("early", 7, Trigger.CATCH_UP),
]


@pytest.mark.parametrize(
    ("most", "expected"),
    [
        (0, []),
        (1, ["early"]),
        (2, ["early", "manual"]),
        (3, ["early", "late", "manual"]),
        (4, ["backfill", "early", "late", "manual"]),
        (9, ["backfill", "early", "late", "manual", "redrive"]),
    ],
)
def test_runs_that_wait_their_turn_are_released_in_their_order(
    store: Open, most: int, expected: list[str]
) -> None:
    _, (job, other) = fill(store, "a", "b")
    queue(store, job, *MIXED)
    queue(store, other, *MIXED)

    written(store, lambda to: to.release_runs(job.id, most, at(60)))

    assert due_tags(store, job) == expected
    assert due_tags(store, other) == []
    due = written(store, lambda to: {run.due_at for run in to.runs(job.id)})
    assert due <= {None, at(60)}


def test_runs_that_do_not_wait_take_their_places(store: Open) -> None:
    job = a_stored_job(store)
    queue(store, job, *MIXED)
    written(
        store,
        lambda to: (
            to.add_run(a_run(job, second=20, tag="held", lease=a_lease())),
            to.add_run(a_run(job, second=30, tag="retried", attempt=2)),
        ),
    )

    written(store, lambda to: to.release_runs(job.id, 2, at(60)))
    assert due_tags(store, job) == ["held", "retried"]

    written(store, lambda to: to.release_runs(job.id, 3, at(60)))
    assert due_tags(store, job) == ["early", "held", "retried"]


def test_all_but_manual_runs_wait_while_their_job_is_disabled(store: Open) -> None:
    job = a_stored_job(store)
    queue(store, job, *MIXED)
    written(store, lambda to: to.save_job(replace(job, state=JobState.DISABLED)))

    written(store, lambda to: to.release_runs(job.id, 9, at(60)))

    assert due_tags(store, job) == ["manual"]


def test_of_runs_planned_for_one_time_the_first_is_released_first(store: Open) -> None:
    job = a_stored_job(store)
    queue(store, job, *((f"m{number}", 5, Trigger.MANUAL) for number in range(3)))

    written(store, lambda to: to.release_runs(job.id, 2, at(60)))

    assert due_tags(store, job) == ["m0", "m1"]


def test_a_run_that_waits_its_turn_is_not_due_but_open(store: Open) -> None:
    job = a_stored_job(store)
    queue(store, job, ("a", 1, Trigger.SCHEDULE), ("b", 2, Trigger.BACKFILL))
    written(store, lambda to: to.add_run(a_run(job, second=70, tag="later")))

    assert written(store, lambda to: to.due_runs(at(60), 10)) == []
    assert written(store, lambda to: to.earliest_due_at()) == at(70)
    assert written(store, lambda to: to.count_due(at(60), 10)) == 0
    assert written(store, lambda to: to.count_runs(job.id)) == RunCounts(3, 2)
    assert written(store, lambda to: to.count_open_runs(job.id)) == 3
    assert written(store, lambda to: to.count_runs(JobId(99))) == RunCounts(0, 0)


def test_overdue_runs_that_are_made_due_do_not_include_those_that_wait(store: Open) -> None:
    collection, (job,) = fill(store, "a")
    queue(store, job, ("a", -60, Trigger.SCHEDULE))

    written(store, lambda to: to.make_runs_due(job.id, NOW))
    written(store, lambda to: to.make_all_runs_due(collection.id, NOW))

    assert due_tags(store, job) == []


def test_a_planned_time_may_be_open_on_schedule_and_again_as_a_redrive(store: Open) -> None:
    job = a_stored_job(store)

    once = (Trigger.SCHEDULE, Trigger.MANUAL, Trigger.REDRIVE)
    queue(store, job, *((each.value, 1, each) for each in once))

    assert written(store, lambda to: to.count_runs(job.id)) == RunCounts(3, 3)
    with pytest.raises(Conflict, match="planned already"):
        queue(store, job, ("again", 1, Trigger.BACKFILL))


def test_runs_are_lost_that_are_gone_or_held_under_another_claim(store: Open) -> None:
    job = a_stored_job(store)

    def add(to: Transaction) -> list[Run]:
        return [
            to.add_run(a_run(job, second=second, lease=a_lease(claim=f"c{second}")))
            for second in range(4)
        ]

    kept, gone, taken, released = held = written(store, add)
    written(store, lambda to: to.delete_runs([gone]))
    written(store, lambda to: to.save_runs([replace(taken, lease=a_lease(claim="new"))]))
    written(store, lambda to: to.save_runs([replace(released, lease=None)]))

    def lost(*runs: Run) -> list[Run]:
        return list(run(store, lambda each: each.read(lambda view: view.lost_runs(runs))))

    assert lost(*held) == [gone, taken, released]
    assert lost(kept) == []
    assert lost() == []


def test_many_held_runs_are_looked_up_at_once(store: Open) -> None:
    job = a_stored_job(store)

    def add(to: Transaction) -> list[Run]:
        return [
            to.add_run(a_run(job, second=second, lease=a_lease(claim="c")))
            for second in range(1500)
        ]

    held = written(store, add)
    written(store, lambda to: to.delete_runs(held[::500]))

    found = run(store, lambda each: each.read(lambda view: view.lost_runs(held)))

    assert [each.id for each in found] == [each.id for each in held[::500]]


def test_what_a_policy_needs_to_know_of_a_job_is_kept(store: Open) -> None:
    job = a_stored_job(store)
    known = replace(
        job,
        planned_at=at(-MINUTE // SECOND),
        last_outcome=RunOutcome.RECOVERED,
        consecutive_failures=3,
        paused_because="3 runs in a row were given up",
    )

    written(store, lambda to: to.save_job(known))

    assert written(store, lambda to: stored_job(to, "a")) == known
