"""What a caller can ask about a job before it is saved: all that a save needs to know of it."""

from collections.abc import Sequence

from msgspec import Struct, structs

from foliot.app.calendar_days import KnownCalendars, with_days
from foliot.app.lookup import find_collection, find_job, locate_job
from foliot.core.access import Principal
from foliot.core.errors import Conflict
from foliot.core.ids import CollectionKey, check_name
from foliot.core.instant import Instant
from foliot.core.job_defaults import JobDefaults
from foliot.core.model.collection import Collection
from foliot.core.model.job import Definition, Job
from foliot.core.model.run import Run
from foliot.core.model.token import Role
from foliot.core.rules import lifecycle
from foliot.core.rules.kept_secrets import with_other_secrets
from foliot.core.rules.lifecycle import Revision
from foliot.core.rules.policy_limits import check_policy
from foliot.core.rules.quota import check_job_count, job_problems
from foliot.ports.clock import Clock
from foliot.ports.random_ids import new_id
from foliot.ports.store import Reading, Store

_UNNAMED = "new"


class SaveContext(Struct, frozen=True, kw_only=True):
    """What a save would find now: the collection, the job that it replaces, and the limits.

    `active_runs` are the open runs of the job that do not wait their turn.
    """

    collection: Collection
    job: Job | None
    name: str | None
    job_count: int
    at: Instant
    defaults: JobDefaults
    open_runs: int = 0
    active_runs: int = 0
    calendars: KnownCalendars = KnownCalendars()

    def with_days(self, definition: Definition) -> Definition:
        """Return a definition with the days of the calendars that it names."""
        return with_days(self.calendars, self.collection, definition)


class JobPreviews:
    """What a caller can learn about a job that is not saved."""

    def __init__(self, store: Store, clock: Clock, defaults: JobDefaults) -> None:
        self._store = store
        self._clock = clock
        self._defaults = defaults

    async def context(
        self, who: Principal, key: CollectionKey, name: str | None, *, must_exist: bool = False
    ) -> SaveContext:
        """Return what a save of this job would find; a job without a name would be a new one."""

        def view(reading: Reading) -> SaveContext:
            collection, job = _located(reading, who, key, name, must_exist=must_exist)
            runs: Sequence[Run] = [] if job is None else reading.runs(job.id)
            return SaveContext(
                collection=collection,
                job=None if job is None else _as_seen(job, who),
                name=name,
                job_count=reading.count_jobs(collection.id),
                open_runs=len(runs),
                active_runs=sum(run.due_at is not None for run in runs),
                at=self._clock.now(),
                defaults=self._defaults,
                calendars=KnownCalendars.of(reading, collection),
            )

        return await self._store.read(view)


def as_if_saved(context: SaveContext, revision: Revision) -> Job:
    """Return the job that a save would store, or refuse it as the save would."""
    old, name = context.job, context.name
    revision = structs.replace(revision, definition=context.with_days(revision.definition))
    if old is None:
        if name is not None:
            check_name(("name",), name)
        job = lifecycle.create(
            context.collection.id, name or _UNNAMED, revision, context.at, context.defaults
        )
        check_policy(job)
        return job
    job = lifecycle.revise(
        old, revision, context.at, context.defaults, has_open_runs=context.open_runs > 0
    )
    check_policy(job, old.definition)
    return job


def limits_broken(context: SaveContext, job: Job) -> Sequence[str]:
    """Return why the collection would not take this job, each reason as a sentence."""
    found = [*job_problems(context.collection, job, context.job)]
    if context.job is None:
        try:
            check_job_count(context.collection, context.job_count)
        except Conflict as refusal:
            found.append(str(refusal))
    return found


def _located(
    reading: Reading, who: Principal, key: CollectionKey, name: str | None, *, must_exist: bool
) -> tuple[Collection, Job | None]:
    if name is None:
        return find_collection(reading, who, key), None
    locate = find_job if must_exist else locate_job
    return locate(reading, who, key, name)


def _as_seen(job: Job, who: Principal) -> Job:
    """Keep a caller from guessing secrets: who may not change a job compares with others."""
    if who.role is not Role.READER:
        return job
    action = with_other_secrets(job.definition.action, new_id())
    return structs.replace(job, definition=structs.replace(job.definition, action=action))
