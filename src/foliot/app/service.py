"""The use cases: what can be done with collections and jobs, and by whom.

A change is a pure function of what is stored; the store runs it between load and save. The API,
the portal and the command line all go through here.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Generic, TypeVar

from msgspec import Struct, structs

from foliot.app.collection_changes import (
    Prepared,
    add_collection,
    change_collection,
    needs_all_jobs,
    prepare,
)
from foliot.app.lookup import find_collection, find_job, locate_job
from foliot.core.access import (
    Principal,
    check_sight,
    require,
    require_everything,
    sees_all_of,
    sees_group,
)
from foliot.core.errors import (
    CollectionNotFound,
    Conflict,
    GroupNotFound,
    JobNotFound,
    NotReadableHere,
    Unreadable,
)
from foliot.core.ids import CollectionKey, JobId, check_name
from foliot.core.instant import Instant
from foliot.core.model.collection import Collection, CollectionState
from foliot.core.model.history import AttemptStatus, HistoryEntry
from foliot.core.model.job import Job, JobState
from foliot.core.model.node import Node
from foliot.core.model.token import Role
from foliot.core.rules import lifecycle
from foliot.core.rules.lifecycle import Revision
from foliot.core.rules.manual_runs import ManualRuns
from foliot.core.rules.planning import MAX_OPEN_RUNS
from foliot.core.rules.quota import check_job, check_job_count
from foliot.core.rules.settling import finished
from foliot.ports.clock import Clock
from foliot.ports.store import Reading, Store, Transaction

Place = TypeVar("Place")
Result = TypeVar("Result")


class Page(Struct, Generic[Place], frozen=True):
    """A part of a listing: so many rows after a place, some passed over."""

    limit: int = 100
    skip: int = 0
    after: Place | None = None


class Saved(Struct, frozen=True):
    """A job as it was saved, in its collection."""

    collection: Collection
    job: Job
    is_new: bool


CollectionPage = Page[tuple[str, str]]
ReviseCollection = Callable[[Collection | None], Collection]
ReviseJob = Callable[[Job | None], Revision]


class Service:
    """What callers can do; each call names who makes it."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        *,
        on_change: Callable[[], None] = lambda: None,
        max_open_runs: int = MAX_OPEN_RUNS,
    ) -> None:
        self._manual_runs = ManualRuns(max_open_runs)
        self._store = store
        self._clock = clock
        self._on_change = on_change

    async def list_collections(
        self, who: Principal, subscription: str, group: str | None, page: CollectionPage
    ) -> Sequence[Collection]:
        """Return the collections of a subscription, or of a group, that the caller may see."""
        _check_group(who, subscription, group)
        scope = who.scope
        if scope.group is not None and scope.collection is not None:
            return await self._one_collection(
                CollectionKey(subscription, scope.group, scope.collection), page
            )

        def view(reading: Reading) -> Sequence[Collection]:
            return reading.collections(
                subscription,
                group or scope.group,
                after=page.after,
                skip=page.skip,
                limit=page.limit,
            )

        return await self._store.browse(view)

    async def _one_collection(
        self, key: CollectionKey, page: CollectionPage
    ) -> Sequence[Collection]:
        found = await self._store.read(lambda reading: reading.collection(key))
        return [] if found is None or page.skip or page.after else [found]

    async def get_collection(self, who: Principal, key: CollectionKey) -> Collection:
        """Return a collection."""
        return await self._store.read(partial(find_collection, who=who, key=key))

    async def save_collection(
        self, who: Principal, key: CollectionKey, revise: ReviseCollection, *, must_exist: bool
    ) -> tuple[Collection, bool]:
        """Create or change a collection; tell whether it is new."""
        _check_change(who, key)
        tells = sees_all_of(who, key.subscription)
        prepared = await self._prepare_change(key, revise, tells=tells)

        def change(transaction: Transaction) -> tuple[Collection, bool]:
            old = transaction.collection(key)
            if old is None:
                if must_exist:
                    raise CollectionNotFound(key.name, key.group)
                return add_collection(transaction, revise(None), tells=tells), True
            now = self._clock.now()
            return change_collection(transaction, old, revise(old), prepared, now), False

        return await self._write(change)

    async def _prepare_change(
        self, key: CollectionKey, revise: ReviseCollection, *, tells: bool
    ) -> Prepared:
        """Do beside the writer what takes long because it concerns all jobs of a collection."""
        old = await self._store.read(lambda reading: reading.collection(key))
        if old is None or not needs_all_jobs(old, wanted := revise(old)):
            return Prepared(tells=tells)
        now = self._clock.now()
        found = await self._store.browse(lambda reading: prepare(reading, old, wanted, now))
        return structs.replace(found, tells=tells)

    async def set_collection_state(
        self, who: Principal, key: CollectionKey, state: CollectionState
    ) -> None:
        """Enable or disable a collection."""
        await self.save_collection(
            who, key, lambda old: structs.replace(_there(old), state=state), must_exist=True
        )

    async def delete_collection(self, who: Principal, key: CollectionKey) -> None:
        """Remove a collection with its jobs and their history."""

        def change(transaction: Transaction) -> None:
            found = find_collection(transaction, who, key)
            transaction.delete_collection(found.id)

        _check_change(who, key)
        await self._write(change)

    async def list_jobs(
        self, who: Principal, key: CollectionKey, page: Page[str], state: JobState | None
    ) -> tuple[Collection, Sequence[Job]]:
        """Return the jobs of a collection by name."""

        def view(reading: Reading) -> tuple[Collection, Sequence[Job]]:
            found = find_collection(reading, who, key)
            return found, reading.jobs(
                found.id, state=state, after=page.after, skip=page.skip, limit=page.limit
            )

        return await self._store.browse(view)

    async def get_job(self, who: Principal, key: CollectionKey, name: str) -> Saved:
        """Return a job."""

        def view(reading: Reading) -> Saved:
            return Saved(*find_job(reading, who, key, name), is_new=False)

        return await self._store.read(view)

    async def save_job(
        self,
        who: Principal,
        key: CollectionKey,
        name: str,
        revise: ReviseJob,
        *,
        must_exist: bool = False,
    ) -> Saved:
        """Create or change a job; nothing is stored unless all of it is in order."""
        _check_change(who, key)

        def change(transaction: Transaction) -> Saved:
            found, old = locate_job(transaction, who, key, name)
            if old is None and must_exist:
                raise JobNotFound(name)
            revision = revise(old)
            if old is None:
                return _add_job(transaction, found, name, revision, self._clock.now())
            return _change_job(transaction, found, old, revision, self._clock.now())

        return await self._write(change)

    async def delete_job(self, who: Principal, key: CollectionKey, name: str) -> None:
        """Remove a job with its history."""

        def change(transaction: Transaction) -> None:
            try:
                _, job = find_job(transaction, who, key, name)
                job_id = job.id
            except (Unreadable, NotReadableHere) as closed:
                job_id = JobId(closed.job_id)
            transaction.delete_job(job_id)

        _check_change(who, key)
        await self._write(change)

    async def run_job(self, who: Principal, key: CollectionKey, name: str, tag: str) -> None:
        """Have a job run at once, beside its calendar, as often as its plan allows."""
        now = self._clock.now()

        # It is counted where it is checked, so that those who come together are; a change may be
        # run again.
        is_counted = False

        def change(transaction: Transaction) -> None:
            nonlocal is_counted
            found, job = find_job(transaction, who, key, name)
            if found.state is not CollectionState.ENABLED:
                raise Conflict(
                    f"The collection '{found.key.name}' is {found.state}; enable it to run a job."
                )
            if not is_counted:
                self._manual_runs.check(found, job, transaction.count_open_runs(job.id), now)
                self._manual_runs.add(found, job, now)
                is_counted = True
            transaction.add_run(lifecycle.run_now(job, now, tag))

        _check_change(who, key)
        await self._write(change)

    async def list_history(
        self,
        who: Principal,
        key: CollectionKey,
        name: str,
        page: Page[tuple[Instant, int]],
        status: AttemptStatus | None,
    ) -> tuple[Saved, Sequence[HistoryEntry]]:
        """Return the attempts of a job, the newest first."""

        def view(reading: Reading) -> tuple[Saved, Sequence[HistoryEntry]]:
            found, job = find_job(reading, who, key, name)
            entries = reading.history(
                job.id, status=status, after=page.after, skip=page.skip, limit=page.limit
            )
            return Saved(found, job, is_new=False), entries

        return await self._store.browse(view)

    async def list_nodes(self, who: Principal) -> tuple[Instant, Sequence[Node]]:
        """Return who works on the schedule, and what time it is there."""
        require_everything(who)
        require(who, Role.OWNER)
        return self._clock.now(), await self._store.read(lambda reading: reading.nodes())

    async def _write(self, change: Callable[[Transaction], Result]) -> Result:
        """Make a change, then tell whoever waits for work."""
        result = await self._store.write(change)
        self._on_change()
        return result

    def check_group(self, who: Principal, subscription: str, group: str | None = None) -> None:
        """Answer for what lies outside the caller's scope as if it did not exist."""
        _check_group(who, subscription, group)


