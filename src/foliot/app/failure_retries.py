"""Retries of many waiting runs: first counted exactly, then made, one change for each job."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Final

from msgspec import Struct, structs

from foliot.app.failures import MOST_RETRIES_COUNTED, mutes_of
from foliot.app.run_records import RunsOf, runs_scope
from foliot.app.run_retries import RetryCount, RunRetries
from foliot.core.access import Principal, require
from foliot.core.errors import CollectionNotFound, FoliotError, JobNotFound
from foliot.core.ids import CollectionKey
from foliot.core.instant import Instant
from foliot.core.model.failure import FailureKind
from foliot.core.model.history import HistoryEntry
from foliot.core.model.run_record import OpenRun, OpenRuns, RunFilter
from foliot.core.model.token import Role
from foliot.core.rules.retries import is_retried_later, waits_for_retry
from foliot.ports.clock import Clock
from foliot.ports.store import Reading, Store

# So many waiting runs can be retried at once.
MOST_RETRIED: Final = 1000
_AT_A_TIME: Final = 50
_FINGERPRINT_BYTES: Final = 12


class JobRetries(Struct, frozen=True):
    """The waiting runs of a job: the number of the next attempt by tag."""

    key: CollectionKey
    job: str
    attempts: Mapping[str, int]


class RetryPlan(Struct, frozen=True, kw_only=True):
    """What a retry would make due: jobs by name.

    `muted` and `due` tell how many runs it leaves out: those of muted failures, and those that are
    due already. With `is_cut` there are more than can be retried at once.
    """

    jobs: Sequence[JobRetries]
    muted: int = 0
    due: int = 0
    is_cut: bool = False

    @property
    def runs(self) -> int:
        """How many runs would be retried."""
        return sum(len(each.attempts) for each in self.jobs)

    @property
    def fingerprint(self) -> str:
        """What differs if other runs would be retried, or other attempts of them made."""
        attempts = (f"{tag} {attempt}" for of in self.jobs for tag, attempt in of.attempts.items())
        text = "\n".join(sorted(attempts))
        return blake2b(text.encode(), digest_size=_FINGERPRINT_BYTES).hexdigest()


class RefusedRetries(Struct, frozen=True):
    """A job of which runs were not retried: how many, and why."""

    job: str
    runs: int
    reason: FoliotError


class RetryResult(Struct, frozen=True):
    """What became of the runs of a plan, and what was refused."""

    count: RetryCount
    refusals: Sequence[RefusedRetries] = ()


class FailureRetries:
    """What a caller can do with many runs that wait for a retry at once: retry them now."""

    def __init__(self, store: Store, clock: Clock, run_retries: RunRetries) -> None:
        self._store = store
        self._clock = clock
        self._run_retries = run_retries

    async def plan(self, who: Principal, of: RunsOf, wanted: RunFilter) -> RetryPlan:
        """Find the runs that pass a filter, wait for a retry and are not muted, of any time."""
        wanted = structs.replace(wanted, outcome=OpenRuns.RETRIED, since=None, until=None)
        now = self._clock.now()

        def view(reading: Reading) -> RetryPlan:
            scope, job_id = runs_scope(reading, who, of)
            found = reading.open_runs(scope, wanted, job_id=job_id, limit=MOST_RETRIES_COUNTED)
            waiting = [each for each in found if waits_for_retry(each.run)]
            # Who names reason and host has chosen a group, muted or not.
            is_chosen = wanted.reason is not None and wanted.host is not None
            muted = {} if is_chosen else mutes_of(reading, scope, now)
            shown = _without(reading, waiting, muted) if muted else waiting
            later = [each for each in shown if is_retried_later(each.run, now)]
            is_cut = len(found) == MOST_RETRIES_COUNTED or len(later) > MOST_RETRIED
            return RetryPlan(
                jobs=_by_job(sorted(later, key=_due_at)[:MOST_RETRIED]),
                muted=len(waiting) - len(shown),
                due=len(shown) - len(later),
                is_cut=is_cut,
            )

        require(who, Role.CONTRIBUTOR)
        return await self._store.browse(view)

    async def retry(self, who: Principal, plan: RetryPlan) -> RetryResult:
        """Retry the runs of a plan, as far as the same attempt is still their next one."""
        require(who, Role.CONTRIBUTOR)
        counts: list[RetryCount] = []
        refusals: list[RefusedRetries] = []
        for start in range(0, len(plan.jobs), _AT_A_TIME):
            part = plan.jobs[start : start + _AT_A_TIME]
            results = await asyncio.gather(
                *(self._run_retries.retry_runs(who, of.key, of.job, of.attempts) for of in part),
                return_exceptions=True,
            )
            for each, result in zip(part, results, strict=True):
                match result:
                    case JobNotFound() | CollectionNotFound():
                        counts.append(RetryCount(changed=len(each.attempts)))
                    case FoliotError():
                        refusals.append(RefusedRetries(each.job, len(each.attempts), result))
                    case BaseException():
                        raise result
                    case _:
                        counts.append(result)
        total = RetryCount(*map(sum, zip(*map(structs.astuple, counts), strict=True)))
        return RetryResult(total, refusals)


def _without(
    reading: Reading, runs: Sequence[OpenRun], muted: Mapping[FailureKind, object]
) -> Sequence[OpenRun]:
    """Return the runs whose last failures are not muted."""
    attempts = reading.attempts_so_far([each.run for each in runs])
    kinds = [_last_failure(made) for made in attempts]
    return [each for each, kind in zip(runs, kinds, strict=True) if kind not in muted]


def _last_failure(attempts: Sequence[HistoryEntry]) -> FailureKind:
    # By number and not by time: a clock may have been set back between two attempts.
    last = max(attempts, key=lambda each: each.number, default=None)
    return FailureKind("", "") if last is None else FailureKind(last.reason or "", last.host or "")


def _due_at(run: OpenRun) -> tuple[Instant, int]:
    # Those that are due first come first: what was retried and failed again comes after the rest.
    return run.run.due_at or Instant(0), run.run.id


def _by_job(runs: Sequence[OpenRun]) -> Sequence[JobRetries]:
    attempts: defaultdict[tuple[CollectionKey, str], dict[str, int]] = defaultdict(dict)
    for each in runs:
        attempts[each.key, each.job][each.run.tag] = each.run.attempt
    jobs = [JobRetries(key, job, of) for (key, job), of in attempts.items()]
    return sorted(jobs, key=lambda each: (each.key.folded, each.job.lower()))
