"""Schedules of Google Cloud Scheduler: cron expressions, and some that are written in words."""

import re
from typing import Any

from foliot.core.errors import Invalid, shown
from foliot.importers.cron_text import ALTERNATIVES, accepted_cron, has_alternatives
from foliot.importers.job_parts import LONG_AGO, cron_calendar

_EVERY = re.compile(r"every\s+([0-9]{1,4})\s+(minutes|mins|hours)", re.IGNORECASE)
_AT = re.compile(
    r"every\s+([a-z]+(?:\s*,\s*[a-z]+)*)\s+([01]?[0-9]|2[0-3]):([0-5][0-9])", re.IGNORECASE
)
_OF_WORDS = re.compile(r"\b(?:every|of)\b", re.IGNORECASE)
_NAMES = ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
_WEEK_DAYS = {word: name[:3].upper() for name in _NAMES for word in (name, name[:3])}


def read_schedule(schedule: str, zone: str | None, notes: list[str]) -> dict[str, Any]:
    """Return start and recurrence of a schedule."""
    every = _EVERY.fullmatch(schedule.strip())
    if every is not None:
        frequency = "hour" if every[2].lower() == "hours" else "minute"
        notes.append(f"{shown(schedule)} counts from midnight of {LONG_AGO[:10]} UTC")
        recurrence: dict[str, Any] = {"frequency": frequency, "interval": int(every[1])}
        return {"startTime": LONG_AGO, "recurrence": recurrence}
    is_of_words = _OF_WORDS.search(schedule) is not None
    cron = _cron_of_words(schedule) if is_of_words else accepted_cron(schedule)
    if has_alternatives(cron):
        notes.append(f"both day fields are given: {ALTERNATIVES}, as in cron")
    return cron_calendar(cron, zone)


def _cron_of_words(schedule: str) -> str:
    """Write `every monday 09:00` as a cron expression."""
    match = _AT.fullmatch(schedule.strip())
    days = None if match is None else _week_days(match[1].lower())
    if match is None or days is None:
        problem = "is a schedule in words that a job cannot have; write a cron expression, such as"
        raise Invalid((), f'{shown(schedule)} {problem} "0 9 * * MON-FRI".')
    return f"{int(match[3])} {int(match[2])} * * {days}"


def _week_days(words: str) -> str | None:
    """Return the field of a cron expression, or None if a word is no day."""
    if words == "day":
        return "*"
    found = [_WEEK_DAYS.get(each.strip()) for each in words.split(",")]
    return None if None in found else ",".join(filter(None, found))
