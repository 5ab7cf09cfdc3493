"""The days of an iCalendar file (RFC 5545): what a calendar of days off takes.

An event covers each day from its start to its end. Events that repeat every year, on their day or
on a weekday such as the fourth Thursday of a month, are repeated in the years that are asked for;
any other repetition is refused, since guessing would lose days. So is a file that was cut off.
"""

import re
from calendar import monthrange
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta

from msgspec import Struct

from foliot.core.errors import Invalid, shown

_LINE = re.compile(
    r"(?P<name>[A-Za-z-]+)(?P<parameters>(?:;[^:\"]*(?:\"[^\"]*\"[^:\"]*)*)?):(?P<value>.*)"
)
_DATE = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(?P<time>\d{6})Z?)?", re.ASCII)
_DAYS = re.compile(r"P(?:(\d{1,3})W)?(?:(\d{1,4})D)?(?:T.*)?", re.ASCII)
_NUMBER = re.compile(r"[0-9]{1,5}")
_NTH_WEEKDAY = re.compile(r"(\+?[1-5]|-[1-5])(MO|TU|WE|TH|FR|SA|SU)")
_WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_KNOWN = {"FREQ", "INTERVAL", "COUNT", "UNTIL", "BYMONTH", "BYMONTHDAY", "BYDAY", "WKST"}
_MAX_DAYS_OF_EVENT = 2000


class Years(Struct, frozen=True):
    """The years in which events that repeat are wanted."""

    first: int
    last: int


def days_of(text: str, years: Years) -> list[str]:
    """Return the days of all events as dates and ranges, sorted, each day once."""
    found = {day for event in _events(text) for day in _days(event, years)}
    return list(_ranges(sorted(found)))


def _events(text: str) -> Iterator[dict[str, list[str]]]:
    # A line that begins with a blank continues the one before it.
    lines = re.sub(r"\r?\n[ \t]", "", text).splitlines()
    marks = [line.strip().upper() for line in lines]
    if "BEGIN:VCALENDAR" not in marks:
        raise Invalid((), "is not an iCalendar file: it has no line BEGIN:VCALENDAR.")
    if marks.count("BEGIN:VEVENT") != marks.count("END:VEVENT") or "END:VCALENDAR" not in marks:
        raise Invalid((), "is cut off: an event or the calendar has no END.")
    if "BEGIN:VEVENT" not in marks:
        raise Invalid((), "has no events; give a calendar with days off.")
    event: dict[str, list[str]] | None = None
    depth = 0
    for line in lines:
        match = _LINE.fullmatch(line.strip())
        if match is None:
            continue
        name, value = match["name"].upper(), match["value"].strip()
        if name == "BEGIN" and value.upper() == "VEVENT":
            event, depth = {}, 0
        elif name == "END" and value.upper() == "VEVENT" and event is not None:
            yield event
            event = None
        elif event is not None:
            # Alarms stand inside of events, and have properties of their own.
            depth += {"BEGIN": 1, "END": -1}.get(name, 0)
            if not depth and name != "END":
                event.setdefault(name, []).append(value)


def _days(event: Mapping[str, list[str]], years: Years) -> Iterator[date]:
    if "CANCELLED" in [each.upper() for each in event.get("STATUS", [])]:
        return
    start = _date(event, "DTSTART")
    length = _length(event, start)
    excluded = {each for text in event.get("EXDATE", []) for each in _dates(text)}
    given = [each for text in event.get("RDATE", []) for each in _dates(text)]
    for first in [*_starts(event, start, years), *given]:
        if first > date.max - timedelta(days=length):
            raise Invalid((), f"an event of {first} ends after the year {date.max.year}.")
        if first not in excluded:
            yield from (first + timedelta(days=number) for number in range(length))


