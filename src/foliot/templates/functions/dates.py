"""Functions on dates; a date is a string, and the clock is UTC."""

import re

from foliot.core.errors import Invalid
from foliot.core.instant import (
    DAY,
    HOUR,
    LAST_TICK,
    MINUTE,
    SECOND,
    UNIX_EPOCH,
    Instant,
    parse_instant,
)
from foliot.templates.functions.date_format import format_date
from foliot.templates.functions.signature import function

_COMPACT = re.compile(r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z", re.ASCII)
_DURATION = re.compile(
    r"(?P<sign>-)?P(?=[\dT])(?:(?P<years>\d+)Y)?(?:(?P<months>\d+)M)?(?:(?P<weeks>\d+)W)?"
    r"(?:(?P<days>\d+)D)?(?:T(?=\d)(?:(?P<hours>\d+)H)?(?:(?P<minutes>\d+)M)?"
    r"(?:(?P<seconds>\d+)(?:\.(?P<fraction>\d{1,7})\d*)?S)?)?",
    re.ASCII,
)
_LONGEST_TEXT = 64
_ISO = "yyyy-MM-ddTHH:mm:ssZ"
# The original counts a year as 365 days and a month as 30.
_UNITS = {
    "years": 365 * DAY,
    "months": 30 * DAY,
    "weeks": 7 * DAY,
    "days": DAY,
    "hours": HOUR,
    "minutes": MINUTE,
    "seconds": SECOND,
}


def _add(base: str, duration: str, form: str = _ISO) -> str:
    return format_date(_in_range(_instant(base) + _duration(duration)), form)


def _from_epoch(seconds: int) -> str:
    return format_date(_in_range(UNIX_EPOCH + seconds * SECOND), _ISO)


def _to_epoch(text: str) -> int:
    return (_instant(text) - UNIX_EPOCH) // SECOND


def _instant(text: str) -> Instant:
    compact = _COMPACT.fullmatch(text)
    iso = "{}-{}-{}T{}:{}:{}Z".format(*compact.groups()) if compact else text
    try:
        return parse_instant(iso)
    except Invalid:
        # The text may come from a secure parameter.
        problem = "the string is no date-time; give ISO 8601 such as 2026-01-31T08:30:00Z."
        raise Invalid((), problem) from None


def _duration(text: str) -> int:
    found = _DURATION.fullmatch(text) if len(text) <= _LONGEST_TEXT else None
    if found is None:
        problem = "the string is no duration; give ISO 8601 such as P1D, PT1H or -PT30M."
        raise Invalid((), problem)
    ticks = sum(int(found[unit] or 0) * size for unit, size in _UNITS.items())
    ticks += int((found["fraction"] or "").ljust(7, "0"))
    return -ticks if found["sign"] else ticks


def _in_range(ticks: int) -> Instant:
    if not 0 <= ticks <= LAST_TICK:
        raise Invalid((), "the date is not between the years 1 and 9999.")
    return Instant(ticks)


DATE_FUNCTIONS = {
    "dateTimeAdd": function(_add, "text text text?", 40),
    "dateTimeFromEpoch": function(_from_epoch, "int", 40),
    "dateTimeToEpoch": function(_to_epoch, "text", 40),
}
