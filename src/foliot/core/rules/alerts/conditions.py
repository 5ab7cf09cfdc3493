"""Decides which conditions of an alert a job meets, as facts for the text of the message."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from foliot.core.instant import SECOND, Instant, format_instant, to_the_second
from foliot.core.model.action import Duration
from foliot.core.model.alert import Alert, AlertEvent
from foliot.core.model.attempt import Attempt
from foliot.core.model.collection import Collection, CollectionState
from foliot.core.model.history import HistoryEntry
from foliot.core.model.incident import AlertFacts
from foliot.core.model.job import Job, JobState
from foliot.core.model.run import PLANNED, DueRun, Phase, Run, is_first_attempt
from foliot.core.rules.alerts.deadlines import success_deadline
from foliot.core.rules.alerts.expiry import earliest_expiry
from foliot.core.rules.jitter import begins_at, jitter_ticks
from foliot.core.rules.lifecycle import FINAL, timetable_of

# A run that begins less late than this is never late, whatever an alert says.
SHORTEST_LATE_TICKS = SECOND

Met = Iterator[tuple[AlertEvent, AlertFacts]]


def may_be_notable(before: DueRun, attempt: Attempt, job: Job) -> bool:
    """Tell whether a settled run needs a closer look; every run pays for this question."""
    if job.consecutive_failures or before.job.consecutive_failures or job.paused_because:
        return True
    run = before.run
    return attempt.started_at - run.expected_at > SHORTEST_LATE_TICKS and run.attempt == 1


class SettledRun(Struct, frozen=True):
    """A run after an attempt: its job before and after, and whether the run was given up."""

    before: DueRun
    attempt: Attempt
    job: Job

    @property
    def is_given_up(self) -> bool:
        """Whether the run has just failed for the last time."""
        return self.job.consecutive_failures > self.before.job.consecutive_failures

    @property
    def has_recovered(self) -> bool:
        """Whether the run succeeded after others were given up."""
        return self.before.job.consecutive_failures > 0 == self.job.consecutive_failures

    @property
    def is_paused(self) -> bool:
        """Whether the policy of the job has just disabled it."""
        return self.job.paused_because is not None and self.before.job.paused_because is None

    @property
    def late_ticks(self) -> int:
        """How much later than planned the run began; 0 for a retry or a run by hand."""
        run = self.before.run
        if run.attempt > 1 or run.phase is not Phase.MAIN or not run.is_planned:
            return 0
        return max(0, self.attempt.started_at - begins_at(self.before))

    @property
    def is_notable(self) -> bool:
        """Whether an alert may have something to say: false for nearly all runs."""
        return (
            self.is_given_up
            or self.has_recovered
            or self.is_paused
            or self.late_ticks > SHORTEST_LATE_TICKS
        )


class JobFacts(Struct, frozen=True, kw_only=True):
    """What the store knows about a job: only what an alert of its collection asks for.

    `waiting` are open runs, `begun` the newest attempts; `success` is the begin of the last one and
    how long it took, searched back to `searched_since`. `since` is when the job was accepted or
    last enabled.
    """

    since: Instant
    waiting: tuple[Run, ...] = ()
    begun: tuple[HistoryEntry, ...] = ()
    success: tuple[Instant, int] | None = None
    success_at: Instant | None = None
    searched_since: Instant = Instant(0)


class WatchedJob(Struct, frozen=True):
    """A job with its collection and what the store knows about it."""

    collection: Collection
    job: Job
    facts: JobFacts

    @property
    def can_run(self) -> bool:
        """Whether the job and its collection are enabled."""
        return self._is_in_enabled_collection and self.job.state is JobState.ENABLED

    @property
    def has_ended(self) -> bool:
        """Whether the calendar of the job has no more times, in an enabled collection."""
        return self._is_in_enabled_collection and self.job.state in FINAL

    @property
    def _is_in_enabled_collection(self) -> bool:
        return self.collection.state is CollectionState.ENABLED

    @property
    def overdue_since(self) -> Instant | None:
        """When the earliest occurrence was to begin that has not begun."""
        waiting = [
            self.planned_begin(run.expected_at)
            for run in self.facts.waiting
            if run.is_planned and is_first_attempt(run) and run.lease is None
        ]
        following = [] if self.job.next_at is None else [self.job.next_at]
        return min([*waiting, *following], default=None)

    @property
    def newest_begin(self) -> HistoryEntry | None:
        """The newest first attempt at an occurrence."""
        return next(
            (
                entry
                for entry in self.facts.begun
                if entry.trigger in PLANNED
                and entry.run_id
                and entry.retry_count == 0
                and not entry.is_error_action
            ),
            None,
        )

    def planned_begin(self, expected_at: Instant) -> Instant:
        """Return when an occurrence begins: at its planned time, or later by its jitter."""
        jitter, key = self.job.definition.run_policy.jitter, self.collection.key
        later = 0 if jitter is None else jitter_ticks(key, self.job.name, expected_at, jitter.ticks)
        return Instant(expected_at + later)


def watches(alert: Alert, job: Job) -> bool:
    """Tell whether an alert is about a job: it has all tags of the alert."""
    wanted: Mapping[str, str] = alert.definition.tags or {}
    given = job.definition.tags or {}
    return all(given.get(name) == value for name, value in wanted.items())


def has_computable_times(job: Job, now: Instant) -> bool:
    """Tell whether the next time of a job can be computed; the engine faults any other job.

    One such job must not keep alerts from looking at the others.
    """
    try:
        timetable_of(job).next_after(now)
    except Exception:  # noqa: BLE001  (whatever is wrong with it)
        return False
    return True


def met_by_run(alert: Alert, settled: SettledRun) -> Met:
    """Yield the conditions that a run meets which has just ended."""
    conditions, job = alert.definition.conditions, settled.job
    most = conditions.failed_in_a_row
    if settled.is_given_up and most is not None and job.consecutive_failures >= most:
        yield AlertEvent.FAILED, _failure(settled)
    if conditions.late_by is not None and settled.late_ticks > conditions.late_by.ticks:
        began = {"began": _told(settled.attempt.started_at)}
        yield AlertEvent.LATE, _lateness(begins_at(settled.before), conditions.late_by) | began
    if conditions.paused and settled.is_paused:
        yield AlertEvent.PAUSED, _pause(job)


def met_by_job(alert: Alert, watched: WatchedJob, now: Instant) -> Met:
    """Yield the conditions that a job meets at an instant, without a run that has ended."""
    conditions, job = alert.definition.conditions, watched.job
    if conditions.paused and job.paused_because is not None and job.state is JobState.DISABLED:
        yield AlertEvent.PAUSED, _pause(job)
    count = conditions.no_success_intervals
    if count is not None and (watched.can_run or watched.has_ended):
        yield from _missing_success(job, watched.facts, count, now)
    if not watched.can_run:
        return
    late, overdue = conditions.late_by, watched.overdue_since
    if late is not None and overdue is not None and now - overdue > late.ticks:
        yield AlertEvent.LATE, _lateness(overdue, late)
    within = conditions.expiring_within
    expiry = None if within is None else earliest_expiry(job)
    if within is not None and expiry is not None and expiry.at - now <= within.ticks:
        yield AlertEvent.EXPIRING, {"what": expiry.what, "expires": _told(expiry.at)}


def _failure(settled: SettledRun) -> AlertFacts:
    outcome, run = settled.attempt.outcome, settled.before.run
    facts: AlertFacts = {
        "failedInARow": settled.job.consecutive_failures,
        "planned": _told(run.expected_at),
        "ended": _told(settled.attempt.ended_at),
        "tag": run.tag,
    }
    if outcome.reason is not None:
        facts["reason"] = outcome.reason.value
    if outcome.host is not None:
        facts["host"] = outcome.host
    if outcome.status_code is not None:
        facts["statusCode"] = outcome.status_code
    return facts


def _lateness(planned: Instant, limit: Duration) -> AlertFacts:
    return {"planned": _told(planned), "limit": limit.text}


def _missing_success(job: Job, facts: JobFacts, count: int, now: Instant) -> Met:
    """Yield that a job had no success by its deadline; jobs that run once have none."""
    if job.definition.recurrence is None:
        return
    began, took = facts.success or (facts.searched_since, 0)
    base, last = max(began, facts.since), job.planned_at if job.next_at is None else None
    deadline = success_deadline(
        timetable_of(job), count, base, took=took if base == began else 0, last=last
    )
    if deadline is None or now <= deadline.at:
        return
    found: AlertFacts = {"intervals": deadline.times}
    if facts.success_at is not None:
        found["lastSuccess"] = _told(facts.success_at)
    if last is not None:
        found["lastPlanned"] = _told(last)
    yield AlertEvent.NO_SUCCESS, found


def _pause(job: Job) -> AlertFacts:
    return {"because": job.paused_because or ""}


def _told(instant: Instant) -> str:
    return format_instant(to_the_second(instant))
