"""Triggers of Logic Apps: a recurrence becomes the calendar of a job."""

import re
from typing import Any

from foliot.core.errors import Invalid, shown
from foliot.core.json_text import Json
from foliot.core.recurrence.zone import find_zone
from foliot.importers.documents import Fields
from foliot.importers.job_parts import is_utc
from foliot.importers.windows_zones import iana_zone

_FREQUENCIES = ("minute", "hour", "day", "week", "month", "year")
_LISTS = ("minutes", "hours", "weekDays", "monthDays")
_SECONDS_IN_A_MINUTE = 60
_NUMBER = re.compile(r"-?[0-9]{1,2}", re.ASCII)


def read_calendar(trigger: Fields, notes: list[str]) -> dict[str, Any]:
    """Return start and recurrence of a trigger."""
    given = trigger.object("recurrence")
    frequency, interval = _frequency(given)
    recurrence: dict[str, Any] = {"frequency": frequency, "interval": interval}
    if "count" in given:
        recurrence["count"] = given.number("count", 1)
    if "endTime" in given:
        recurrence["endTime"] = given.text("endTime")
    schedule = _schedule(given.object("schedule"))
    if schedule:
        recurrence["schedule"] = schedule
    if "timeZone" in given and not is_utc(iana_zone(given.text("timeZone"))):
        recurrence["timeZone"] = _zone(given.text("timeZone"), notes)
    if "startTime" in given:
        return {"startTime": given.text("startTime"), "recurrence": recurrence}
    notes.append("without a startTime it runs at once when it is applied, as a Logic App does")
    return {"recurrence": recurrence}


def _frequency(given: Fields) -> tuple[str, int]:
    frequency, interval = given.required_text("frequency").lower(), given.number("interval", 1)
    if frequency == "second":
        if interval % _SECONDS_IN_A_MINUTE:
            raise Invalid((), f"it runs every {interval} seconds; a job runs at most every minute.")
        return "minute", interval // _SECONDS_IN_A_MINUTE
    if frequency not in _FREQUENCIES:
        raise Invalid((), f"the frequency {shown(given.text('frequency'))} is not known.")
    return frequency, interval


def _schedule(given: Fields) -> dict[str, Any]:
    schedule: dict[str, Any] = {
        name: [_number_or_word(each) for each in given.items(name)]
        for name in _LISTS
        if given.items(name)
    }
    if given.items("monthlyOccurrences"):
        schedule["monthlyOccurrences"] = given.items("monthlyOccurrences")
    return schedule


def _number_or_word(value: Json) -> Json:
    """Return a number that is written as a text as a number."""
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return int(value)
    return value


def _zone(name: str, notes: list[str]) -> str:
    zone = iana_zone(name)
    find_zone(zone)
    if zone != name:
        notes.append(f'the zone "{name}" of Windows becomes {zone}')
    return zone
