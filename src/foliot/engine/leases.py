"""The leases of the runs that this node holds, and whether they may have run out."""

import asyncio
from functools import partial

from foliot.core.errors import FoliotError, origin_of
from foliot.core.instant import SECOND, Instant
from foliot.engine.claim import LEASE_TICKS, Claimant
from foliot.ports.clock import Clock
from foliot.ports.health import Health
from foliot.ports.logs import get_logger
from foliot.ports.store import Store, Transaction

_log = get_logger("foliot.engine")


class Leases:
    """Renews leases; `renewed_at` is when that was last done for sure."""

    def __init__(self, store: Store, clock: Clock, claimant: Claimant, seconds: float) -> None:
        self._store = store
        self._clock = clock
        self._claimant = claimant
        self._seconds = seconds
        self.renewed_at = Instant(0)

    def are_in_doubt(self, now: Instant) -> bool:
        """Tell whether they ran out while this node stood still: others may hold what waits."""
        return now - self.renewed_at > LEASE_TICKS

    def must_be_renewed(self, now: Instant) -> bool:
        """Tell whether it is time to renew them."""
        return abs(now - self.renewed_at) > self._seconds * SECOND

    def renew(self, transaction: Transaction, now: Instant, since: Instant) -> None:
        """Hold all runs longer that were held at a moment; `renewed_at` is for the caller to set.

        A transaction may be run twice, and may not be kept.
        """
        until = self._claimant.lease(now).until
        since = Instant(since - LEASE_TICKS)
        transaction.renew_leases(self._claimant.node, until, since=since)

    async def keep_renewing(self, health: Health) -> None:
        """Renew the leases, also while nothing is claimed for want of room."""
        while True:
            await asyncio.sleep(self._seconds)
            now = self._clock.now()
            renew = partial(self.renew, now=now, since=self.renewed_at)
            try:
                await self._store.write(renew)
            except FoliotError as error:
                _log.warning("Leases not renewed: the store does not answer", error=str(error))
            except Exception as error:  # noqa: BLE001  (without leases nothing is safe)
                _log.error("Renewing leases broke down", error=origin_of(error))
            else:
                self.renewed_at = now
            problem = "have run out and cannot be renewed" if self.are_in_doubt(now) else None
            health.report("leases", problem)
