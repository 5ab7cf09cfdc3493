"""The default start of the form: without a start time, the API also runs a job when it is saved.

Users of a form rarely expect that run, which also counts. So the form sets the next scheduled time
unless they ask for a run now. The form of a stored job shows such a start as the default again, and
a changed schedule gets a start of its own, unless the schedule has begun.
"""

from collections.abc import Iterator
from enum import StrEnum

from msgspec import structs

from foliot.api.wire.json_reader import Properties
from foliot.api.wire.schedule import decode_recurrence
from foliot.core.errors import Invalid, shown
from foliot.core.instant import HOUR, MINUTE, Instant, Moment, format_instant, parse_moment
from foliot.core.json_text import Json
from foliot.core.model.job import Job
from foliot.core.recurrence import Frequency, Recurrence, Timetable, instant_of_moment, zone_of
from foliot.core.recurrence.acceptance import MAX_START_AHEAD
from foliot.core.recurrence.zone import find_zone, to_wall
from foliot.portal.forms.fields import Values
from foliot.portal.forms.json_path import set_value, value_at
from foliot.portal.forms.posted import Form

FIRST = "first"
AT_ONCE = "now"
# The input that says that the stored start is one that the form set: a `SetByForm`.
SET_BY_FORM = "start_set"
_START = "properties.startTime"
_RECURRENCE = "properties.recurrence"
_FREQUENCY, _ZONE = f"{_RECURRENCE}.frequency", f"{_RECURRENCE}.timeZone"
# Steps that divide the next longer unit begin on a multiple of the step: 10:00, 10:15, 10:30.
_ROUND_STEPS = {Frequency.MINUTE: (MINUTE, 60), Frequency.HOUR: (HOUR, 24)}


# A field, and what is wrong with its value.
Broken = tuple[str, str]


class SetByForm(StrEnum):
    """A start that the form set, and whether the schedule has begun."""

    AHEAD = "ahead"
    BEGUN = "begun"


def start_set_by_form(job: Job, now: Instant) -> SetByForm | None:
    """Tell whether a job starts at the time that the form sets without a choice of the user."""
    rule, start = job.definition.recurrence, job.definition.start
    if rule is None or start is None:
        return None
    at = instant_of_moment(zone_of(rule), start)
    if at != _next_time(rule, job.calendar_at):
        return None
    return SetByForm.AHEAD if at > now else SetByForm.BEGUN


def keeps_set_start(form: Form) -> bool:
    """Tell whether a posted form leaves the start to the form, which has set it before."""
    return not form.get(FIRST) and bool(form.get(SET_BY_FORM))


def kept_run_at_once(mine: Form, merged: Values) -> Values:
    """Return the choice to run at once after a merge, unless the other user chose the start.

    A body without a start does not say it.
    """
    is_mine = all(mine.all(name) == merged[name] for name in (_START, _FREQUENCY))
    return {FIRST: [AT_ONCE]} if is_mine and mine.get(FIRST) == AT_ONCE else {}


def start_in_past(form: Form, fields: Form, before: Values, now: Instant) -> Iterator[Broken]:
    """Find a single run in the past: the API runs it at once, which a typo in a date rarely means.

    The job as it is stored, `before`, may have such a start. The minute that passes now is no past.
    """
    start, is_once = fields.get(_START), not fields.get(_FREQUENCY)
    was_once = not any(before.get(_FREQUENCY, ()))
    if not is_once or not start or (was_once and [start] == before.get(_START)):
        return
    try:
        zone = find_zone(fields.get(_ZONE)) if fields.get(_ZONE) else None
        at = instant_of_moment(zone, parse_moment(start))
    except Invalid:
        return
    if at < now - now % MINUTE:
        given = shown(form.get(_START).strip().replace("T", " "))
        yield _START, f"{given} is in the past; choose now to run the job at once."


def with_first_start(
    body: dict[str, Json], form: Form, now: Instant, stored: Json = None
) -> dict[str, Json]:
    """Set the start time of a body to its next scheduled time, unless the form says otherwise."""
    is_same_rule = value_at(body, _RECURRENCE) == value_at(stored, _RECURRENCE)
    is_as_stored = (
        stored is not None and is_same_rule and value_at(body, _START) == value_at(stored, _START)
    )
    # A start that the form set for another schedule would delay the runs of this one.
    is_outdated = keeps_set_start(form) and form.get(SET_BY_FORM) == SetByForm.AHEAD
    has_start = value_at(body, _START) is not None and (is_same_rule or not is_outdated)
    properties = body.get("properties")
    if is_as_stored or form.get(FIRST) == AT_ONCE or has_start:
        return body
    rule = decode_recurrence(Properties(properties, ("properties",))) if properties else None
    first = None if rule is None else _next_time(rule, now)
    if first is not None:
        set_value(body, _START, format_instant(first))
    return body


def _next_time(rule: Recurrence, now: Instant) -> Instant | None:
    # A schedule without times of day takes them from the start: use a whole minute.
    soon, latest = Instant(now + -now % MINUTE), Instant(now + MAX_START_AHEAD)
    # On a day off, the run moves by itself; a start on another day would move the whole schedule.
    endless = structs.replace(rule, exclude=None, end=None)
    if rule.is_grid:
        first = _next_on_grid(endless, soon)
        return min(first, Instant(latest - latest % MINUTE))
    first = Timetable.of(endless, Moment.at(soon), now).first()
    # The decoder refuses a start too far ahead; an earlier start has the same occurrences.
    return first if first is None or first <= latest else soon


def _next_on_grid(rule: Recurrence, soon: Instant) -> Instant:
    """Return the first time of a grid that begins now, without the run at once."""
    if rule.frequency is not None and rule.frequency in _ROUND_STEPS:
        unit, longer = _ROUND_STEPS[rule.frequency]
        step = rule.interval * unit if longer % rule.interval == 0 else unit
        return Instant(soon + -to_wall(zone_of(rule), soon) % step)
    following = Timetable.of(rule, Moment.at(soon), soon).next_after(soon)
    return soon if following is None else following
