"""Re-queues runs that could not be sent for a reason on this node's side, in batches."""

from collections import Counter
from collections.abc import Callable, Sequence

from msgspec import structs

from foliot.core.history_text import failure_note
from foliot.core.instant import SECOND, Instant
from foliot.core.model.attempt import NotSent, Outcome
from foliot.core.model.reason import Reason
from foliot.core.model.run import DueRun
from foliot.core.rules.retries import action_of
from foliot.engine.claim import LEASE_TICKS, Claimed
from foliot.engine.settle import requeue_runs
from foliot.engine.write_queue import WriteQueue
from foliot.ports.clock import Clock
from foliot.ports.logs import get_logger
from foliot.ports.metrics import Meter
from foliot.ports.store import Store, Transaction

# Re-queued runs are due again this much later: what is lacking now may be there then.
_DELAY = LEASE_TICKS // 3
_BETWEEN_WARNINGS = 10 * SECOND
_PAUSE = SECOND
_MAX_BREAKDOWNS = 5
_MAX_COUNTED = 10_000

_log = get_logger("foliot.engine")


class RequeueQueue(WriteQueue[DueRun]):
    """Re-queues runs, many in one transaction, and warns at most every ten seconds."""

    def __init__(
        self, store: Store, clock: Clock, meter: Meter, pause: Callable[[int], float]
    ) -> None:
        self._clock = clock
        self._count = 0
        self._quiet_until = Instant(0)
        self._resume_at = Instant(0)
        self._breakdowns: Counter[int] = Counter()

        async def requeue(batch: Sequence[DueRun]) -> None:
            until = Instant(clock.now() + _DELAY)
            await store.write(lambda transaction: requeue_runs(transaction, batch, until))
            meter.put_back(len(batch))

        self._write = store.write
        self._meter = meter
        super().__init__("runs that could not be sent", requeue, pause)

    async def claimed(self, claim: Callable[[Transaction], Claimed]) -> Sequence[DueRun]:
        """Store a claim and return its runs; if that fails, re-queue them.

        The commit of a claim that fails may have succeeded all the same. Nobody would send its
        runs, and the heartbeat would renew their leases for ever.
        """
        found = Claimed()

        def change(transaction: Transaction) -> Claimed:
            nonlocal found
            found = claim(transaction)
            return found

        try:
            claimed = await self._write(change)
        except Exception:
            for due in found.runs:
                self.add(due)
            raise
        # Not in the change itself, which the store may make more than once.
        self._meter.skipped(claimed.skipped)
        return claimed.runs

    def is_pausing(self, now: Instant) -> bool:
        """Tell whether the node lacked something a moment ago: sending more would only spin."""
        return abs(self._resume_at - now) <= _PAUSE and now < self._resume_at

    def not_sent(self, due: DueRun, why: NotSent) -> None:
        """Re-queue a run that could not be sent, and pause all sending for a moment.

        A shortage for one destination does not pause the others.
        """
        now = self._clock.now()
        if not why.is_of_destination:
            self._resume_at = Instant(now + _PAUSE)
        self._count += 1
        if abs(self._quiet_until - now) > _BETWEEN_WARNINGS or now >= self._quiet_until:
            _log.warning(
                "Runs could not be sent and are put back", runs=self._count, message=why.reason
            )
            self._count, self._quiet_until = 0, Instant(now + _BETWEEN_WARNINGS)
        self.add(due)

    def after_breakdown(self, due: DueRun) -> Outcome | None:
        """Re-queue a run whose attempt broke down; after five in a row return a failure instead."""
        if len(self._breakdowns) > _MAX_COUNTED:
            self._breakdowns.clear()
        self._breakdowns[due.run.id] += 1
        if self._breakdowns[due.run.id] < _MAX_BREAKDOWNS:
            self.add(structs.replace(due, may_have_begun=True))
            return None
        self.forget_breakdowns(due)
        text = (
            f"The attempt broke down inside Foliot {_MAX_BREAKDOWNS} times in a row;"
            " the server's log has more."
        )
        message = failure_note(action_of(due), "UnknownError", text)
        return Outcome(succeeded=False, message=message, reason=Reason.BREAKDOWN)

    def forget_breakdowns(self, due: DueRun) -> None:
        """Forget the breakdowns of a run that is settled."""
        self._breakdowns.pop(due.run.id, None)
