"""Calendars of a collection, as resources: Foliot's own, since the old service had none."""

from foliot.api.wire.calendar_rules import list_of_dates
from foliot.api.wire.clients import ANY_CLIENT, WireClient
from foliot.api.wire.collection import COLLECTION_TYPE, collection_id
from foliot.api.wire.envelope import IDENTITY, check_identity, inner_properties, read_resource
from foliot.api.wire.field_types import described
from foliot.api.wire.fields import WireField, WireObject, read_field
from foliot.api.wire.json_reader import Properties, required_object
from foliot.core.errors import within
from foliot.core.ids import CollectionKey
from foliot.core.json_text import Json
from foliot.core.model.calendar import Calendar
from foliot.core.recurrence import DateRange
from foliot.core.recurrence.exclusion import check_day_count

_LIST = list_of_dates(single=False)


def _read_dates(given: Properties, name: str) -> tuple[DateRange, ...]:
    # Unlike other lists it may be empty: a calendar that jobs use cannot be deleted.
    if given.get(name) == [] or _LIST.decode is None:
        return ()
    return _LIST.decode(given, name)


def _write_dates(dates: tuple[DateRange, ...], _client: WireClient) -> Json:
    return [*map(str, dates)]


_DATES = WireField(
    "dates",
    "dates",
    described(_LIST, minItems=0)._replace(
        decode=_read_dates, encode=_write_dates, expected='a list of dates such as ["2026-12-25"]'
    ),
    required=True,
)
_PROPERTIES = WireObject(Calendar, _DATES)
CALENDAR = WireObject(
    Calendar,
    *IDENTITY,
    WireField("properties", "", _PROPERTIES.type(), required=True),
    component="Calendar",
)


def decode_calendar(body: Json, key: CollectionKey, name: str) -> tuple[DateRange, ...]:
    """Read the dates of a calendar."""
    resource = read_resource(body)
    check_identity(resource, calendar_id(key, name), (name, f"{key.name}/{name}"))
    given = inner_properties(resource) or required_object(resource, "properties")
    dates = read_field(given, _DATES)
    resource.refuse_unknown()
    with within(*given.path):
        check_day_count(dates)
    return dates


def encode_calendar(key: CollectionKey, calendar: Calendar) -> dict[str, Json]:
    """Write a calendar as a resource."""
    return {
        "id": calendar_id(key, calendar.name),
        "type": f"{COLLECTION_TYPE}/calendars",
        "name": f"{key.name}/{calendar.name}",
        "properties": _PROPERTIES.encode(calendar, ANY_CLIENT),
    }


def calendar_id(key: CollectionKey, name: str) -> str:
    """Return the identity of a calendar: its path."""
    return f"{collection_id(key)}/calendars/{name}"
