"""Tells which changes of when a job runs follow from a change of the job."""

from collections.abc import Iterable, Iterator

from msgspec import structs

from foliot.core.instant import Instant
from foliot.core.model.job import Job, JobState
from foliot.core.model.schedule_change import ScheduleChange, ScheduleChangeKind
from foliot.core.rules.calendar_periods import current_calendar

_RESUMING = frozenset({ScheduleChangeKind.ENABLED, ScheduleChangeKind.RESUMED})


def schedule_changes(old: Job, new: Job, at: Instant) -> Iterator[ScheduleChange]:
    """Yield the changes from one version of a job to the next."""
    if new.generation != old.generation:
        yield change_of_calendar(old, at)
    if old.state is JobState.ENABLED and new.state is JobState.DISABLED:
        yield disabling(old, at)
    if old.state is JobState.DISABLED and new.state is not JobState.DISABLED:
        # Planned times up to the change stay skipped; if the clock was set back, up to the latest.
        last = max(at, new.planned_at or at)
        yield ScheduleChange(
            job_id=old.id, at=at, from_at=Instant(last + 1), kind=ScheduleChangeKind.ENABLED
        )


def change_of_calendar(old: Job, at: Instant) -> ScheduleChange:
    """Return the change of a job that gets another calendar, or other days off."""
    return ScheduleChange(
        job_id=old.id,
        at=at,
        from_at=_first_concerned(old, at),
        kind=ScheduleChangeKind.CALENDAR,
        calendar=current_calendar(old),
    )


def change_of_collection(
    old: Job, new: Job, at: Instant, *, was_halted: bool, is_halted: bool
) -> Iterator[ScheduleChange]:
    """Yield the changes of a job that goes to another collection, which may be disabled."""
    if new.definition.calendar_days != old.definition.calendar_days:
        yield change_of_calendar(old, at)
    if is_halted and not was_halted:
        yield structs.replace(disabling(old, at), kind=ScheduleChangeKind.HALTED)
    if was_halted and not is_halted:
        from_at = Instant(max(at, new.planned_at or at) + 1)
        yield ScheduleChange(job_id=old.id, at=at, from_at=from_at, kind=ScheduleChangeKind.RESUMED)


def last_resumption(changes: Iterable[ScheduleChange]) -> Instant | None:
    """Return when a job or its collection was last enabled, None if they always were."""
    return max((change.at for change in changes if change.kind in _RESUMING), default=None)


def disabling(job: Job, at: Instant) -> ScheduleChange:
    """Return the change of an enabled job that is disabled."""
    from_at = _first_concerned(job, at)
    if job.next_at is None and job.planned_at is not None:
        # Its count is reached; it goes on after the latest one if that one expires while it waits.
        from_at = min(at, Instant(job.planned_at + 1))
    return ScheduleChange(job_id=job.id, at=at, from_at=from_at, kind=ScheduleChangeKind.DISABLED)


def _first_concerned(job: Job, at: Instant) -> Instant:
    """Return the first planned time that a change concerns: one may be due and not planned yet."""
    return at if job.next_at is None else min(at, job.next_at)
