"""Calendars: the port's readings and changes, as named statements."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from foliot.core.ids import CollectionId, JobId
from foliot.core.model.calendar import Calendar, CalendarId
from foliot.core.recurrence import DateRange
from foliot.store.sql.access import SqlAccess
from foliot.store.sql.dialect import Parameters, Row

_write_dates = msgspec.json.Encoder().encode
_read_dates = msgspec.json.Decoder(tuple[DateRange, ...]).decode


class SqlCalendarReading(SqlAccess):
    """Satisfies `ports.store.calendars.CalendarReading`."""

    def calendar(self, collection_id: CollectionId, name: str) -> Calendar | None:
        """Return a calendar."""
        what = {"collection_id": collection_id, "name": name.lower()}
        row = self._row("calendar", what)
        return None if row is None else _calendar_of(row)

    def calendars(
        self,
        collection_id: CollectionId,
        *,
        after: str | None = None,
        skip: int = 0,
        limit: int = 100,
    ) -> Sequence[Calendar]:
        """Return calendars by folded name."""
        page = {
            "collection_id": collection_id,
            "after": (after or "").lower(),
            "skip": skip,
            "limit": limit,
        }
        return [_calendar_of(row) for row in self._run("calendars", page)]

    def calendar_names(self, collection_id: CollectionId) -> Sequence[str]:
        """Return the names of all calendars of a collection, sorted; no dates are read."""
        return [name for (name,) in self._run("calendar_names", {"collection_id": collection_id})]

    def jobs_using(self, calendar_id: CalendarId) -> Mapping[JobId, str]:
        """Return the names of the jobs that use a calendar, by folded name."""
        return dict(self._run("jobs_using", {"id": calendar_id}).fetchall())


class SqlCalendarChanges(SqlAccess):
    """Satisfies `ports.store.calendars.CalendarChanges`."""

    def add_calendar(self, calendar: Calendar) -> Calendar:
        """Store a new calendar and return it with its id."""
        taken = f"Calendar '{calendar.name}' exists already."
        number = self._dialect.insert("add_calendar", _row_of(calendar), taken=taken)
        return replace(calendar, id=CalendarId(number))

    def save_calendar(self, calendar: Calendar) -> None:
        """Store a changed calendar, except its name."""
        self._change("save_calendar", _row_of(calendar))

    def delete_calendar(self, calendar_id: CalendarId) -> None:
        """Remove a calendar that no job uses."""
        self._change("delete_calendar", {"id": calendar_id})

    def use_calendars(self, job_id: JobId, calendar_ids: Iterable[CalendarId]) -> None:
        """Store which calendars a job uses."""
        self._change("forget_calendars", {"job_id": job_id})
        for calendar_id in dict.fromkeys(calendar_ids):
            self._change("use_calendar", {"calendar_id": calendar_id, "job_id": job_id})


def _calendar_of(row: Row) -> Calendar:
    id_, collection_id, name, dates, changed_at, changed_by = row
    return Calendar(
        id=id_,
        collection_id=collection_id,
        name=name,
        dates=_read_dates(dates),
        changed_at=changed_at,
        changed_by=changed_by,
    )


def _row_of(calendar: Calendar) -> Parameters:
    return {
        "id": calendar.id,
        "collection_id": calendar.collection_id,
        "name": calendar.name,
        "folded_name": calendar.name.lower(),
        "dates": _write_dates(calendar.dates).decode(),
        "changed_at": calendar.changed_at,
        "changed_by": calendar.changed_by,
    }
