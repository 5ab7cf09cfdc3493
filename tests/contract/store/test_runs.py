"""Runs: each occurrence in flight, who holds it, and under which claim."""

from typing import Any

import pytest
from msgspec.structs import replace

from foliot.core.errors import Conflict
from foliot.core.ids import CollectionId, JobId
from foliot.core.instant import HOUR, SECOND, Instant
from foliot.core.model.collection import Collection
from foliot.core.model.job import Job, JobState
from foliot.core.model.run import DueRun, Phase, Run, Trigger
from foliot.ports.store import Transaction
from tests.support.builders import LONG_AGO, NOW, a_collection, a_job, a_lease, a_run
from tests.support.store_harness import Open, with_jobs, written


def fill(store: Open, *names: str) -> tuple[Collection, list[Job]]:
    return written(store, lambda to: with_jobs(to, *names))


def a_stored_job(store: Open) -> Job:
    _, (job,) = fill(store, "a")
    return job


def added(store: Open, run: Run) -> Run:
    return written(store, lambda to: to.add_run(run))


def claimed(store: Open, run: Run, claim: str = "claim") -> DueRun | None:
    held = replace(run, lease=a_lease(claim=claim))
    due = as_claimed(held)
    found = written(store, lambda to: to.claimed_runs(due))
    return next(iter(found), None)


def as_claimed(*runs: Run) -> list[DueRun]:
    """Return runs as whoever claimed them has them; their job is read again."""
    return [DueRun(run, a_job(CollectionId(1)), a_collection()) for run in runs]


def tags_left(store: Open, *jobs: Job) -> list[list[str]]:
    """Return the tags of all runs of each job, when every lease has run out."""

    def look(to: Transaction) -> list[list[str]]:
        due = to.due_runs(Instant(NOW + 1000 * SECOND), 100)
        return [[each.run.tag for each in due if each.job.id == job.id] for job in jobs]

    return written(store, look)


def test_a_run_comes_back_as_it_was_stored(store: Open) -> None:
    collection, (job,) = fill(store, "a")
    run = Run(
        job_id=job.id,
        generation=2,
        occurrence=3,
        expected_at=Instant(NOW + 4),
        phase=Phase.ERROR,
        attempt=5,
        due_at=Instant(NOW + 6),
        tag="täg",
        trigger=Trigger.MANUAL,
        lease=a_lease(),
    )

    stored = added(store, run)

    assert stored == replace(run, id=stored.id)
    assert stored.id != 0
    assert claimed(store, stored) == DueRun(stored, job, collection)


def test_a_changed_run_replaces_the_former_but_stays_the_same_occurrence(store: Open) -> None:
    run = added(store, a_run(a_stored_job(store)))
    changed = replace(
        run, phase=Phase.ERROR, attempt=2, due_at=Instant(NOW + 1), lease=a_lease(claim="new")
    )

    other = replace(changed, expected_at=Instant(7), occurrence=7, tag="7", trigger=Trigger.MANUAL)
    written(store, lambda to: to.save_runs([other]))

    found = claimed(store, run, "new")
    assert found is not None
    assert found.run == changed


def test_a_run_that_is_gone_stays_gone_when_it_is_saved(store: Open) -> None:
    job = a_stored_job(store)

    written(store, lambda to: to.save_runs([a_run(job, id=9)]))

    assert tags_left(store, job) == [[]]


def test_a_run_needs_its_job(store: Open) -> None:
    with pytest.raises(Conflict, match="belongs to no longer exists"):
        added(store, a_run(a_job(CollectionId(1), id=JobId(9))))


@pytest.mark.parametrize(
    "again",
    [{}, {"generation": 2, "occurrence": 5, "tag": "other"}, {"lease": a_lease()}],
    ids=["the same", "of another generation", "held"],
)
def test_an_occurrence_is_planned_once(store: Open, again: dict[str, object]) -> None:
    job = a_stored_job(store)
    added(store, a_run(job))

    with pytest.raises(Conflict, match="This occurrence is planned already"):
        added(store, a_run(job, **again))

    assert written(store, lambda to: to.count_open_runs(job.id)) == 1


def test_jobs_may_have_occurrences_at_the_same_time_and_a_job_at_several(store: Open) -> None:
    _, (job, other) = fill(store, "a", "b")

    for run in (a_run(job), a_run(other), a_run(job, second=1)):
        added(store, run)

    assert tags_left(store, job, other) == [["tag", "tag"], ["tag"]]


