"""Renews the leases of the runs that this node holds, and tells whether they may have expired.

A lease lasts 15 seconds and is renewed three times in that time. A node that was paused (SIGSTOP, a
moved virtual machine) longer than a lease cannot know what happened meanwhile: other nodes may have
claimed its runs. Its leases are then in doubt: it sends nothing and re-queues its waiting runs,
until a renewal is stored. A renewal never takes back a run which another node has claimed: that run
has the other node's name.
"""

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
    """Renews leases; `renewed_at` is the time of the last renewal that is known to be stored."""

    def __init__(self, store: Store, clock: Clock, claimant: Claimant, seconds: float) -> None:
        self._store = store
        self._clock = clock
        self._claimant = claimant
        self._seconds = seconds
        self.renewed_at = Instant(0)

    def are_in_doubt(self, now: Instant) -> bool:
        """Tell whether leases may have expired, so that other nodes may hold the waiting runs."""
        return now - self.renewed_at > LEASE_TICKS

    def must_be_renewed(self, now: Instant) -> bool:
        """Tell whether it is time to renew the leases."""
        return abs(now - self.renewed_at) > self._seconds * SECOND

    def renew(self, transaction: Transaction, now: Instant, since: Instant) -> None:
        """Extend all leases of this node, which held them at `since`.

        The caller sets `renewed_at` after the commit: a transaction may run twice or be undone.
        """
        until = self._claimant.lease(now).until
        # No lease of this node ends earlier: the store need not look for one before this time.
        since = Instant(since - LEASE_TICKS)
        transaction.renew_leases(self._claimant.node, until, since=since)

    async def keep_renewing(self, health: Health) -> None:
        """Renew the leases until cancelled: without free slots nothing else renews them."""
        while True:
            await asyncio.sleep(self._seconds)
            now = self._clock.now()
            renew = partial(self.renew, now=now, since=self.renewed_at)
            try:
                await self._store.write(renew)
            except FoliotError as error:
                _log.warning("Leases not renewed: the store does not answer", error=str(error))
            except Exception as error:  # noqa: BLE001  (without renewals other nodes would repeat the runs)
                _log.error("Renewing leases broke down", error=origin_of(error))
            else:
                self.renewed_at = now
            problem = "have run out and cannot be renewed" if self.are_in_doubt(now) else None
            health.report("leases", problem)