def _check_change(who: Principal, key: CollectionKey) -> None:
    """Let only those change a collection who may; what they may not see they do not hear of."""
    check_sight(who, key)
    require(who, Role.CONTRIBUTOR)


def _check_group(who: Principal, subscription: str, group: str | None) -> None:
    if not sees_group(who, subscription, group):
        raise GroupNotFound(subscription, group)


def _there(collection: Collection | None) -> Collection:
    assert collection is not None  # noqa: S101  (a change that must find it is given it)
    return collection


def _add_job(
    transaction: Transaction, collection: Collection, name: str, revision: Revision, now: Instant
) -> Saved:
    check_name(("name",), name)
    check_job_count(collection, transaction.count_jobs(collection.id))
    job = lifecycle.create(collection.id, name, revision, now)
    check_job(collection, job)
    return Saved(collection, transaction.add_job(job), is_new=True)


def _change_job(
    transaction: Transaction, collection: Collection, old: Job, revision: Revision, now: Instant
) -> Saved:
    was_disabled = old.state is JobState.DISABLED
    has_open_runs = was_disabled and transaction.count_open_runs(old.id) > 0
    job = lifecycle.revise(old, revision, now, has_open_runs=has_open_runs)
    if was_disabled and job.state is JobState.ENABLED:
        transaction.make_runs_due(job.id, now)
    if job != old:
        check_job(collection, job, old)
        if job.next_at is None and transaction.count_open_runs(job.id) == 0:
            job = finished(job, now)
        transaction.save_job(job)
    return Saved(collection, job, is_new=False)