def test_a_manual_run_may_be_repeated_and_stand_beside_a_planned_one(store: Open) -> None:
    job = a_stored_job(store)

    for run in (a_run(job, trigger=Trigger.MANUAL), a_run(job), a_run(job, trigger=Trigger.MANUAL)):
        added(store, run)

    assert written(store, lambda to: to.count_open_runs(job.id)) == 3


def test_an_occurrence_that_has_ended_may_be_planned_again(store: Open) -> None:
    run = added(store, a_run(a_stored_job(store)))
    written(store, lambda to: to.delete_runs([run]))

    assert added(store, run).id != run.id


def test_a_run_is_found_under_its_own_claim_alone(store: Open) -> None:
    job = a_stored_job(store)
    held = added(store, a_run(job, lease=a_lease(claim="one")))
    waiting = added(store, a_run(job, second=1))

    assert claimed(store, held, "one") is not None
    assert claimed(store, held, "two") is None
    assert claimed(store, held, "ONE") is None
    assert claimed(store, waiting, "one") is None
    assert claimed(store, waiting, "") is None


def test_a_run_whose_lease_has_run_out_is_still_found_until_another_takes_it(store: Open) -> None:
    run = added(store, a_run(a_stored_job(store), lease=a_lease(second=-1, claim="old")))

    assert claimed(store, run, "old") is not None

    written(store, lambda to: to.save_runs([replace(run, lease=a_lease(claim="new"))]))

    assert claimed(store, run, "old") is None


@pytest.mark.parametrize("end", ["deleted", "put back"])
def test_a_claim_ends_with_the_run_or_its_lease(store: Open, end: str) -> None:
    run = added(store, a_run(a_stored_job(store), lease=a_lease()))

    def change(to: Transaction) -> None:
        if end == "deleted":
            to.delete_runs([run])
        else:
            to.save_runs([replace(run, lease=None)])

    written(store, change)

    assert claimed(store, run) is None


def test_a_claimed_run_comes_with_the_job_and_the_collection_as_they_are_now(store: Open) -> None:
    collection, (job,) = fill(store, "a")
    run = added(store, a_run(job, lease=a_lease()))
    renamed = replace(collection, location="elsewhere")
    counted = replace(job, execution_count=1)

    assert claimed(store, run) == DueRun(run, job, collection)

    written(store, lambda to: (to.save_collection(renamed), to.save_job(counted)))

    assert claimed(store, run) == DueRun(run, counted, renamed)


def test_to_delete_a_run_that_is_gone_is_no_error(store: Open) -> None:
    job = a_stored_job(store)

    written(store, lambda to: to.delete_runs([a_run(job, id=9)]))


def test_a_deleted_run_leaves_the_others_alone(store: Open) -> None:
    job = a_stored_job(store)
    run, other = (added(store, a_run(job, second=n, tag=f"t{n}")) for n in range(2))

    written(store, lambda to: to.delete_runs([run]))

    assert tags_left(store, job) == [[other.tag]]


def test_all_runs_of_a_job_are_open_until_they_are_deleted(store: Open) -> None:
    _, (job, other) = fill(store, "a", "b")
    runs = [
        added(store, run)
        for run in (
            a_run(job),
            a_run(job, second=1, lease=a_lease()),
            a_run(job, second=2, trigger=Trigger.MANUAL),
            a_run(other),
        )
    ]

    def count(to: Transaction) -> list[int]:
        return [to.count_open_runs(each) for each in (job.id, other.id, JobId(9))]

    assert written(store, count) == [3, 1, 0]

    written(store, lambda to: to.delete_runs(runs[:1]))

    assert written(store, count) == [2, 1, 0]


def add_one_of_each(store: Open, *jobs: Job) -> None:
    for job in jobs:
        added(store, a_run(job, second=-9, tag="overdue"))
        added(store, a_run(job, second=9, tag="not due"))
        added(store, a_run(job, second=-8, tag="held", lease=a_lease()))
        added(store, a_run(job, second=-7, tag="lost", lease=a_lease(second=-1)))


def due_times(store: Open, job: Job) -> dict[str, Instant | None]:
    """Return of each run since when it is due, or how long it is held."""
    runs = written(store, lambda to: to.runs(job.id))
    return {run.tag: run.due_at if run.lease is None else run.lease.until for run in runs}


