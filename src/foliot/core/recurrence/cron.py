"""Cron expressions: five fields that select the minutes, hours and days of a rule.

A field holds a list of values, ranges and steps. Days of the month may be `L`, the last one; days
of the week may be `MON#2`, the second Monday of the month, or `FRIL`, the last Friday.
"""

import difflib
import re
from functools import lru_cache
from typing import NamedTuple

from msgspec import Struct

from foliot.core.errors import Invalid, shown
from foliot.core.plurals import how_many

MACROS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}

_MAX_CHARACTERS = 1000  # all fields written out as lists take fewer than 400
_LAST = -1
_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_WEEK_DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")

_VALUE = r"[0-9]{1,2}|[A-Z]{3}"
_ITEM = re.compile(rf"(\*|{_VALUE})(?:-({_VALUE}))?(?:/([0-9]{{1,2}}))?")
_NTH = re.compile(rf"({_VALUE})(?:#([1-5])|L)")


class Cron(Struct, frozen=True):
    """A cron expression as a client wrote it."""

    text: str

    def __post_init__(self) -> None:
        cron_fields(self.text)


class CronFields(NamedTuple):
    """The fields of an expression; days and months are empty where it says `*`.

    A day of the week (Monday is 0) comes with the number of its occurrence in the month, -1 for the
    last one, or None for every one. With `is_either` a day must satisfy one of the two day fields,
    else both.
    """

    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    month_days: tuple[int, ...]
    months: tuple[int, ...]
    week_days: tuple[tuple[int, int | None], ...]
    is_either: bool


class _Field(NamedTuple):
    name: str
    values: range
    examples: str
    names: dict[str, int]


_MINUTE = _Field("minute", range(60), "30, 0-30, 0,30 or */15", {})
_HOUR = _Field("hour", range(24), "9, 9-17, 9,17 or */2", {})
_MONTH_DAY = _Field("day of the month", range(1, 32), "1, 1-7, 1,15, */2 or L", {})
_MONTH = _Field(
    "month",
    range(1, 13),
    "6, JUN, 1-6, JAN,JUL or */3",
    {name: number for number, name in enumerate(_MONTHS, 1)},
)
_WEEK_DAY = _Field(
    "day of the week",
    range(8),
    "1, MON, MON-FRI, 5-7, MON#2 or FRIL",
    {name: number for number, name in enumerate(_WEEK_DAYS)},
)


@lru_cache(maxsize=4096)
def cron_fields(text: str) -> CronFields:
    """Read the fields of an expression."""
    if len(text) > _MAX_CHARACTERS:
        raise Invalid((), f"{shown(text)} is too long; give at most {_MAX_CHARACTERS} characters.")
    written = (_written_out(text) if text.lstrip().startswith("@") else text).split()
    if len(written) != len(CronFields._fields) - 1:
        raise Invalid(
            (),
            f"{shown(text)} has {how_many(len(written), 'field')}; give five: minute, hour, "
            'day of the month, month, day of the week, such as "0 9 * * MON-FRI".',
        )
    # Letters of other scripts may become ours in upper case.
    minutes, hours, month_days, months, week_days = (
        each.upper() if each.isascii() else each for each in written
    )
    return CronFields(
        minutes=_numbers(_MINUTE, minutes),
        hours=_numbers(_HOUR, hours),
        month_days=_month_days(month_days),
        months=() if months == "*" else _numbers(_MONTH, months),
        week_days=_week_days(week_days),
        # That a field which begins with a star does not restrict, is how cron has always read it.
        is_either=month_days[0] != "*" and week_days[0] != "*",
    )


def _written_out(text: str) -> str:
    name = text.strip().lower()
    if name not in MACROS:
        near = difflib.get_close_matches(name, MACROS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"give one of {', '.join(MACROS)}."
        raise Invalid((), f"{shown(text)} is not known; {hint}")
    return MACROS[name]


def _month_days(text: str) -> tuple[int, ...]:
    if text == "*":
        return ()
    days = {
        day
        for item in text.split(",")
        for day in ([_LAST] if item == "L" else _item(_MONTH_DAY, item))
    }
    return tuple(sorted(days))


def _week_days(text: str) -> tuple[tuple[int, int | None], ...]:
    if text == "*":
        return ()
    found: dict[tuple[int, int | None], None] = {}
    for item in text.split(","):
        match = _NTH.fullmatch(item)
        if match is None:
            days = [(_from_monday(number), None) for number in _item(_WEEK_DAY, item)]
        else:
            number = _from_monday(_value(_WEEK_DAY, match[1], item))
            days = [(number, int(match[2]) if match[2] else _LAST)]
        found |= dict.fromkeys(days)
    return tuple(found)


def _from_monday(number: int) -> int:
    """Return the weekday counted from Monday: cron counts from Sunday, which is 0 and 7."""
    return (number - 1) % 7


def _numbers(field: _Field, text: str) -> tuple[int, ...]:
    return tuple(sorted({number for item in text.split(",") for number in _item(field, item)}))


def _item(field: _Field, item: str) -> range:
    """Read one value, range or step of a field."""
    match = _ITEM.fullmatch(item)
    if match is None:
        raise _not_valid(field, item)
    first, last, step = match.groups()
    if first == "*":
        if last is not None:
            raise _not_valid(field, item)
        low, high = field.values[0], field.values[-1]
    else:
        low = high = _value(field, first, item)
        if last is not None:
            high = _value(field, last, item)
        elif step is not None:
            high = field.values[-1]
    if high < low or (step is not None and not 1 <= int(step) < len(field.values)):
        raise _not_valid(field, item)
    return range(low, high + 1, int(step or 1))


def _value(field: _Field, text: str, item: str) -> int:
    number = field.names.get(text) if text.isalpha() else int(text)
    if number is None or number not in field.values:
        raise _not_valid(field, item)
    return number


def _not_valid(field: _Field, item: str) -> Invalid:
    first, last = field.values[0], field.values[-1]
    return Invalid(
        (),
        f"{shown(item)} is not a valid {field.name}; give {first} to {last}, "
        f"written such as {field.examples}.",
    )
