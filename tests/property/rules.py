"""Random jobs: a recurrence as a client would write it, a start, and the moment it is saved."""

from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from hypothesis import strategies as st

from foliot.core.recurrence import MAX_INTERVAL, WEEK_DAYS, Frequency
from tests.property.cron_expressions import Fields, expressions

ZONES = (
    "America/New_York",
    "Europe/London",
    "Australia/Lord_Howe",
    "Africa/Cairo",
    "Pacific/Apia",
    "Asia/Kathmandu",
)

# Days around which months end, years leap and clocks change.
TURNING_POINTS = [
    datetime(*day, tzinfo=UTC)
    for day in (
        *((2024, 2, 29), (2026, 1, 31), (2026, 3, 8), (2026, 3, 29), (2026, 4, 5)),
        *((2026, 10, 4), (2026, 10, 25), (2026, 11, 1), (2023, 4, 28), (2023, 10, 27)),
        *((2011, 12, 30), (2099, 12, 31), (2000, 2, 28)),
    )
]


class Job(NamedTuple):
    recurrence: dict[str, Any]
    start: datetime | None  # without a zone: a reading of the job's own clock
    created: datetime
    cron: Fields | None = None  # what the expression of the recurrence, if any, selects


def some(values: st.SearchStrategy[Any], most: int = 4) -> st.SearchStrategy[list[Any]]:
    return st.lists(values, min_size=1, max_size=most, unique_by=str)


HOURS = some(st.integers(0, 23))
MINUTES = some(st.integers(0, 59))
MONTHS = some(st.integers(1, 12))
MONTH_DAYS = some(st.integers(1, 31) | st.integers(-31, -1))
OCCURRENCES = some(
    st.fixed_dictionaries(
        {"day": st.sampled_from(WEEK_DAYS)},
        optional={"occurrence": st.integers(1, 5) | st.integers(-5, -1)},
    )
)

_TIMES = {"hours": HOURS, "minutes": MINUTES}
_MONTHLY = {**_TIMES, "months": MONTHS, "monthDays": MONTH_DAYS, "monthlyOccurrences": OCCURRENCES}
FIELDS: dict[Frequency, dict[str, st.SearchStrategy[Any]]] = {
    Frequency.MINUTE: _TIMES,
    Frequency.HOUR: _TIMES,
    Frequency.DAY: {**_TIMES, "months": MONTHS},
    Frequency.WEEK: {**_TIMES, "months": MONTHS, "weekDays": some(st.sampled_from(WEEK_DAYS), 7)},
    Frequency.MONTH: _MONTHLY,
    Frequency.YEAR: _MONTHLY,
}


@st.composite
def recurrences(draw: st.DrawFn, *, zones: bool) -> dict[str, Any]:
    frequency = draw(st.sampled_from(list(Frequency)))
    few = min(MAX_INTERVAL[frequency], 4)
    interval = draw(st.integers(1, few) | st.integers(1, MAX_INTERVAL[frequency]))
    rule: dict[str, Any] = {"frequency": frequency.value, "interval": interval}
    schedule = draw(st.none() | st.fixed_dictionaries({}, optional=FIELDS[frequency]))
    if schedule:
        rule["schedule"] = schedule
    if zones and draw(st.booleans()):
        rule["timeZone"] = draw(st.sampled_from(ZONES))
    return rule


DST = st.fixed_dictionaries(
    {"skipped": st.sampled_from(["after", "skip", "before"])},
    optional={"repeated": st.sampled_from(["first", "second", "both"])},
)


@st.composite
def days_off(draw: st.DrawFn, around: datetime) -> dict[str, Any]:
    dates: list[str] = []
    for _ in range(draw(st.integers(1, 6))):
        first = around.date() + timedelta(days=draw(st.integers(-8, 40)))
        length = draw(st.sampled_from([0, 0, 0, 1, 2, 9]))
        last = first + timedelta(days=length)
        dates.append(f"{first}/{last}" if length else f"{first}")
    return {"dates": dates, "then": draw(st.sampled_from(["skip", "next", "previous"]))}


@st.composite
def jobs(draw: st.DrawFn, *, zones: bool = True, extended: bool = True) -> Job:
    around = draw(st.sampled_from(TURNING_POINTS))
    created = around + timedelta(seconds=draw(st.integers(-5 * 86_400, 5 * 86_400)))
    ahead = st.integers(0, 40 * 86_400_000) | st.integers(-3000 * 86_400_000, 500 * 86_400_000)
    start = draw(st.none() | ahead.map(lambda each: created + timedelta(milliseconds=each)))
    if start is not None and zones and draw(st.booleans()):
        start = start.replace(tzinfo=None)
    rule = draw(recurrences(zones=zones))
    cron: Fields | None = None
    if extended and draw(st.booleans()):
        if draw(st.booleans()):
            expression = draw(expressions())
            rule = {name: rule[name] for name in ("timeZone",) if name in rule}
            rule, cron = rule | {"cron": expression.text}, expression.fields
        if "timeZone" in rule and draw(st.booleans()):
            rule["dst"] = draw(DST)
        if draw(st.booleans()):
            rule["exclude"] = draw(days_off(around))
    return Job(rule, start, created, cron)
