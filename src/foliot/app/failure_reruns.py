"""Reruns of many failures: first counted exactly, then made, one redrive for each job."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from msgspec import Struct, structs

from foliot.app.failures import mutes_of
from foliot.app.job_batches import change_each
from foliot.app.repeated_runs import RepeatedRuns
from foliot.app.run_records import RunsOf, runs_scope
from foliot.core.access import Principal, require
from foliot.core.errors import FoliotError
from foliot.core.ids import CollectionKey, JobId
from foliot.core.instant import Instant
from foliot.core.model.failure import FailureKind
from foliot.core.model.history import HistoryEntry, RunOutcome
from foliot.core.model.run_record import EndedRun, RunFilter
from foliot.core.model.token import Role
from foliot.core.rules.repeated_runs import Present, failed_entries, range_around
from foliot.ports.clock import Clock
from foliot.ports.store import Reading, Store

# So many failed runs can be made again at once, and so many are looked at for those that are not
# muted.
MOST_RERUN: Final = 1000
MOST_LOOKED_AT: Final = 5000


class JobReruns(Struct, frozen=True):
    """The failed runs of a job that are to be made again: their planned times.

    They are found by the number of the entry in history that says that they failed.
    """

    job_id: JobId
    key: CollectionKey
    job: str
    planned: Mapping[int, Instant]


class RerunPlan(Struct, frozen=True):
    """What a rerun would start: jobs by name; how many runs need none, and if there are more."""

    jobs: Sequence[JobReruns]
    left_out: int = 0
    is_cut: bool = False

    @property
    def runs(self) -> int:
        """How many runs would be started."""
        return sum(len(each.planned) for each in self.jobs)

    @property
    def planned(self) -> Mapping[int, Instant]:
        """The planned time of each run, by the number of its failure."""
        return {number: at for each in self.jobs for number, at in each.planned.items()}


class RefusedRerun(Struct, frozen=True):
    """A job whose runs were not started, and why."""

    of: JobReruns
    reason: FoliotError


class RerunResult(Struct, frozen=True):
    """How many runs were started, and what was refused."""

    started: int
    refusals: Sequence[RefusedRerun] = ()


class FailureReruns:
    """What a caller can do with many failed runs at once: make them again."""

    def __init__(self, store: Store, clock: Clock, repeated_runs: RepeatedRuns) -> None:
        self._store = store
        self._clock = clock
        self._repeated_runs = repeated_runs

    async def plan(
        self,
        who: Principal,
        of: RunsOf,
        wanted: RunFilter,
        confirmed: Mapping[int, Instant] | None = None,
    ) -> RerunPlan:
        """Find the failed runs that pass a filter, are not muted, and were not made again yet.

        Of confirmed runs, those alone.
        """
        failed = structs.replace(wanted, outcome=RunOutcome.FAILED)
        now = self._clock.now()

        def view(reading: Reading) -> RerunPlan:
            scope, job_id = runs_scope(reading, who, of)
            found = reading.ended_runs(scope, failed, job_id=job_id, limit=MOST_LOOKED_AT)
            # A caller who names reason and host has chosen a group, muted or not.
            is_chosen = wanted.reason is not None and wanted.host is not None
            muted = {} if is_chosen else mutes_of(reading, scope, now)
            shown = [each for each in found if _kind_of(each) not in muted]
            # Before the rest is cut off: others may have failed since.
            kept = [each for each in shown if confirmed is None or each.entry.number in confirmed]
            is_cut = len(found) == MOST_LOOKED_AT or len(shown) > MOST_RERUN
            return _plan(reading, kept[:MOST_RERUN], is_cut=is_cut)

        require(who, Role.CONTRIBUTOR)
        return await self._store.browse(view)

    async def rerun(
        self, who: Principal, plan: RerunPlan, new_tag: Callable[[], str]
    ) -> RerunResult:
        """Make the runs of a plan again, as far as the rules of each job and plan allow."""
        require(who, Role.CONTRIBUTOR)
        results = await change_each(
            plan.jobs,
            lambda each: self._repeated_runs.redrive(
                who, each.key, each.job, frozenset(each.planned.values()), new_tag
            ),
        )
        started, refusals = 0, list[RefusedRerun]()
        for each, result in results:
            if isinstance(result, FoliotError):
                refusals.append(RefusedRerun(each, result))
            else:
                started += result.planned
        return RerunResult(started, refusals)


def _plan(reading: Reading, shown: Sequence[EndedRun], *, is_cut: bool) -> RerunPlan:
    by_job: defaultdict[JobId, list[EndedRun]] = defaultdict(list)
    for each in shown:
        by_job[each.entry.job_id].append(each)
    jobs: list[JobReruns] = []
    for job_id, runs in by_job.items():
        planned = _not_made_again(reading, job_id, [each.entry for each in runs])
        if planned:
            jobs.append(JobReruns(job_id, runs[0].key, runs[0].job, planned))
    left_out = len(shown) - sum(len(each.planned) for each in jobs)
    ordered = sorted(jobs, key=lambda each: (each.key.folded, each.job.lower()))
    return RerunPlan(ordered, left_out, is_cut)


def _not_made_again(
    reading: Reading, job_id: JobId, runs: Sequence[HistoryEntry]
) -> Mapping[int, Instant]:
    range_ = range_around(entry.expected_at for entry in runs)
    ended = reading.ended_runs_by_planned_time(job_id, range_.since, range_.before)
    present = Present(ended, reading.runs(job_id))
    # One that has failed again since, for another reason say, belongs to the group of that failure.
    numbers = {entry.number for entry in runs}
    return {
        entry.number: entry.expected_at
        for entry in failed_entries(present)
        if entry.number in numbers
    }


def _kind_of(run: EndedRun) -> FailureKind:
    return FailureKind(run.entry.reason or "", run.entry.host or "")
