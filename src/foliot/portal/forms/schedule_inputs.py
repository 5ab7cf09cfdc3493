"""The inputs of the schedule that are easier to fill in than the fields of a recurrence.

A page shows times of day, local date-times and a choice of once, schedule or cron. The fields of
the form are the properties of a recurrence. A form without these inputs has the fields themselves.
"""

from collections.abc import Iterable, Iterator, Sequence

from foliot.core.errors import Invalid
from foliot.core.recurrence import Frequency
from foliot.core.recurrence.zone import find_zone
from foliot.portal.forms.fields import FormSchema, Values, posted_values
from foliot.portal.forms.first_start import AT_ONCE, FIRST, SET_BY_FORM, SetByForm, keeps_set_start
from foliot.portal.forms.job import BY_CRON, CRON, PERIODS
from foliot.portal.forms.local_times import Stored, from_local, to_local, told_locally
from foliot.portal.forms.periods import iso_period
from foliot.portal.forms.posted import Form
from foliot.portal.forms.problems import Problems, describe_problem
from foliot.portal.forms.times_of_day import (
    hours_and_minutes,
    minutes_in,
    problem_of_minutes,
    problem_of_times,
    times_of,
)
from foliot.portal.forms.zones import UTC, zone_called

REPEAT, ONCE, ON_SCHEDULE = "repeat", "once", "schedule"
TIME, MINUTE = "time", "minute"
TIMES_BY, BY_CHIPS = "times_by", "chips"
AT = "at"

START = "properties.startTime"
_RECURRENCE = "properties.recurrence"
FREQUENCY, ZONE = f"{_RECURRENCE}.frequency", f"{_RECURRENCE}.timeZone"
END = f"{_RECURRENCE}.endTime"
HOURS, MINUTES = f"{_RECURRENCE}.schedule.hours", f"{_RECURRENCE}.schedule.minutes"
_DATES, CALENDARS = f"{_RECURRENCE}.exclude.dates", f"{_RECURRENCE}.exclude.calendars"
_THEN = f"{_RECURRENCE}.exclude.then"

_TIMED = frozenset({Frequency.DAY, Frequency.WEEK, Frequency.MONTH, Frequency.YEAR})
_USUAL_TIME, _USUAL_MINUTE = "09:00", "0"
_INPUTS = (REPEAT, TIME, MINUTE, TIMES_BY)


def shown_inputs(values: Values, start_set: SetByForm | None = None) -> Values:
    """Return the values of fields as the page shows them; the form may have set their start."""
    frequency, zone = _first(values, FREQUENCY), _first(values, ZONE)
    is_scheduled = frequency in frozenset(Frequency)
    return {
        **values,
        REPEAT: [ON_SCHEDULE if is_scheduled else BY_CRON if frequency else ONCE],
        FREQUENCY: [frequency if is_scheduled else Frequency.DAY],
        ZONE: [zone or UTC],
        FIRST: ["" if start_set else _first_run(values)],
        SET_BY_FORM: [start_set] if start_set else [],
        START: [to_local(Stored(_first(values, START), zone))],
        END: [to_local(Stored(_first(values, END), zone))],
        **_shown_times(values, frequency),
    }


def posted_inputs(form: Form, schema: FormSchema) -> Values:
    """Return the values that a user posted, as the page shows them."""
    values = posted_values(form, schema)
    if not form.all(REPEAT):
        return shown_inputs(values)
    return {**values, **{name: form.all(name) for name in (*_INPUTS, FIRST, SET_BY_FORM)}}


def with_fields(form: Form, before: Values) -> Form:
    """Return the form with its inputs written as fields; `before` are the stored values."""
    form = form.having({**_frequency(form), **_zone(form, before), **_periods(form)})
    form = form.having({**_start(form, before), **_end(form, before)})
    return form.having({**_times(form, before), **dict.fromkeys(_INPUTS, ())})


def without_empty_exclusion(form: Form) -> Form:
    """Return the form without what happens on days off, if it has no days off."""
    has_days = any(each.strip() for each in (*form.all(_DATES), *form.all(CALENDARS)))
    return form if has_days else form.having({_THEN: ()})


def broken_inputs(form: Form) -> Iterator[tuple[str, str]]:
    """Yield each input that cannot be written as fields, and what is wrong with it."""
    is_once = form.get(REPEAT) == ONCE
    if form.get(REPEAT) == ON_SCHEDULE:
        yield from _broken_times(form)
    if form.get(REPEAT) == BY_CRON and not form.get(CRON).strip():
        yield CRON, "is missing; give five fields such as 0 9 * * MON-FRI."
    if form.get(FIRST) == AT and not form.get(START).strip():
        yield START, "is missing; give a date and time, or choose another first run."
    if is_once and form.get(FIRST) not in (AT_ONCE, AT):
        yield FIRST, "is missing; choose now, or give a date and time."
    if is_once and form.get(FIRST) == AT:
        yield from _unknown_zone(zone_called(form.get(ZONE)))


