"""Periods as people type them: 30s, 12h, 1h30m; ISO 8601 such as PT5M is left as it is."""

import re

from foliot.core.errors import wrong
from foliot.core.instant import DAY, HOUR, MINUTE, SECOND

_EXPECTED = "a period such as 30s, 5m, 12h, 7d or 1h30m"
_UNITS = {"w": 7 * DAY, "d": DAY, "h": HOUR, "m": MINUTE, "s": SECOND}
_PART = r"(?:(\d{{1,9}})\s*{}\s*)?"
_SHORT = re.compile("".join(_PART.format(unit) for unit in _UNITS), re.ASCII | re.IGNORECASE)
_ISO = re.compile(
    r"P(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?",
    re.ASCII | re.IGNORECASE,
)


def parse_duration(text: str) -> int:
    """Return the ticks of a period."""
    match = _SHORT.fullmatch(text.strip()) or _ISO.fullmatch(text.strip())
    counts = match.groups() if match else ()
    if not any(counts):
        raise wrong((), text, _EXPECTED)
    return sum(int(count or 0) * size for count, size in zip(counts, _UNITS.values(), strict=True))


def iso_duration(text: str) -> str:
    """Return a period in ISO 8601, as the API takes it."""
    seconds = parse_duration(text) // SECOND
    if not seconds:
        return "PT0S"
    hours, rest = divmod(seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    parts = ((hours, "H"), (minutes, "M"), (seconds, "S"))
    return "PT" + "".join(f"{count}{unit}" for count, unit in parts if count)
