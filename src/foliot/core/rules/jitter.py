"""Spreads the runs of jobs that are due together: each begins a part of the jitter later.

The part is a function of job and planned time and no random number: it is the same after a restart,
on every node and on both databases, where the job has other ids.
"""

from hashlib import blake2b

from foliot.core.ids import CollectionKey
from foliot.core.instant import Instant
from foliot.core.model.run import DueRun, is_first_attempt

_BYTES = 8


def jitter_ticks(key: CollectionKey, job: str, planned_at: Instant, jitter: int) -> int:
    """Return how much later an occurrence begins: from 0 up to, not including, `jitter` ticks."""
    name = "/".join((*key.folded, job.lower()))
    digest = blake2b(f"{name} {planned_at}".encode(), digest_size=_BYTES).digest()
    return int.from_bytes(digest) * jitter >> 8 * _BYTES


def begins_at(due: DueRun) -> Instant:
    """Return when a run may make its first attempt."""
    run, jitter = due.run, due.job.definition.run_policy.jitter
    if jitter is None or not (run.is_planned and is_first_attempt(run)):
        return run.expected_at
    later = jitter_ticks(due.collection.key, due.job.name, run.expected_at, jitter.ticks)
    return Instant(run.expected_at + later)
