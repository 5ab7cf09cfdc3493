"""Calendars of a collection: which jobs use them, and what their changes do to these jobs."""

from collections.abc import Sequence

from msgspec import structs

from foliot.core.errors import Conflict, Invalid, Path, shown
from foliot.core.instant import Instant
from foliot.core.model.calendar import Calendar
from foliot.core.model.collection import Collection
from foliot.core.model.job import Definition, Job, JobState
from foliot.core.near_names import nearest
from foliot.core.plurals import noun_after
from foliot.core.recurrence import CalendarDays, sentence
from foliot.core.recurrence.acceptance import NEVER_AFTER
from foliot.core.recurrence.exclusion import MAX_DAYS
from foliot.core.rules.lifecycle import has_run_out, timetable_of
from foliot.core.rules.policy_limits import check_policy
from foliot.core.rules.quota import check_job, listed

MAX_CALENDARS_OF_COLLECTION = 100


def named_calendars(definition: Definition) -> tuple[str, ...]:
    """Return the names of the calendars that a job uses."""
    rule = definition.recurrence
    return () if rule is None or rule.exclude is None else rule.exclude.calendars


def with_calendar_days(collection: Collection, job: Job, days: CalendarDays, now: Instant) -> Job:
    """Return a job whose calendars have new days: from now on these decide when it runs.

    What is due already stays due unless its day is off now. Nothing is counted anew. A job that
    would not run any more, or too often, is refused, as is one with too many days off.
    """
    if days.count > MAX_DAYS:
        raise Invalid(("dates",), f"the calendars of job '{job.name}' {_too_many(days)}.")
    definition = structs.replace(job.definition, calendar_days=days)
    changed = structs.replace(job, definition=definition)
    try:
        check_job(collection, changed, job)
    except Conflict as refusal:
        raise Conflict(f"Job '{job.name}' uses the calendar. {refusal}") from None
    _check_jitter(changed)
    if job.state is not JobState.ENABLED or has_run_out(job):
        return changed
    since = now if job.next_at is None else min(now, job.next_at - 1)
    # The clock may have been set back: what was planned is not planned again.
    after = Instant(since if job.planned_at is None else max(since, job.planned_at))
    timetable = timetable_of(changed)
    following = timetable.next_after(after)
    if job.next_at is not None and (following is None or following > now + NEVER_AFTER):
        raise Invalid(
            ("dates",),
            f"with these days job '{job.name}' would not run again within 20 years or before its "
            f"end: {shown(sentence(timetable))}; give fewer days, or change or disable the job.",
        )
    return structs.replace(changed, next_at=following)


def _check_jitter(job: Job) -> None:
    """Refuse days that move two occurrences closer together than the jitter of the job."""
    try:
        check_policy(job)
    except Invalid as refusal:
        problem = f"with these days the policy of job '{job.name}' would be refused: {refusal}"
        raise Invalid(("dates",), problem) from None


def check_days(path: Path, days: CalendarDays) -> None:
    """Refuse a job whose calendars have too many days together."""
    if days.count > MAX_DAYS:
        raise Invalid(path, f"these calendars {_too_many(days)}.")


def _too_many(days: CalendarDays) -> str:
    return f"have {days.count} days together; give calendars with at most {MAX_DAYS}"


def unknown_calendar(name: str, path: Path, known: Sequence[str]) -> Invalid:
    """Return the refusal of a calendar that the collection does not have."""
    near = nearest(name.lower(), [each.lower() for each in known])
    meant = next((each for each in known if each.lower() in near), None)
    if meant is not None:
        advice = f"did you mean '{meant}'?"
    elif known:
        advice = f"it has {listed(known)}."
    else:
        advice = "it has none; create the calendar first."
    return Invalid(path, f"{shown(name)} is not a calendar of the collection; {advice}")


def check_calendar_count(collection: Collection, present: int) -> None:
    """Refuse one calendar more than a collection may have."""
    if present >= MAX_CALENDARS_OF_COLLECTION:
        raise Conflict(
            f"The collection '{collection.key.name}' has {present} calendars already, and "
            f"{MAX_CALENDARS_OF_COLLECTION} are the most; delete one first."
        )


def check_unused(calendar: Calendar, jobs: Sequence[str]) -> None:
    """Refuse to delete a calendar that jobs use."""
    if jobs:
        noun = noun_after(len(jobs), "job")
        raise Conflict(
            f"The calendar '{calendar.name}' is used by the {noun} {listed(jobs)}; "
            f"change or delete {'it' if len(jobs) == 1 else 'them'} first."
        )
