"""What lists and the page of a job tell of its last run, and of runs that are retried."""

from typing import Any

from msgspec import structs

from foliot.core.instant import HOUR, MINUTE, SECOND, Instant
from foliot.core.model.history import RunOutcome
from foliot.ports.store import Transaction
from tests.portal.browser import COLLECTION, JOB, Browser
from tests.portal.jobs import change, stored, with_job
from tests.portal.test_run_pages import a_run_of
from tests.support.builders import NOW, a_lease, a_run

SUCCEEDED, FAILED = RunOutcome.SUCCEEDED, RunOutcome.FAILED
WAITS = "1 run waits for its retry after a failure: in 58 min"


def retried(billing: Browser, name: str = "Nightly", *, outcome: Any = SUCCEEDED) -> Any:
    """Add a job that succeeded an hour before NOW; then a run failed, and waits for its retry."""
    with_job(billing, name, recurrence={"frequency": "day"})
    job = stored(billing, name)

    def happen(to: Transaction) -> None:
        run = to.add_run(a_run(job, attempt=2, due_at=Instant(NOW + HOUR), tag=name))
        if outcome is not None:
            to.add_history(a_run_of(job, -3600, outcome, run_id=run.id + 1))
        failed = a_run_of(job, 0, FAILED, run_id=run.id)
        to.add_history(structs.replace(failed, outcome=None))
        to.advance_job(structs.replace(job, last_execution_at=NOW, last_outcome=outcome))

    change(billing, happen)
    billing.set_time("2026-01-10T00:01:30Z")
    return job


def test_the_last_run_of_a_job_is_the_one_that_ended_and_a_retry_stands_beside_it(
    billing: Browser,
) -> None:
    retried(billing)

    for path in (JOB, COLLECTION, "/jobs"):
        words = billing.get(path).words
        assert WAITS in words
        assert "1 min ago succeeded" not in words
        assert "succeeded 1 min ago" not in words
    assert "Last run 1 h ago succeeded" in billing.get(JOB).words
    assert "succeeded 1 h ago" in billing.get(COLLECTION).words


def test_a_job_whose_first_run_is_retried_has_no_last_run(billing: Browser) -> None:
    retried(billing, outcome=None)

    assert f"Last run \N{EN DASH} {WAITS}" in billing.get(JOB).words
    assert f"\N{EN DASH} {WAITS}" in billing.get("/jobs").words


def test_a_retry_in_progress_is_told(billing: Browser) -> None:
    job = retried(billing)
    change(billing, lambda to: to.delete_runs(to.runs(job.id)))
    change(billing, lambda to: to.add_run(a_run(job, attempt=2, lease=a_lease())))

    assert "1 run is being retried after a failure" in billing.get(JOB).words
    assert "1 run is being retried after a failure" in billing.get(COLLECTION).words


def test_a_canceled_run_is_the_last_one_with_its_own_time(billing: Browser) -> None:
    with_job(billing, recurrence={"frequency": "day"})
    job = stored(billing)
    ended = a_run_of(job, 60, RunOutcome.CANCELED)

    def happen(to: Transaction) -> None:
        to.add_history(a_run_of(job, -3600, SUCCEEDED), ended)
        last = Instant(NOW - 3600 * SECOND)
        canceled = RunOutcome.CANCELED
        to.advance_job(structs.replace(job, last_execution_at=last, last_outcome=canceled))

    change(billing, happen)
    billing.set_time("2026-01-10T00:03:00Z")

    assert "Last run 2 min ago canceled" in billing.get(JOB).words
    assert "canceled 2 min ago" in billing.get(COLLECTION).words


def test_the_filter_of_failed_jobs_finds_those_that_are_retried(billing: Browser) -> None:
    retried(billing, "retried")
    with_job(billing, "idle")

    for path in (COLLECTION, "/jobs"):
        failed = billing.get(f"{path}?outcome=failed").words
        succeeded = billing.get(f"{path}?outcome=succeeded").words
        assert ("retried" in failed, "idle" in failed) == (True, False)
        assert WAITS in succeeded
        assert "No jobs match" in billing.get(f"{path}?outcome=canceled").words


def test_a_list_is_refreshed_when_a_run_is_retried(billing: Browser) -> None:
    job = retried(billing)
    live = billing.get(COLLECTION).text.split('hx-get="')[1:]
    address = next(each for each in live if "seen=" in each).split('"')[0].replace("&amp;", "&")
    unchanged = billing.part(address).status
    later = a_run(job, second=1, attempt=2, due_at=Instant(NOW + MINUTE), tag="other")
    change(billing, lambda to: to.add_run(later))

    assert (unchanged, billing.part(address).status) == (204, 200)
    assert "2 runs wait for a retry after a failure: due now" in billing.get(COLLECTION).words
