"""Decides which due occurrences of a job run, wait or are skipped, and when the next one is.

docs/reference/policies.md describes the steps: limit, window, catch-up, start within, overlap. Of
several missed occurrences the latest one runs, late, unless the policy of the job says otherwise:
to run them all at once would overload the target.
"""

from collections.abc import Sequence
from hashlib import blake2b

from msgspec import Struct, structs

from foliot.core.history_text import history_note
from foliot.core.instant import Instant
from foliot.core.model.history import AttemptStatus, HistoryEntry, SkipReason
from foliot.core.model.job import Job, JobState
from foliot.core.model.policy import CatchUp, Overlap, Policy
from foliot.core.model.run import DueJob, DueRun, Lease, Run, Trigger, is_first_attempt
from foliot.core.recurrence import count_between, previous_before
from foliot.core.rules.due_occurrences import Due, Stretch, find_due, is_missed, last_of
from foliot.core.rules.jitter import jitter_ticks
from foliot.core.rules.lifecycle import has_run_out, timetable_of
from foliot.core.rules.run_counts import runs_left
from foliot.core.rules.settling import finished
from foliot.core.rules.skipping import (
    MISSED,
    OVERLAP,
    expired,
    skipped_entry,
    too_many_open,
    too_many_queued,
)
from foliot.core.rules.turns import MAX_CAUGHT_UP, MAX_OPEN_RUNS, MAX_QUEUED

_TAG_BYTES = 16
_Why = tuple[SkipReason, str]


class PlannedJob(Struct, frozen=True):
    """A job with its next time, the runs to store and the entries for skipped occurrences.

    A run with a lease begins now, one with a due time then, and any other one waits its turn.
    """

    job: Job
    runs: Sequence[Run] = ()
    skipped: Sequence[HistoryEntry] = ()

    @property
    def skipped_count(self) -> int:
        """How many occurrences are skipped."""
        return sum(entry.skipped_count or 0 for entry in self.skipped)


class Claiming(Struct, frozen=True):
    """The claim that plans: when, its lease, and how many runs of a job may be open."""

    now: Instant
    lease: Lease
    max_open_runs: int = MAX_OPEN_RUNS


class _Chosen(Struct, frozen=True):
    """What becomes of due occurrences: times to run, and stretches to skip with their reasons."""

    times: Sequence[Instant]
    skipped: Sequence[tuple[Stretch, _Why]] = ()

    def skipping(self, kept: Sequence[Instant], why: _Why) -> "_Chosen":
        """Skip all times but the kept ones, which are in a row at either end."""
        remaining = frozenset(kept)
        dropped = [at for at in self.times if at not in remaining]
        if not dropped:
            return self
        stretch = Stretch(len(dropped), dropped[0], dropped[-1])
        return _Chosen(kept, (*self.skipped, (stretch, why)))


def plan(due: DueJob, claiming: Claiming, tag: str) -> PlannedJob:
    """Decide what a due job does now, and when it is due again."""
    job, found, now = due.job, find_due(due.job, claiming.now), claiming.now
    policy = job.definition.policy
    if policy is None:
        chosen = _choose_latest(due, found, claiming)
    else:
        chosen = _choose(due, found, claiming, policy)
    chosen = _within_count(job, chosen)
    runs = [
        _run(due, found, claiming, (number, at, tag if number == 1 else _tag_of(tag, at)))
        for number, at in enumerate(chosen.times, 1)
    ]
    entries = [skipped_entry(job, stretch, why, now) for stretch, why in chosen.skipped]
    # A calendar whose count is reached ends with the last run that it allows.
    is_over = bool(runs) and has_run_out(job, len(runs))
    moved = _moved_on(job, found, len(runs), runs[-1].expected_at if is_over else found.latest)
    if moved.next_at is None and not runs and not due.open_runs and not due.queued_runs:
        moved = finished(moved, now, has_skipped=True)
    return PlannedJob(moved, runs, entries)


