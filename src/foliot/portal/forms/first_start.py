"""The start that the form gives a job which runs at chosen days or times and has none.

Without one, the API runs such a job as soon as it is saved, beside its schedule, and counts that
run. People who fill in a form rarely mean it, so there they have to ask for it.
"""

from foliot.api.wire.json_reader import Json, Properties
from foliot.api.wire.schedule import decode_recurrence
from foliot.core.instant import MINUTE, Instant, Moment, format_instant
from foliot.core.recurrence import Timetable
from foliot.core.recurrence.acceptance import MAX_START_AHEAD
from foliot.portal.forms.json_path import at, put
from foliot.portal.forms.posted import Form

FIRST = "first"
AT_ONCE = "now"
_START = "properties.startTime"
_RECURRENCE = "properties.recurrence"


def with_first_start(
    body: dict[str, Json], form: Form, now: Instant, stored: Json = None
) -> dict[str, Json]:
    """Give a body the next time on its schedule for a start, unless it says when it begins."""
    is_as_stored = stored is not None and all(
        at(body, name) == at(stored, name) for name in (_START, _RECURRENCE)
    )
    properties = body.get("properties")
    if is_as_stored or form.get(FIRST) == AT_ONCE or at(body, _START) is not None:
        return body
    rule = decode_recurrence(Properties(properties, ("properties",))) if properties else None
    if rule is None or rule.is_grid:
        return body
    # On the minute, where the schedule leaves the time of day to the start.
    soon = Instant(now + -now % MINUTE)
    first = Timetable.of(rule, Moment.at(soon), now).first()
    if first is not None:
        # A start as far ahead as that would be refused; an earlier one has the same occurrences.
        put(body, _START, format_instant(first if first <= now + MAX_START_AHEAD else soon))
    return body
