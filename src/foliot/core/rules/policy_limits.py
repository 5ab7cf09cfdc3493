"""Checks a policy against the calendar of its job, and its fields against each other."""

from datetime import timedelta

from foliot.core.errors import Invalid, within
from foliot.core.instant import SECOND, tell_length
from foliot.core.model.job import Definition, Job
from foliot.core.recurrence import smallest_gap
from foliot.core.rules.lifecycle import timetable_of


def check_policy(job: Job, old: Definition | None = None) -> None:
    """Refuse a jitter that would let runs change places or expire, if the job has it now."""
    new = job.definition
    if old is not None and (old.policy, old.recurrence) == (new.policy, new.recurrence):
        return
    policy = new.run_policy
    if policy.jitter is None:
        return
    with within("properties", "policy"):
        jitter, start_within = policy.jitter, policy.start_within
        if start_within is not None and start_within.ticks <= jitter.ticks:
            length = tell_length(jitter.ticks)
            problem = f"{start_within.text} is not valid; give more than the jitter ({length})."
            raise Invalid(("startWithin",), problem)
        gap = smallest_gap(timetable_of(job))
        if gap is not None and jitter.ticks >= gap // timedelta(seconds=1) * SECOND:
            length = tell_length(gap // timedelta(seconds=1) * SECOND)
            problem = (
                f"{jitter.text} is not valid; give less than {length}, the smallest gap between "
                "two occurrences."
            )
            raise Invalid(("jitter",), problem)
