"""Save and delete calendars inside a transaction; the jobs that use one get its new days."""

from msgspec import Struct, structs

from foliot.app.calendar_days import PreparedJobs, change_jobs, prepare_jobs
from foliot.app.collection_write import CollectionWrite
from foliot.core.ids import CollectionKey, check_name
from foliot.core.instant import Instant
from foliot.core.model.calendar import Calendar
from foliot.core.recurrence import DateRange
from foliot.core.rules.audit_entries import calendar_entry
from foliot.core.rules.calendars import check_calendar_count, check_unused
from foliot.ports.store import Reading

Dates = tuple[DateRange, ...]


class SavedCalendar(Struct, frozen=True):
    """A stored calendar, and what it was before: None if it is new."""

    old: Calendar | None
    calendar: Calendar

    @property
    def is_new(self) -> bool:
        """Whether it was created."""
        return self.old is None

    @property
    def is_changed(self) -> bool:
        """Whether its days are others now, so that jobs move."""
        return self.old is not None and self.old != self.calendar


def put_calendar(
    write: CollectionWrite, name: str, dates: Dates, *, going: int = 0
) -> SavedCalendar:
    """Store a new calendar or one with new days; jobs that use it are moved by `move_jobs`.

    Calendars that are deleted in the same transaction, `going`, do not count.
    """
    transaction, collection, change = write
    old = transaction.calendar(collection.id, name)
    if old is None:
        new = Calendar(
            collection_id=collection.id,
            name=check_name(("name",), name),
            dates=dates,
            changed_at=change.at,
            changed_by=change.by,
        )
        check_calendar_count(collection, len(transaction.calendar_names(collection.id)) - going)
        added = transaction.add_calendar(new)
        transaction.add_audit_entries(calendar_entry(change, collection.key, None, added))
        return SavedCalendar(None, added)
    if old.dates == dates:
        return SavedCalendar(old, old)
    new = structs.replace(old, dates=dates, changed_at=change.at, changed_by=change.by)
    transaction.save_calendar(new)
    return SavedCalendar(old, new)


def prepare_move(
    reading: Reading, key: CollectionKey, name: str, dates: Dates, now: Instant
) -> PreparedJobs:
    """Compute outside the transaction what new days of a calendar do to the jobs that use it."""
    collection = reading.collection(key)
    old = None if collection is None else reading.calendar(collection.id, name)
    if collection is None or old is None or old.dates == dates:
        return PreparedJobs()
    return prepare_jobs(reading, collection, structs.replace(old, dates=dates), now)


def move_jobs(write: CollectionWrite, saved: SavedCalendar, prepared: PreparedJobs) -> int:
    """Give the jobs that use a changed calendar its days; return how many these are."""
    transaction, collection, change = write
    count = change_jobs(transaction, collection, saved.calendar, prepared, change.at)
    entry = calendar_entry(change, collection.key, saved.old, saved.calendar, count)
    transaction.add_audit_entries(entry)
    return count


def remove_calendar(write: CollectionWrite, calendar: Calendar) -> None:
    """Delete a calendar that no job uses."""
    transaction, collection, change = write
    check_unused(calendar, list(transaction.jobs_using(calendar.id).values()))
    transaction.delete_calendar(calendar.id)
    transaction.add_audit_entries(calendar_entry(change, collection.key, calendar, None))
