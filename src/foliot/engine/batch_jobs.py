"""Jobs as they stand in the middle of a batch: several runs of one job may be in it."""

from collections.abc import Sequence

from msgspec import structs

from foliot.core.ids import JobId
from foliot.core.model.job import Job
from foliot.core.model.run import DueRun


class JobBook:
    """What became of each job so far, to be stored once at the end."""

    def __init__(self) -> None:
        self._noted: dict[JobId, tuple[Job, int]] = {}

    def seen(self, due: DueRun) -> DueRun:
        """Return a run with its job as the runs before it have left it."""
        noted = self._noted.get(due.job.id)
        if noted is None:
            return due
        # What the job does is for each to know: one that went well may not have read it again.
        job = structs.replace(noted[0], definition=due.job.definition)
        return structs.replace(due, job=job, open_runs=noted[1])

    def note(self, job: Job, open_runs: int) -> None:
        """Remember a job as it is now, and how many of its runs are open."""
        self._noted[job.id] = (job, open_runs)

    def all(self) -> Sequence[Job]:
        """Return all the jobs that were noted."""
        return [job for job, _ in self._noted.values()]
