"""The default start time of the form, for a job with a schedule of days or times.

Without a start time, the API also runs such a job when it is saved, and counts that run. Users of a
form rarely expect that run, so the form sets the next scheduled time unless they ask for it.
"""

from msgspec import structs

from foliot.api.wire.json_reader import Json, Properties
from foliot.api.wire.schedule import decode_recurrence
from foliot.core.instant import MINUTE, Instant, Moment, format_instant
from foliot.core.recurrence import Timetable
from foliot.core.recurrence.acceptance import MAX_START_AHEAD
from foliot.portal.forms.json_path import set_value, value_at
from foliot.portal.forms.posted import Form

FIRST = "first"
AT_ONCE = "now"
_START = "properties.startTime"
_RECURRENCE = "properties.recurrence"


def with_first_start(
    body: dict[str, Json], form: Form, now: Instant, stored: Json = None
) -> dict[str, Json]:
    """Set the start time of a body to its next scheduled time, unless the form says otherwise."""
    is_as_stored = stored is not None and all(
        value_at(body, name) == value_at(stored, name) for name in (_START, _RECURRENCE)
    )
    properties = body.get("properties")
    if is_as_stored or form.get(FIRST) == AT_ONCE or value_at(body, _START) is not None:
        return body
    rule = decode_recurrence(Properties(properties, ("properties",))) if properties else None
    if rule is None or rule.is_grid:
        return body
    # A schedule without times of day takes them from the start: use a whole minute.
    soon = Instant(now + -now % MINUTE)
    # On a day off, the run moves by itself; a start on another day would move the whole schedule.
    first = Timetable.of(structs.replace(rule, exclude=None), Moment.at(soon), now).first()
    if first is not None:
        # The decoder refuses a start too far ahead; an earlier start has the same occurrences.
        set_value(body, _START, format_instant(first if first <= now + MAX_START_AHEAD else soon))
    return body
