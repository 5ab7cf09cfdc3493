"""Calendars of a collection: list, show, save, delete; and the days of those that a job names."""

from collections.abc import Callable, Sequence

from foliot.app.calendar_changes import (
    Dates,
    SavedCalendar,
    move_jobs,
    prepare_move,
    put_calendar,
    remove_calendar,
)
from foliot.app.calendar_days import with_days
from foliot.app.change_log import log_change
from foliot.app.collection_write import CollectionWrite
from foliot.app.listing_page import Page
from foliot.app.lookup import check_may_change, find_calendar, find_collection
from foliot.app.write_and_wake import write_and_wake
from foliot.core.access import Principal
from foliot.core.ids import CollectionKey
from foliot.core.model.calendar import Calendar
from foliot.core.model.change import Change
from foliot.core.model.collection import Collection
from foliot.core.model.job import Definition
from foliot.ports.clock import Clock
from foliot.ports.store import Reading, Store, Transaction


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
            lambda reading: prepare_move(reading, key, name, dates, self._clock.now())
        )

        def change(transaction: Transaction) -> tuple[Collection, SavedCalendar, int]:
            collection = find_collection(transaction, who, key)
            write = CollectionWrite(transaction, collection, self._made_by(who))
            saved = put_calendar(write, name, dates)
            jobs = move_jobs(write, saved, prepared) if saved.is_changed else 0
            return collection, saved, jobs

        collection, saved, jobs = await write_and_wake(self._store, change, self._wake_engine)
        event = "Calendar created" if saved.is_new else "Calendar updated"
        log_change(event, collection.key, calendar=saved.calendar.name, jobs=jobs)
        return collection, saved.calendar, saved.is_new

    def _made_by(self, who: Principal) -> Change:
        return who.changing_at(self._clock.now())

    async def delete_calendar(self, who: Principal, key: CollectionKey, name: str) -> None:
        """Remove a calendar that no job uses."""
        check_may_change(who, key)

        def change(transaction: Transaction) -> None:
            collection, calendar = find_calendar(transaction, who, key, name)
            remove_calendar(CollectionWrite(transaction, collection, self._made_by(who)), calendar)

        await self._store.write(change)
        log_change("Calendar deleted", key, calendar=name)
