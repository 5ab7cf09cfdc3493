"""Days off as values: dates on which a rule does not fire, and what becomes of those times."""

from collections.abc import Iterable
from datetime import date
from enum import StrEnum
from struct import Struct as Packing
from typing import Self

from msgspec import Struct

from foliot.core.errors import Invalid, shown

MAX_DAYS = 2000
MAX_CALENDARS = 10
_RANGE = Packing("<II")


class DateRange(Struct, frozen=True, array_like=True):
    """Days from a first to a last one, counted from 0001-01-01."""

    first: int
    last: int

    def __post_init__(self) -> None:
        if not 0 <= self.first <= self.last < date.max.toordinal():
            raise Invalid((), "ends before it begins; give the earlier date first.")

    def __str__(self) -> str:
        first, last = (date.fromordinal(day + 1).isoformat() for day in (self.first, self.last))
        return first if first == last else f"{first}/{last}"


class DayOffMove(StrEnum):
    """What becomes of a time on a day off: it is skipped, or moved to the nearest other day."""

    SKIP = "skip"
    NEXT = "next"
    PREVIOUS = "previous"


# Packed, since every job that uses a calendar has them: read, hashed and compared as one value.
class CalendarDays(Struct, frozen=True):
    """The days of named calendars together: the first and the last day of each run of days."""

    packed: bytes = b""

    def __post_init__(self) -> None:
        if len(self.packed) % _RANGE.size:
            raise Invalid((), "the days of calendars are cut off.")

    @classmethod
    def of(cls, ranges: Iterable[DateRange]) -> Self:
        """Return the days of some ranges."""
        merged = merge_ranges(ranges)
        return cls(b"".join(_RANGE.pack(each.first, each.last) for each in merged))

    @property
    def count(self) -> int:
        """How many days there are."""
        return sum(last - first + 1 for first, last in _RANGE.iter_unpack(self.packed))

    @property
    def ranges(self) -> tuple[DateRange, ...]:
        """The days in order, days in a row as one range."""
        return tuple(DateRange(*days) for days in _RANGE.iter_unpack(self.packed))


NO_CALENDAR_DAYS = CalendarDays()


# Hashed once: it may hold thousands of dates, and caches of compiled rules have it in their keys.
class Exclusion(Struct, frozen=True, kw_only=True, cache_hash=True):
    """The days off of a rule: dates of its own, and named calendars of dates."""

    dates: tuple[DateRange, ...] = ()
    calendars: tuple[str, ...] = ()
    # As it was given: an answer has no choice that nobody made.
    then: DayOffMove | None = None

    def __post_init__(self) -> None:
        if not (self.dates or self.calendars):
            raise Invalid((), "names no day; give dates or calendars, or leave it out.")
        check_day_count(self.dates)

    @property
    def move(self) -> DayOffMove:
        """What becomes of a time on a day off."""
        return self.then or DayOffMove.SKIP


def check_day_count(dates: Iterable[DateRange]) -> None:
    """Refuse more days than a rule, or a calendar, may have."""
    days = sum(each.last - each.first + 1 for each in dates)
    if days > MAX_DAYS:
        raise Invalid(
            ("dates",),
            f"{days} days are too many, each day of a range counted; give at most {MAX_DAYS}.",
        )


def merge_ranges(ranges: Iterable[DateRange]) -> tuple[DateRange, ...]:
    """Return the same days in order, with days in a row as one range."""
    merged: list[DateRange] = []
    for each in sorted(ranges, key=lambda each: each.first):
        if merged and each.first <= merged[-1].last + 1:
            merged[-1] = DateRange(merged[-1].first, max(merged[-1].last, each.last))
        else:
            merged.append(each)
    return tuple(merged)


def parse_dates(text: str) -> DateRange:
    """Read a date, or a first and a last date with a slash between them."""
    first, slash, last = text.partition("/")
    try:
        days = [_parse_date(each) for each in ((first, last) if slash else (first, first))]
    except ValueError:
        raise Invalid(
            (),
            f"{shown(text)} is not a date; give one such as 2026-12-25, or a range such as "
            "2026-12-24/2027-01-01.",
        ) from None
    if days[0] > days[1]:
        raise Invalid((), f"{shown(text)} ends before it begins; give the earlier date first.")
    return DateRange(*days)


def _parse_date(text: str) -> int:
    # `fromisoformat` reads more than the one notation that is given back.
    if len(text) != len("2026-12-25") or not text.isascii():
        raise ValueError(text)
    day = date.fromisoformat(text)
    if day.isoformat() != text:
        raise ValueError(text)
    return day.toordinal() - 1
