"""Checks a policy against the calendar of its job, and its fields against each other."""

from datetime import timedelta

from foliot.core.errors import within, wrong
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
            expected = f"more than the jitter ({tell_length(jitter.ticks)})"
            raise wrong(("startWithin",), start_within.text, expected)
        gap = smallest_gap(timetable_of(job))
        if gap is not None and jitter.ticks >= gap // timedelta(seconds=1) * SECOND:
            length = tell_length(gap // timedelta(seconds=1) * SECOND)
            expected = f"less than {length}, the smallest gap between two occurrences"
            raise wrong(("jitter",), jitter.text, expected)
