"""Moves and copies jobs to other collections; their secrets do not leave the server."""

from collections.abc import Callable

from msgspec import structs

from foliot.app.calendar_days import note_use, with_days
from foliot.app.change_log import log_change
from foliot.app.collection_changes import resumed_job
from foliot.app.jobs import SavedJob
from foliot.app.lookup import check_may_change, find_collection, find_job, locate_job
from foliot.app.write_and_wake import write_and_wake
from foliot.core.access import Principal
from foliot.core.errors import Conflict
from foliot.core.ids import CollectionKey, check_name
from foliot.core.instant import Instant
from foliot.core.job_defaults import JobDefaults
from foliot.core.model.collection import Collection, CollectionState
from foliot.core.model.job import Job, JobState
from foliot.core.rules import lifecycle
from foliot.core.rules.audit_entries import moved_job_entries
from foliot.core.rules.calendars import with_calendar_days
from foliot.core.rules.policy_limits import check_policy
from foliot.core.rules.quota import check_job, check_job_count
from foliot.core.rules.schedule_changes import change_of_collection
from foliot.ports.clock import Clock
from foliot.ports.store import Store, Transaction


class JobMoves:
    """Moves and copies; the caller must be allowed to change both collections."""

    def __init__(
        self, store: Store, clock: Clock, wake_engine: Callable[[], None], defaults: JobDefaults
    ) -> None:
        self._store = store
        self._clock = clock
        self._wake_engine = wake_engine
        self._defaults = defaults

    async def move_job(
        self, who: Principal, key: CollectionKey, name: str, to: CollectionKey, new_name: str
    ) -> SavedJob:
        """Move a job, with its runs and history, or give it another name; all of it or nothing."""
        _check_both(who, key, to, new_name)

        def change(transaction: Transaction) -> SavedJob:
            made = who.changing_at(self._clock.now())
            _lock(transaction, who, key, to)
            source, old = find_job(transaction, who, key, name)
            target = _free_place(transaction, who, to, new_name, old)
            if target.id != source.id:
                check_job_count(target, transaction.count_jobs(target.id))
            moved = _moved(transaction, old, target, new_name, made.at)
            check_policy(moved, old.definition)
            check_job(target, moved, old if target.id == source.id else None)
            was_halted, is_halted = _is_halted(source), _is_halted(target)
            if was_halted and not is_halted and moved.state is JobState.ENABLED:
                transaction.make_runs_due(old.id, made.at)
                moved = resumed_job(moved, transaction.count_open_runs(old.id), made.at)
            transaction.move_job(moved, made)
            transaction.add_schedule_changes(
                *change_of_collection(
                    old, moved, made.at, was_halted=was_halted, is_halted=is_halted
                )
            )
            note_use(transaction, moved, old)
            transaction.add_audit_entries(
                *moved_job_entries(made, source.key, target.key, old, moved)
            )
            return SavedJob(target, moved, is_new=False)

        saved = await write_and_wake(self._store, change, self._wake_engine)
        log_change("Job moved", key, name, target=f"{saved.collection.key.name}/{saved.job.name}")
        return saved

    async def copy_job(
        self, who: Principal, key: CollectionKey, name: str, to: CollectionKey, new_name: str
    ) -> SavedJob:
        """Copy a job with its secrets; the copy is disabled and has no history."""
        _check_both(who, key, to, new_name)

        def change(transaction: Transaction) -> SavedJob:
            made = who.changing_at(self._clock.now())
            _lock(transaction, who, key, to)
            source, original = find_job(transaction, who, key, name)
            target = _free_place(transaction, who, to, new_name, original)
            check_job_count(target, transaction.count_jobs(target.id))
            definition = with_days(transaction, target, original.definition)
            revision = lifecycle.Revision(definition, JobState.DISABLED)
            job = lifecycle.create(target.id, new_name, revision, made.at, self._defaults)
            check_policy(job)
            check_job(target, job)
            added = transaction.add_job(job, made)
            note_use(transaction, added, None)
            transaction.add_audit_entries(
                *moved_job_entries(made, source.key, target.key, original, added)
            )
            return SavedJob(target, added, is_new=True)

        saved = await write_and_wake(self._store, change, self._wake_engine)
        log_change("Job copied", key, name, target=f"{saved.collection.key.name}/{saved.job.name}")
        return saved


def _check_both(who: Principal, key: CollectionKey, to: CollectionKey, new_name: str) -> None:
    check_may_change(who, key)
    check_may_change(who, to)
    check_name(("name",), new_name)


def _lock(transaction: Transaction, who: Principal, key: CollectionKey, to: CollectionKey) -> None:
    """Lock both collections in the order of their names: two moves must not wait for each other."""
    for each in sorted({key.folded: key, to.folded: to}.items()):
        find_collection(transaction, who, each[1])


def _free_place(
    transaction: Transaction, who: Principal, to: CollectionKey, name: str, job: Job
) -> Collection:
    """Return the collection that a job goes to; refuse a name that is taken there."""
    target, taken = locate_job(transaction, who, to, name)
    if taken is not None and (taken.id != job.id or taken.name == name):
        raise Conflict(
            f"The collection '{target.key.name}' has a job '{taken.name}' already; "
            "choose another name or collection."
        )
    return target


def _moved(transaction: Transaction, job: Job, target: Collection, name: str, now: Instant) -> Job:
    """Return a job as it is in another collection, with the days of the calendars there."""
    moved = structs.replace(job, collection_id=target.id, name=name)
    days = with_days(transaction, target, job.definition).calendar_days
    if days == job.definition.calendar_days:
        return moved
    return with_calendar_days(target, moved, days, now)


def _is_halted(collection: Collection) -> bool:
    return collection.state is not CollectionState.ENABLED
