"""Decides whether an attempt is retried, after how long, and whether it may be at once."""

from hashlib import blake2b

from foliot.core.errors import Conflict, shown
from foliot.core.instant import HOUR, SECOND, Instant, format_instant
from foliot.core.model.action import Action, RetryKind, RetryOn, RetryPolicy
from foliot.core.model.attempt import Outcome
from foliot.core.model.collection import Sku
from foliot.core.model.reason import Reason
from foliot.core.model.run import DueRun, Phase, Run

DEFAULT_INTERVAL = 30 * SECOND
_DEFAULT_RETRIES = 4
_DEFAULT_INTERVAL_FREE = HOUR
_DEFAULT_MAX_INTERVAL = HOUR
# Up to this part of an exponential interval is added, so that runs which failed together are not
# retried together.
_JITTER_PART = 5
_TRANSIENT = frozenset(
    {
        *(Reason.NAME_RESOLUTION_FAILURE, Reason.CONNECT_FAILURE, Reason.SECURE_CHANNEL_FAILURE),
        *(Reason.CONNECTION_CLOSED, Reason.TIMEOUT, Reason.SERVER_BUSY, Reason.CANCELED),
    }
)
_TRANSIENT_STATUSES = frozenset({408, 425, 429, *range(500, 600)})


def action_of(due: DueRun) -> Action:
    """Return the action that a run makes next: the main one or the error action."""
    main = due.job.definition.action
    if due.run.phase is Phase.ERROR and main.error_action is not None:
        return main.error_action
    return main


def pause_before_retry(due: DueRun, outcome: Outcome) -> int | None:
    """Return the ticks until the next attempt, or None without another attempt."""
    policy = _policy(due)
    retries = _DEFAULT_RETRIES if policy.count is None else policy.count
    if policy.kind is RetryKind.NONE or due.run.attempt > retries:
        return None
    if policy.on is RetryOn.TRANSIENT and not is_transient(outcome):
        return None
    pause = _interval(policy, due.collection.sku)
    if policy.kind is RetryKind.EXPONENTIAL:
        pause = _exponential(pause, policy, due.run)
    return max(pause, outcome.retry_after or 0)


def waits_for_retry(run: Run) -> bool:
    """Tell whether an attempt of a run has failed and the next one is due, or will be."""
    return run.lease is None and run.due_at is not None and run.attempt > 1


def is_retried_later(run: Run, now: Instant) -> bool:
    """Tell whether the next attempt of a run that waits for its retry is not due yet."""
    return waits_for_retry(run) and run.due_at is not None and run.due_at > now


def check_waits_for_retry(run: Run, name: str, due_at: Instant | None) -> None:
    """Refuse to retry a run of a job at once that does not wait for its retry, or for another.

    `due_at` tells the next attempt that somebody saw from those before and after it, if they say.
    """
    if waits_for_retry(run):
        if run.due_at is None or due_at in (None, run.due_at):
            return
        raise Conflict(
            f"The run {shown(run.tag)} of the job '{name}' was retried in the meantime: its next "
            f"attempt is due at {format_instant(run.due_at)}."
        )
    if run.lease is not None:
        reason = "an attempt of it is in progress"
    elif run.due_at is None:
        reason = "it waits for another run of the job to end"
    elif run.phase is Phase.ERROR:
        reason = "it has failed, and its error action is due"
    else:
        reason = "it has made no attempt yet, and begins when it is due"
    raise Conflict(
        f"The run {shown(run.tag)} of the job '{name}' does not wait for a retry: {reason}."
    )


def is_transient(outcome: Outcome) -> bool:
    """Tell whether a failure may be over soon: no connection, no answer, or a busy target."""
    return outcome.reason in _TRANSIENT or outcome.status_code in _TRANSIENT_STATUSES


def _policy(due: DueRun) -> RetryPolicy:
    main = due.job.definition.action
    return action_of(due).retry_policy or main.retry_policy or RetryPolicy()


def _interval(policy: RetryPolicy, sku: Sku) -> int:
    if policy.interval is not None:
        return policy.interval.ticks
    return _DEFAULT_INTERVAL_FREE if sku is Sku.FREE else DEFAULT_INTERVAL


def _exponential(first: int, policy: RetryPolicy, run: Run) -> int:
    """Return the pause after an attempt: doubled each time up to a limit, then the jitter."""
    limit = _DEFAULT_MAX_INTERVAL if policy.max_interval is None else policy.max_interval.ticks
    pause = min(first << (run.attempt - 1), max(first, limit))
    # A hash and not a random number: the jitter is the same after a restart and on another node.
    digest = blake2b(f"{run.tag} {run.attempt}".encode(), digest_size=4).digest()
    return pause + pause * int.from_bytes(digest) // (_JITTER_PART << 32)
