"""Jobs: list, show, save, enable or disable, delete.

A change is a pure function that the store runs between load and save, in one transaction.
"""

from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct, structs

from foliot.app.calendar_days import note_use, with_days
from foliot.app.change_log import log_change
from foliot.app.collection_changes import ReviseCollection, add_collection
from foliot.app.listing_page import Page
from foliot.app.lookup import check_may_change, find_collection, find_job, locate_job
from foliot.app.write_and_wake import write_and_wake
from foliot.core.access import Principal, sees_all_of
from foliot.core.errors import JobNotFound, NotReadableHere, Unreadable
from foliot.core.ids import CollectionKey, JobId, check_name
from foliot.core.job_defaults import JobDefaults
from foliot.core.model.change import Change
from foliot.core.model.collection import Collection
from foliot.core.model.job import Job, JobRecord, JobState
from foliot.core.rules import lifecycle
from foliot.core.rules.audit_entries import job_entry, unreadable_job_entry
from foliot.core.rules.lifecycle import Revision
from foliot.core.rules.policy_limits import check_policy
from foliot.core.rules.quota import check_job, check_job_count
from foliot.core.rules.schedule_changes import schedule_changes
from foliot.core.rules.settling import finished
from foliot.core.rules.turns import MAX_OPEN_RUNS, most_in_progress
from foliot.ports.clock import Clock
from foliot.ports.store import Reading, Store, Transaction

ReviseJob = Callable[[Job | None], Revision]
# The two other states are final: a job reaches them by itself.
ChosenState = Literal[JobState.ENABLED, JobState.DISABLED]


class SavedJob(Struct, frozen=True):
    """A stored job with its collection; `is_new` if this request created it."""

    collection: Collection
    job: Job
    is_new: bool


class Saving(Struct, frozen=True):
    """When and by whom jobs are saved, and what applies to those that do not say it."""

    change: Change
    defaults: JobDefaults
    max_open_runs: int = MAX_OPEN_RUNS


class Jobs:
    """What a caller can do with jobs."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        wake_engine: Callable[[], None],
        defaults: JobDefaults,
        max_open_runs: int = MAX_OPEN_RUNS,
    ) -> None:
        self.defaults = defaults
        self._max_open_runs = max_open_runs
        self._store = store
        self._clock = clock
        self._wake_engine = wake_engine

    async def list_jobs(
        self, who: Principal, key: CollectionKey, page: Page[str], state: JobState | None
    ) -> tuple[Collection, Sequence[Job]]:
        """Return a page of a collection's jobs in order of name."""

        def view(reading: Reading) -> tuple[Collection, Sequence[Job]]:
            found = find_collection(reading, who, key)
            return found, reading.jobs(
                found.id, state=state, after=page.after, skip=page.skip, limit=page.limit
            )

        return await self._store.browse(view)

    async def get_job(self, who: Principal, key: CollectionKey, name: str) -> SavedJob:
        """Return a job."""

        def view(reading: Reading) -> SavedJob:
            return SavedJob(*find_job(reading, who, key, name), is_new=False)

        return await self._store.read(view)

    async def get_record(self, who: Principal, key: CollectionKey, name: str) -> JobRecord:
        """Return when a job was created and last changed, and by whom."""

        def view(reading: Reading) -> JobRecord:
            return reading.job_record(find_job(reading, who, key, name)[1].id)

        return await self._store.read(view)

    async def save_job(
        self,
        who: Principal,
        key: CollectionKey,
        name: str,
        revise: ReviseJob,
        *,
        must_exist: bool = False,
    ) -> SavedJob:
        """Create or change a job; store nothing unless all checks pass."""
        check_may_change(who, key)

        def change(transaction: Transaction) -> SavedJob:
            located = locate_job(transaction, who, key, name)
            if located[1] is None and must_exist:
                raise JobNotFound(name)
            saving = self._saving(who)
            return put_job(transaction, located, name, revise(located[1]), saving)

        saved = await write_and_wake(self._store, change, self._wake_engine)
        event = "Job created" if saved.is_new else "Job updated"
        log_change(event, saved.collection.key, saved.job.name, state=saved.job.state.value)
        return saved

    async def create_job_and_collection(
        self,
        who: Principal,
        key: CollectionKey,
        new_collection: ReviseCollection,
        name: str,
        revise: ReviseJob,
    ) -> SavedJob:
        """Create a collection and its first job, or neither."""
        check_may_change(who, key)
        tells_count = sees_all_of(who, key.subscription)

        def change(transaction: Transaction) -> SavedJob:
            saving = self._saving(who)
            wanted = new_collection(transaction.collection(key))
            added = add_collection(transaction, wanted, saving.change, tells_count=tells_count)
            return put_job(transaction, (added, None), name, revise(None), saving)

        saved = await write_and_wake(self._store, change, self._wake_engine)
        log_change("Collection created", saved.collection.key, state=saved.collection.state.value)
        log_change("Job created", saved.collection.key, name, state=saved.job.state.value)
        return saved

    async def set_job_state(
        self, who: Principal, key: CollectionKey, name: str, state: ChosenState
    ) -> None:
        """Enable or disable a job; its stored definition is not written."""
        check_may_change(who, key)

        def change(transaction: Transaction) -> None:
            found, old = find_job(transaction, who, key, name)
            saving = self._saving(who)
            job = _revised(transaction, old, Revision(old.definition, state), saving)
            # Limits are not checked: an unchanged definition cannot go over a new one.
            if job is not old:
                transaction.advance_job(job)
                transaction.add_audit_entries(job_entry(saving.change, found.key, old, job))
                transaction.note_job_change(job.id, saving.change)
                transaction.add_schedule_changes(*schedule_changes(old, job, saving.change.at))
                _release_runs(transaction, old, job, saving)

        await write_and_wake(self._store, change, self._wake_engine)
        log_change(f"Job {state.value}", key, name)

    def _saving(self, who: Principal) -> Saving:
        return Saving(who.changing_at(self._clock.now()), self.defaults, self._max_open_runs)

    async def delete_job(self, who: Principal, key: CollectionKey, name: str) -> None:
        """Remove a job with its history."""

        def change(transaction: Transaction) -> None:
            if not remove_job(transaction, who, key, name, who.changing_at(self._clock.now())):
                raise JobNotFound(name)

        check_may_change(who, key)
        await write_and_wake(self._store, change, self._wake_engine)
        log_change("Job deleted", key, name)


