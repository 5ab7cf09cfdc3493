"""Lengths of time as clients write them: ISO 8601, or hours and minutes as .NET has them."""

import re
from enum import Enum, auto
from functools import lru_cache

from foliot.api.wire.json_reader import Json, Properties, read_text
from foliot.core.errors import wrong
from foliot.core.instant import DAY, HOUR, MINUTE, SECOND
from foliot.core.model.action import Duration

_EXPECTED = 'ISO 8601 such as "PT30S" or "P1D", or [d.]hh:mm:ss such as "00:00:30"'

# Days may stand before the T and, as old samples have it, after it.
_ISO = re.compile(
    r"P(?:(?P<years>\d+)Y)?(?:(?P<months>\d+)M)?(?:(?P<weeks>\d+)W)?(?:(?P<days>\d+)D)?"
    r"(?:T(?:(?P<late_days>\d+)D)?(?:(?P<hours>\d+)H)?(?:(?P<minutes>\d+)M)?"
    r"(?:(?P<seconds>\d+)(?:\.(?P<fraction>\d{1,7}))?S)?)?",
    re.ASCII | re.IGNORECASE,
)
_TIME_SPAN = re.compile(
    r"(?:(?P<days>\d+)\.)?(?P<hours>[01]?\d|2[0-3]):(?P<minutes>[0-5]\d)(?::(?P<seconds>[0-5]\d)"
    r"(?:\.(?P<fraction>\d{1,7}))?)?",
    re.ASCII,
)
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
_MAX_CHARACTERS = 30
_MAX_TICKS = 2**63 - 1  # what .NET clients can hold


class Notation(Enum):
    """How durations are given back: as they came, or in the one way a client can read."""

    AS_GIVEN = auto()
    ISO = auto()
    TIME_SPAN = auto()


@lru_cache(maxsize=1024)
def notation_for(user_agent: str) -> Notation:
    """Tell which notation the client libraries of the old service read."""
    name = user_agent.lower()
    if "azsdk-python-mgmt-scheduler" in name:
        return Notation.ISO
    if "microsoft.azure.management.scheduler" in name or "azurepowershell" in name:
        return Notation.TIME_SPAN
    return Notation.AS_GIVEN


def optional_duration(given: Properties, name: str) -> Duration | None:
    """Take a duration, or None where there is none."""
    value: Json = given.get(name)
    if value is None:
        return None
    text = read_text(value, given.at(name), _EXPECTED)
    match = _ISO.fullmatch(text) or _TIME_SPAN.fullmatch(text)
    if match is None or len(text) > _MAX_CHARACTERS or not any(match.groups()):
        raise wrong(given.at(name), text, _EXPECTED)
    ticks = _ticks(match.groupdict(default=""))
    if ticks > _MAX_TICKS:
        raise wrong(given.at(name), text, f"{_time_span(_MAX_TICKS)} or less")
    return Duration(text, ticks)


def encode_duration(duration: Duration, notation: Notation) -> str:
    """Write a duration in a notation."""
    match notation:
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
