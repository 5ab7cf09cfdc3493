"""`cron`, `dst` and `exclude` of a recurrence: our own extensions of the calendar."""

from typing import Any

from foliot.api.wire.clients import WireClient
from foliot.api.wire.field_types import list_of, word
from foliot.api.wire.fields import FieldType, WireField, WireObject
from foliot.api.wire.json_reader import Json, Properties, read_text
from foliot.core.errors import Invalid, Path, within
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
from foliot.core.recurrence.exclusion import MAX_DAYS

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


def _exclusion(*, dates: tuple[DateRange, ...], then: DayOffMove | None) -> Exclusion:
    return Exclusion(dates=dates, then=then or DayOffMove.SKIP)


def _choice(words: type[SkippedTime | RepeatedTime | DayOffMove]) -> FieldType:
    return word({each.value: each for each in words})


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
    WireField(
        "dates",
        "dates",
        list_of(
            _read_dates,
            {
                "type": "string",
                "pattern": f"^{_DATE}(?:/{_DATE})?$",
                "examples": ["2026-12-25", "2026-12-24/2027-01-01"],
            },
            write_item=str,
            most=MAX_DAYS,
        ),
    ),
    WireField("then", "then", _choice(DayOffMove)),
    checks_itself=True,
)
