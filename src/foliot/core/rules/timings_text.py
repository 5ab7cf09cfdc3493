"""Writes the timings of an attempt as a short text, as history keeps them, and reads them.

The text has the five steps in microseconds, with commas between them, and nothing for a step that
was not made: `,,,812,830` is a request over an open connection. Each attempt pays for it.
"""

from typing import Final

from foliot.core.model.exchange import Timings

_MICROSECONDS: Final = 1_000_000
_STEPS: Final = 5


def write_timings(timings: Timings) -> str:
    """Return the text of timings."""
    if timings.connect is None and timings.name_lookup is None and timings.tls is None:
        # Most requests go over an open connection.
        return f",,,{_microseconds(timings.first_byte)},{round(timings.total * _MICROSECONDS)}"
    return (
        f"{_microseconds(timings.name_lookup)},{_microseconds(timings.connect)},"
        f"{_microseconds(timings.tls)},{_microseconds(timings.first_byte)},"
        f"{round(timings.total * _MICROSECONDS)}"
    )


def read_timings(text: str | None) -> Timings | None:
    """Return the timings in a text; None if there are none, or if another version wrote them."""
    parts = [] if text is None else text.split(",")
    if len(parts) != _STEPS or not all(part.isdecimal() or not part for part in parts):
        return None
    steps = [int(part) / _MICROSECONDS if part else None for part in parts]
    name_lookup, connect, tls, first_byte, total = steps
    if total is None:
        return None
    return Timings(
        name_lookup=name_lookup, connect=connect, tls=tls, first_byte=first_byte, total=total
    )


def _microseconds(seconds: float | None) -> str:
    return "" if seconds is None else str(round(seconds * _MICROSECONDS))