BEFORE = {
    "overdue": Instant(NOW - 9 * SECOND),
    "not due": Instant(NOW + 9 * SECOND),
    "held": a_lease().until,
    "lost": Instant(NOW - SECOND),
}


def test_the_runs_of_a_job_that_could_have_begun_are_due_from_a_moment_on(store: Open) -> None:
    _, (job, sibling) = fill(store, "a", "b")
    add_one_of_each(store, job, sibling)

    written(store, lambda to: to.make_runs_due(job.id, NOW))

    assert due_times(store, job) == BEFORE | {"overdue": NOW, "lost": NOW}
    assert due_times(store, sibling) == BEFORE


def test_the_runs_of_a_collection_that_could_have_begun_are_due_from_a_moment_on(
    store: Open,
) -> None:
    collection, (job, sibling) = fill(store, "a", "b")
    elsewhere = written(store, lambda to: to.add_collection(a_collection("other")))
    other = written(store, lambda to: to.add_job(a_job(elsewhere.id)))
    add_one_of_each(store, job, sibling, other)

    written(store, lambda to: to.make_all_runs_due(collection.id, NOW))

    for each in (job, sibling):
        assert due_times(store, each) == BEFORE | {"overdue": NOW, "lost": NOW}
    assert due_times(store, other) == BEFORE


def test_all_leases_of_a_node_are_renewed_and_no_others(store: Open) -> None:
    job = a_stored_job(store)
    leases = [a_lease(second=10), a_lease(second=-1), a_lease(second=10, node="other"), None]
    runs = [added(store, a_run(job, second=n, lease=lease)) for n, lease in enumerate(leases)]

    written(store, lambda to: to.renew_leases("node", a_lease(second=60).until, since=LONG_AGO))

    def renewed(to: Transaction) -> list[Run]:
        return [due.run for due in to.due_runs(Instant(NOW + 100 * SECOND), 10)]

    assert written(store, renewed) == [
        replace(runs[0], lease=a_lease(second=60)),
        replace(runs[1], lease=a_lease(second=60)),
        runs[2],
        runs[3],
    ]


def test_a_lease_that_ended_too_long_ago_is_not_renewed(store: Open) -> None:
    job = a_stored_job(store)
    runs = [
        added(store, a_run(job, second=second, lease=a_lease(second=second))) for second in (-2, -1)
    ]

    until = a_lease(second=60).until
    written(store, lambda to: to.renew_leases("node", until, since=a_lease(second=-1).until))

    assert [due.run for due in written(store, lambda to: to.due_runs(NOW, 10))] == runs[:1]


def test_a_lease_is_never_made_shorter(store: Open) -> None:
    run = added(store, a_run(a_stored_job(store), lease=a_lease(second=60)))

    written(store, lambda to: to.renew_leases("node", NOW, since=LONG_AGO))

    found = claimed(store, run)
    assert found is not None
    assert found.run == run


def many_runs(job: Job, count: int) -> list[Run]:
    return [a_run(job, second=n, tag=f"t{n}", lease=a_lease(claim=f"c{n}")) for n in range(count)]


# As many as are written in one statement, one more, and enough for statements of every size.
@pytest.mark.parametrize("count", [0, 1, 4, 5, 256, 341])
def test_many_runs_are_planned_found_changed_and_deleted_at_once(store: Open, count: int) -> None:
    collection, (job,) = fill(store, "a")
    runs = many_runs(job, count)

    planned = written(store, lambda to: to.plan_runs(runs))
    assert planned == [
        replace(run, id=stored.id) for run, stored in zip(runs, planned, strict=True)
    ]
    assert len({run.id for run in planned}) == count

    found = written(store, lambda to: to.claimed_runs(as_claimed(*planned)))
    by_id = {due.run.id: due for due in found}
    assert [by_id[run.id] for run in planned] == [
        DueRun(run, job, collection, count) for run in planned
    ]

    later = [replace(run, attempt=2, lease=None) for run in planned]
    written(store, lambda to: to.save_runs(later))
    due = written(store, lambda to: to.due_runs(Instant(NOW + 1000 * SECOND), 1000))
    assert [each.run for each in due] == later

    written(store, lambda to: to.delete_runs(planned))
    assert tags_left(store, job) == [[]]


