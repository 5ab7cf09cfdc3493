"""Failures by reason and host, within a scope and a bound; mutes of them."""

from typing import Any

import pytest
from msgspec.structs import replace

from foliot.core.instant import DAY, HOUR, SECOND, Instant
from foliot.core.model.failure import FailureKind, FailureMute, NamedJob
from foliot.core.model.history import RunOutcome
from foliot.core.model.job import Job
from foliot.core.model.run import Phase, Trigger
from foliot.core.model.run_record import OpenRuns, OpenState, RunFilter
from foliot.core.model.token import Scope
from foliot.core.rules.repeated_runs import Present, failed_entries, redrive
from foliot.ports.store import Transaction
from tests.contract.store.test_run_records import BILLING, EVERYWHERE, ended, two_collections
from tests.support.builders import NOW, a_collection, a_key, a_lease, a_run
from tests.support.store_harness import Open, written

FAILED = RunOutcome.FAILED
TIMEOUT = {"reason": "Timeout", "host": "one.example"}
STATUS = {"reason": "HttpStatus", "host": "two.example", "status_code": 503}


def some_failures(to: Transaction) -> dict[str, Job]:
    """Add failed runs of the jobs a and b in Billing and c in Reports, and other ones."""
    jobs = two_collections(to)
    a, b, c = (jobs[name].id for name in "abc")
    to.add_history(
        ended(a, 1, FAILED, **TIMEOUT),
        ended(a, 2, FAILED, **TIMEOUT),
        ended(b, 3, FAILED, **TIMEOUT),
        ended(c, 4, FAILED, **STATUS),
        ended(b, 5, FAILED),
        ended(b, 6, RunOutcome.RECOVERED, host="one.example"),
        ended(a, 7, RunOutcome.SUCCEEDED, host="one.example"),
        ended(a, 8, RunOutcome.SKIPPED, run_id=None, trigger=None, reason="missed"),
        ended(a, 9, RunOutcome.CANCELED),
    )
    return jobs


def at(second: int) -> Instant:
    return Instant(NOW + second * SECOND)


def counted(groups: Any) -> set[tuple[str, int, int]]:
    return {(each.kind.text, each.jobs, each.runs) for each in groups}


def some_retries(to: Transaction) -> dict[str, Job]:
    """Add runs of a, b and c that failed and wait for a retry, and open ones that do not."""
    jobs = two_collections(to)
    a, b, c = (jobs[name] for name in "abc")
    waiting = [(a, 1, TIMEOUT), (a, 2, TIMEOUT), (b, 3, TIMEOUT), (c, 4, STATUS)]
    for job, second, why in waiting:
        run = to.add_run(a_run(job, second=second, attempt=3, due_at=at(100 + second)))
        earlier = ended(job.id, second, None, **(STATUS | {"status_code": 500}), run_id=run.id)
        last = ended(job.id, second + 10, None, **why, run_id=run.id)
        to.add_history(earlier, last)
    to.add_run(a_run(a, second=5))
    to.add_run(a_run(a, second=6, due_at=None))
    to.add_run(a_run(a, second=7, attempt=2, lease=a_lease()))
    to.add_run(a_run(a, second=8, attempt=2, phase=Phase.ERROR))
    return jobs


@pytest.mark.parametrize(
    ("scope", "job", "sample", "expected"),
    [
        pytest.param(
            EVERYWHERE,
            None,
            99,
            {("Timeout one.example", 2, 3), ("HttpStatus two.example", 1, 1)},
            id="all",
        ),
        pytest.param(BILLING, None, 99, {("Timeout one.example", 2, 3)}, id="of a collection"),
        pytest.param(BILLING, "b", 99, {("Timeout one.example", 1, 1)}, id="of a job"),
        pytest.param(
            EVERYWHERE,
            None,
            2,
            {("Timeout one.example", 1, 1), ("HttpStatus two.example", 1, 1)},
            id="the newest alone",
        ),
    ],
)
def test_runs_that_wait_for_a_retry_are_counted_by_their_last_attempt(
    store: Open, scope: Scope, job: str | None, sample: int, expected: set[Any]
) -> None:
    def steps(to: Transaction) -> Any:
        jobs = some_retries(to)
        job_id = None if job is None else jobs[job].id
        return to.retried_groups(scope, RunFilter(), job_id=job_id, sample=sample)

    found = written(store, steps)

    assert counted(each.group for each in found) == expected