def _starts(event: Mapping[str, list[str]], start: date, years: Years) -> Iterator[date]:
    rules = event.get("RRULE", [])
    if not rules:
        yield start
        return
    parts = (part.upper().partition("=") for part in rules[0].split(";"))
    rule = {name: value for name, _, value in parts}
    if len(rules) > 1 or not _is_plainly_yearly(rule, start):
        summary = event.get("SUMMARY", ["an event"])[0]
        raise Invalid(
            (),
            f"{shown(summary)} repeats by {shown(rules[0])}; give only events that repeat each "
            "year on their day or on a weekday of their month, or that do not repeat.",
        )
    interval, count = int(rule.get("INTERVAL", "1")), int(rule.get("COUNT", "10000"))
    until = next(_dates(rule["UNTIL"])) if "UNTIL" in rule else date.max
    # A day that not every year has is left out where it does not exist, and does not count.
    found = (_hit(rule, start, year) for year in range(start.year, years.last + 1, interval))
    hits = (each for each in found if each is not None and each >= start)
    for number, hit in enumerate(hits):
        if number >= count or hit > until:
            return
        if hit.year >= years.first:
            yield hit


def _is_plainly_yearly(rule: Mapping[str, str], start: date) -> bool:
    same = {"BYMONTH": start.month, "BYMONTHDAY": start.day}
    is_nth = "BYMONTH" in rule and "BYMONTHDAY" not in rule
    weekday = rule.get("BYDAY")
    return (
        rule.get("FREQ") == "YEARLY"
        and rule.keys() <= _KNOWN
        and all(rule.get(name, str(value)) == str(value) for name, value in same.items())
        and all(_NUMBER.fullmatch(rule.get(name, "1")) for name in ("INTERVAL", "COUNT"))
        and int(rule.get("INTERVAL", "1")) > 0
        and (weekday is None or (is_nth and _NTH_WEEKDAY.fullmatch(weekday) is not None))
    )


def _hit(rule: Mapping[str, str], start: date, year: int) -> date | None:
    """Return the day of a year on which an event repeats, if that year has it."""
    nth = _NTH_WEEKDAY.fullmatch(rule.get("BYDAY", ""))
    try:
        if nth is None:
            return start.replace(year=year)
        first, length = monthrange(year, start.month)
        days = range(1 + (_WEEKDAYS.index(nth[2]) - first) % 7, length + 1, 7)
        number = int(nth[1])
        return date(year, start.month, days[number - (number > 0)])
    except (ValueError, IndexError):
        return None


def _length(event: Mapping[str, list[str]], start: date) -> int:
    if "DTEND" in event:
        end = _date(event, "DTEND")
        # An end is not part of the event, unless it is a time in the middle of its day.
        is_inside = re.search(r"T(?!000000)", event["DTEND"][0]) is not None
        length = (end - start).days + is_inside
    else:
        match = _DAYS.fullmatch(event.get("DURATION", ["P1D"])[0])
        weeks, days = (int(each or 0) for each in match.groups()) if match else (0, 1)
        length = 7 * weeks + days
    if length > _MAX_DAYS_OF_EVENT:
        raise Invalid((), f"an event of {length} days is no day off.")
    return max(length, 1)


def _date(event: Mapping[str, list[str]], name: str) -> date:
    for text in event.get(name, []):
        for found in _dates(text):
            return found
    raise Invalid((), f"an event has no {name}.")


def _dates(text: str) -> Iterator[date]:
    for each in text.split(","):
        match = _DATE.fullmatch(each.strip())
        try:
            year, month, day = (int(match[number]) for number in (1, 2, 3)) if match else (0, 0, 0)
            yield date(year, month, day)
        except ValueError:
            raise Invalid((), f"{shown(each)} is not a date of an iCalendar file.") from None


def _ranges(days: Sequence[date]) -> Iterator[str]:
    first = 0
    for number, day in enumerate(days):
        is_last = number + 1 == len(days) or days[number + 1] != day + timedelta(days=1)
        if is_last:
            begin = days[first]
            yield f"{day}" if begin == day else f"{begin}/{day}"
            first = number + 1
