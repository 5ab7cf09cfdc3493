"""Retries of many waiting runs: first counted exactly, then made, each by its tag."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from msgspec import Struct, structs

from foliot.app.failures import Failures
from foliot.app.listing_page import Page
from foliot.app.run_records import RunRecords, RunsOf
from foliot.app.runs import Runs
from foliot.core.access import Principal
from foliot.core.errors import CollectionNotFound, FoliotError, JobNotFound, RunNotFound
from foliot.core.ids import CollectionKey
from foliot.core.model.failure import FailureKind
from foliot.core.model.run_record import OpenRun, OpenRuns, RunFilter
from foliot.core.rules.retries import waits_for_retry

# So many waiting runs can be retried at once.
MOST_RETRIED: Final = 1000
_AT_A_TIME: Final = 50


class JobRetries(Struct, frozen=True):
    """The tags of the waiting runs of a job."""

    key: CollectionKey
    job: str
    tags: Sequence[str]


class RetryPlan(Struct, frozen=True):
    """What a retry would make due: jobs by name; how many runs are muted, and if there are more."""

    jobs: Sequence[JobRetries]
    muted: int = 0
    is_cut: bool = False

    @property
    def runs(self) -> int:
        """How many runs would be retried."""
        return sum(len(each.tags) for each in self.jobs)


class RefusedRetries(Struct, frozen=True):
    """A job of which runs were not retried: how many, and why the first was not."""

    job: str
    runs: int
    reason: FoliotError


class RetryResult(Struct, frozen=True):
    """How many runs are retried, how many had ended, and what was refused."""

    retried: int
    ended: int = 0
    refusals: Sequence[RefusedRetries] = ()


class FailureRetries:
    """What a caller can do with many runs that wait for a retry at once: retry them now."""

    def __init__(self, failures: Failures, run_records: RunRecords, runs: Runs) -> None:
        self._failures = failures
        self._run_records = run_records
        self._runs = runs

    async def plan(self, who: Principal, of: RunsOf, wanted: RunFilter) -> RetryPlan:
        """Find the runs that pass a filter, wait for a retry and are not muted, of any time."""
        wanted = structs.replace(wanted, outcome=OpenRuns.RETRIED, since=None, until=None)
        report = await self._failures.retries(who, of, wanted)
        found = await self._run_records.list_runs(who, of, wanted, Page(MOST_RETRIED + 1))
        waiting = [run for run in found if isinstance(run, OpenRun) and waits_for_retry(run.run)]
        # Who names reason and host has chosen a group, muted or not.
        is_chosen = wanted.reason is not None and wanted.host is not None
        shown = {each.group.kind for each in report.groups}
        chosen = [run for run in waiting[:MOST_RETRIED] if is_chosen or _last_failure(run) in shown]
        muted = 0 if is_chosen else report.muted_runs
        return RetryPlan(_by_job(chosen), muted, is_cut=len(found) > MOST_RETRIED)

    async def retry(self, who: Principal, plan: RetryPlan) -> RetryResult:
        """Retry the runs of a plan, as far as they still wait for their retry."""
        runs = [(each, tag) for each in plan.jobs for tag in each.tags]
        refused: defaultdict[int, list[FoliotError]] = defaultdict(list)
        retried = ended = 0
        for start in range(0, len(runs), _AT_A_TIME):
            part = runs[start : start + _AT_A_TIME]
            results = await asyncio.gather(
                *(self._runs.retry_run(who, of.key, of.job, tag) for of, tag in part),
                return_exceptions=True,
            )
            for (of, _), result in zip(part, results, strict=True):
                match result:
                    case RunNotFound() | JobNotFound() | CollectionNotFound():
                        ended += 1
                    case FoliotError():
                        refused[plan.jobs.index(of)].append(result)
                    case BaseException():
                        raise result
                    case _:
                        retried += 1
        refusals = [
            RefusedRetries(plan.jobs[place].job, len(reasons), reasons[0])
            for place, reasons in refused.items()
        ]
        return RetryResult(retried, ended, refusals)


def _by_job(runs: Sequence[OpenRun]) -> Sequence[JobRetries]:
    tags: defaultdict[tuple[CollectionKey, str], list[str]] = defaultdict(list)
    for each in runs:
        tags[each.key, each.job].append(each.run.tag)
    jobs = [JobRetries(key, job, of) for (key, job), of in tags.items()]
    return sorted(jobs, key=lambda each: (each.key.folded, each.job.lower()))


def _last_failure(run: OpenRun) -> FailureKind:
    last = run.attempts[-1] if run.attempts else None
    return FailureKind("", "") if last is None else FailureKind(last.reason or "", last.host or "")
