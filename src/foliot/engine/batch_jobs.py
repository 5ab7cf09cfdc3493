"""The jobs of a batch as its earlier runs have left them: several runs of one job may be in it."""

from collections.abc import Sequence

from msgspec import structs

from foliot.core.ids import JobId
from foliot.core.model.job import Job
from foliot.core.model.run import DueRun


class BatchJobs:
    """The changed jobs of a batch, each to be stored once at its end."""

    def __init__(self) -> None:
        self._changed: dict[JobId, tuple[Job, int]] = {}

    def current(self, due: DueRun) -> DueRun:
        """Return a run with its job as the earlier runs of the batch have left it."""
        changed = self._changed.get(due.job.id)
        if changed is None:
            return due
        # The definition is the run's own: the store reads it again for a failure only, which needs
        # it as it is now, while the job of an earlier success may have an older one.
        job = structs.replace(changed[0], definition=due.job.definition)
        return structs.replace(due, job=job, open_runs=changed[1])

    def update(self, job: Job, open_runs: int) -> None:
        """Keep a job as it is now, with the number of its open runs."""
        self._changed[job.id] = (job, open_runs)

    def all(self) -> Sequence[Job]:
        """Return all changed jobs."""
        return [job for job, _ in self._changed.values()]
