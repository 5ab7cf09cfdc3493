"""Creates, updates, disables and resumes a job: pure decisions about its state and next time."""

from msgspec import Struct, structs

from foliot.core.errors import Conflict, Invalid, within
from foliot.core.ids import CollectionId
from foliot.core.instant import SECOND, Instant
from foliot.core.job_defaults import JobDefaults
from foliot.core.model.collection import Collection, CollectionState
from foliot.core.model.job import Definition, Job, JobState
from foliot.core.model.run import Run
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
    definition = _with_old_calendar_if_equal(job.definition, revision.definition)
    state = revision.state or job.state
    if job.state in FINAL:
        if definition != job.definition or revision.state not in (None, job.state):
            raise Conflict(f"Job '{job.name}' is {job.state} and can no longer be changed.")
        return job
    with within("properties"):
        check_message_sizes(definition, job.definition, defaults.queue_format)
    revised = structs.replace(job, definition=definition, state=state)
    if not _same_calendar(job.definition, definition):
        restarted = structs.replace(
            revised,
            calendar_at=_calendar_at(definition, now, defaults),
            occurrence=0,
            generation=job.generation + 1,
            settled_at=None,
            settled_well=True,
        )
        return _with_new_calendar(restarted, now)
    if state is job.state:
        return revised
    if state is JobState.DISABLED:
        return _without_next_time(revised)
    return resume(revised, now) if has_open_runs else _enabled(revised, now)


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
    return structs.replace(job, next_at=timetable.next_after(now))


def run_now(job: Job, now: Instant, tag: str) -> Run:
    """Return a run by hand, which is not an occurrence of the calendar."""
    return Run(
        job_id=job.id,
        generation=job.generation,
        occurrence=job.occurrence,
        expected_at=now,
        due_at=now,
        tag=tag,
        is_manual=True,
    )


def next_execution_at(job: Job, collection: Collection) -> Instant | None:
    """Return when the job will run next, if neither it nor its collection is disabled."""
    if job.state is not JobState.ENABLED or collection.state is not CollectionState.ENABLED:
        return None
    return job.next_at


def timetable_of(job: Job) -> Timetable:
    """Return the timetable of a job."""
    definition = job.definition
    return Timetable.of(definition.recurrence, definition.start, job.calendar_at)


def _with_new_calendar(job: Job, now: Instant) -> Job:
    definition = job.definition
    with within("properties"):
        if job.state is JobState.ENABLED:
            timetable = accept(definition.recurrence, definition.start, now, job.calendar_at)
            return structs.replace(job, next_at=timetable.first())
        # A disabled job may have an end that has passed; all else must be in order.
        rule = definition.recurrence
        endless = rule and structs.replace(rule, end=None)
        accept(endless, definition.start, now, job.calendar_at)
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


def has_run_out(job: Job) -> bool:
    """Tell whether a job has run as often as its count allows."""
    rule = job.definition.recurrence
    count = 1 if rule is None else rule.count
    return count is not None and job.occurrence >= count


def _without_next_time(job: Job) -> Job:
    return structs.replace(job, next_at=None)


def _with_old_calendar_if_equal(old: Definition, new: Definition) -> Definition:
    """Keep the old calendar if the new one is the same in another notation."""
    if not _same_calendar(old, new):
        return new
    return structs.replace(new, start=old.start, recurrence=old.recurrence)


def _same_calendar(old: Definition, new: Definition) -> bool:
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
        None if rule is None else structs.replace(rule, end=None),
    )
