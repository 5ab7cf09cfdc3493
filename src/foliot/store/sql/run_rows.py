"""Rows to runs and back, and to due jobs and runs with their collections."""

from collections.abc import Sequence
from typing import Final

from foliot.core.model.job import Definition
from foliot.core.model.run import DueJob, DueRun, Lease, Phase, Run, Trigger
from foliot.store.sealing.keyring import Keyring
from foliot.store.sql.columns import JOB, RUN
from foliot.store.sql.dialect import Row
from foliot.store.sql.job_rows import job_of
from foliot.store.sql.rows import shared_collection_of

# How the columns of a joined row are divided.
JOB_SIZE: Final = len(JOB)
RUN_SIZE: Final = len(RUN)
_RUN_AND_JOB_SIZE: Final = RUN_SIZE + JOB_SIZE
_PHASES: Final = {phase.value: phase for phase in Phase}
# What `is_manual` says: 0 for runs of the calendar; 1 for runs by hand, which a disabled job makes
# too; 2 for redrives and backfills, of which a planned time has one at a time.
_KINDS: Final = {
    Trigger.SCHEDULE: 0,
    Trigger.CATCH_UP: 0,
    Trigger.MANUAL: 1,
    Trigger.REDRIVE: 2,
    Trigger.BACKFILL: 2,
}
_TRIGGERS: Final = {trigger.value: trigger for trigger in Trigger}


def due_job_of(row: Row, keyring: Keyring) -> DueJob:
    """Return the job in a row, with its collection and how many of its runs are open."""
    return DueJob(job_of(row[:JOB_SIZE], keyring), shared_collection_of(row[JOB_SIZE:-1]), row[-1])


def due_run_of(row: Row, keyring: Keyring, known: Definition | None = None) -> DueRun:
    """Return the run in a row, with its job, its collection and how many of its runs are open.

    If its definition does not open, the job has the one that is known.
    """
    return DueRun(
        run_of(row[:RUN_SIZE]),
        job_of(row[RUN_SIZE:_RUN_AND_JOB_SIZE], keyring, known),
        shared_collection_of(row[_RUN_AND_JOB_SIZE:-1]),
        row[-1],
    )


def claims_of(runs: Sequence[Run]) -> list[Row]:
    """Return the ids of runs that are held, with their claims."""
    return [(run.id, run.lease.claim) for run in runs if run.lease is not None]


def run_of(row: Row) -> Run:
    """Return the run in a row."""
    (
        id_,
        job_id,
        generation,
        occurrence,
        expected_at,
        phase,
        attempt,
        due_at,
        tag,
        is_manual,
        trigger,
        node,
        claim,
        lease_until,
    ) = row
    return Run(
        id=id_,
        job_id=job_id,
        generation=generation,
        occurrence=occurrence,
        expected_at=expected_at,
        phase=_PHASES[phase],
        attempt=attempt,
        due_at=due_at,
        tag=tag,
        trigger=_TRIGGERS[trigger] if trigger else _trigger_of_old_node(is_manual),
        lease=None if claim is None else Lease(node, claim, lease_until),
    )


def row_of_new_run(run: Run) -> Row:
    """Return the columns of a new run, in order."""
    # Every run pays for it: `str` takes a quarter of the time of `value`.
    return (
        run.job_id,
        run.generation,
        run.occurrence,
        run.expected_at,
        str(run.phase),
        run.attempt,
        run.due_at,
        run.tag,
        _KINDS[run.trigger],
        str(run.trigger),
        *_row_of_lease(run.lease),
    )


def row_of_changed_run(run: Run) -> Row:
    """Return the id of a run and, in order, the columns that can change."""
    return (run.id, str(run.phase), run.attempt, run.due_at, *_row_of_lease(run.lease))


def _trigger_of_old_node(is_manual: int) -> Trigger:
    """Return the trigger of a run that a node of an older version has stored."""
    return Trigger.MANUAL if is_manual else Trigger.SCHEDULE


def _row_of_lease(lease: Lease | None) -> Row:
    return (None, None, None) if lease is None else (lease.node, lease.claim, lease.until)
