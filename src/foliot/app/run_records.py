"""Runs, open and ended: of a job, of a collection, of a subscription, of everything."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from msgspec import structs

from foliot.app.listing_page import Page
from foliot.app.lookup import check_sight_of_group, find_collection, find_job
from foliot.core.access import Principal, scope_of
from foliot.core.errors import RunRecordNotFound
from foliot.core.ids import CollectionKey, JobId
from foliot.core.model.history import AttemptStatus, HistoryEntry, RunOutcome
from foliot.core.model.run_record import EndedRun, OpenRun, RunFilter
from foliot.core.model.token import Scope
from foliot.ports.store import Reading, Store


class RunsOf(NamedTuple):
    """Whose runs: those of all the caller may see, of a subscription, a collection, or a job."""

    subscription: str | None = None
    key: CollectionKey | None = None
    job: str | None = None


class RunKey(NamedTuple):
    """Where a run stands in a listing: open runs come first, by id; then entries, by number."""

    is_open: bool
    number: int


AnyRun = OpenRun | EndedRun

_ANY: Final = RunFilter()
# A run that was open when somebody saw it is looked for among so many that ended since.
_NEWEST: Final = 200


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
            among = runs_scope(reading, who, of)
            open_runs = _open_runs(reading, among, wanted, page)
            left = structs.replace(page, limit=page.limit - len(open_runs))
            ended_runs = _ended_runs(reading, among, wanted, left)
            return [
                *_with_attempts_so_far(reading, open_runs),
                *_with_later(reading, _with_attempts(reading, ended_runs)),
            ]

        return await self._store.browse(view)

    async def get_run(self, who: Principal, key: CollectionKey, name: str, run: RunKey) -> AnyRun:
        """Return a run of a job with its attempts; an open one may have ended since it was seen."""

        def view(reading: Reading) -> AnyRun:
            collection, job = find_job(reading, who, key, name)
            found = _find_run(reading, scope_of(collection.key), job.id, run)
            if found is None:
                raise RunRecordNotFound(run.number)
            if isinstance(found, OpenRun):
                return _with_attempts_so_far(reading, [found])[0]
            return _with_later(reading, _with_attempts(reading, [found]))[0]

        return await self._store.browse(view)


def _find_run(reading: Reading, scope: Scope, job_id: JobId, run: RunKey) -> AnyRun | None:
    number = run.number
    if not run.is_open:
        ended = reading.ended_runs(scope, _ANY, job_id=job_id, before=number + 1, limit=1)
        return next((each for each in ended if each.entry.number == number), None)
    found = reading.open_runs(scope, _ANY, job_id=job_id, before=number + 1, limit=1)
    if found and found[0].run.id == number:
        return found[0]
    newest = reading.ended_runs(scope, _ANY, job_id=job_id, limit=_NEWEST)
    return next((each for each in newest if each.entry.run_id == number), None)


def runs_scope(reading: Reading, who: Principal, of: RunsOf) -> tuple[Scope, JobId | None]:
    """Return the scope of runs, and the job if they are those of one; refuse what is not there."""
    return _scope(who, of), _check_sight(reading, who, of)


def _check_sight(reading: Reading, who: Principal, of: RunsOf) -> JobId | None:
    """Refuse what does not exist for the caller; return the job if runs are those of one."""
    if of.key is None:
        if of.subscription is not None:
            check_sight_of_group(who, of.subscription)
    elif of.job is None:
        find_collection(reading, who, of.key)
    else:
        return find_job(reading, who, of.key, of.job)[1].id
    return None


def _scope(who: Principal, of: RunsOf) -> Scope:
    if of.key is not None:
        return scope_of(of.key)
    if of.subscription is None:
        return who.scope
    return structs.replace(who.scope, subscription=of.subscription.lower())


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


def _with_later(reading: Reading, runs: Sequence[EndedRun]) -> Sequence[EndedRun]:
    """Return ended runs, those that failed with the run that has repeated them."""
    failed = [each.entry for each in runs if each.entry.outcome is RunOutcome.FAILED]
    later = dict(zip((each.number for each in failed), reading.later_runs(failed), strict=True))
    return [structs.replace(each, later=later.get(each.entry.number)) for each in runs]


def _has_others(entry: HistoryEntry) -> bool:
    """Tell whether a run may have other attempts than the one that ended it."""
    if entry.run_id is None:
        return False
    return entry.retry_count > 0 or entry.outcome is RunOutcome.FAILED


def _only(run: EndedRun) -> Sequence[HistoryEntry]:
    """Return the one attempt of a run; one that was skipped, or canceled before it, has none."""
    is_note = run.entry.run_id is None or run.entry.status is AttemptStatus.POSTPONED
    return [] if is_note else [run.entry]
