"""Runs that could not be sent, for a reason on our side, on their way back to the store."""

from collections import Counter
from collections.abc import Callable, Sequence

from foliot.core.instant import SECOND, Instant
from foliot.core.model.attempt import NotSent, Outcome
from foliot.core.model.run import DueRun
from foliot.engine.claim import LEASE_TICKS
from foliot.engine.settle import put_back
from foliot.engine.write_queue import Batching
from foliot.ports.clock import Clock
from foliot.ports.logs import get_logger
from foliot.ports.metrics import Meter
from foliot.ports.store import Store, Transaction

# They are due again so much later: what is lacking now may be there then.
_LATER = LEASE_TICKS // 3
_BETWEEN_COMPLAINTS = 10 * SECOND
_PAUSE = SECOND
_MOST_BREAKDOWNS = 5
_MOST_COUNTED = 10_000

_log = get_logger("foliot.engine")


class Returns(Batching[DueRun]):
    """Puts runs back, many in one transaction, and says so at most once in a while."""

    def __init__(
        self, store: Store, clock: Clock, meter: Meter, pause: Callable[[int], float]
    ) -> None:
        self._clock = clock
        self._count = 0
        self._quiet_until = Instant(0)
        self._resume_at = Instant(0)
        self._breakdowns: Counter[int] = Counter()

        async def keep(batch: Sequence[DueRun]) -> None:
            until = Instant(clock.now() + _LATER)
            await store.write(lambda transaction: put_back(transaction, batch, until))
            meter.put_back(len(batch))

        self._write = store.write
        super().__init__("runs that could not be sent", keep, pause)

    async def claimed(self, claim: Callable[[Transaction], Sequence[DueRun]]) -> Sequence[DueRun]:
        """Store a claim and return its runs; one that is refused is put back.

        It may have been stored all the same, and its leases would be renewed for ever.
        """
        found: Sequence[DueRun] = ()

        def change(transaction: Transaction) -> Sequence[DueRun]:
            nonlocal found
            found = claim(transaction)
            return found

        try:
            return await self._write(change)
        except Exception:
            for due in found:
                self.add(due)
            raise

    def is_pausing(self, now: Instant) -> bool:
        """Tell whether something was lacking a moment ago: to send more would spin."""
        return abs(self._resume_at - now) <= _PAUSE and now < self._resume_at

    def not_sent(self, due: DueRun, why: NotSent) -> None:
        """Put back a run that nothing can send at the moment, and let others wait for a moment.

        What is lacking for one destination is no reason for the others to wait.
        """
        now = self._clock.now()
        if not why.is_of_destination:
            self._resume_at = Instant(now + _PAUSE)
        self._count += 1
        if abs(self._quiet_until - now) > _BETWEEN_COMPLAINTS or now >= self._quiet_until:
            _log.warning(
                "Runs could not be sent and are put back", runs=self._count, reason=why.reason
            )
            self._count, self._quiet_until = 0, Instant(now + _BETWEEN_COMPLAINTS)
        self.add(due)

    def judge_breakdown(self, due: DueRun) -> Outcome | None:
        """Put back a run whose attempt broke down; after some in a row it has failed."""
        if len(self._breakdowns) > _MOST_COUNTED:
            self._breakdowns.clear()
        self._breakdowns[due.run.id] += 1
        if self._breakdowns[due.run.id] < _MOST_BREAKDOWNS:
            self.add(due)
            return None
        self.went_well(due)
        return Outcome(
            succeeded=False,
            message=f"The attempt broke down inside Foliot {_MOST_BREAKDOWNS} times in a row;"
            " the server's log has more.",
        )

    def went_well(self, due: DueRun) -> None:
        """Forget that attempts at a run broke down before."""
        self._breakdowns.pop(due.run.id, None)
