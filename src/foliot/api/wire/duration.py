"""Durations as clients write them: ISO 8601, or hours and minutes as .NET has them."""

import re

from foliot.api.wire.clients import Notation, WireClient
from foliot.api.wire.json_reader import Properties, read_text
from foliot.core.errors import wrong
from foliot.core.instant import DAY, HOUR, MINUTE, SECOND
from foliot.core.model.action import Duration

_EXPECTED = 'ISO 8601 such as "PT30S" or "P1D", or [d.]hh:mm:ss such as "00:00:30"'

# Days may stand before the T and, as old samples have it, after it.
_ISO = (
    r"[Pp](?:(?P<years>[0-9]+)[Yy])?(?:(?P<months>[0-9]+)[Mm])?(?:(?P<weeks>[0-9]+)[Ww])?"
    r"(?:(?P<days>[0-9]+)[Dd])?(?:[Tt](?:(?P<late_days>[0-9]+)[Dd])?(?:(?P<hours>[0-9]+)[Hh])?"
    r"(?:(?P<minutes>[0-9]+)[Mm])?(?:(?P<seconds>[0-9]+)(?:\.(?P<fraction>[0-9]{1,7}))?[Ss])?)?"
)
_TIME_SPAN = (
    r"(?:(?P<days>[0-9]+)\.)?(?P<hours>[01]?[0-9]|2[0-3]):(?P<minutes>[0-5][0-9])"
    r"(?::(?P<seconds>[0-5][0-9])(?:\.(?P<fraction>[0-9]{1,7}))?)?"
)
_NOTATIONS = (re.compile(_ISO), re.compile(_TIME_SPAN))
_UNITS = {
    "years": 365 * DAY,
    "months": 30 * DAY,
    "weeks": 7 * DAY,
    "days": DAY,
    "late_days": DAY,
    "hours": HOUR,
    "minutes": MINUTE,
    "seconds": SECOND,
}
_MIN_CHARACTERS = 3  # shorter ones, "P" and "PT", have no number
_MAX_CHARACTERS = 30
_MAX_TICKS = 2**63 - 1  # what .NET clients can hold

DURATION_SCHEMA = {
    "type": "string",
    "description": "ISO 8601 such as PT30S, or [d.]hh:mm:ss such as 00:00:30",
    "pattern": re.sub(r"\?P<\w+>", "?:", f"^(?:{_ISO}|{_TIME_SPAN})$"),
    "minLength": _MIN_CHARACTERS,
    "maxLength": _MAX_CHARACTERS,
    "examples": ["PT30S", "00:01:00"],
}


def read_duration(given: Properties, name: str, *, limits: str | None = None) -> Duration:
    """Read a duration; `limits` tells what is right in place of one that no client can hold."""
    text = read_text(given.get(name), given.at(name), _EXPECTED)
    match = next(filter(None, (each.fullmatch(text) for each in _NOTATIONS)), None)
    if match is None or not _MIN_CHARACTERS <= len(text) <= _MAX_CHARACTERS:
        raise wrong(given.at(name), text, _EXPECTED)
    ticks = _ticks(match.groupdict(default=""))
    if ticks > _MAX_TICKS:
        raise wrong(given.at(name), text, limits or f"{_time_span(_MAX_TICKS)} or less")
    return Duration(text, ticks)


def encode_duration(duration: Duration, client: WireClient) -> str:
    """Write a duration in the notation that a client reads."""
    match client.durations:
        case Notation.AS_GIVEN:
            return duration.text
        case Notation.ISO:
            return _iso(duration.ticks)
        case Notation.TIME_SPAN:
            return _time_span(duration.ticks)


def _ticks(fields: dict[str, str]) -> int:
    fraction = int(fields.pop("fraction").ljust(7, "0"))
    return fraction + sum(int(count or 0) * _UNITS[unit] for unit, count in fields.items())


def _split(ticks: int) -> tuple[int, int, int, str]:
    days, rest = divmod(ticks, DAY)
    hours, rest = divmod(rest, HOUR)
    minutes, rest = divmod(rest, MINUTE)
    seconds, fraction = divmod(rest, SECOND)
    tail = f".{fraction:07}" if fraction else ""
    return days, hours, minutes, f"{seconds:02}{tail}"


def _iso(ticks: int) -> str:
    days, hours, minutes, seconds = _split(ticks)
    seconds = seconds.removeprefix("0") if seconds != "00" else ""
    time = "".join(
        f"{count}{unit}" for count, unit in ((hours, "H"), (minutes, "M"), (seconds, "S")) if count
    )
    day = f"{days}D" if days else ""
    return f"P{day}T{time}" if time else f"P{day or 'T0S'}"


def _time_span(ticks: int) -> str:
    days, hours, minutes, seconds = _split(ticks)
    day = f"{days}." if days else ""
    return f"{day}{hours:02}:{minutes:02}:{seconds}"
