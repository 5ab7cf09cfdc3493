"""Schedule expressions of Amazon EventBridge: `cron(...)`, `rate(...)` and `at(...)`."""

import re
from typing import Any

from foliot.core.errors import Invalid, shown
from foliot.core.instant import Instant, format_instant, parse_moment
from foliot.core.recurrence.cron import cron_fields
from foliot.core.recurrence.zone import find_zone, instant_of_moment
from foliot.importers.job_parts import LONG_AGO, cron_calendar, is_utc

_EXPRESSION = re.compile(r"\s*(cron|rate|at)\s*\(\s*(.*?)\s*\)\s*", re.DOTALL)
_RATE = re.compile(r"([0-9]{1,9})\s+(minute|hour|day)s?")
_WEEK_DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
_DAY = r"[1-7]|[A-Za-z]{3}"
_DAYS = re.compile(rf"(\*|{_DAY})(?:-({_DAY}))?(?:/([1-7]))?")
_NTH_DAY = re.compile(rf"({_DAY})(#[1-5]|L)")
_YEARS = re.compile(r"([0-9]{4})(?:-([0-9]{4}))?")
_FIELDS = 6
_MAX_CHARACTERS = 256  # as EventBridge has it
_SLOWER = {"minute": (60, "hour"), "hour": (24, "day")}
_LONGEST = {"minute": 1000, "hour": 1000, "day": 548}
# The service skips times that the clock skips, and runs repeated ones once.
_CLOCK_CHANGES = {"skipped": "skip"}


def read_expression(text: str, zone: str | None, now: Instant) -> dict[str, Any]:
    """Return start and recurrence of an expression."""
    match = _EXPRESSION.fullmatch(text) if len(text) <= _MAX_CHARACTERS else None
    if match is None:
        expected = "cron(0 9 * * ? *), rate(5 minutes) or at(2026-11-20T13:00:00)"
        raise Invalid((), f"{shown(text)} is not an expression such as {expected}.")
    if zone is not None:
        find_zone(zone)
    kind, inner = match.groups()
    if kind == "at":
        return _once(inner, zone, now)
    if kind == "rate":
        return _rate(inner)
    return _cron(inner, zone)


def _once(text: str, zone: str | None, now: Instant) -> dict[str, Any]:
    moment = parse_moment(text)
    at = instant_of_moment(None if zone is None else find_zone(zone), moment)
    if at <= now:
        raise Invalid((), f"its only time, {format_instant(at)}, has passed.")
    return {"startTime": format_instant(at)}


def _rate(text: str) -> dict[str, Any]:
    match = _RATE.fullmatch(text)
    if match is None or not int(match[1]):
        raise Invalid((), f"rate({text}) is not a rate such as rate(5 minutes).")
    interval, frequency = int(match[1]), match[2]
    while interval > _LONGEST[frequency] and frequency in _SLOWER:
        size, slower = _SLOWER[frequency]
        if interval % size:
            break
        interval, frequency = interval // size, slower
    return {
        "startTime": LONG_AGO,
        "recurrence": {"frequency": frequency, "interval": interval},
    }


def _cron(text: str, zone: str | None) -> dict[str, Any]:
    fields = text.split()
    if len(fields) != _FIELDS:
        raise Invalid((), f"cron({text}) has {len(fields)} fields; an expression has six.")
    minute, hour, month_day, month, week_day, year = fields
    for name, field in (("day of the month", month_day), ("day of the week", week_day)):
        if "W" in field.upper().replace("WED", "") or "L-" in field.upper():
            raise Invalid((), f"{shown(field)} in the {name} has no counterpart in a job.")
    cron = " ".join(
        (minute, hour, month_day.replace("?", "*"), month, _week_days(week_day.replace("?", "*")))
    )
    cron_fields(cron)
    dst = None if is_utc(zone) else dict(_CLOCK_CHANGES)
    calendar = cron_calendar(cron, None if is_utc(zone) else zone, dst=dst)
    return calendar if year == "*" else _within_years(calendar, year)


def _week_days(field: str) -> str:
    """Write days by name: EventBridge counts from Sunday, which is 1."""
    return ",".join(_week_day_item(each) for each in field.split(",")) if field != "*" else field


def _week_day_item(item: str) -> str:
    if item.upper() == "L":
        return "SAT"
    nth = _NTH_DAY.fullmatch(item)
    if nth is not None:
        return f"{_day(nth[1])}{nth[2].upper()}"
    match = _DAYS.fullmatch(item)
    if match is None:
        raise Invalid((), f"{shown(item)} is not a day of the week such as 2, MON or MON-FRI.")
    first, last, step = match.groups()
    low = 0 if first == "*" else _WEEK_DAYS.index(_day(first))
    if last is not None:
        high = _WEEK_DAYS.index(_day(last))
    else:
        high = len(_WEEK_DAYS) - 1 if step or first == "*" else low
    if high < low:
        high += len(_WEEK_DAYS)
    if step is None and low < high < len(_WEEK_DAYS):
        return f"{_WEEK_DAYS[low]}-{_WEEK_DAYS[high]}"
    return ",".join(_WEEK_DAYS[day % 7] for day in range(low, high + 1, int(step or 1)))


def _day(text: str) -> str:
    if text.isdigit():
        return _WEEK_DAYS[int(text) - 1]
    if text.upper() not in _WEEK_DAYS:
        raise Invalid((), f"{shown(text)} is not a day of the week such as 2 or MON.")
    return text.upper()


def _within_years(calendar: dict[str, Any], years: str) -> dict[str, Any]:
    match = _YEARS.fullmatch(years)
    if match is None:
        raise Invalid((), f"the years {shown(years)} are not one stretch; make a job for each.")
    first, last = match[1], match[2] or match[1]
    recurrence = {**calendar["recurrence"], "endTime": f"{last}-12-31T23:59:59"}
    return {"startTime": f"{first}-01-01T00:00:00", "recurrence": recurrence}
