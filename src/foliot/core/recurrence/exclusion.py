"""Days off as values: dates on which a rule does not fire, and what becomes of those times."""

from datetime import date
from enum import StrEnum

from msgspec import Struct

from foliot.core.errors import Invalid, shown

MAX_DAYS = 2000


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


# Hashed once: it may hold thousands of dates, and caches of compiled rules have it in their keys.
class Exclusion(Struct, frozen=True, kw_only=True, cache_hash=True):
    """The days off of a rule: dates of its own, and named calendars of dates."""

    dates: tuple[DateRange, ...] = ()
    calendars: tuple[str, ...] = ()
    then: DayOffMove = DayOffMove.SKIP

    def __post_init__(self) -> None:
        if not (self.dates or self.calendars):
            raise Invalid((), "names no day; give dates, or leave it out.")
        days = sum(each.last - each.first + 1 for each in self.dates)
        if days > MAX_DAYS:
            raise Invalid(
                ("dates",),
                f"{days} days are too many, each day of a range counted; give at most {MAX_DAYS}.",
            )


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