def with_broken(problems: Problems, broken: Iterable[tuple[str, str]], form: Form) -> Problems:
    """Return the problems of fields, with those of inputs in their place.

    The times of the schedule are told as its inputs have them, in the time zone of the job.
    """
    told = {field: describe_problem(field, words) for field, words in broken}
    # A recurrence by cron has no frequency: only its expression is missing.
    hidden = FREQUENCY if CRON in told else None
    zone = zone_called(form.get(ZONE))
    of_fields = {
        field: told_locally(words, zone) if field in (START, END) else words
        for field, words in problems.items()
        if field != hidden
    }
    return of_fields | told


def _broken_times(form: Form) -> Iterator[tuple[str, str]]:
    frequency = form.get(FREQUENCY)
    if _has_times(form, frequency) and (problem := problem_of_times(form.all(TIME))):
        yield TIME, problem
    if frequency == Frequency.HOUR and (problem := problem_of_minutes(form.all(MINUTE))):
        yield MINUTE, problem


def _shown_times(values: Values, frequency: str) -> Values:
    """Return times where the schedule is a short list of them, else hours and minutes."""
    hours, minutes = values.get(HOURS, []), values.get(MINUTES, [])
    if frequency == Frequency.HOUR:
        return {TIME: [_USUAL_TIME], MINUTE: [", ".join(minutes)], MINUTES: [], TIMES_BY: []}
    times = times_of(hours, minutes) if frequency in _TIMED else []
    is_grid = frequency in _TIMED and not hours and not minutes
    return {
        TIME: times or ["" if is_grid else _USUAL_TIME],
        MINUTE: [_USUAL_MINUTE],
        TIMES_BY: [BY_CHIPS] if (hours or minutes) and not times else [],
        HOURS: [] if times else hours,
        MINUTES: [] if times else minutes,
    }


def _first_run(values: Values) -> str:
    if _first(values, START):
        return AT
    return "" if _first(values, FREQUENCY) else AT_ONCE


def _frequency(form: Form) -> Values:
    match form.get(REPEAT):
        case "once":
            return {FREQUENCY: []}
        case "cron":
            return {FREQUENCY: [BY_CRON]}
        case _:
            return {}


def _zone(form: Form, before: Values) -> Values:
    """Write UTC as no zone, unless the job names it."""
    if not form.all(ZONE):
        return {}
    zone = zone_called(form.get(ZONE))
    return {ZONE: [] if zone == UTC and _first(before, ZONE) != UTC else [zone]}


def _start(form: Form, before: Values) -> Values:
    if not form.all(FIRST):
        return {}
    if form.get(FIRST) != AT and not keeps_set_start(form):
        return {START: []}
    return {START: [_from_local(form, START, before)]}


def _end(form: Form, before: Values) -> Values:
    return {END: [_from_local(form, END, before)]} if form.all(END) else {}


def _from_local(form: Form, name: str, before: Values) -> str:
    stored = Stored(_first(before, name), _first(before, ZONE))
    return from_local(form.get(name), form.get(ZONE), stored)


def _times(form: Form, before: Values) -> Values:
    frequency = form.get(FREQUENCY)
    if _has_times(form, frequency):
        hours, minutes = hours_and_minutes(form.all(TIME))
        return {**_list(HOURS, hours), **_list(MINUTES, minutes)}
    if frequency == Frequency.HOUR and form.all(MINUTE):
        return _list(MINUTES, minutes_in(form.all(MINUTE)))
    # Without a minute the schedule would take that of the moment when the job is saved.
    is_first_hour = bool(form.all(HOURS)) and not before.get(HOURS)
    has_minutes = any([*form.all(MINUTES), *form.all(_more(MINUTES))])
    has_start = bool(form.get(START)) and not keeps_set_start(form)
    if frequency in _TIMED and is_first_hour and not has_minutes and not has_start:
        return {MINUTES: [_USUAL_MINUTE]}
    return {}


def _has_times(form: Form, frequency: str) -> bool:
    is_list = bool(form.all(TIME)) and form.get(TIMES_BY) != BY_CHIPS
    return is_list and frequency in _TIMED


def _periods(form: Form) -> Values:
    return {name: [iso_period(form.get(name))] for name in PERIODS if form.get(name)}


def _unknown_zone(zone: str) -> Iterator[tuple[str, str]]:
    try:
        find_zone(zone or UTC)
    except Invalid as refusal:
        yield ZONE, refusal.problem


def _list(name: str, items: Sequence[str]) -> Values:
    """Write a list of numbers into the input for those that have no box to tick."""
    return {name: [], _more(name): [", ".join(items)]}


def _more(name: str) -> str:
    return f"{name}:more"


def _first(values: Values, name: str) -> str:
    return next(iter(values.get(name, [])), "")
