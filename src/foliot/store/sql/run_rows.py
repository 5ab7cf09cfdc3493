"""Rows to runs and back, and to what is due, in its job and its collection."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from msgspec.structs import replace

from foliot.core.model.job import Definition, Job
from foliot.core.model.run import DueJob, DueRun, Lease, Phase, Run
from foliot.store.sealing.keyring import Keyring
from foliot.store.sql.rows import JOB_SIZE, JOB_STATES, Row, collection_of, job_of

# How the columns of a joined row are divided.
RUN_SIZE: Final = 13
_RUN_AND_JOB_SIZE: Final = RUN_SIZE + JOB_SIZE
_DUE_COLLECTIONS: Final = 1024
_PHASES: Final = {phase.value: phase for phase in Phase}

# Many that are due are of one collection: it is made once for as long as its row is the same.
_shared_collection_of = lru_cache(_DUE_COLLECTIONS)(collection_of)


def due_job_of(row: Row, keyring: Keyring) -> DueJob:
    """Return the job in a row, with its collection and how many of its runs are open."""
    return DueJob(job_of(row[:JOB_SIZE], keyring), _shared_collection_of(row[JOB_SIZE:-1]), row[-1])


def due_run_of(row: Row, keyring: Keyring, known: Definition | None = None) -> DueRun:
    """Return the run in a row, with its job, its collection and how many of its runs are open.

    A definition that does not open is the one that is known of it.
    """
    return DueRun(
        run_of(row[:RUN_SIZE]),
        job_of(row[RUN_SIZE:_RUN_AND_JOB_SIZE], keyring, known),
        _shared_collection_of(row[_RUN_AND_JOB_SIZE:-1]),
        row[-1],
    )


def standing_of(row: Row, claimed: DueRun) -> DueRun:
    """Return a claimed run with its job as it stands now."""
    (
        _,
        state,
        calendar_at,
        next_at,
        occurrence,
        generation,
        last_execution_at,
        execution_count,
        failure_count,
        faulted_count,
        settled_at,
        settled_well,
        ended_at,
        open_runs,
    ) = row
    job = replace(
        claimed.job,
        state=JOB_STATES[state],
        calendar_at=calendar_at,
        next_at=next_at,
        occurrence=occurrence,
        generation=generation,
        last_execution_at=last_execution_at,
        execution_count=execution_count,
        failure_count=failure_count,
        faulted_count=faulted_count,
        settled_at=settled_at,
        settled_well=bool(settled_well),
        ended_at=ended_at,
    )
    return DueRun(claimed.run, job, claimed.collection, open_runs)


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
        is_manual=bool(is_manual),
        lease=None if claim is None else Lease(node, claim, lease_until),
    )


def row_of_new_run(run: Run) -> Row:
    """Return the columns of a new run, in order."""
    return (
        run.job_id,
        run.generation,
        run.occurrence,
        run.expected_at,
        run.phase.value,
        run.attempt,
        run.due_at,
        run.tag,
        run.is_manual,
        *_row_of_lease(run.lease),
    )


def row_of_changed_run(run: Run) -> Row:
    """Return the id of a run and, in order, the columns that can change."""
    return (run.id, run.phase.value, run.attempt, run.due_at, *_row_of_lease(run.lease))


def row_of_place(job: Job) -> Row:
    """Return where a job stands, in order, then its id and its state."""
    return (
        job.calendar_at,
        job.next_at,
        job.occurrence,
        job.generation,
        job.last_execution_at,
        job.execution_count,
        job.failure_count,
        job.faulted_count,
        job.settled_at,
        job.settled_well,
        job.id,
        job.state.value,
    )


def row_of_advance(job: Job) -> Row:
    """Return the id and the state of a job, then what planning changes."""
    return (job.id, job.state.value, job.next_at, job.occurrence, job.execution_count)


def row_of_settlement(job: Job) -> Row:
    """Return the id and the state of a job, then what an attempt changes."""
    return (
        job.id,
        job.state.value,
        job.last_execution_at,
        job.failure_count,
        job.faulted_count,
        job.settled_at,
        job.settled_well,
    )


def _row_of_lease(lease: Lease | None) -> Row:
    return (None, None, None) if lease is None else (lease.node, lease.claim, lease.until)
