"""`cron`, `dst` and `exclude` of a recurrence: our own extensions of the calendar."""

from typing import Any

from foliot.api.wire.clients import WireClient
from foliot.api.wire.field_types import list_of, word
from foliot.api.wire.fields import FieldType, WireField, WireObject
from foliot.api.wire.json_reader import Properties, read_text
from foliot.core.errors import Invalid, Path, within
from foliot.core.ids import NAME_PATTERN, check_name
from foliot.core.json_text import Json
from foliot.core.recurrence import (
    Cron,
    DateRange,
    DayOffMove,
    DstPolicy,
    Exclusion,
    RepeatedTime,
    SkippedTime,
    parse_dates,
)
from foliot.core.recurrence.exclusion import MAX_CALENDARS, MAX_DAYS

_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"


def _read_cron(given: Properties, name: str) -> Cron:
    text = read_text(given.get(name), given.at(name), 'a cron expression such as "0 9 * * MON-FRI"')
    with within(*given.at(name)):
        return Cron(text)


def _write_cron(cron: Cron, _client: WireClient) -> str:
    return cron.text


def _read_dates(value: Json, path: Path) -> DateRange:
    text = read_text(value, path, 'a date such as "2026-12-25"')
    with within(*path):
        return parse_dates(text)


def _dst(**given: Any) -> DstPolicy:
    chosen = {name: value for name, value in given.items() if value is not None}
    if not chosen:
        raise Invalid((), "{} chooses nothing; give skipped or repeated, or leave it out.")
    return DstPolicy(**chosen)


def _read_calendar(value: Json, path: Path) -> str:
    return check_name(path, read_text(value, path, "the name of a calendar"))


def _exclusion(*, calendars: tuple[str, ...] | None = None, **given: Any) -> Exclusion:
    by_folded: dict[str, str] = {}
    for name in calendars or ():
        by_folded.setdefault(name.lower(), name)
    return Exclusion(calendars=tuple(by_folded.values()), **given)


def _choice(words: type[SkippedTime | RepeatedTime | DayOffMove]) -> FieldType:
    return word({each.value: each for each in words})


def list_of_dates(*, single: bool) -> FieldType:
    """Return the type of a list of dates and ranges of dates."""
    schema = {
        "type": "string",
        "pattern": f"^{_DATE}(?:/{_DATE})?$",
        "examples": ["2026-12-25", "2026-12-24/2027-01-01"],
    }
    return list_of(_read_dates, schema, write_item=str, single=single, most=MAX_DAYS)


CRON = FieldType(
    _read_cron,
    {"type": "string", "examples": ["*/15 9-17 * * MON-FRI"]},
    encode=_write_cron,
)
DST = WireObject(
    _dst,
    WireField("skipped", "skipped", _choice(SkippedTime)),
    WireField("repeated", "repeated", _choice(RepeatedTime)),
    checks_itself=True,
)
EXCLUDE = WireObject(
    _exclusion,
    WireField("dates", "dates", list_of_dates(single=True)),
    WireField(
        "calendars",
        "calendars",
        list_of(
            _read_calendar,
            {"type": "string", "pattern": f"^{NAME_PATTERN}$", "examples": ["de-holidays"]},
            most=MAX_CALENDARS,
        ),
    ),
    WireField("then", "then", _choice(DayOffMove)),
    checks_itself=True,
)
