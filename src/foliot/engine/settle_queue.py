"""Settles ended attempts in batches: those that end during a write make the next batch."""

import asyncio
from collections.abc import Callable, Sequence

from foliot.core.instant import SECOND, Instant
from foliot.core.model.attempt import Attempt
from foliot.core.model.run import DueRun
from foliot.engine.attempt_log import log_failure, log_successes
from foliot.engine.parts import Parts
from foliot.engine.requeue import RequeueQueue
from foliot.engine.settle import EndedAttempt, settle_attempts
from foliot.engine.write_queue import WriteQueue
from foliot.ports.logs import get_logger

_PART = "outcomes"
_PROBLEM = "one could not be stored; its run is repeated, and the log says why"
# The problem is over when this long has gone by without another one.
_SECONDS_OF_A_PROBLEM = 60.0
# So few outcomes wait a few milliseconds for a transaction that they can share: a transaction costs
# more than they do.
_FEW = 8

# An outcome does not wait if the next occurrence of its job is due as soon as this: that would find
# the run open, and be skipped by the policy of the job or by its limit of open runs.
_SOON = SECOND // 10

_log = get_logger("foliot.engine")


class SettleQueue(WriteQueue[EndedAttempt]):
    """Settles attempts.

    A run whose outcome cannot be stored is re-queued: its attempt is repeated rather than lost.
    """

    def __init__(
        self, parts: Parts, requeue: RequeueQueue, wake_engine: Callable[[], None]
    ) -> None:
        store, claimant, meter = parts.store, parts.claimant, parts.meter
        clock, tracer = parts.clock, parts.tracer
        self._clock = clock
        self._requeue = requeue
        self._health = parts.health
        self._end_of_problem: asyncio.TimerHandle | None = None

        async def settle(batch: Sequence[EndedAttempt]) -> None:
            began_at = clock.now()
            settled = await store.write(
                lambda transaction: settle_attempts(transaction, batch, claimant.max_open_runs),
                can_wait=len(batch) <= _FEW
                and not any(_is_due_soon(each, began_at) for each in batch),
            )
            late = settled.late
            meter.recorded(len(batch) - late - settled.skipped, late, clock.now() - began_at)
            meter.skipped(settled.skipped)
            given_up = [each.ended for each in settled.failures if each.is_given_up]
            meter.settled(settled.recorded, given_up)
            if tracer is not None:
                tracer.settled(settled.recorded, given_up)
            if settled.is_more_due:
                wake_engine()
            for each in batch:
                requeue.forget_breakdowns(each.due)
            log_successes(batch)
            for failure in settled.failures:
                log_failure(failure)
            if late:
                _log.warning(
                    "Outcomes not recorded: another claim has the run, or the job is deleted",
                    outcomes=late,
                )

        super().__init__("outcomes", settle, requeue.pause, self._give_up)

    def add_breakdown(self, due: DueRun) -> None:
        """Re-queue a run whose attempt broke down; after several in a row, settle it as failed."""
        outcome, now = self._requeue.after_breakdown(due), self._clock.now()
        if outcome is not None:
            attempt = Attempt(outcome=outcome, started_at=now, ended_at=now)
            self.add(EndedAttempt(due, attempt))

    def _give_up(self, ended: EndedAttempt) -> None:
        self._health.report(_PART, _PROBLEM)
        if self._end_of_problem is not None:
            self._end_of_problem.cancel()
        self._end_of_problem = asyncio.get_running_loop().call_later(
            _SECONDS_OF_A_PROBLEM, self._health.report, _PART, None
        )
        self.add_breakdown(ended.due)


def _is_due_soon(ended: EndedAttempt, now: Instant) -> bool:
    next_at = ended.due.job.next_at
    return next_at is not None and next_at <= now + _SOON
