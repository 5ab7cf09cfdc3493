"""Writes an instant in a time zone: as ISO 8601, or in a format such as `%Y-%m-%d`.

The directives are a subset of those of strftime that mean the same on every system and in every
language.
"""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from msgspec import Struct

from foliot.core.errors import Invalid
from foliot.core.instant import (
    HOUR,
    MINUTE,
    SECOND,
    UNIX_EPOCH,
    Instant,
    format_instant,
    reading_of,
)
from foliot.core.recurrence.zone import to_wall

_DIRECTIVE = re.compile("%(.?)", re.DOTALL)


class LocalTime(Struct, frozen=True):
    """An instant, what the clock of a zone shows then, and the zone's offset in ticks."""

    instant: Instant
    reading: datetime
    offset: int


def iso_text(instant: Instant, zone: ZoneInfo | None) -> str:
    """Write an instant as ISO 8601 with the offset of the zone, `Z` without a zone."""
    if zone is None:
        return format_instant(instant)
    wall = to_wall(zone, instant)
    return format_instant(Instant(wall)).removesuffix("Z") + _offset(wall - instant, ":")


def check_format(text: str) -> None:
    """Refuse a format with a directive that is not known."""
    for found in _DIRECTIVE.finditer(text):
        if found[1] not in _DIRECTIVES:
            known = " ".join(f"%{name}" for name in _DIRECTIVES)
            raise Invalid((), f"the directive {found[0]} is not known; give one of {known}.")


def formatted(instant: Instant, zone: ZoneInfo | None, text: str) -> str:
    """Write an instant in a format that was checked."""
    wall = to_wall(zone, instant)
    local = LocalTime(instant, reading_of(wall), wall - instant)
    return _DIRECTIVE.sub(lambda found: _DIRECTIVES[found[1]](local), text)


def _offset(ticks: int, separator: str) -> str:
    hours, rest = divmod(abs(ticks), HOUR)
    return f"{'-' if ticks < 0 else '+'}{hours:02}{separator}{rest // MINUTE:02}"


_DIRECTIVES: Final[Mapping[str, Callable[[LocalTime], str]]] = {
    "Y": lambda at: f"{at.reading.year:04}",
    "y": lambda at: f"{at.reading.year % 100:02}",
    "m": lambda at: f"{at.reading.month:02}",
    "d": lambda at: f"{at.reading.day:02}",
    "j": lambda at: f"{at.reading.timetuple().tm_yday:03}",
    "H": lambda at: f"{at.reading.hour:02}",
    "M": lambda at: f"{at.reading.minute:02}",
    "S": lambda at: f"{at.reading.second:02}",
    "f": lambda at: f"{at.reading.microsecond:06}",
    "F": lambda at: at.reading.date().isoformat(),
    "T": lambda at: at.reading.time().isoformat("seconds"),
    "G": lambda at: f"{at.reading.isocalendar().year:04}",
    "V": lambda at: f"{at.reading.isocalendar().week:02}",
    "u": lambda at: str(at.reading.isoweekday()),
    "z": lambda at: _offset(at.offset, ""),
    "s": lambda at: str((at.instant - UNIX_EPOCH) // SECOND),
    "%": lambda _: "%",
}
