"""Cron expressions of other schedulers, written so that Foliot's cron accepts them."""

import re
from functools import lru_cache

from foliot.core.errors import Invalid, shown
from foliot.core.recurrence.cron import MACROS, cron_fields

_WEEK_DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_RANGE = re.compile(r"([A-Za-z]{3}|[0-9]{1,2}|\*)(?:-([A-Za-z]{3}|[0-9]{1,2}))?(?:/([0-9]{1,4}))?")
_FIELDS = 5
_MAX_CHARACTERS = 1000
_WEEK_DAY, _MONTH = 4, 3
_DAYS = (2, 4)
_LIMITS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
_FIELD_NAMES = ("minute", "hour", "day of the month", "month", "day of the week")
_LIKE_A_FIELD = re.compile(
    rf"(?:[*?0-9]|L|{'|'.join((*_WEEK_DAYS, *_MONTHS))})[A-Z0-9*?,/#~-]*", re.IGNORECASE
)
ALTERNATIVES = "a day counts if it is one of the days of the month or one of the weekdays"


@lru_cache(maxsize=1024)
def accepted_cron(text: str) -> str:
    """Return a cron expression as it is, or rewritten with the same meaning; else refuse it."""
    if len(text) > _MAX_CHARACTERS:
        raise Invalid((), f"{shown(text)} is too long for a cron expression.")
    text = " ".join(text.split())
    lowered = text.lower()
    if lowered == "@reboot":
        raise Invalid((), "@reboot means the start of a machine, which a calendar does not know.")
    if lowered.startswith("@every"):
        raise Invalid((), f"{shown(text)} counts from a start; write a frequency with an interval.")
    try:
        cron_fields(text)
    except Invalid:
        fields = text.split()
        if len(fields) != _FIELDS or lowered in MACROS:
            raise
        text = " ".join(_rewritten(index, each) for index, each in enumerate(fields))
        cron_fields(text)
    return text


def missing_field(text: str) -> int | None:
    """Return the place of the first of five fields that is none, such as the name of a program."""
    fields = [] if text.startswith("@") else text.split()
    places = (index for index, each in enumerate(fields) if not _LIKE_A_FIELD.fullmatch(each))
    return next(places, None)


def check_five_fields(text: str) -> None:
    """Refuse the beginning of a line whose fields are fewer than five."""
    place = missing_field(text)
    if place is not None:
        raise Invalid(
            (),
            f"it has {shown(text.split()[place])} where the {_FIELD_NAMES[place]} is expected; "
            f"a line needs five fields before its command: {', '.join(_FIELD_NAMES)}.",
        )


def has_alternatives(text: str) -> bool:
    """Tell whether a day may satisfy either of the two day fields."""
    return cron_fields(text).is_either


def follows_elapsed_time(text: str) -> bool:
    """Tell whether a cron runs an expression by elapsed time: if hours or minutes are `*`."""
    fields = MACROS.get(text.lower(), text).split()
    return fields[0].startswith("*") or fields[1].startswith("*")


def _rewritten(index: int, field: str) -> str:
    """Write out what other crons accept: ranges past the end, steps that are too long, `?`."""
    if field == "?":
        return "*"
    return ",".join(_rewritten_item(index, each) for each in field.split(","))


def _rewritten_item(index: int, item: str) -> str:
    match = _RANGE.fullmatch(item)
    # A day field that begins with a star does not restrict; as a list it would.
    if match is None or (match[1] == "*" and index in _DAYS):
        return item
    low, high = _LIMITS[index]
    first = low if match[1] == "*" else _number(index, match[1])
    last = high if match[2] is None else _number(index, match[2])
    step = int(match[3] or 1)
    if first is None or last is None or (match[2] is None and match[3] is None) or step < 1:
        return item
    if first > last:
        if index != _WEEK_DAY:
            return item
        last += 7
    values = [value % 7 if index == _WEEK_DAY else value for value in range(first, last + 1, step)]
    return ",".join(map(str, dict.fromkeys(values)))


def _number(index: int, text: str) -> int | None:
    if text.isdigit():
        return int(text)
    names = {_WEEK_DAY: _WEEK_DAYS, _MONTH: tuple("_") + _MONTHS}.get(index, ())
    return names.index(text.upper()) if text.upper() in names else None
