"""Date-times in the form: a body has an instant, an input shows what the job's clock shows then.

What a user does not change keeps its text, with its offset and its fraction of a second.
"""

from typing import NamedTuple
from zoneinfo import ZoneInfo

from foliot.core.errors import Invalid
from foliot.core.instant import format_instant, parse_moment, reading_of
from foliot.core.recurrence import instant_of_moment
from foliot.core.recurrence.zone import find_zone, wall_of_moment
from foliot.portal.formatting import ISO_INSTANT


class Stored(NamedTuple):
    """A date-time as the body has it, and the time zone of the job."""

    text: str
    zone: str


def to_local(stored: Stored) -> str:
    """Return a date-time as an input for date and time shows it; any other text unchanged."""
    try:
        wall = wall_of_moment(_zone(stored.zone), parse_moment(stored.text))
    except Invalid:
        return stored.text
    reading = reading_of(wall)
    return reading.isoformat(timespec="seconds" if reading.second else "minutes")


def from_local(text: str, zone: str, before: Stored) -> str:
    """Return what the body gets for a posted date-time: the stored text if nothing changed."""
    given = text.strip()
    if zone == before.zone and given == to_local(before):
        return before.text
    try:
        moment = parse_moment(given)
        is_local = moment.offset is None
        return format_instant(instant_of_moment(_zone(zone), moment)) if is_local else given
    except Invalid:
        return given


def told_locally(words: str, zone: str) -> str:
    """Return a message of Foliot with its instants as the inputs for date and time show them."""
    return ISO_INSTANT.sub(lambda found: to_local(Stored(found[0], zone)).replace("T", " "), words)


def _zone(name: str) -> ZoneInfo | None:
    return find_zone(name) if name else None
