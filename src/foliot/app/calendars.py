"""Calendars of a collection: list, show, save, delete; and the days of those that a job names."""

from collections.abc import Callable, Sequence

from msgspec import structs

from foliot.app.calendar_days import PreparedJobs, change_jobs, prepare_jobs, with_days
from foliot.app.change_log import log_change
from foliot.app.listing_page import Page
from foliot.app.lookup import check_may_change, find_calendar, find_collection
from foliot.app.write_and_wake import write_and_wake
from foliot.core.access import Principal
from foliot.core.ids import CollectionKey, check_name
from foliot.core.model.calendar import Calendar
from foliot.core.model.collection import Collection
from foliot.core.model.job import Definition
from foliot.core.recurrence import DateRange
from foliot.core.rules.audit_entries import calendar_entry
from foliot.core.rules.calendars import check_calendar_count, check_unused
from foliot.ports.clock import Clock
from foliot.ports.store import Reading, Store, Transaction

Dates = tuple[DateRange, ...]


class Calendars:
    """What a caller can do with calendars."""

    def __init__(self, store: Store, clock: Clock, wake_engine: Callable[[], None]) -> None:
        self._store = store
        self._clock = clock
        self._wake_engine = wake_engine

    async def list_calendars(
        self, who: Principal, key: CollectionKey, page: Page[str]
    ) -> tuple[Collection, Sequence[Calendar]]:
        """Return a page of a collection's calendars in order of name."""

        def view(reading: Reading) -> tuple[Collection, Sequence[Calendar]]:
            found = find_collection(reading, who, key)
            return found, reading.calendars(
                found.id, after=page.after, skip=page.skip, limit=page.limit
            )

        return await self._store.browse(view)

    async def get_calendar(
        self, who: Principal, key: CollectionKey, name: str
    ) -> tuple[Collection, Calendar]:
        """Return a calendar and its collection."""
        return await self._store.read(lambda reading: find_calendar(reading, who, key, name))

    async def with_days(
        self, who: Principal, key: CollectionKey, definition: Definition
    ) -> Definition:
        """Return a definition with the days of the calendars that it names, as if it were saved."""
        return await self._store.read(
            lambda reading: with_days(reading, find_collection(reading, who, key), definition)
        )

    async def save_calendar(
        self, who: Principal, key: CollectionKey, name: str, dates: Dates
    ) -> tuple[Collection, Calendar, bool]:
        """Create or change a calendar, and with it the next runs of the jobs that use it.

        Return also whether it is new.
        """
        check_may_change(who, key)
        prepared = await self._store.browse(
            lambda reading: self._prepare(reading, key, name, dates)
        )

        def change(transaction: Transaction) -> tuple[Collection, Calendar, bool, int]:
            collection = find_collection(transaction, who, key)
            old, now = transaction.calendar(collection.id, name), self._clock.now()
            if old is None:
                new = Calendar(
                    collection_id=collection.id,
                    name=check_name(("name",), name),
                    dates=dates,
                    changed_at=now,
                    changed_by=who.name,
                )
                check_calendar_count(collection, len(transaction.calendar_names(collection.id)))
                added = transaction.add_calendar(new)
                transaction.add_audit_entries(
                    calendar_entry(who.changing_at(now), collection.key, None, added)
                )
                return collection, added, True, 0
            if old.dates == dates:
                return collection, old, False, 0
            new = structs.replace(old, dates=dates, changed_at=now, changed_by=who.name)
            transaction.save_calendar(new)
            count = change_jobs(transaction, collection, new, prepared, now)
            transaction.add_audit_entries(
                calendar_entry(who.changing_at(now), collection.key, old, new, count)
            )
            return collection, new, False, count

        collection, saved, is_new, jobs = await write_and_wake(
            self._store, change, self._wake_engine
        )
        event = "Calendar created" if is_new else "Calendar updated"
        log_change(event, collection.key, calendar=saved.name, jobs=jobs)
        return collection, saved, is_new

    def _prepare(
        self, reading: Reading, key: CollectionKey, name: str, dates: Dates
    ) -> PreparedJobs:
        collection = reading.collection(key)
        old = None if collection is None else reading.calendar(collection.id, name)
        if collection is None or old is None or old.dates == dates:
            return PreparedJobs()
        changed = structs.replace(old, dates=dates)
        return prepare_jobs(reading, collection, changed, self._clock.now())

    async def delete_calendar(self, who: Principal, key: CollectionKey, name: str) -> None:
        """Remove a calendar that no job uses."""
        check_may_change(who, key)

        def change(transaction: Transaction) -> None:
            collection, calendar = find_calendar(transaction, who, key, name)
            check_unused(calendar, list(transaction.jobs_using(calendar.id).values()))
            transaction.delete_calendar(calendar.id)
            made = who.changing_at(self._clock.now())
            transaction.add_audit_entries(calendar_entry(made, collection.key, calendar, None))

        await self._store.write(change)
        log_change("Calendar deleted", key, calendar=name)
