"""Times of day in the form, as HH:MM: the schedule of a job has lists of hours and of minutes.

A job runs at each minute of its list in each hour of its list. So several times are such lists only
if they are all pairs of some hours and some minutes.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import product

from foliot.core.errors import shown

# A job with more times than this is shown as hours and minutes.
MOST_LISTED = 12
_NAMED = 4
_BETWEEN = re.compile(r"[\s,;]+")
_MINUTE = re.compile(r"0*[0-5]?\d", re.ASCII)
_TIME = re.compile(r"([01]\d|2[0-3]):([0-5]\d)(?::00(?:\.0+)?)?", re.ASCII)


def times_of(hours: Sequence[str], minutes: Sequence[str]) -> list[str]:
    """Return the times of a schedule; none if it has no hours, no minutes or too many times."""
    is_short = 0 < len(hours) * len(minutes) <= MOST_LISTED
    if not is_short or not all(each.isdecimal() for each in (*hours, *minutes)):
        return []
    return [_written(int(hour), int(minute)) for hour, minute in product(hours, minutes)]


def hours_and_minutes(times: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the hours and the minutes that select these times; what is no time is left out."""
    found = [_TIME.fullmatch(each.strip()) for each in times]
    hours = dict.fromkeys(str(int(match[1])) for match in found if match)
    minutes = dict.fromkeys(str(int(match[2])) for match in found if match)
    return [*hours], [*minutes]


def problem_of_times(times: Iterable[str]) -> str:
    """Return why a schedule cannot have these times, or an empty text."""
    given = [each.strip() for each in times if each.strip()]
    wrong = next((each for each in given if not _TIME.fullmatch(each)), None)
    if wrong is not None:
        return f"{shown(wrong)} is not a time; give hours and minutes such as 09:00."
    hours, minutes = hours_and_minutes(given)
    wanted = {each[: len("09:00")] for each in given}
    also = sorted({_written(int(a), int(b)) for a, b in product(hours, minutes)} - wanted)
    if not also:
        return ""
    named = ", ".join(also[:_NAMED])
    more = f" and {len(also) - _NAMED} more times" if len(also) > _NAMED else ""
    return (
        "A job runs at each of its minutes in each of its hours: with these times it would also "
        f"run at {named}{more}. Add those times, give all times the same minute, or create a "
        "second job for the other times."
    )


def minutes_in(texts: Iterable[str]) -> list[str]:
    """Return the minutes of an hour that a user listed; what is no minute is left out."""
    return [str(int(each)) for each in _items(texts) if _MINUTE.fullmatch(each)]


def problem_of_minutes(texts: Iterable[str]) -> str:
    """Return which of some texts is no minute of an hour, or an empty text."""
    wrong = next((each for each in _items(texts) if not _MINUTE.fullmatch(each)), None)
    return "" if wrong is None else f"{shown(wrong)} is not a minute; give numbers from 0 to 59."


def _items(texts: Iterable[str]) -> list[str]:
    return [each for text in texts for each in _BETWEEN.split(text) if each]


def _written(hour: int, minute: int) -> str:
    return f"{hour:02}:{minute:02}"