def put_job(
    transaction: Transaction,
    located: tuple[Collection, Job | None],
    name: str,
    revision: Revision,
    saving: Saving,
) -> SavedJob:
    """Store a new job, or a changed one, if the limits of its collection allow it."""
    collection, old = located
    at, change = saving.change.at, saving.change
    definition = with_days(transaction, collection, revision.definition)
    revision = structs.replace(revision, definition=definition)
    if old is None:
        check_name(("name",), name)
        check_job_count(collection, transaction.count_jobs(collection.id))
        job = lifecycle.create(collection.id, name, revision, at, saving.defaults)
        check_policy(job)
        check_job(collection, job)
        added = transaction.add_job(job, change)
        note_use(transaction, added, None)
        transaction.add_audit_entries(job_entry(change, collection.key, None, added))
        return SavedJob(collection, added, is_new=True)
    job = _revised(transaction, old, revision, saving)
    if job is not old:
        check_policy(job, old.definition)
        check_job(collection, job, old)
        transaction.save_job(job, change)
        transaction.add_schedule_changes(*schedule_changes(old, job, at))
        _release_runs(transaction, old, job, saving)
        note_use(transaction, job, old)
        transaction.add_audit_entries(job_entry(change, collection.key, old, job))
    return SavedJob(collection, job, is_new=False)


def remove_job(
    transaction: Transaction, who: Principal, key: CollectionKey, name: str, change: Change
) -> bool:
    """Delete a job with its history, also one that cannot be read; tell whether it was there."""
    try:
        collection, job = locate_job(transaction, who, key, name)
        if job is None:
            return False
        job_id, entry = job.id, job_entry(change, collection.key, job, None)
    except (Unreadable, NotReadableHere) as closed:
        job_id, entry = JobId(closed.job_id), unreadable_job_entry(change, key, name)
    transaction.delete_job(job_id)
    transaction.add_audit_entries(entry)
    return True


def _release_runs(transaction: Transaction, old: Job, job: Job, saving: Saving) -> None:
    """Let runs begin that waited their turn, if the job is enabled or allows more of them now."""
    before, policy = old.definition.run_policy, job.definition.run_policy
    allows_more = before.runs_one_at_a_time and not policy.runs_one_at_a_time
    is_enabled = old.state is JobState.DISABLED and job.state is JobState.ENABLED
    if allows_more or is_enabled:
        most = most_in_progress(policy, saving.max_open_runs)
        transaction.release_runs(job.id, most, saving.change.at)


def _revised(transaction: Transaction, old: Job, revision: Revision, saving: Saving) -> Job:
    """Return the revised job, or the old one itself if nothing changes; its waiting runs go on.

    An enabled job without another occurrence and without open runs is in its final state.
    """
    now, was_disabled = saving.change.at, old.state is JobState.DISABLED
    has_open_runs = was_disabled and transaction.count_open_runs(old.id) > 0
    job = lifecycle.revise(old, revision, now, saving.defaults, has_open_runs=has_open_runs)
    if was_disabled and job.state is JobState.ENABLED:
        transaction.make_runs_due(job.id, now)
    if job == old:
        return old
    is_idle = job.next_at is None and transaction.count_open_runs(job.id) == 0
    return finished(job, now) if is_idle else job
