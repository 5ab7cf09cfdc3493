"""Repeating patterns of clock readings, which find the next one by a jump.

    StepPattern     a few readings in a cycle of any length            minute, hour
    DayPattern      some days of a cycle of days, at some times        day, week
    MonthPattern    some days of some months, at some times            month, year

None of them goes step by step: division finds the cycle, and binary search the next reading in it.
For months it is a byte search in the 400 years after which the Gregorian calendar repeats.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from math import gcd

from msgspec import Struct

from foliot.core.instant import DAY, LAST_TICK, Wall
from foliot.core.recurrence.rule import MonthlyOccurrence

_CYCLE_MONTHS = 4800  # 400 years
_CYCLE_DAYS = 146_097


class StepPattern(Struct, frozen=True, cache_hash=True):
    """Readings at sorted offsets within a cycle that repeats before and after its origin."""

    origin: Wall
    length: int
    offsets: tuple[int, ...]

    @property
    def begins_at(self) -> Wall:
        """The first reading of the anchor's period."""
        return self.origin

    def after(self, wall: Wall) -> Wall | None:
        """Return the first reading later than this one."""
        if not self.offsets:
            return None
        cycle, position = divmod(wall - self.origin, self.length)
        index = bisect_right(self.offsets, position)
        if index == len(self.offsets):
            cycle, index = cycle + 1, 0
        return _up_to_the_end(self.origin + cycle * self.length + self.offsets[index])


class DayPattern(Struct, frozen=True, cache_hash=True):
    """Days at sorted offsets within a cycle of days, if their month is allowed, at sorted times."""

    origin: int
    length: int
    days: tuple[int, ...]
    times: tuple[int, ...]
    months: tuple[int, ...] = ()

    @property
    def begins_at(self) -> Wall:
        """The first reading of the anchor's period."""
        return Wall(self.origin * DAY)

    def after(self, wall: Wall) -> Wall | None:
        """Return the first reading later than this one."""
        day, time = divmod(wall, DAY)
        if time >= self.times[-1]:
            day, time = day + 1, -1
        found = self.day_from(day)
        if found is None:
            return None
        index = 0 if found > day else bisect_right(self.times, time)
        return _up_to_the_end(found * DAY + self.times[index])

    def day_from(self, day: int) -> int | None:
        """Return the first day of the pattern that is not before this one."""
        while True:
            position = (day - self.origin) % self.length
            index = bisect_left(self.days, position)
            if index < len(self.days):
                day += self.days[index] - position
            else:
                day += self.days[0] + self.length - position
            if not self.months:
                return day
            if day * DAY > LAST_TICK:
                return None
            wait = self._days_until_allowed_month(day)
            if wait == 0:
                return day
            day += wait

    def _days_until_allowed_month(self, day: int) -> int:
        here = date.fromordinal(day + 1)
        if here.month in self.months:
            return 0
        index = bisect_right(self.months, here.month)
        year, month = (
            (here.year, self.months[index])
            if index < len(self.months)
            else (here.year + 1, self.months[0])
        )
        return first_day_of_month(year * 12 + month - 1) - day


class MonthPattern(Struct, frozen=True, cache_hash=True):
    """Days of every nth month, given for each kind of month as a set of bits, at sorted times."""

    origin: int
    interval: int
    hits: bytes  # for each nth month of a repeating stretch: whether it has any day of the pattern
    days: tuple[int, ...]  # for each kind of month: bit d is set if day d belongs to the pattern
    times: tuple[int, ...]

    @property
    def begins_at(self) -> Wall:
        """The first reading of the anchor's period."""
        return Wall(first_day_of_month(self.origin) * DAY)

    @classmethod
    def of(
        cls, origin: int, interval: int, days: tuple[int, ...], times: tuple[int, ...]
    ) -> "MonthPattern":
        """Lay the kinds of every nth month in a row and mark those that have days."""
        turns = interval // gcd(interval, _CYCLE_MONTHS)
        start = origin % _CYCLE_MONTHS
        kinds = (_KINDS * (turns + 1))[start : start + turns * _CYCLE_MONTHS : interval]
        return cls(origin, interval, kinds.translate(_marks(days)), days, times)

    def after(self, wall: Wall) -> Wall | None:
        """Return the first reading later than this one."""
        day, time = divmod(wall, DAY)
        if time >= self.times[-1]:
            day, time = day + 1, -1
            if day * DAY > LAST_TICK:
                return None
        here = date.fromordinal(day + 1)
        month = here.year * 12 + here.month - 1
        turn, rest = divmod(month - self.origin, self.interval)
        if rest:
            return self._first_from(turn + 1)
        days = self.days[_KINDS[month % _CYCLE_MONTHS]] >> here.day
        if days & 1:
            return Wall(day * DAY + self.times[bisect_right(self.times, time)])
        if days:
            return Wall((day + _lowest_bit(days)) * DAY + self.times[0])
        return self._first_from(turn + 1)

    def days_of(self, month: int) -> int:
        """Return the days of a month that belong to the pattern, as bits."""
        is_active = (month - self.origin) % self.interval == 0
        return self.days[_KINDS[month % _CYCLE_MONTHS]] if is_active else 0

    def months_with_days(self) -> Iterator[tuple[int, int]]:
        """Go through one cycle of months that have days, from the origin on, with those days."""
        turns = (index for index, hit in enumerate(self.hits) if hit)
        for turn in turns:
            month = self.origin + turn * self.interval
            yield month, self.days[_KINDS[month % _CYCLE_MONTHS]]

    def _first_from(self, turn: int) -> Wall | None:
        """Return the first reading in the first month with any, from the nth active month on."""
        position = turn % len(self.hits)
        found = self.hits.find(1, position)
        if found < 0:
            found = self.hits.find(1)
            if found < 0:
                return None
            found += len(self.hits)
        month = self.origin + (turn + found - position) * self.interval
        day = first_day_of_month(month) + _lowest_bit(self.days[_KINDS[month % _CYCLE_MONTHS]]) - 1
        return _up_to_the_end(day * DAY + self.times[0])


