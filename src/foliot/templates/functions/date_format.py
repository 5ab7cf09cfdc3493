"""Date formats of .NET, in the invariant culture: `u`, `o`, `yyyy-MM-dd`."""

import re
from collections.abc import Callable
from datetime import datetime

from foliot.core.errors import Invalid, shown
from foliot.core.instant import SECOND, Instant, Wall, reading_of

_STANDARD = {
    "d": "MM/dd/yyyy",
    "D": "dddd, dd MMMM yyyy",
    "f": "dddd, dd MMMM yyyy HH:mm",
    "F": "dddd, dd MMMM yyyy HH:mm:ss",
    "g": "MM/dd/yyyy HH:mm",
    "G": "MM/dd/yyyy HH:mm:ss",
    "m": "MMMM dd",
    "M": "MMMM dd",
    "o": "yyyy-MM-ddTHH:mm:ss.fffffffZ",
    "O": "yyyy-MM-ddTHH:mm:ss.fffffffZ",
    "r": "ddd, dd MMM yyyy HH:mm:ss 'GMT'",
    "R": "ddd, dd MMM yyyy HH:mm:ss 'GMT'",
    "s": "yyyy-MM-ddTHH:mm:ss",
    "t": "HH:mm",
    "T": "HH:mm:ss",
    "u": "yyyy-MM-dd HH:mm:ssZ",
    "U": "dddd, dd MMMM yyyy HH:mm:ss",
    "y": "yyyy MMMM",
    "Y": "yyyy MMMM",
}
_LONGEST = 200
_PART = re.compile(
    r"'(?P<quoted>[^']*)'|\"(?P<double>[^\"]*)\"|\\(?P<escaped>.)|%(?P<single>[A-Za-z])"
    r"|(?P<letters>(?P<letter>[dfFghHKmMstyz])(?P=letter)*)|(?P<other>.)",
    re.DOTALL,
)
_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_MONTHS = [
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
]


def format_date(instant: Instant, form: str) -> str:
    """Write an instant in a standard format, which is one letter, or in a custom one."""
    if not form or len(form) > _LONGEST:
        raise _unknown(form)
    if len(form) == 1:
        if form not in _STANDARD:
            raise _unknown(form)
        form = _STANDARD[form]
    reading = reading_of(Wall(instant))
    return "".join(_part(match, reading, instant, form) for match in _PART.finditer(form))


def _part(match: re.Match[str], reading: datetime, instant: Instant, form: str) -> str:
    letters = match["single"] or match["letters"]
    if not letters:
        if match["other"] in ("'", '"', "\\", "%"):
            raise _unknown(form)
        found = (match["quoted"], match["double"], match["escaped"], match["other"])
        return next(each for each in found if each is not None)
    letter, count = letters[0], len(letters)
    if letter in "fF":
        return _fraction(instant, letter, count, form)
    if letter not in _LETTERS:
        raise _unknown(form)
    return _LETTERS[letter](reading, count)


def _fraction(instant: Instant, letter: str, count: int, form: str) -> str:
    digits = f"{instant % SECOND:07}"
    if count > len(digits):
        raise _unknown(form)
    return digits[:count].rstrip("0") if letter == "F" else digits[:count]


def _name(names: list[str], index: int, count: int) -> str:
    return names[index] if count > 3 else names[index][:3]  # noqa: PLR2004  (MMM is the short name)


def _day(reading: datetime, count: int) -> str:
    if count > 2:  # noqa: PLR2004  (ddd is the name of the day)
        return _name(_DAYS, reading.weekday(), count)
    return f"{reading.day:0{count}}"


def _month(reading: datetime, count: int) -> str:
    if count > 2:  # noqa: PLR2004  (MMM is the name of the month)
        return _name(_MONTHS, reading.month - 1, count)
    return f"{reading.month:0{count}}"


def _year(reading: datetime, count: int) -> str:
    year = reading.year % 100 if count <= 2 else reading.year  # noqa: PLR2004  (yy has no century)
    return f"{year:0{count}}"


def _offset(_: datetime, count: int) -> str:
    return ("+0", "+00", "+00:00")[min(count, 3) - 1]


_LETTERS: dict[str, Callable[[datetime, int], str]] = {
    "d": _day,
    "g": lambda _, __: "A.D.",
    "h": lambda reading, count: f"{(reading.hour + 11) % 12 + 1:0{min(count, 2)}}",
    "H": lambda reading, count: f"{reading.hour:0{min(count, 2)}}",
    "K": lambda _, count: "Z" * count,
    "m": lambda reading, count: f"{reading.minute:0{min(count, 2)}}",
    "M": _month,
    "s": lambda reading, count: f"{reading.second:0{min(count, 2)}}",
    "t": lambda reading, count: ("PM" if reading.hour > 11 else "AM")[:count],  # noqa: PLR2004
    "y": _year,
    "z": _offset,
}


def _unknown(form: str) -> Invalid:
    return Invalid(
        (), f"{shown(form)} is no date format of .NET; give one such as u or yyyy-MM-dd."
    )
