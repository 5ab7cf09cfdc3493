"""The recurrence of a job as values: if a `Recurrence` exists, it is valid.

Paths in refusals are the names a client wrote, from the recurrence down.
"""

from collections.abc import Callable, Container, Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import astuple

from foliot.core.errors import Invalid, Path, shown, wrong
from foliot.core.instant import Moment
from foliot.core.recurrence.cron import Cron
from foliot.core.recurrence.dst_policy import DstPolicy
from foliot.core.recurrence.exclusion import Exclusion
from foliot.core.recurrence.zone import find_zone

_MONTH_DAYS = frozenset(range(-31, 32)) - {0}
_OCCURRENCES = frozenset(range(-5, 6)) - {0}

BESIDE_CRON = "does not go with cron, which selects all times itself; leave it out."
WEEK_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


class Frequency(StrEnum):
    """The unit in which a recurrence counts."""

    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"


MAX_INTERVAL = {
    Frequency.MINUTE: 1000,
    Frequency.HOUR: 1000,
    Frequency.DAY: 548,
    Frequency.WEEK: 78,
    Frequency.MONTH: 18,
    Frequency.YEAR: 1,
}


class MonthlyOccurrence(Struct, frozen=True):
    """A weekday of a month (Monday is 0): the nth, the nth from the end, or every one."""

    day: int
    occurrence: int | None = None

    def __post_init__(self) -> None:
        _check_each(("day",), (self.day,), range(7), "a weekday from Monday, 0, to Sunday, 6")
        if self.occurrence is not None:
            expected = "a whole number from -5 to 5 but not 0, or leave it out for every one"
            _check_each(("occurrence",), (self.occurrence,), _OCCURRENCES, expected)


class Schedule(Struct, frozen=True, kw_only=True):
    """The fields that select times within the periods; an empty one is not given."""

    minutes: tuple[int, ...] = ()
    hours: tuple[int, ...] = ()
    week_days: tuple[int, ...] = ()
    month_days: tuple[int, ...] = ()
    monthly_occurrences: tuple[MonthlyOccurrence, ...] = ()
    months: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for name, values, allowed, expected in (
            ("minutes", self.minutes, range(60), "a minute from 0 to 59"),
            ("hours", self.hours, range(24), "an hour from 0 to 23"),
            ("weekDays", self.week_days, range(7), "a weekday from Monday, 0, to Sunday, 6"),
            ("monthDays", self.month_days, _MONTH_DAYS, "a day from 1 to 31 or from -31 to -1"),
            ("months", self.months, range(1, 13), "a month from 1 to 12"),
        ):
            _check_each((name,), values, allowed, expected)
        if not any(astuple(self)):
            raise Invalid((), "{} selects no time; give a field such as hours, or leave it out.")


class Recurrence(Struct, frozen=True, kw_only=True):
    """How a job repeats: every so many periods, at the times the schedule selects, or by cron.

    A frequency or a cron expression is there, and not both.
    """

    frequency: Frequency | None = None
    interval: int = 1
    count: int | None = None
    end: Moment | None = None
    schedule: Schedule | None = None
    time_zone: str | None = None
    cron: Cron | None = None
    dst: DstPolicy | None = None
    exclude: Exclusion | None = None

    def __post_init__(self) -> None:
        for check in _CHECKS:
            check(self)

    @property
    def source(self) -> Frequency | Cron:
        """Where the times come from."""
        source = self.cron or self.frequency
        assert source is not None  # noqa: S101  (checked when it was made)
        return source

    @property
    def is_grid(self) -> bool:
        """Whether occurrences lie at equal steps from the anchor, for want of a schedule."""
        return self.schedule is None and self.cron is None


def _check_each(
    path: Path, values: tuple[int, ...], allowed: Container[int], expected: str
) -> None:
    for value in values:
        if value not in allowed:
            raise wrong(path, value, expected)


def _check_source(rule: Recurrence) -> None:
    if rule.frequency is None and rule.cron is None:
        raise Invalid(("frequency",), f"is missing; give one of {', '.join(Frequency)}.")
    if rule.cron is None:
        return
    if rule.frequency is not None:
        raise Invalid(("frequency",), BESIDE_CRON)
    if rule.interval != 1:
        raise Invalid(("interval",), BESIDE_CRON)
    if rule.schedule is not None:
        raise Invalid(("schedule",), BESIDE_CRON)


def _check_interval(rule: Recurrence) -> None:
    if rule.frequency is None:
        return
    longest = MAX_INTERVAL[rule.frequency]
    if not 1 <= rule.interval <= longest:
        allowed = "1" if longest == 1 else f"a whole number from 1 to {longest}"
        raise wrong(
            ("interval",), rule.interval, f"{allowed}, the limit with frequency '{rule.frequency}'"
        )


def _check_count(rule: Recurrence) -> None:
    if rule.count is not None and rule.count < 1:
        raise wrong(("count",), rule.count, "a whole number of at least 1, or leave it out")


def _check_time_zone(rule: Recurrence) -> None:
    if rule.time_zone is not None:
        find_zone(rule.time_zone)


def _check_dst(rule: Recurrence) -> None:
    if rule.dst is not None and rule.time_zone is None:
        raise Invalid(
            ("dst",), "goes with a timeZone only: UTC has no clock changes; leave it out."
        )


def _check_fields(rule: Recurrence) -> None:
    if rule.schedule is None or rule.frequency is None:
        return
    for name, phrase, values, frequencies in _fields_bound_to_frequencies(rule.schedule):
        if values and rule.frequency not in frequencies:
            allowed = " or ".join(f"'{frequency}'" for frequency in frequencies)
            # The first sentence is the one the clients of the old service know.
            raise Invalid(
                ("schedule", name),
                f"Cannot set {phrase} with recurrence unit '{rule.frequency.capitalize()}'. "
                f"{shown(values)} goes with frequency {allowed} only; leave it out.",
            )


def _fields_bound_to_frequencies(
    schedule: Schedule,
) -> tuple[tuple[str, str, Sequence[object], tuple[Frequency, ...]], ...]:
    monthly = (Frequency.MONTH, Frequency.YEAR)
    daily_and_longer = (Frequency.DAY, Frequency.WEEK, *monthly)
    occurrences = [
        {"day": WEEK_DAYS[each.day]}
        | ({} if each.occurrence is None else {"occurrence": each.occurrence})
        for each in schedule.monthly_occurrences
    ]
    week_days = [WEEK_DAYS[day] for day in schedule.week_days]
    return (
        ("weekDays", "days of week", week_days, (Frequency.WEEK,)),
        ("monthDays", "days of month", schedule.month_days, monthly),
        ("monthlyOccurrences", "monthly occurrences", occurrences, monthly),
        ("months", "months", schedule.months, daily_and_longer),
    )


_CHECKS: tuple[Callable[[Recurrence], None], ...] = (
    _check_source,
    _check_interval,
    _check_count,
    _check_time_zone,
    _check_dst,
    _check_fields,
)
