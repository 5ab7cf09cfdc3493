"""Runs, open and ended: of a job, of a collection, of a subscription."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import structs

from foliot.app.listing_page import Page
from foliot.app.lookup import check_sight_of_group, find_collection, find_job
from foliot.core.access import Principal
from foliot.core.ids import CollectionKey, JobId
from foliot.core.model.history import AttemptStatus, HistoryEntry, RunOutcome
from foliot.core.model.run_record import EndedRun, OpenRun, RunFilter
from foliot.core.model.token import Scope
from foliot.ports.store import Reading, Store


class RunsOf(NamedTuple):
    """Whose runs: those of a subscription, of a collection, or of a job."""

    subscription: str
    key: CollectionKey | None = None
    job: str | None = None


class RunKey(NamedTuple):
    """Where a run stands in a listing: open runs come first, by id; then entries, by number."""

    is_open: bool
    number: int


AnyRun = OpenRun | EndedRun


def key_of(run: AnyRun) -> RunKey:
    """Return where a run stands in a listing."""
    if isinstance(run, OpenRun):
        return RunKey(is_open=True, number=run.run.id)
    return RunKey(is_open=False, number=run.entry.number)


class RunRecords:
    """What a caller can see of runs."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def list_runs(
        self, who: Principal, of: RunsOf, wanted: RunFilter, page: Page[RunKey]
    ) -> Sequence[AnyRun]:
        """Return a page of runs with their attempts: open ones first, each the newest first."""

        def view(reading: Reading) -> Sequence[AnyRun]:
            job_id = _check_sight(reading, who, of)
            scope = _scope(who, of)
            open_runs = _open_runs(reading, (scope, job_id), wanted, page)
            left = structs.replace(page, limit=page.limit - len(open_runs))
            ended_runs = _ended_runs(reading, (scope, job_id), wanted, left)
            return [
                *_with_attempts_so_far(reading, open_runs),
                *_with_attempts(reading, ended_runs),
            ]

        return await self._store.browse(view)


def _check_sight(reading: Reading, who: Principal, of: RunsOf) -> JobId | None:
    """Refuse what does not exist for the caller; return the job if runs are those of one."""
    if of.key is None:
        check_sight_of_group(who, of.subscription)
    elif of.job is None:
        find_collection(reading, who, of.key)
    else:
        return find_job(reading, who, of.key, of.job)[1].id
    return None


def _scope(who: Principal, of: RunsOf) -> Scope:
    if of.key is None:
        return structs.replace(who.scope, subscription=of.subscription.lower())
    subscription, group, name = of.key.folded
    return Scope(subscription=subscription, group=group, collection=name)


def _open_runs(
    reading: Reading, among: tuple[Scope, JobId | None], wanted: RunFilter, page: Page[RunKey]
) -> Sequence[OpenRun]:
    after = page.after
    if not wanted.allows_open or (after is not None and not after.is_open):
        return []
    scope, job_id = among
    before = None if after is None else after.number
    return reading.open_runs(scope, wanted, job_id=job_id, before=before, limit=page.limit)


def _ended_runs(
    reading: Reading, among: tuple[Scope, JobId | None], wanted: RunFilter, page: Page[RunKey]
) -> Sequence[EndedRun]:
    after = page.after
    if not wanted.allows_ended or page.limit <= 0:
        return []
    scope, job_id = among
    before = None if after is None or after.is_open else after.number
    return reading.ended_runs(scope, wanted, job_id=job_id, before=before, limit=page.limit)


def _with_attempts_so_far(reading: Reading, runs: Sequence[OpenRun]) -> Sequence[OpenRun]:
    """Return open runs with the attempts they have made."""
    retried = [each.run for each in runs if each.run.attempt > 1]
    attempts = iter(reading.attempts_so_far(retried))
    return [
        structs.replace(each, attempts=next(attempts)) if each.run.attempt > 1 else each
        for each in runs
    ]


def _with_attempts(reading: Reading, runs: Sequence[EndedRun]) -> Sequence[EndedRun]:
    """Return ended runs with their attempts."""
    others = iter(reading.attempts_of([each.entry for each in runs if _has_others(each.entry)]))
    return [
        structs.replace(each, attempts=next(others) if _has_others(each.entry) else _only(each))
        for each in runs
    ]


def _has_others(entry: HistoryEntry) -> bool:
    """Tell whether a run may have other attempts than the one that ended it."""
    if entry.run_id is None:
        return False
    return entry.retry_count > 0 or entry.outcome is RunOutcome.FAILED


def _only(run: EndedRun) -> Sequence[HistoryEntry]:
    """Return the one attempt of a run; one that was skipped, or canceled before it, has none."""
    is_note = run.entry.run_id is None or run.entry.status is AttemptStatus.POSTPONED
    return [] if is_note else [run.entry]
