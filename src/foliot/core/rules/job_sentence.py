"""Describes in plain English when a job runs: its calendar, and what its policy adds."""

from collections.abc import Iterator

from foliot.core.instant import Instant, tell_length
from foliot.core.model.action import Duration
from foliot.core.model.job import Job
from foliot.core.model.policy import Policy
from foliot.core.recurrence import Timetable, sentence
from foliot.core.rules.lifecycle import timetable_of


def job_sentence(job: Job, now: Instant) -> str:
    """Say when a job runs, as seen from now."""
    return sentence_with_policy(timetable_of(job), job.definition.policy, now)


def sentence_with_policy(timetable: Timetable, policy: Policy | None, now: Instant) -> str:
    """Say when a job with this timetable and this policy runs, as seen from now."""
    return "".join((sentence(timetable, now), *_clauses(policy)))


def _clauses(policy: Policy | None) -> Iterator[str]:
    jitter = _jitter_of(policy)
    if jitter is not None:
        yield f", each run up to {tell_length(jitter.ticks)} later"


def _jitter_of(policy: Policy | None) -> Duration | None:
    return None if policy is None else policy.jitter
