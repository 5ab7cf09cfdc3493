"""Runs across collections: ended ones by outcome, open ones, attempts that belong together."""

from typing import Any

import pytest
from msgspec.structs import replace

from foliot.core.ids import CollectionKey, JobId
from foliot.core.instant import SECOND, Instant
from foliot.core.model.history import AttemptStatus, HistoryEntry, RunOutcome
from foliot.core.model.job import Job
from foliot.core.model.run import Phase, Trigger
from foliot.core.model.run_record import LaterRun, OpenState, RunFilter
from foliot.core.model.token import Scope
from foliot.ports.store import Transaction
from foliot.store.sql import run_records
from tests.support.builders import NOW, SUBSCRIPTION, a_collection, a_job, a_lease, a_run, an_entry
from tests.support.store_harness import Open, written

EVERYWHERE = Scope()
ANY = RunFilter()
BILLING = Scope(subscription=SUBSCRIPTION, group="prod", collection="billing")


def two_collections(to: Transaction) -> dict[str, Job]:
    """Add the jobs a and b of Billing and the job c of Reports."""
    billing = to.add_collection(a_collection("Billing"))
    reports = to.add_collection(a_collection("Reports", group="Other"))
    placed = {"a": billing, "b": billing, "c": reports}
    return {name: to.add_job(a_job(each.id, name)) for name, each in placed.items()}


def ended(job_id: JobId, second: int, outcome: RunOutcome | None, **fields: Any) -> HistoryEntry:
    """Return the last attempt of a run that began and ended at a second after NOW."""
    failed = outcome in (None, RunOutcome.FAILED)
    entry = an_entry(
        job_id,
        second=second,
        outcome=outcome,
        run_id=second,
        trigger=Trigger.SCHEDULE,
        tag=f"tag{second}",
        status=AttemptStatus.FAILED if failed else AttemptStatus.COMPLETED,
    )
    return replace(entry, **fields)


def some_runs(to: Transaction) -> dict[str, Job]:
    """Add six runs: of them 2 and 5 have failed, 3 was recovered and 4 was skipped."""
    jobs = two_collections(to)
    a, b, c = (jobs[name].id for name in "abc")
    to.add_history(
        ended(a, 1, RunOutcome.SUCCEEDED),
        ended(a, 2, RunOutcome.FAILED, reason="Timeout", host="one.example"),
        ended(b, 3, RunOutcome.RECOVERED, trigger=Trigger.MANUAL),
        ended(b, 4, RunOutcome.SKIPPED, run_id=None, trigger=None, reason="missed"),
        ended(c, 5, RunOutcome.FAILED, reason="HttpStatus", host="two.example", status_code=503),
        ended(c, 6, RunOutcome.SUCCEEDED, host="two.example"),
    )
    return jobs


