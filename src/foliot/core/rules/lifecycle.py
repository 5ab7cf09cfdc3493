"""Creates, updates, disables and resumes a job: pure decisions about its state and next time."""

from msgspec import Struct, structs

from foliot.core.errors import Conflict, Invalid, within
from foliot.core.ids import CollectionId
from foliot.core.instant import SECOND, Instant
from foliot.core.job_defaults import JobDefaults
from foliot.core.model.collection import Collection, CollectionState
from foliot.core.model.job import Definition, Job, JobState
from foliot.core.model.run import NO_RUNS, Run, RunCounts, Trigger
from foliot.core.recurrence import (
    Recurrence,
    Timetable,
    accept,
    check_end,
    instant_of_moment,
    zone_of,
)
from foliot.core.rules.queue_message_text import check_message_sizes

FINAL = frozenset({JobState.COMPLETED, JobState.FAULTED})
_DEFAULTS = JobDefaults()


class Revision(Struct, frozen=True):
    """A job as a client wants it; without a state it keeps its own, or is enabled if new."""

    definition: Definition
    state: JobState | None = None


def create(
    collection_id: CollectionId,
    name: str,
    revision: Revision,
    now: Instant,
    defaults: JobDefaults = _DEFAULTS,
) -> Job:
    """Return a new job."""
    state = revision.state or JobState.ENABLED
    definition = revision.definition
    with within("properties"):
        check_message_sizes(definition, None, defaults.queue_format)
    job = Job(
        collection_id=collection_id,
        name=name,
        definition=definition,
        state=state,
        calendar_at=_calendar_at(definition, now, defaults),
    )
    return _with_new_calendar(job, now)


def revise(
    job: Job,
    revision: Revision,
    now: Instant,
    defaults: JobDefaults = _DEFAULTS,
    *,
    has_open_runs: bool = False,
) -> Job:
    """Return the job as the client wants it; refuse a change of a job that has ended.

    With open runs a job can be enabled though its calendar has ended: the runs go on.
    """
    definition = with_old_calendar_if_equal(job.definition, revision.definition)
    state = revision.state or job.state
    if job.state in FINAL:
        if definition != job.definition or revision.state not in (None, job.state):
            raise Conflict(f"Job '{job.name}' is {job.state} and can no longer be changed.")
        return job
    with within("properties"):
        check_message_sizes(definition, job.definition, defaults.queue_format)
    revised = structs.replace(job, definition=definition, state=state)
    if not same_calendar(job.definition, definition):
        restarted = structs.replace(
            revised,
            calendar_at=_calendar_at(definition, now, defaults),
            occurrence=0,
            generation=job.generation + 1,
            settled_at=None,
            settled_well=True,
            planned_at=None,
        )
        return _with_new_calendar(_unpaused(restarted), now)
    if state is job.state:
        return revised
    if state is JobState.DISABLED:
        return _without_next_time(revised)
    resumed = resume(revised, now) if has_open_runs else _enabled(revised, now)
    return _unpaused(resumed)


def resume(job: Job, now: Instant) -> Job:
    """Return an enabled job that goes on from now; occurrences missed meanwhile are skipped."""
    if job.state is not JobState.ENABLED:
        return job
    if has_run_out(job):
        # Its last occurrence is still being retried, or the job would have ended.
        return _without_next_time(job)
    timetable = timetable_of(job)
    if job.definition.recurrence is None:
        # Late is better than never.
        opening = timetable.first()
        return structs.replace(job, next_at=None if opening is None else max(opening, now))
    # The clock may have been set back: what was planned is not planned again.
    after = now if job.planned_at is None else max(now, job.planned_at)
    return structs.replace(job, next_at=timetable.next_after(after))


def run_now(job: Job, now: Instant, tag: str, runs: RunCounts = NO_RUNS) -> Run:
    """Return a run by hand, which is not an occurrence of the calendar.

    It waits its turn behind the open runs of a job whose runs must not overlap, but not behind
    those that wait themselves until the job is enabled.
    """
    before = runs.open - runs.queued if job.state is JobState.DISABLED else runs.open
    waits = job.definition.run_policy.runs_one_at_a_time and before > 0
    return Run(
        job_id=job.id,
        generation=job.generation,
        occurrence=job.occurrence,
        expected_at=now,
        due_at=None if waits else now,
        tag=tag,
        trigger=Trigger.MANUAL,
    )