Pattern = StepPattern | DayPattern | MonthPattern


def first_day_of_month(month: int) -> int:
    """Return the number of the first day of a month counted from January of year 0."""
    cycles, rest = divmod(month, _CYCLE_MONTHS)
    return _FIRST_DAYS[rest] + cycles * _CYCLE_DAYS


@lru_cache(maxsize=1024)
def days_by_kind(
    month_days: tuple[int, ...],
    occurrences: tuple[MonthlyOccurrence, ...],
    months: tuple[int, ...],
) -> tuple[int, ...]:
    """Return the days that satisfy all of these in each kind of month; what is empty allows any."""
    found: list[int] = []
    for month, length, first in KINDS:
        days = 0
        if not months or month in months:
            for day in range(1, length + 1):
                by_number = not month_days or day in month_days or day - length - 1 in month_days
                if by_number and (not occurrences or _occurs(occurrences, day, length, first)):
                    days |= 1 << day
        found.append(days)
    return tuple(found)


@lru_cache(maxsize=1024)
def clamped_day_by_kind(day: int, months: tuple[int, ...]) -> tuple[int, ...]:
    """Return this day in each kind of month, or the month's last day where it has no such day."""
    return tuple(
        1 << min(day, length) if not months or month in months else 0 for month, length, _ in KINDS
    )


def _occurs(occurrences: tuple[MonthlyOccurrence, ...], day: int, length: int, first: int) -> bool:
    week_day = (first + day - 1) % 7
    numbers = (None, (day + 6) // 7, -((length - day) // 7 + 1))
    return any(each.day == week_day and each.occurrence in numbers for each in occurrences)


def _lowest_bit(bits: int) -> int:
    return (bits & -bits).bit_length() - 1


def _marks(days: tuple[int, ...]) -> bytes:
    return bytes(map(bool, days)).ljust(256, b"\0")


def _up_to_the_end(wall: int) -> Wall | None:
    return Wall(wall) if wall <= LAST_TICK else None


def _kinds() -> tuple[tuple[int, int, int], ...]:
    lengths = ((1, 31), (2, 28), (2, 29), (3, 31), (4, 30), (5, 31), (6, 30), (7, 31), (8, 31))
    lengths += ((9, 30), (10, 31), (11, 30), (12, 31))
    return tuple((month, length, first) for month, length in lengths for first in range(7))


def _lay_out_400_years() -> tuple[bytes, list[int]]:
    number = {kind: index for index, kind in enumerate(KINDS)}
    kinds = bytearray()
    first_days: list[int] = []
    day = -366  # year 0, a leap year, lies before day 0; day 0 is a Monday
    for index in range(_CYCLE_MONTHS):
        year, month = divmod(index, 12)
        length = _length(year, month + 1)
        kinds.append(number[month + 1, length, day % 7])
        first_days.append(day)
        day += length
    return bytes(kinds), first_days


def _length(year: int, month: int) -> int:
    if month == 2:  # noqa: PLR2004  (February)
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


# All the months there can be: (month of the year, its length, the weekday of its first day).
KINDS = _kinds()
_KINDS, _FIRST_DAYS = _lay_out_400_years()
