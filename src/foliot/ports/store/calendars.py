"""Calendars of collections by name, and the jobs that use them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from foliot.core.ids import CollectionId, JobId
from foliot.core.model.calendar import Calendar, CalendarId


class CalendarReading(Protocol):
    """Finds calendars; who changes one, or its use, has locked the collection before."""

    def calendar(self, collection_id: CollectionId, name: str) -> Calendar | None:
        """Return a calendar."""
        ...

    def calendars(
        self,
        collection_id: CollectionId,
        *,
        after: str | None = None,
        skip: int = 0,
        limit: int = 100,
    ) -> Sequence[Calendar]:
        """Return calendars by folded name."""
        ...

    def calendar_names(self, collection_id: CollectionId) -> Sequence[str]:
        """Return the names of all calendars of a collection, sorted; no dates are read."""
        ...

    def jobs_using(self, calendar_id: CalendarId) -> Mapping[JobId, str]:
        """Return the names of the jobs that use a calendar, by folded name."""
        ...


class CalendarChanges(Protocol):
    """Changes calendars, and notes which jobs use them; both go with their collection."""

    def add_calendar(self, calendar: Calendar) -> Calendar:
        """Store a new calendar and return it with its id; Conflict if its name is taken."""
        ...

    def save_calendar(self, calendar: Calendar) -> None:
        """Store a changed calendar, except its name."""
        ...

    def delete_calendar(self, calendar_id: CalendarId) -> None:
        """Remove a calendar that no job uses."""
        ...

    def use_calendars(self, job_id: JobId, calendar_ids: Iterable[CalendarId]) -> None:
        """Store which calendars a job uses; what it used before is forgotten."""
        ...