def passed_over(due: DueJob, now: Instant, *, planned: int = 0) -> Job:
    """Return a job some of whose due occurrences were planned before: these count nothing."""
    found = find_due(due.job, now)
    return _moved_on(due.job, found, planned, found.latest)


def started(due: DueRun) -> Job:
    """Return the job of a claimed run; a run by hand counts at its first claim."""
    run, job = due.run, due.job
    is_first = run.lease is None and is_first_attempt(run)
    if run.is_planned or not is_first:
        return job
    return structs.replace(job, execution_count=job.execution_count + 1)


def faulted(due: DueJob, now: Instant, why: str) -> PlannedJob:
    """Return a faulted job, whose calendar cannot be computed, with the reason for its history."""
    job = structs.replace(due.job, state=JobState.FAULTED, next_at=None, ended_at=now)
    entry = HistoryEntry(
        job_id=job.id,
        started_at=now,
        ended_at=now,
        expected_at=due.job.next_at or now,
        status=AttemptStatus.FAILED,
        message=history_note(
            job.definition.action,
            "Faulted: the next time for",
            f" cannot be computed ({why}).",
        ),
        retry_count=0,
        repeat_count=job.occurrence,
    )
    return PlannedJob(job, (), [entry])


def _choose_latest(due: DueJob, found: Due, claiming: Claiming) -> _Chosen:
    """Choose as for a job without a policy."""
    if due.open_runs >= claiming.max_open_runs:
        return _Chosen((), [(found.all, too_many_open(due.open_runs, claiming.max_open_runs))])
    skipped = [] if found.missed is None else [(found.missed, MISSED)]
    return _Chosen([found.latest], skipped)


def _choose(due: DueJob, found: Due, claiming: Claiming, policy: Policy) -> _Chosen:
    now, most = claiming.now, claiming.max_open_runs
    overlap, is_full = policy.overlap or Overlap.ALLOW, due.open_runs >= most
    catches_all = _catch_up(due.job, policy) is CatchUp.ALL
    if overlap is Overlap.ALLOW and is_full and not catches_all:
        return _Chosen((), [(found.all, too_many_open(due.open_runs, most))])
    chosen = _caught_up(due.job, found, now, policy)
    if policy.start_within is not None:
        begin = now - policy.start_within.ticks
        chosen = chosen.skipping([at for at in chosen.times if at >= begin], expired(policy))
    match overlap:
        case Overlap.ALLOW if is_full:
            kept = [at for at in chosen.times if _is_missed(found, at, now)]
            return chosen.skipping(kept, too_many_open(due.open_runs, most))
        case Overlap.ALLOW:
            return chosen
        case Overlap.SKIP:
            is_open = due.open_runs or due.queued_runs
            return chosen.skipping([], OVERLAP) if is_open else chosen
        case Overlap.QUEUE:
            return _queued(due, found, now, chosen)


def _caught_up(job: Job, found: Due, now: Instant, policy: Policy) -> _Chosen:
    """Apply the catch-up window, then the catch-up policy."""
    window = policy.catch_up_window
    oldest = Instant(0) if window is None else Instant(now - window.ticks)
    match _catch_up(job, policy):
        case CatchUp.ALL:
            times = last_of(job, found, MAX_CAUGHT_UP + 1)
            late = [at for at in times if _is_missed(found, at, now)]
            kept = [at for at in late[-MAX_CAUGHT_UP:] if at >= oldest] + times[len(late) :]
        case CatchUp.LATEST:
            kept = [found.latest] if found.latest >= oldest else []
        case CatchUp.NONE:
            kept = []
    if not kept and not is_missed(found.latest, now):
        kept = [found.latest]
    skipped = _all_but(job, found, kept)
    return _Chosen(kept, [] if skipped is None else [(skipped, MISSED)])


