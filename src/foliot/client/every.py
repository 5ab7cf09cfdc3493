"""How often a job runs, as people type it: 5m, 1h30m, 2 weeks, month."""

import re
from typing import NamedTuple

from foliot.client.durations import parse_duration
from foliot.core.errors import Invalid, wrong
from foliot.core.instant import DAY, HOUR, MINUTE

_EXPECTED = "a period of whole minutes such as 5m, 12h, 1d or 2w, or words such as month or 2 years"
_WORDS = re.compile(
    r"(?:(\d{1,9})\s*)?(minute|hour|day|week|month|year)s?", re.ASCII | re.IGNORECASE
)
# Weeks and days keep their time of day through clock changes, so they are not counted in hours.
_FREQUENCIES = (("week", 7 * DAY), ("day", DAY), ("hour", HOUR), ("minute", MINUTE))


class Every(NamedTuple):
    """A frequency of the API and its interval."""

    frequency: str
    interval: int


def parse_every(text: str) -> Every:
    """Read how often a job runs."""
    words = _WORDS.fullmatch(text.strip())
    found = Every(words[2].lower(), int(words[1] or 1)) if words else _of_period(text)
    if not found.interval:
        raise wrong((), text, _EXPECTED)
    return found


def _of_period(text: str) -> Every:
    try:
        ticks = parse_duration(text)
    except Invalid:
        raise wrong((), text, _EXPECTED) from None
    for frequency, size in _FREQUENCIES:
        if not ticks % size:
            return Every(frequency, ticks // size)
    raise wrong((), text, _EXPECTED)
