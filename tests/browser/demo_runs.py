"""Open runs of the demo data: one in progress, and one that waits for its retry."""

from msgspec import structs

from foliot.core.instant import HOUR, MINUTE, SECOND, Instant
from foliot.core.model.history import HistoryEntry
from foliot.core.model.job import Job
from foliot.core.model.run import Lease, Run
from foliot.ports.store import Transaction


def add_running(to: Transaction, job: Job, now: Instant) -> None:
    """Add a run that began two seconds ago."""
    at = Instant(now - 2 * SECOND)
    lease = Lease("demo-node", f"claim-{job.id}", Instant(now + HOUR))
    to.add_run(structs.replace(_run(job, at, "0" * 32), lease=lease))


def add_waiting(to: Transaction, job: Job, failed: HistoryEntry, now: Instant) -> HistoryEntry:
    """Add a run that waits for its retry; return its attempt, a copy of one that failed."""
    at = Instant(now - 20 * MINUTE)
    waits = structs.replace(_run(job, at, "1" * 32), attempt=2, due_at=Instant(at + HOUR))
    run = to.add_run(waits)
    took = failed.ended_at - failed.started_at
    return structs.replace(
        failed,
        run_id=run.id,
        tag=run.tag,
        expected_at=at,
        started_at=at,
        ended_at=Instant(at + took),
        repeat_count=failed.repeat_count + 1,
        outcome=None,
    )


def _run(job: Job, at: Instant, tag: str) -> Run:
    return Run(
        job_id=job.id,
        generation=job.generation,
        occurrence=job.occurrence,
        expected_at=at,
        due_at=at,
        tag=tag,
    )