def test_of_runs_that_are_held_it_is_told_where_their_jobs_stand(store: Open) -> None:
    collection, (job, other) = fill(store, "a", "b")
    held = [replace(run, lease=a_lease(claim=run.tag)) for run in many_runs(job, 3)]
    planned = written(store, lambda to: to.plan_runs(held))
    claimed = [DueRun(run, job, collection) for run in planned]
    now = replace(
        job,
        occurrence=7,
        execution_count=8,
        failure_count=9,
        faulted_count=2,
        last_execution_at=Instant(NOW + 5),
        settled_at=Instant(NOW + 3),
        settled_well=False,
        next_at=None,
        state=JobState.FAULTED,
        ended_at=Instant(NOW + 9),
    )
    written(store, lambda to: to.save_job(now))

    found = written(store, lambda to: to.current_state(claimed))

    assert sorted(found, key=lambda due: due.run.id) == [
        DueRun(run, now, collection, 3) for run in planned
    ]
    assert other != job


def test_runs_that_are_no_longer_held_have_no_current_state(store: Open) -> None:
    collection, (job,) = fill(store, "a")
    held = [replace(run, lease=a_lease(claim=run.tag)) for run in many_runs(job, 4)]
    kept, taken, ended, waiting = written(store, lambda to: to.plan_runs(held))
    claimed = [DueRun(run, job, collection) for run in (kept, taken, ended, waiting)]
    written(store, lambda to: to.save_runs([replace(taken, lease=a_lease(claim="another"))]))
    written(store, lambda to: to.delete_runs([ended]))
    written(store, lambda to: to.save_runs([replace(waiting, lease=None)]))

    found = written(store, lambda to: to.current_state(claimed))

    assert [due.run for due in found] == [kept]
    assert written(store, lambda to: to.current_state([])) == []
    assert written(store, lambda to: to.current_state([DueRun(waiting, job, collection)])) == []


def test_of_many_runs_those_whose_occurrence_is_planned_already_are_left_out(store: Open) -> None:
    job = a_stored_job(store)
    first = added(store, a_run(job, second=2, tag="first"))

    planned = written(store, lambda to: to.plan_runs(many_runs(job, 6)))

    assert [run.tag for run in planned] == ["t0", "t1", "t3", "t4", "t5"]
    assert first.id not in {run.id for run in planned}
    found = written(store, lambda to: to.claimed_runs(as_claimed(*planned)))
    assert sorted(due.run.tag for due in found) == [run.tag for run in planned]
    assert tags_left(store, job) == [["t0", "t1", "first", "t3", "t4", "t5"]]


def test_runs_cannot_be_planned_for_a_job_that_is_gone(store: Open) -> None:
    with pytest.raises(Conflict, match="belongs to no longer exists"):
        written(store, lambda to: to.plan_runs([a_run(a_job(CollectionId(1), id=JobId(9)))]))


def test_all_leases_of_a_node_are_ended_and_no_others(store: Open) -> None:
    job = a_stored_job(store)
    leases = [a_lease(), a_lease(node="other"), a_lease(second=-9), None]
    for number, lease in enumerate(leases):
        added(store, a_run(job, second=-number, tag=f"t{number}", lease=lease))

    written(store, lambda to: to.end_leases("node", NOW))

    due = written(store, lambda to: to.due_runs(NOW, 10))
    assert {each.run.tag: each.run.lease for each in due} == {
        "t0": a_lease(second=0, node=""),
        "t2": a_lease(second=-9, node=""),
        "t3": None,
    }
    written(store, lambda to: to.renew_leases("node", a_lease().until, since=LONG_AGO))
    assert written(store, lambda to: to.due_runs(NOW, 10)) == due


def test_only_a_run_that_waits_is_made_due_now(store: Open) -> None:
    def steps(to: Transaction) -> Any:
        _, (job,) = with_jobs(to, "a")
        later, earlier = Instant(NOW + HOUR), Instant(NOW - HOUR)
        runs = [
            to.add_run(a_run(job, second=1, due_at=later)),
            to.add_run(a_run(job, second=2, due_at=earlier)),
            to.add_run(a_run(job, second=3, due_at=None)),
            to.add_run(a_run(job, second=4, due_at=later, lease=a_lease())),
            to.add_run(a_run(job, second=5, due_at=later)),
        ]
        for run in runs[:-1]:
            to.make_run_due(run.id, NOW)
        return runs, to.runs(job.id)

    runs, found = written(store, steps)

    assert found == [replace(runs[0], due_at=NOW), *runs[1:]]
