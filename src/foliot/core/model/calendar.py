"""Calendars of a collection: named sets of days off, which its jobs may use."""

from typing import NewType

from msgspec import Struct

from foliot.core.ids import CollectionId
from foliot.core.instant import Instant
from foliot.core.recurrence import DateRange

CalendarId = NewType("CalendarId", int)


class Calendar(Struct, frozen=True, kw_only=True):
    """A named set of days off. An id of 0 is not stored yet.

    `changed_by` is the name of the caller who last changed it.
    """

    id: CalendarId = CalendarId(0)
    collection_id: CollectionId
    name: str
    dates: tuple[DateRange, ...]
    changed_at: Instant
    changed_by: str | None = None
