"""Whole collections: save a collection with its calendars, jobs and alerts, and delete others.

All of it is one transaction: all is done, or nothing. A trial is the same transaction, undone.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct, structs

from foliot.app.alert_changes import ReviseAlert, put_alert, remove_alert
from foliot.app.calendar_changes import (
    Dates,
    SavedCalendar,
    move_jobs,
    prepare_move,
    put_calendar,
    remove_calendar,
)
from foliot.app.calendar_days import PreparedJobs
from foliot.app.change_log import log_change
from foliot.app.collection_changes import (
    Prepared,
    ReviseCollection,
    prepare_change,
    put_collection,
)
from foliot.app.collection_write import CollectionWrite
from foliot.app.jobs import ReviseJob, Saving, put_job, remove_job
from foliot.app.lookup import check_may_change, find_collection, locate_job
from foliot.app.template_changes import in_template
from foliot.app.write_and_wake import write_and_wake
from foliot.core.access import Principal, sees_all_of
from foliot.core.errors import Conflict, Invalid, Path
from foliot.core.ids import CollectionKey
from foliot.core.job_defaults import JobDefaults
from foliot.core.model.collection import Collection
from foliot.core.model.job import Job
from foliot.core.rules.lifecycle import same_calendar
from foliot.core.rules.quota import check_job_count
from foliot.core.rules.turns import MAX_OPEN_RUNS
from foliot.ports.clock import Clock
from foliot.ports.store import Store, Transaction

COLLECTION: Path = ("collection",)
CALENDARS, JOBS, ALERTS, DELETE = "calendars", "jobs", "alerts", "delete"


class WantedContents(Struct, frozen=True, kw_only=True):
    """What a collection shall be and have; what is not named stays as it is.

    `deleted` has names by kind: what is not there is deleted already.
    """

    key: CollectionKey
    collection: ReviseCollection | None = None
    calendars: Mapping[str, Dates] = {}
    jobs: Mapping[str, ReviseJob] = {}
    alerts: Mapping[str, ReviseAlert] = {}
    deleted: Mapping[str, Sequence[str]] = {}

    def going(self, kind: str) -> Sequence[str]:
        """Return the names of what is deleted, of one kind."""
        return self.deleted.get(kind, ())


class ContentChange(NamedTuple):
    """A change that was made: of the collection itself, or of something in it."""

    kind: str
    name: str
    change: str


class _PreparedContents(Struct, frozen=True):
    """What takes long, computed outside the transaction."""

    collection: Prepared
    moves: Mapping[str, PreparedJobs]


class _Trial(Exception):
    """Ends the transaction of a trial, which is then undone, with what it would have changed."""

    def __init__(self, changes: list[ContentChange]) -> None:
        super().__init__()
        self.changes = changes


class WholeCollections:
    """Makes a collection what a caller wants it to be, or tries whether that could be done."""

    def __init__(  # noqa: PLR0913  (what jobs and alerts need to be saved)
        self,
        store: Store,
        clock: Clock,
        wake_engine: Callable[[], None],
        defaults: JobDefaults,
        max_open_runs: int = MAX_OPEN_RUNS,
        *,
        can_send_email: bool,
    ) -> None:
        self._store = store
        self._clock = clock
        self._wake_engine = wake_engine
        self._defaults = defaults
        self._max_open_runs = max_open_runs
        self._can_send_email = can_send_email

    async def apply(self, who: Principal, wanted: WantedContents) -> list[ContentChange]:
        """Make all changes, or none; return those that were made."""
        change = await self._change(who, wanted)
        changes = await write_and_wake(self._store, change, self._wake_engine)
        for kind, name, done in changes:
            fields = {} if kind in ("collection", "job") else {kind: name}
            job = name if kind == "job" else None
            log_change(f"{kind.capitalize()} {done}", wanted.key, job, **fields)
        return changes

    async def try_out(self, who: Principal, wanted: WantedContents) -> list[ContentChange]:
        """Return the changes that would be made; refuse what `apply` would refuse."""
        change = await self._change(who, wanted)

        def undone(transaction: Transaction) -> list[ContentChange]:
            raise _Trial(change(transaction))

        try:
            return await self._store.write(undone)
        except _Trial as trial:
            return trial.changes

    async def _change(
        self, who: Principal, wanted: WantedContents
    ) -> Callable[[Transaction], list[ContentChange]]:
        check_may_change(who, wanted.key)
        prepared = await self._prepare(who, wanted)

        def change(transaction: Transaction) -> list[ContentChange]:
            made = who.changing_at(self._clock.now())
            saving = Saving(made, self._defaults, self._max_open_runs)
            return _Steps(who, wanted, saving, transaction, self._can_send_email).take(prepared)

        return change

    async def _prepare(self, who: Principal, wanted: WantedContents) -> _PreparedContents:
        key, revise = wanted.key, wanted.collection
        prepared = Prepared(tells_count=sees_all_of(who, key.subscription))
        if revise is not None and not wanted.going(JOBS):
            # Jobs that are about to go would count for the limits of a plan.
            with in_template(COLLECTION):
                now = self._clock.now()
                prepared = await prepare_change(self._store, who, key, revise, now)
        if len(wanted.calendars) != 1:
            # What one of several does to a job depends on the others.
            return _PreparedContents(prepared, {})
        ((name, dates),) = wanted.calendars.items()
        try:
            move = await self._store.browse(
                lambda reading: prepare_move(reading, key, name, dates, self._clock.now())
            )
        except (Invalid, Conflict):
            # A job that must not get these days may be about to change, or to go.
            return _PreparedContents(prepared, {})
        return _PreparedContents(prepared, {name: move})


class _Steps:
    """The steps of one transaction, in an order in which each finds what it needs."""

    def __init__(
        self,
        who: Principal,
        wanted: WantedContents,
        saving: Saving,
        transaction: Transaction,
        can_send_email: bool,  # noqa: FBT001  (as the server has it)
    ) -> None:
        self._who = who
        self._wanted = wanted
        self._saving = saving
        self._transaction = transaction
        self._can_send_email = can_send_email
        self._changes: list[ContentChange] = []

    def take(self, prepared: _PreparedContents) -> list[ContentChange]:
        """Make all changes."""
        self._lock_all()
        self._delete_jobs()
        collection = self._save_collection(prepared.collection)
        write = CollectionWrite(self._transaction, collection, self._saving.change)
        calendars = self._save_calendars(write)
        # A job with another calendar takes the new days as they are; others are moved by them.
        new, same = self._jobs_by_calendar(collection)
        self._save_jobs(new)
        moved = frozenset(name.lower() for name in new)
        for name, saved in calendars.items():
            with in_template((CALENDARS, name)):
                days = prepared.moves.get(name, PreparedJobs())
                move_jobs(write, saved, structs.replace(days, moved=moved))
        self._save_jobs(same)
        self._delete_calendars(write)
        self._save_alerts(write)
        return self._changes

    def _lock_all(self) -> None:
        """Lock the collection, then its jobs: in the order that all transactions lock in."""
        found = self._transaction.collection(self._wanted.key)
        if found is not None:
            self._transaction.lock_jobs([], [found.id])

    def _save_collection(self, prepared: Prepared) -> Collection:
        wanted, transaction = self._wanted, self._transaction
        if wanted.collection is None:
            return find_collection(transaction, self._who, wanted.key)
        with in_template(COLLECTION):
            old = transaction.collection(wanted.key)
            saved, is_new = put_collection(
                transaction, old, wanted.collection(old), prepared, self._saving.change
            )
        if saved != old:
            self._note("collection", saved.key.name, is_new=is_new)
        return saved

    def _save_calendars(self, write: CollectionWrite) -> dict[str, SavedCalendar]:
        """Store calendars; return those whose jobs are to be moved."""
        names = {each.lower() for each in write.transaction.calendar_names(write.collection.id)}
        going = len(names & {each.lower() for each in self._wanted.going(CALENDARS)})
        changed: dict[str, SavedCalendar] = {}
        for name, dates in self._wanted.calendars.items():
            with in_template((CALENDARS, name)):
                saved = put_calendar(write, name, dates, going=going)
            if saved.is_new or saved.is_changed:
                self._note("calendar", saved.calendar.name, is_new=saved.is_new)
            if saved.is_changed:
                changed[name] = saved
        return changed

    def _jobs_by_calendar(
        self, collection: Collection
    ) -> tuple[dict[str, ReviseJob], dict[str, ReviseJob]]:
        """Part the jobs into those that get another calendar, or are new, and the others."""
        new: dict[str, ReviseJob] = {}
        same: dict[str, ReviseJob] = {}
        created = 0
        for name, revise in self._wanted.jobs.items():
            with in_template((JOBS, name)):
                _, old = locate_job(self._transaction, self._who, self._wanted.key, name)
                (same if old is not None and _keeps(old, revise) else new)[name] = revise
            created += old is None
        with in_template((JOBS,)):
            if created:
                present = self._transaction.count_jobs(collection.id)
                check_job_count(collection, present, created)
        return new, same

    def _save_jobs(self, jobs: Mapping[str, ReviseJob]) -> None:
        for name, revise in jobs.items():
            with in_template((JOBS, name)):
                located = locate_job(self._transaction, self._who, self._wanted.key, name)
                revision = revise(located[1])
                saved = put_job(self._transaction, located, name, revision, self._saving)
            if saved.job is not located[1]:
                self._note("job", saved.job.name, is_new=saved.is_new)

    def _save_alerts(self, write: CollectionWrite) -> None:
        for name in self._wanted.going(ALERTS):
            if remove_alert(write, name):
                self._changes.append(ContentChange("alert", name, "deleted"))
        for name, revise in self._wanted.alerts.items():
            with in_template((ALERTS, name)):
                old, saved = put_alert(write, name, revise, can_send_email=self._can_send_email)
            if saved is not old:
                self._note("alert", saved.name, is_new=old is None)

    def _delete_jobs(self) -> None:
        transaction, key, change = self._transaction, self._wanted.key, self._saving.change
        if transaction.collection(key) is None:
            return
        for name in self._wanted.going(JOBS):
            if remove_job(transaction, self._who, key, name, change):
                self._changes.append(ContentChange("job", name, "deleted"))

    def _delete_calendars(self, write: CollectionWrite) -> None:
        for index, name in enumerate(self._wanted.going(CALENDARS)):
            found = write.transaction.calendar(write.collection.id, name)
            if found is None:
                continue
            with in_template((DELETE, CALENDARS, index)):
                remove_calendar(write, found)
            self._changes.append(ContentChange("calendar", found.name, "deleted"))

    def _note(self, kind: str, name: str, *, is_new: bool) -> None:
        self._changes.append(ContentChange(kind, name, "created" if is_new else "updated"))


def _keeps(old: Job, revise: ReviseJob) -> bool:
    return same_calendar(old.definition, revise(old).definition)
