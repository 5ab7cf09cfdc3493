"""Decides whether an attempt is retried, and after how long."""

from foliot.core.instant import HOUR, SECOND
from foliot.core.model.action import Action, RetryKind, RetryPolicy
from foliot.core.model.attempt import Outcome
from foliot.core.model.collection import Sku
from foliot.core.model.run import DueRun, Phase

_DEFAULT_RETRIES = 4
_DEFAULT_INTERVAL = 30 * SECOND
_DEFAULT_INTERVAL_FREE = HOUR


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
    return max(_interval(policy, due.collection.sku), outcome.retry_after or 0)


def _policy(due: DueRun) -> RetryPolicy:
    main = due.job.definition.action
    return action_of(due).retry_policy or main.retry_policy or RetryPolicy()


def _interval(policy: RetryPolicy, sku: Sku) -> int:
    if policy.interval is not None:
        return policy.interval.ticks
    return _DEFAULT_INTERVAL_FREE if sku is Sku.FREE else _DEFAULT_INTERVAL
