"""Points in time, to 100 nanoseconds.

An `Instant` is a count of ticks (100 ns) since 0001-01-01T00:00:00Z, the resolution of the service
that Foliot stands in for: a `datetime` would lose the last digit. It sorts, subtracts and is stored
as the integer it is. A *wall* is the same count read off a clock on the wall in some time zone.
"""

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import NewType, Self

from msgspec import Struct

from foliot.core.errors import Invalid, shown
from foliot.core.plurals import noun_after

Instant = NewType("Instant", int)
Wall = NewType("Wall", int)

SECOND = 10_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR

# The last tick of the year 9999: no calendar goes on after it.
LAST_TICK = 3_652_059 * DAY - 1

UNIX_EPOCH = Instant(719_162 * DAY)

_YEAR_ONE = datetime(1, 1, 1)  # noqa: DTZ001  (a wall clock's zero, in whichever zone)
_FRACTION_DIGITS = 7
_FIELDS = ("year", "month", "day", "hour", "minute", "second")

# ISO 8601 as clients write it: a date, or a date and a time with or without seconds and offset.
_ISO = re.compile(
    r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)"
    r"(?:[Tt ](?P<hour>\d\d):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<fraction>\d+))?)?"
    r"(?P<offset>[Zz]|[+-]\d\d(?::?\d\d)?)?)?",
    re.ASCII,
)


class Moment(Struct, frozen=True):
    """A date-time as a client wrote it: a reading of a clock and, if given, its offset from UTC.

    Without an offset it is a reading of the job's own clock: UTC, or its time zone's.
    """

    wall: Wall
    offset: int | None

    @classmethod
    def at(cls, instant: Instant) -> Self:
        """Return the moment that names this instant in UTC."""
        return cls(Wall(instant), 0)


def parse_moment(text: str) -> Moment:
    """Read an ISO 8601 date or date-time; fractions past 100 ns are rounded."""
    match = _ISO.fullmatch(text)
    if match is None:
        raise _not_a_moment(text)
    fields = match.groupdict(default="")
    try:
        year, month, day, hour, minute, second = (int(fields[name] or 0) for name in _FIELDS)
        reading = datetime(year, month, day, hour, minute, second)  # noqa: DTZ001  (of any clock)
        offset = _offset_ticks(fields["offset"])
    except ValueError:
        raise _not_a_moment(text) from None
    wall = wall_of(reading) + _fraction_ticks(fields["fraction"])
    if not 0 <= wall - (offset or 0) <= LAST_TICK:
        raise _not_a_moment(text)
    return Moment(Wall(wall), offset)


def parse_instant(text: str) -> Instant:
    """Read an ISO 8601 date or date-time; one without an offset is UTC."""
    moment = parse_moment(text)
    return Instant(moment.wall - (moment.offset or 0))


@lru_cache(maxsize=4096)
def format_instant(instant: Instant) -> str:
    """Write `yyyy-MM-ddTHH:mm:ss[.f]Z`, the zeros at the end of the fraction left out."""
    seconds, fraction = divmod(instant, SECOND)
    text = (_YEAR_ONE + timedelta(seconds=seconds)).isoformat()
    if fraction:
        text += f".{fraction:0{_FRACTION_DIGITS}}".rstrip("0")
    return text + "Z"


def tell_instant(instant: Instant) -> str:
    """Say an instant in a message, to the second: "2026-01-31 08:30:00 UTC"."""
    return f"{reading_of(Wall(instant)):%Y-%m-%d %H:%M:%S} UTC"


def tell_length(ticks: int) -> str:
    """Say how long something lasts, to the second: "1 minute", "1 day 2 hours"."""
    said: list[str] = []
    for size, unit in ((DAY, "day"), (HOUR, "hour"), (MINUTE, "minute"), (SECOND, "second")):
        count, ticks = divmod(ticks, size)
        if count:
            said.append(f"{count} {noun_after(count, unit)}")
    return " ".join(said) or "less than a second"


def to_the_second(instant: Instant, *, up: bool = False) -> Instant:
    """Return the last whole second before an instant, or the next one."""
    return Instant(instant + -instant % SECOND if up else instant - instant % SECOND)


def instant_of(moment: datetime) -> Instant:
    """Return the instant that an aware `datetime` names."""
    return Instant(wall_of(moment.astimezone(UTC).replace(tzinfo=None)))


def moment_of(instant: Instant) -> datetime:
    """Return an instant as an aware `datetime`, to the microsecond below."""
    return reading_of(Wall(instant)).replace(tzinfo=UTC)


def wall_of(reading: datetime) -> Wall:
    """Return the ticks of a clock reading, given as a `datetime` without a zone."""
    return Wall((reading - _YEAR_ONE) // timedelta(microseconds=1) * 10)


def reading_of(wall: Wall) -> datetime:
    """Return a clock reading as a `datetime` without a zone, to the microsecond below."""
    return _YEAR_ONE + timedelta(microseconds=wall // 10)


def _offset_ticks(text: str) -> int | None:
    if not text:
        return None
    if text in "Zz":
        return 0
    hours, minutes = int(text[1:3]), int(text[3:].removeprefix(":") or 0)
    if hours > 23 or minutes > 59:  # noqa: PLR2004  (a clock's own limits)
        raise ValueError(text)
    return (hours * HOUR + minutes * MINUTE) * (-1 if text[0] == "-" else 1)


def _fraction_ticks(digits: str) -> int:
    kept, rest = digits[:_FRACTION_DIGITS], digits[_FRACTION_DIGITS:]
    return int(kept.ljust(_FRACTION_DIGITS, "0")) + (rest[:1] >= "5")


def _not_a_moment(text: str) -> Invalid:
    return Invalid(
        (), f"{shown(text)} is not a date-time; give ISO 8601 such as 2026-01-31T08:30:00Z."
    )
