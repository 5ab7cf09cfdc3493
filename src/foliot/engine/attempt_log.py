"""Logs attempts that fail, runs that are given up, and at debug every attempt."""

from collections.abc import Sequence

from foliot.core.instant import SECOND, format_instant
from foliot.core.model.attempt import Expired
from foliot.core.model.run import DueRun, Phase
from foliot.engine.settle import EndedAttempt, FailedAttempt
from foliot.ports.logs import collection_text, get_logger, short_message

_log = get_logger("foliot.engine")


def run_fields(due: DueRun) -> dict[str, object]:
    """Return the fields that tell which run a line is about, and which attempt at it."""
    run = due.run
    return {
        "collection": collection_text(due.collection.key),
        "job": due.job.name,
        "tag": run.tag,
        "expected_at": format_instant(run.expected_at),
        "attempt": run.attempt,
        "action": run.phase.value,
    }


def log_successes(ended: Sequence[EndedAttempt]) -> None:
    """Log attempts that went well, at debug alone: there are thousands in a second."""
    if not _log.is_debugging:
        return
    for each in ended:
        if each.has_succeeded:
            _log.debug("Attempt succeeded", **_attempt_fields(each))


def log_failure(failed: FailedAttempt) -> None:
    """Log an attempt that failed, and that its action is given up if it was the last one."""
    run, following = failed.ended.due.run, failed.following
    fields = _attempt_fields(failed.ended)
    is_retried = following is not None and following.phase is run.phase
    due_at = following.due_at if following and is_retried else None
    retry_at = None if due_at is None else format_instant(due_at)
    _log.warning("Attempt failed", **fields, retry_at=retry_at)
    if run.phase is Phase.ERROR and not is_retried:
        _log.error("Error action given up", **fields)
    elif not is_retried:
        _log.error("Run given up", **fields, error_action_follows=following is not None)


def _attempt_fields(ended: EndedAttempt) -> dict[str, object]:
    attempt = ended.attempt
    if isinstance(attempt, Expired):
        return run_fields(ended.due)
    outcome = attempt.outcome
    return {
        **run_fields(ended.due),
        "request_id": ended.request_id,
        "duration_ms": (attempt.ended_at - attempt.started_at) * 1000 // SECOND,
        "reason": outcome.reason,
        "host": outcome.host,
        "status_code": outcome.status_code,
        "message": None if outcome.succeeded else short_message(outcome.message),
    }