def _all_but(job: Job, found: Due, kept: Sequence[Instant]) -> Stretch | None:
    """Return the due occurrences before the kept ones, which are the latest."""
    if not kept:
        return found.all
    if len(kept) == 1:
        return found.missed
    timetable, first = timetable_of(job), found.all.first
    last = previous_before(timetable, kept[0])
    if last is None or last < first:
        return None
    return Stretch(count_between(timetable, first, kept[0]), first, last)


def _catch_up(job: Job, policy: Policy) -> CatchUp:
    if job.definition.recurrence is None:
        return CatchUp.LATEST
    return policy.catch_up or CatchUp.LATEST


def _is_missed(found: Due, at: Instant, now: Instant) -> bool:
    return at != found.latest or is_missed(at, now)


def _queued(due: DueJob, found: Due, now: Instant, chosen: _Chosen) -> _Chosen:
    """Leave out occurrences for which too many wait already; none follows the last of a count."""
    waiting, left = due.queued_runs, runs_left(due.job)
    begins = not due.open_runs and not waiting
    kept: list[Instant] = []
    seen = 0
    for at in chosen.times:
        if len(kept) == left:
            break
        seen += 1
        most = MAX_CAUGHT_UP if _is_missed(found, at, now) else MAX_QUEUED
        if begins or waiting < most:
            kept.append(at)
            waiting += not begins
            begins = False
    considered = structs.replace(chosen, times=chosen.times[:seen])
    return considered.skipping(kept, too_many_queued(waiting))


def _within_count(job: Job, chosen: _Chosen) -> _Chosen:
    """Leave out what comes after the last run that the count allows: the calendar ends there."""
    left = runs_left(job)
    if left is None or not left or len(chosen.times) < left:
        return chosen
    kept = chosen.times[:left]
    skipped = [each for each in chosen.skipped if each[0].first < kept[-1]]
    return _Chosen(kept, skipped)


def _run(due: DueJob, found: Due, claiming: Claiming, which: tuple[int, Instant, str]) -> Run:
    number, at, tag = which
    now, job = claiming.now, due.job
    jitter = job.definition.run_policy.jitter
    later = 0 if jitter is None else jitter_ticks(due.collection.key, job.name, at, jitter.ticks)
    begin = Instant(at + later)
    waits = _waits_its_turn(due, found, claiming, number, at)
    return Run(
        job_id=job.id,
        generation=job.generation,
        occurrence=job.occurrence + number,
        expected_at=at,
        due_at=None if waits else begin,
        tag=tag,
        trigger=_trigger(found, at, now),
        lease=None if waits or begin > now else claiming.lease,
    )


def _waits_its_turn(due: DueJob, found: Due, claiming: Claiming, number: int, at: Instant) -> bool:
    policy = due.job.definition.policy
    if policy is None:
        return False
    if policy.runs_one_at_a_time:
        return bool(number > 1 or due.open_runs or due.queued_runs)
    catches_all = _catch_up(due.job, policy) is CatchUp.ALL
    return catches_all and _is_missed(found, at, claiming.now)


def _trigger(found: Due, at: Instant, now: Instant) -> Trigger:
    is_caught_up = found.missed is not None or is_missed(at, now)
    return Trigger.CATCH_UP if is_caught_up else Trigger.SCHEDULE


def _tag_of(tag: str, planned_at: Instant) -> str:
    """Return the tag of another occurrence that is planned together with the first one."""
    return blake2b(f"{tag} {planned_at}".encode(), digest_size=_TAG_BYTES).hexdigest()


def _moved_on(job: Job, found: Due, runs: int, planned_at: Instant) -> Job:
    """Return a job after so many of its due occurrences were planned, up to an instant."""
    return structs.replace(
        job,
        next_at=None if has_run_out(job, runs) else found.following,
        occurrence=job.occurrence + runs,
        execution_count=job.execution_count + runs,
        planned_at=planned_at,
    )
