"""Times as people type them: now, tomorrow 9:00, monday 17:30, in 10m, 2026-03-01T09:00Z.

A time without an offset is one of the clock of the person who types it, or of a zone that is given.
"""

import re
from datetime import UTC, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from foliot.client.durations import parse_duration
from foliot.core.errors import Invalid, shown, wrong
from foliot.core.instant import (
    Instant,
    Wall,
    instant_of,
    parse_instant,
    parse_moment,
    reading_of,
)

_EXPECTED = (
    "a time such as now, 9:00, 'tomorrow 9:00', 'monday 17:30', 'in 10m' or 2026-03-01T09:00Z"
)
# A day may be added to each, and a zone may move it.
_YEARS = range(parse_instant("1900-01-01"), parse_instant("9000-01-01"))
_WITHIN = "a time from the years 1900 to 8999"
_WEEK_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}
_SPOKEN = re.compile(
    rf"(?:(?P<day>{'|'.join((*_DAYS, *_WEEK_DAYS))})(?:\s+(?:at\s+)?|$))?"
    r"(?:(?P<hour>\d{1,2}):(?P<minute>\d\d))?",
    re.ASCII | re.IGNORECASE,
)
_RELATIVE = re.compile(r"in\s+(?P<later>.+)|(?P<earlier>.+?)\s+ago", re.ASCII | re.IGNORECASE)


def find_zone(name: str) -> ZoneInfo:
    """Return the time zone of this name."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise Invalid(
            (), f"{shown(name)} is not a time zone; give a name such as Europe/Prague."
        ) from None


def parse_time(
    text: str, now: Instant, zone: tzinfo | None = None, *, looks_back: bool = False
) -> Instant:
    """Return the instant that somebody means; without a zone, by the clock of this machine.

    A time alone, or a weekday, is the next one; with `looks_back` the last one.
    """
    try:
        found = _meant(text, now, zone, looks_back=looks_back)
    except (OverflowError, ValueError):
        # The clocks of Python end with the years that they can show.
        raise wrong((), text, _WITHIN) from None
    if found not in _YEARS:
        raise wrong((), text, _WITHIN)
    return found


def _meant(text: str, now: Instant, zone: tzinfo | None, *, looks_back: bool) -> Instant:
    said = text.strip()
    if said.lower() == "now":
        return now
    relative = _RELATIVE.fullmatch(said)
    if relative:
        return _relative(relative, text, now)
    spoken = _SPOKEN.fullmatch(said)
    if said and spoken:
        return _spoken(spoken, text, _clock(now, zone), zone, looks_back=looks_back)
    return _written(said, text, zone)


def parse_past(text: str, now: Instant, zone: tzinfo | None = None) -> Instant:
    """Return an instant in the past: a period means so long ago."""
    try:
        ticks = parse_duration(text)
    except Invalid:
        return parse_time(text, now, zone, looks_back=True)
    if now - ticks not in _YEARS:
        raise wrong((), text, _WITHIN)
    return Instant(now - ticks)


def _relative(match: re.Match[str], text: str, now: Instant) -> Instant:
    try:
        ticks = parse_duration(match["later"] or match["earlier"])
    except Invalid:
        raise wrong((), text, _EXPECTED) from None
    return Instant(now + ticks if match["later"] else now - ticks)


def _spoken(
    match: re.Match[str], text: str, here: datetime, zone: tzinfo | None, *, looks_back: bool
) -> Instant:
    day, hour, minute = match["day"], match["hour"], match["minute"]
    try:
        at = time(int(hour or 0), int(minute or 0))
    except ValueError:
        raise wrong((), text, _EXPECTED) from None

    def on(days: int) -> Instant:
        return _instant(datetime.combine(here.date() + timedelta(days=days), at), zone)

    word = (day or "").lower()
    if word in _DAYS:
        return on(_DAYS[word])
    ahead = (_WEEK_DAYS.index(word) - here.weekday()) % 7 if word else 0
    period = 7 if word else 1
    has_passed = on(ahead) <= instant_of(here)
    if looks_back:
        return on(ahead if has_passed else ahead - period)
    return on(ahead + period if has_passed else ahead)


def _written(said: str, text: str, zone: tzinfo | None) -> Instant:
    try:
        moment = parse_moment(said)
    except Invalid:
        raise wrong((), text, _EXPECTED) from None
    if moment.offset is not None:
        return Instant(moment.wall - moment.offset)
    return _instant(reading_of(moment.wall), zone)


def _clock(instant: Instant, zone: tzinfo | None) -> datetime:
    return reading_of(Wall(instant)).replace(tzinfo=UTC).astimezone(zone)


def _instant(reading: datetime, zone: tzinfo | None) -> Instant:
    # Without a zone `astimezone` takes the reading as one of this machine's clock.
    return instant_of(reading.astimezone() if zone is None else reading.replace(tzinfo=zone))
