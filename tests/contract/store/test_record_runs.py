"""Entries from before runs were recorded get the outcomes of their runs when a store is opened."""

from typing import Any

import pytest

from foliot.core.ids import JobId
from foliot.core.model.history import AttemptStatus, RunOutcome
from foliot.core.model.run import Phase
from foliot.ports.store import Transaction
from tests.support.builders import NOW, a_run, an_entry
from tests.support.store_harness import Open, with_jobs, written

FAILED, DONE = AttemptStatus.FAILED, AttemptStatus.COMPLETED
SUCCEEDED, RECOVERED = RunOutcome.SUCCEEDED, RunOutcome.RECOVERED

# (retry count, status, is error action) of the attempts of one occurrence, and the outcomes.
OCCURRENCES = [
    pytest.param([(0, DONE, False)], [SUCCEEDED], id="a success"),
    pytest.param(
        [(0, FAILED, False), (1, DONE, False)], [None, RECOVERED], id="a success after a retry"
    ),
    pytest.param(
        [(0, FAILED, False), (1, FAILED, False)], [None, RunOutcome.FAILED], id="given up"
    ),
    pytest.param(
        [(0, FAILED, False), (0, DONE, True)],
        [RunOutcome.FAILED, None],
        id="given up, with an error action that succeeded",
    ),
    pytest.param(
        [(0, FAILED, False), (0, FAILED, True), (1, FAILED, True)],
        [RunOutcome.FAILED, None, None],
        id="given up, with an error action that was retried",
    ),
    pytest.param(
        [(0, AttemptStatus.POSTPONED, False)], [RunOutcome.SKIPPED], id="skipped occurrences"
    ),
]


def add_old_entries(to: Transaction, job_id: JobId, rows: Any) -> None:
    to.add_history(
        *(
            an_entry(
                job_id,
                second=second,
                expected_at=NOW,
                retry_count=retry_count,
                status=status,
                is_error_action=is_error_action,
                run_id=None,
            )
            for second, (retry_count, status, is_error_action) in enumerate(rows)
        )
    )


@pytest.mark.parametrize(("rows", "outcomes"), OCCURRENCES)
def test_the_last_attempt_of_an_occurrence_gets_the_outcome_of_its_run(
    store: Open, rows: Any, outcomes: list[RunOutcome | None]
) -> None:
    def steps(to: Transaction) -> JobId:
        _, (job, other) = with_jobs(to, "a", "b")
        add_old_entries(to, job.id, rows)
        add_old_entries(to, other.id, [(1, DONE, False)])
        return job.id

    job_id = written(store, steps)
    entries = written(store, lambda to: to.history(job_id))

    assert [each.outcome for each in reversed(entries)] == outcomes
    assert {each.run_id for each in entries} == {0}


@pytest.mark.parametrize(
    ("phase", "outcome"), [(Phase.MAIN, None), (Phase.ERROR, RunOutcome.FAILED)]
)
def test_the_attempts_of_an_open_run_get_its_number(
    store: Open, phase: Phase, outcome: RunOutcome | None
) -> None:
    def steps(to: Transaction) -> tuple[JobId, int]:
        _, (job,) = with_jobs(to, "a")
        run = to.add_run(a_run(job, phase=phase, attempt=2))
        add_old_entries(to, job.id, [(0, FAILED, False)])
        return job.id, run.id

    job_id, run_id = written(store, steps)
    (entry,) = written(store, lambda to: to.history(job_id))

    assert (entry.run_id, entry.outcome) == (run_id, outcome)


def test_attempts_of_one_old_occurrence_belong_together(store: Open) -> None:
    def steps(to: Transaction) -> JobId:
        _, (job,) = with_jobs(to, "a")
        add_old_entries(to, job.id, [(0, FAILED, False), (1, FAILED, False), (0, DONE, True)])
        to.add_history(an_entry(job.id, second=9, repeat_count=5, run_id=None))
        return job.id

    job_id = written(store, steps)
    entries = written(store, lambda to: to.history(job_id))
    (failed,) = [each for each in entries if each.outcome is RunOutcome.FAILED]
    (attempts,) = written(store, lambda to: to.attempts_of([failed]))

    assert attempts == [*reversed(entries)][:3]