def seconds(entries: Any) -> list[int]:
    return [(each.entry.started_at - NOW) // SECOND for each in entries]


def at(second: int) -> Instant:
    return Instant(NOW + second * SECOND)


@pytest.mark.parametrize(
    ("scope", "wanted", "expected"),
    [
        pytest.param(EVERYWHERE, {}, [6, 5, 4, 3, 2, 1], id="all, the last recorded first"),
        pytest.param(BILLING, {}, [4, 3, 2, 1], id="of a collection"),
        pytest.param(EVERYWHERE, {"outcome": RunOutcome.FAILED}, [5, 2], id="failed"),
        pytest.param(BILLING, {"outcome": RunOutcome.FAILED}, [2], id="failed in a collection"),
        pytest.param(EVERYWHERE, {"outcome": RunOutcome.SUCCEEDED}, [6, 1], id="succeeded"),
        pytest.param(EVERYWHERE, {"outcome": RunOutcome.SKIPPED}, [4], id="skipped"),
        pytest.param(EVERYWHERE, {"reason": "Timeout"}, [2], id="by reason"),
        pytest.param(EVERYWHERE, {"host": "two.example"}, [6, 5], id="by host"),
        pytest.param(EVERYWHERE, {"trigger": Trigger.MANUAL}, [3], id="by trigger"),
        # A run ends a second after it began.
        pytest.param(EVERYWHERE, {"since": at(5)}, [6, 5, 4], id="since they ended"),
        pytest.param(EVERYWHERE, {"until": at(3)}, [2, 1], id="until they ended"),
        pytest.param(
            EVERYWHERE,
            {"since": at(3), "until": at(6), "outcome": RunOutcome.FAILED},
            [5, 2],
            id="failed between two times",
        ),
    ],
)
def test_ended_runs_are_found_by_what_is_known_of_them(
    store: Open, scope: Scope, wanted: dict[str, Any], expected: list[int]
) -> None:
    written(store, some_runs)

    found = written(store, lambda to: to.ended_runs(scope, RunFilter(**wanted)))

    assert seconds(found) == expected


@pytest.mark.parametrize("wanted", [ANY, RunFilter(outcome=RunOutcome.FAILED)], ids=["all", "few"])
@pytest.mark.parametrize("scope", [EVERYWHERE, BILLING], ids=["everywhere", "a collection"])
def test_pages_of_ended_runs_join_to_the_whole(
    store: Open, scope: Scope, wanted: RunFilter
) -> None:
    written(store, some_runs)
    whole = written(store, lambda to: to.ended_runs(scope, wanted))

    pages: list[Any] = []
    before: int | None = None
    while page := written(
        store, lambda to, before=before: to.ended_runs(scope, wanted, before=before, limit=1)
    ):
        pages += page
        before = page[-1].entry.number

    assert pages == whole


def test_runs_of_one_job_are_its_own(store: Open) -> None:
    jobs = written(store, some_runs)

    found = written(store, lambda to: to.ended_runs(BILLING, ANY, job_id=jobs["b"].id))

    assert seconds(found) == [4, 3]
    assert {(each.key.name, each.job) for each in found} == {("Billing", "b")}


@pytest.mark.parametrize("near", [1, 3, 100])
def test_a_page_of_a_collection_is_the_same_however_far_away_its_runs_are(
    store: Open, monkeypatch: pytest.MonkeyPatch, near: int
) -> None:
    monkeypatch.setattr(run_records, "_NEAR", near)
    written(store, some_runs)

    pages = [
        written(
            store, lambda to, before=before: to.ended_runs(BILLING, ANY, before=before, limit=2)
        )
        for before in (None, 3)
    ]

    assert [seconds(page) for page in pages] == [[4, 3], [2, 1]]


def test_runs_of_deleted_jobs_are_gone(store: Open) -> None:
    jobs = written(store, some_runs)
    written(store, lambda to: to.delete_job(jobs["c"].id))

    for wanted in (ANY, RunFilter(outcome=RunOutcome.FAILED)):
        found = written(store, lambda to, wanted=wanted: to.ended_runs(EVERYWHERE, wanted))
        assert {each.job for each in found} <= {"a", "b"}


def test_an_attempt_that_did_not_end_its_run_is_no_run(store: Open) -> None:
    def steps(to: Transaction) -> Any:
        job = two_collections(to)["a"]
        to.add_history(
            ended(job.id, 1, None, run_id=7),
            ended(job.id, 2, RunOutcome.FAILED, run_id=7, retry_count=1),
            ended(job.id, 3, None, run_id=7, is_error_action=True),
            ended(job.id, 4, RunOutcome.SUCCEEDED, run_id=8),
        )
        runs = to.ended_runs(EVERYWHERE, RunFilter(outcome=RunOutcome.FAILED))
        return seconds(runs), to.attempts_of([each.entry for each in runs])

    found, (attempts,) = written(store, steps)

    assert found == [2]
    assert [(each.started_at - NOW) // SECOND for each in attempts] == [1, 2, 3]


def test_each_of_several_runs_gets_its_own_attempts_in_order(store: Open) -> None:
    def steps(to: Transaction) -> Any:
        jobs = two_collections(to)
        a, b = jobs["a"].id, jobs["b"].id
        to.add_history(
            ended(a, 1, None, run_id=7),
            ended(b, 2, None, run_id=8),
            ended(a, 3, None, run_id=7, retry_count=1),
            ended(b, 4, RunOutcome.RECOVERED, run_id=8, retry_count=1),
            ended(a, 5, RunOutcome.FAILED, run_id=7, retry_count=2),
            ended(b, 6, RunOutcome.SUCCEEDED, run_id=9),
        )
        runs = to.ended_runs(EVERYWHERE, ANY)
        return [seconds_of(each) for each in to.attempts_of([each.entry for each in runs])]

    def seconds_of(attempts: Any) -> list[int]:
        return [(each.started_at - NOW) // SECOND for each in attempts]

    assert written(store, steps) == [[6], [1, 3, 5], [2, 4]]


def test_each_attempt_knows_all_attempts_of_its_run(store: Open) -> None:
    def steps(to: Transaction) -> Any:
        jobs = two_collections(to)
        job, other = jobs["a"].id, jobs["b"].id
        to.add_history(
            ended(job, 1, None, run_id=7),
            ended(job, 2, None, run_id=7, retry_count=1),
            ended(job, 3, RunOutcome.FAILED, run_id=7, retry_count=2),
            ended(job, 4, None, run_id=7, is_error_action=True),
            ended(job, 5, RunOutcome.SUCCEEDED, run_id=8),
            ended(job, 6, None, run_id=9),
            ended(other, 7, RunOutcome.RECOVERED, run_id=7),
            ended(job, 8, RunOutcome.SKIPPED, run_id=None),
        )
        entries = sorted(to.history(job), key=lambda each: each.number)
        return [seconds_of(to.attempts_beside(each)) for each in entries]

    def seconds_of(attempts: Any) -> list[int]:
        return [(each.started_at - NOW) // SECOND for each in attempts]

    assert written(store, steps) == [*[[1, 2, 3, 4]] * 4, [5], [6], [8]]


def test_attempts_from_before_runs_were_recorded_belong_to_one_occurrence(store: Open) -> None:
    def steps(to: Transaction) -> Any:
        job = two_collections(to)["a"].id
        to.add_history(
            *(
                ended(job, second, outcome, run_id=0, expected_at=at(planned), repeat_count=planned)
                for second, planned, outcome in (
                    (1, 1, None),
                    (2, 1, RunOutcome.RECOVERED),
                    (3, 3, None),
                    (4, 3, RunOutcome.FAILED),
                )
            )
        )
        entries = sorted(to.history(job), key=lambda each: each.number)
        beside = [to.attempts_beside(each) for each in entries]
        return [[(one.started_at - NOW) // SECOND for one in each] for each in beside]

    assert written(store, steps) == [[1, 2], [1, 2], [3, 4], [3, 4]]


def test_failed_runs_of_a_collection_come_from_all_its_jobs_page_by_page(store: Open) -> None:
    def steps(to: Transaction) -> Any:
        jobs = two_collections(to)
        to.add_history(
            *(
                ended(jobs[name].id, second, RunOutcome.FAILED, host=host)
                for second, name, host in (
                    (1, "a", "x"),
                    (2, "c", "x"),
                    (3, "b", "x"),
                    (4, "b", "y"),
                    (5, "a", "x"),
                )
            ),
            ended(jobs["a"].id, 6, RunOutcome.SUCCEEDED),
        )
        failed = RunFilter(outcome=RunOutcome.FAILED)
        pages = [to.ended_runs(BILLING, failed, limit=3)]
        pages += [to.ended_runs(BILLING, failed, limit=3, before=pages[0][-1].entry.number)]
        pages += [to.ended_runs(BILLING, replace(failed, host="y"))]
        return [seconds(page) for page in pages]

    assert written(store, steps) == [[5, 4, 3], [1], [4]]


def test_open_runs_are_found_by_state_and_trigger_but_not_at_their_error_action(
    store: Open,
) -> None:
    def steps(to: Transaction) -> dict[str, list[str]]:
        jobs = two_collections(to)
        a, c = jobs["a"], jobs["c"]
        to.add_run(a_run(a, second=1, tag="waits", attempt=2))
        to.add_run(a_run(a, second=2, tag="runs", lease=a_lease()))
        to.add_run(a_run(a, second=3, tag="failed", phase=Phase.ERROR))
        to.add_run(a_run(c, second=4, tag="manual", trigger=Trigger.MANUAL))
        asked = {
            "all": (EVERYWHERE, ANY, None),
            "billing": (BILLING, ANY, None),
            "running": (EVERYWHERE, RunFilter(outcome=OpenState.RUNNING), None),
            "waiting": (EVERYWHERE, RunFilter(outcome=OpenState.WAITING), None),
            "manual": (EVERYWHERE, RunFilter(trigger=Trigger.MANUAL), None),
            "of c": (EVERYWHERE, ANY, c.id),
        }
        return {
            name: [each.run.tag for each in to.open_runs(scope, wanted, job_id=job_id)]
            for name, (scope, wanted, job_id) in asked.items()
        }

    assert written(store, steps) == {
        "all": ["manual", "runs", "waits"],
        "billing": ["runs", "waits"],
        "running": ["runs"],
        "waiting": ["manual", "waits"],
        "manual": ["manual"],
        "of c": ["manual"],
    }


def test_the_attempts_of_an_open_run_are_those_it_has_made(store: Open) -> None:
    def steps(to: Transaction) -> Any:
        job = two_collections(to)["a"]
        run = to.add_run(a_run(job, second=1, attempt=3))
        to.add_history(
            ended(job.id, 1, None, run_id=run.id),
            ended(job.id, 2, RunOutcome.SUCCEEDED, run_id=run.id + 1),
            ended(job.id, 3, None, run_id=run.id, retry_count=1),
        )
        (attempts,) = to.attempts_so_far([run])
        return [each.retry_count for each in attempts]

    assert written(store, steps) == [0, 1]


def test_a_failed_run_knows_the_run_that_has_repeated_it(store: Open) -> None:
    """Runs of a: 1 is made again well, 2 badly and is open again, 3 is at its error action."""
    failed, again = RunOutcome.FAILED, {"run_id": 99, "trigger": Trigger.REDRIVE}

    def steps(to: Transaction) -> Any:
        jobs = two_collections(to)
        job, other = jobs["a"], jobs["b"]
        to.add_history(*(ended(job.id, second, failed) for second in (1, 2, 3, 4)))
        to.add_history(
            ended(job.id, 1, RunOutcome.SUCCEEDED, **again),
            ended(job.id, 2, failed, **again),
            ended(other.id, 4, RunOutcome.SUCCEEDED, **again),
        )
        run = to.add_run(a_run(job, second=2, trigger=Trigger.REDRIVE))
        to.add_run(a_run(job, second=3, phase=Phase.ERROR))
        runs = to.ended_runs(BILLING, RunFilter(outcome=failed), job_id=job.id)
        later = to.later_runs([each.entry for each in runs])
        assert to.later_runs([]) == []
        return run, dict(zip(seconds(runs), later, strict=True))

    run, later = written(store, steps)

    assert later[1] is not None
    assert later[1].outcome is RunOutcome.SUCCEEDED
    assert later[2] == LaterRun(run.id, None)
    assert (later[3], later[4]) == (None, None)


def test_a_run_names_its_collection_and_job(store: Open) -> None:
    written(store, some_runs)

    (newest,) = written(store, lambda to: to.ended_runs(EVERYWHERE, ANY, limit=1))

    assert newest.key == CollectionKey(SUBSCRIPTION, "Other", "Reports")
    assert newest.job == "c"
    assert newest.entry.tag == "tag6"


@pytest.mark.parametrize("second", [0, 1, 4, 5, 8, 12, 13])
def test_the_first_number_since_an_instant_divides_the_entries_also_where_some_are_gone(
    store: Open, second: int
) -> None:
    def steps(to: Any) -> tuple[list[int], list[int]]:
        jobs = two_collections(to)
        a, b = jobs["a"].id, jobs["b"].id
        for number in range(1, 13):
            gone = 3 < number < 8 or number == 12
            to.add_history(ended(a if gone else b, number, RunOutcome.SUCCEEDED))
        to.trim_history(a, since=at(100), kept=0, limit=100)
        entries = to.history(b)
        first = to.first_number_since(at(second), max(each.number for each in entries))
        found = sorted(each.number for each in entries if each.number >= first)
        return found, sorted(each.number for each in entries if each.ended_at >= at(second))

    found, expected = written(store, steps)

    assert found == expected
