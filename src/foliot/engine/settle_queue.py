"""Outcomes on their way to the store."""

import asyncio
from collections.abc import Sequence

from foliot.core.model.attempt import Attempt
from foliot.core.model.run import DueRun
from foliot.engine.attempt_log import log_failure, log_successes
from foliot.engine.requeue import Returns
from foliot.engine.settle import Result, record
from foliot.engine.write_queue import Batching
from foliot.ports.clock import Clock
from foliot.ports.health import Health
from foliot.ports.logs import get_logger
from foliot.ports.metrics import Meter
from foliot.ports.store import Store

_PART = "outcomes"
_PROBLEM = "one could not be stored; its run is repeated, and the log says why"
# The problem is over when so much time went by without another one.
_SECONDS_OF_A_PROBLEM = 60.0

_log = get_logger("foliot.engine")


class Records(Batching[Result]):
    """Stores what became of attempts.

    A run whose outcome cannot be stored is put back: what was done is repeated rather than lost.
    """

    def __init__(
        self, store: Store, clock: Clock, meter: Meter, returns: Returns, health: Health
    ) -> None:
        self._clock = clock
        self._returns = returns
        self._health = health
        self._end_of_problem: asyncio.TimerHandle | None = None

        async def keep(batch: Sequence[Result]) -> None:
            recorded = await store.write(lambda transaction: record(transaction, batch))
            late = recorded.late
            meter.recorded(len(batch) - late, late)
            for result in batch:
                returns.went_well(result.due)
            log_successes(batch)
            for failure in recorded.failures:
                log_failure(failure)
            if late:
                _log.warning(
                    "Outcomes not recorded: another claim has the run, or the job is deleted",
                    outcomes=late,
                )

        super().__init__("outcomes", keep, returns.pause, self._give_up)

    def add_breakdown(self, due: DueRun) -> None:
        """Put a run back, or store that it has failed if that happens again and again."""
        outcome, now = self._returns.judge_breakdown(due), self._clock.now()
        if outcome is not None:
            attempt = Attempt(outcome=outcome, started_at=now, ended_at=now)
            self.add(Result(due, attempt))

    def _give_up(self, result: Result) -> None:
        self._health.report(_PART, _PROBLEM)
        if self._end_of_problem is not None:
            self._end_of_problem.cancel()
        self._end_of_problem = asyncio.get_running_loop().call_later(
            _SECONDS_OF_A_PROBLEM, self._health.report, _PART, None
        )
        self.add_breakdown(result.due)