def test_a_group_of_retries_tells_its_times_and_its_only_job(store: Open) -> None:
    def steps(to: Transaction) -> Any:
        some_retries(to)
        return to.retried_groups(EVERYWHERE, RunFilter(), sample=99)

    found = {each.group.kind.host: each for each in written(store, steps)}

    one, two = found["one.example"], found["two.example"]
    assert (one.next_at, one.group.first_at, one.group.last_at) == (at(101), at(12), at(14))
    assert (one.group.only_job, one.group.status_code) == (None, None)
    assert (two.group.only_job, two.group.status_code) == (
        NamedJob(a_key("Reports", "Other"), "c"),
        503,
    )


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        pytest.param({}, [4, 3, 2, 1], id="all"),
        pytest.param({"host": "one.example"}, [3, 2, 1], id="host"),
        pytest.param({"reason": "HttpStatus", "host": "two.example"}, [4], id="reason and host"),
        pytest.param({"reason": ""}, [], id="without a reason"),
        pytest.param({"trigger": Trigger.MANUAL}, [], id="trigger"),
    ],
)
def test_runs_that_wait_for_a_retry_are_listed_by_their_last_attempt(
    store: Open, wanted: dict[str, Any], expected: list[int]
) -> None:
    def steps(to: Transaction) -> Any:
        some_retries(to)
        return to.open_runs(EVERYWHERE, RunFilter(outcome=OpenRuns.RETRIED, **wanted))

    found = written(store, steps)

    assert [(each.run.expected_at - NOW) // SECOND for each in found] == expected


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        pytest.param({"outcome": OpenState.WAITING, "reason": "Timeout"}, [3, 2, 1], id="waiting"),
        pytest.param({"outcome": OpenRuns.ALL, "host": "two.example"}, [4], id="open"),
        pytest.param({"outcome": OpenState.RUNNING, "reason": "Timeout"}, [], id="running"),
        pytest.param({"reason": "Timeout"}, [3, 2, 1], id="any"),
    ],
)
def test_open_runs_are_found_by_the_reason_and_the_host_of_their_last_attempt(
    store: Open, wanted: dict[str, Any], expected: list[int]
) -> None:
    def steps(to: Transaction) -> Any:
        some_retries(to)
        return to.open_runs(EVERYWHERE, RunFilter(**wanted))

    found = written(store, steps)

    assert [(each.run.expected_at - NOW) // SECOND for each in found] == expected


@pytest.mark.parametrize(
    ("wanted", "is_found"),
    [
        pytest.param({}, True, id="all"),
        pytest.param({"reason": "", "host": ""}, True, id="neither reason nor host"),
        pytest.param({"host": ""}, True, id="no host"),
        pytest.param({"reason": "Timeout"}, False, id="a reason"),
        pytest.param({"reason": "", "host": "one.example"}, False, id="a host"),
    ],
)
def test_a_run_whose_attempts_are_deleted_waits_without_a_reason(
    store: Open, wanted: dict[str, Any], *, is_found: bool
) -> None:
    def steps(to: Transaction) -> Any:
        run = to.add_run(a_run(two_collections(to)["a"], second=1, attempt=2, due_at=at(60)))
        found = to.open_runs(EVERYWHERE, RunFilter(outcome=OpenRuns.RETRIED, **wanted))
        return [each.run.id for each in found] == [run.id]

    assert written(store, steps) == is_found


@pytest.mark.parametrize(
    ("scope", "wanted", "sample", "expected"),
    [
        pytest.param(
            EVERYWHERE,
            {"outcome": FAILED},
            99,
            {
                ("Timeout one.example", 2, 3),
                ("HttpStatus two.example", 1, 1),
                ("no reason", 1, 1),
            },
            id="all",
        ),
        pytest.param(
            BILLING,
            {"outcome": FAILED},
            99,
            {("Timeout one.example", 2, 3), ("no reason", 1, 1)},
            id="of a collection",
        ),
        pytest.param(
            EVERYWHERE,
            {"outcome": FAILED, "host": "two.example"},
            99,
            {("HttpStatus two.example", 1, 1)},
            id="of a host",
        ),
        pytest.param(
            EVERYWHERE,
            {"outcome": FAILED, "reason": ""},
            99,
            {("no reason", 1, 1)},
            id="without a reason",
        ),
        pytest.param(
            EVERYWHERE,
            {"outcome": RunOutcome.RECOVERED},
            99,
            {("one.example", 1, 1)},
            id="recovered",
        ),
        pytest.param(
            EVERYWHERE,
            {"outcome": FAILED, "since": at(4), "until": at(5)},
            99,
            {("Timeout one.example", 1, 1), ("HttpStatus two.example", 1, 1)},
            id="in a period",
        ),
        pytest.param(
            EVERYWHERE,
            {"outcome": FAILED},
            2,
            {("HttpStatus two.example", 1, 1), ("no reason", 1, 1)},
            id="the newest alone",
        ),
        pytest.param(
            BILLING,
            {"outcome": FAILED},
            2,
            {("Timeout one.example", 1, 1), ("no reason", 1, 1)},
            id="the newest of a collection",
        ),
        pytest.param(
            Scope(group="other"),
            {"outcome": FAILED},
            1,
            {("HttpStatus two.example", 1, 1)},
            id="newer ones outside the scope hide none inside",
        ),
    ],
)
def test_failures_are_counted_by_reason_and_host(
    store: Open, scope: Scope, wanted: dict[str, Any], sample: int, expected: set[Any]
) -> None:
    written(store, some_failures)

    seen = written(store, lambda to: to.failure_groups(scope, RunFilter(**wanted), sample=sample))

    assert counted(seen) == expected


def test_failures_of_a_job_are_counted(store: Open) -> None:
    jobs = written(store, some_failures)
    failed = RunFilter(outcome=FAILED)

    seen = written(
        store, lambda to: to.failure_groups(BILLING, failed, job_id=jobs["a"].id, sample=9)
    )

    assert counted(seen) == {("Timeout one.example", 1, 2)}


def test_a_group_tells_when_its_first_and_its_last_run_ended(store: Open) -> None:
    written(store, some_failures)
    timeouts = RunFilter(outcome=FAILED, reason="Timeout")

    (group,) = written(store, lambda to: to.failure_groups(EVERYWHERE, timeouts, sample=9))

    assert (group.first_at, group.last_at) == (at(2), at(4))


def test_failures_of_a_deleted_job_are_not_counted(store: Open) -> None:
    def steps(to: Transaction) -> Any:
        jobs = some_failures(to)
        to.delete_job(jobs["c"].id)
        return to.failure_groups(EVERYWHERE, RunFilter(outcome=FAILED), sample=9)

    assert ("HttpStatus two.example", 1, 1) not in counted(written(store, steps))


def test_a_failed_run_counts_as_rerun_exactly_when_a_redrive_would_leave_it_out(
    store: Open,
) -> None:
    """Runs of a: 1 is made again well, 2 badly, 3 is open again, 4 is not, 5 is only skipped."""
    again = {"run_id": 99, "trigger": Trigger.REDRIVE}

    def steps(to: Transaction) -> Any:
        job = two_collections(to)["a"]
        to.add_history(*(ended(job.id, second, FAILED, **TIMEOUT) for second in range(1, 6)))
        to.add_history(
            ended(job.id, 1, RunOutcome.SUCCEEDED, **again),
            ended(job.id, 2, FAILED, **TIMEOUT, **again),
            ended(job.id, 5, RunOutcome.SKIPPED, run_id=None, trigger=None),
        )
        history = to.ended_runs_by_planned_time(job.id, NOW, at(9))
        third = [each for each in history if each.expected_at == at(3)]
        to.plan_runs(redrive(job, third, lambda: "tag"))
        ended_again = to.ended_runs_by_planned_time(job.id, NOW, at(9))
        left = failed_entries(Present(ended_again, to.runs(job.id)))
        wanted = RunFilter(outcome=FAILED)
        groups = [to.failure_groups(each, wanted, sample=99) for each in (EVERYWHERE, BILLING)]
        return [each.expected_at for each in left], [group for (group,) in groups]

    left, groups = written(store, steps)

    assert left == [at(2), at(4), at(5)]
    assert [(each.runs, each.rerun, each.to_rerun) for each in groups] == [(6, 3, len(left))] * 2


def test_a_group_tells_its_only_job_and_its_only_status(store: Open) -> None:
    def steps(to: Transaction) -> Any:
        jobs = some_failures(to)
        first = to.failure_groups(EVERYWHERE, RunFilter(outcome=FAILED), sample=99)
        to.add_history(ended(jobs["c"].id, 10, FAILED, **STATUS | {"status_code": 500}))
        return first, to.failure_groups(EVERYWHERE, RunFilter(reason="HttpStatus"), sample=99)

    first, (mixed,) = written(store, steps)
    named = {each.kind.reason: (each.only_job, each.status_code) for each in first}

    assert named["Timeout"] == (None, None)
    assert named["HttpStatus"] == (NamedJob(a_collection("Reports", group="Other").key, "c"), 503)
    assert mixed.status_code is None


def a_mute(**fields: Any) -> FailureMute:
    mute = FailureMute(
        scope=EVERYWHERE,
        kind=FailureKind("Timeout", "one.example"),
        until=Instant(NOW + DAY),
        muted_at=NOW,
        muted_by="anna",
    )
    return replace(mute, **fields)


def test_a_mute_holds_until_it_ends(store: Open) -> None:
    written(store, lambda to: to.mute_failures(a_mute()))

    before = written(store, lambda to: to.failure_mutes(Instant(NOW + DAY - 1)))
    after = written(store, lambda to: to.failure_mutes(Instant(NOW + DAY)))

    assert (before, after) == ([a_mute()], [])


def test_a_mute_replaces_an_earlier_one_of_the_same_failures(store: Open) -> None:
    later = a_mute(muted_at=Instant(NOW + HOUR), until=Instant(NOW + DAY + HOUR), muted_by="bert")
    narrow = a_mute(scope=BILLING)
    other = a_mute(kind=FailureKind("Timeout", ""))

    def steps(to: Transaction) -> Any:
        for mute in (a_mute(), narrow, other, later):
            to.mute_failures(mute)
        return to.failure_mutes(NOW)

    found = written(store, steps)

    assert sorted(found, key=repr) == sorted([later, narrow, other], key=repr)


def test_failures_are_unmuted_once(store: Open) -> None:
    def steps(to: Transaction) -> Any:
        to.mute_failures(a_mute())
        to.mute_failures(a_mute(scope=BILLING))
        return [to.unmute_failures(BILLING, a_mute().kind) for _ in range(2)]

    assert written(store, steps) == [True, False]
    assert written(store, lambda to: to.failure_mutes(NOW)) == [a_mute()]


def test_mutes_that_have_ended_are_removed_by_the_next_one(store: Open) -> None:
    late = Instant(NOW + 2 * DAY)
    new = a_mute(kind=FailureKind("Timeout", "b"), muted_at=late, until=Instant(late + DAY))

    def steps(to: Transaction) -> Any:
        to.mute_failures(a_mute())
        to.mute_failures(new)
        return to.failure_mutes(NOW)

    assert written(store, steps) == [new]