def next_execution_at(job: Job, collection: Collection) -> Instant | None:
    """Return when the job will run next, if neither it nor its collection is disabled."""
    if job.state is not JobState.ENABLED or collection.state is not CollectionState.ENABLED:
        return None
    return job.next_at


def timetable_of(job: Job) -> Timetable:
    """Return the timetable of a job."""
    definition = job.definition
    return Timetable.of(
        definition.recurrence, definition.start, job.calendar_at, definition.calendar_days
    )


def _with_new_calendar(job: Job, now: Instant) -> Job:
    definition, at = job.definition, job.calendar_at
    rule, start, days = definition.recurrence, definition.start, definition.calendar_days
    with within("properties"):
        if job.state is JobState.ENABLED:
            timetable = accept(rule, start, now, at, days)
            return structs.replace(job, next_at=timetable.first())
        # A disabled job may have an end that has passed; all else must be in order.
        accept(rule and structs.replace(rule, end=None), start, now, at, days)
    return _without_next_time(job)


def _calendar_at(definition: Definition, now: Instant, defaults: JobDefaults) -> Instant:
    """Return when the calendar begins: now, or a delay later if the job would run at once."""
    rule, start = definition.recurrence, definition.start
    begin = None if start is None else instant_of_moment(zone_of(rule), start)
    is_immediate = begin is None or (rule is None and begin < now)
    return Instant(now + is_immediate * defaults.immediate_delay_seconds * SECOND)


def _enabled(job: Job, now: Instant) -> Job:
    """Return a job that was disabled; one that would never run again is refused."""
    with within("properties"):
        check_end(timetable_of(job), now)
        resumed = resume(job, now)
        if resumed.next_at is None and not has_run_out(job):
            problem = "this schedule never occurs again; give a later endTime, or leave it out."
            raise Invalid(("recurrence",), problem)
    return resumed


def has_run_out(job: Job, more: int = 0) -> bool:
    """Tell whether a job has run, with some more runs, as often as its count allows."""
    rule = job.definition.recurrence
    count = 1 if rule is None else rule.count
    return count is not None and job.occurrence + more >= count


def _unpaused(job: Job) -> Job:
    """Return a job that somebody has enabled: failures before that no longer count."""
    if job.state is not JobState.ENABLED or not (job.paused_because or job.consecutive_failures):
        return job
    return structs.replace(job, paused_because=None, consecutive_failures=0)


def _without_next_time(job: Job) -> Job:
    return structs.replace(job, next_at=None)


def with_old_calendar_if_equal(old: Definition, new: Definition) -> Definition:
    """Keep the old calendar if the new one is the same in another notation.

    The days of its calendars are as they should be: a change of a calendar changes them.
    """
    if not same_calendar(old, new):
        return new
    return structs.replace(
        new, start=old.start, recurrence=old.recurrence, calendar_days=old.calendar_days
    )


def same_calendar(old: Definition, new: Definition) -> bool:
    """Tell whether two calendars are the same, also in another notation."""
    return _comparable(old) == _comparable(new)


def _comparable(
    definition: Definition,
) -> tuple[Instant | None, Instant | None, Recurrence | None]:
    """Return a calendar with instants in place of date-times in any notation."""
    rule, start = definition.recurrence, definition.start
    zone = zone_of(rule)
    end = rule.end if rule else None
    return (
        None if start is None else instant_of_moment(zone, start),
        None if end is None else instant_of_moment(zone, end),
        None if rule is None else structs.replace(_with_folded_names(rule), end=None),
    )


def _with_folded_names(rule: Recurrence) -> Recurrence:
    """Return a rule with the names of its calendars in lower case, as they are compared."""
    exclude = rule.exclude
    if exclude is None or not exclude.calendars:
        return rule
    folded = tuple(name.lower() for name in exclude.calendars)
    return structs.replace(rule, exclude=structs.replace(exclude, calendars=folded))
