"""Finds what no ended run tells: jobs that are late, without success, paused or expiring.

One node at a time does this for all. If two do it nevertheless, nothing is told twice: both lock
the job, and one incident of an alert, a job and an event is open at a time.

A round looks at the open incidents, some at a time. Then it walks through the jobs of collections
that have alerts, but reads only those that may be late or without success. Every hour it reads all
jobs, since a credential expires whether its job runs or not, and after a change of an alert those
of its collection.
"""

import asyncio
from collections.abc import Mapping, Sequence

from msgspec import Struct

from foliot.core.errors import FoliotError, origin_of
from foliot.core.ids import CollectionId, JobId
from foliot.core.instant import HOUR, SECOND, Instant
from foliot.core.model.incident import IncidentId
from foliot.engine.alerts.job_checks import (
    close_incidents,
    incidents_over,
    jobs_to_tell,
    open_incidents,
    summarize_held,
)
from foliot.ports.clock import Clock
from foliot.ports.logs import get_logger
from foliot.ports.store import Reading, Store

_DUTY = "alerts"
_LEASE_TICKS = 60 * SECOND
_FIRST = IncidentId(0)

_log = get_logger("foliot.alerts")


class WatchPace(Struct, frozen=True, kw_only=True):
    """How much one step reads, and how long the watch rests.

    Between two walks it rests for a while that grows with how long a walk takes.
    """

    jobs: int = 200
    incidents: int = 200
    seconds_between_rounds: float = 5.0
    ticks_between_walks: int = 30 * SECOND
    ticks_between_full_walks: int = HOUR
    rest_per_walk: int = 20


class AlertWatch:
    """Watches the jobs of all collections. `step` makes one round, for tests."""

    def __init__(
        self, store: Store, clock: Clock, node: str | None, pace: WatchPace | None = None
    ) -> None:
        """Prepare a watch; without a node, the store is shared with no other one."""
        self._store = store
        self._clock = clock
        self._node = node
        self._pace = pace or WatchPace()
        self._reached = _FIRST
        self._walk_at = self._full_walk_at = self._changed_walk_at = Instant(0)
        self._changed_at: Mapping[CollectionId, Instant] = {}

    async def run(self) -> None:
        """Make rounds until cancelled; one that fails is tried again later."""
        while True:
            try:
                await self.step()
            except FoliotError as error:
                _log.warning("Alerts wait: the store does not answer", error=str(error))
            except Exception as error:  # noqa: BLE001  (alerts must go on, whatever one job does)
                _log.error("A round of alerts broke down", error=origin_of(error))
            await asyncio.sleep(self._pace.seconds_between_rounds)

    async def step(self) -> None:
        """Look at open incidents and, if it is time, at the jobs."""
        now = self._clock.now()
        watched, has_incidents = await self._store.read(
            lambda reading: (
                dict(reading.watched_collections()),
                bool(reading.open_incidents_after(_FIRST, 1)),
            )
        )
        if not watched and not has_incidents:
            return
        if self._node is not None and not await self._has_duty(self._node, now):
            return
        await self._look_at_incidents(now)
        await self._store.write(lambda to: summarize_held(to, now, self._pace.incidents))
        if now >= self._full_walk_at:
            await self._walk(list(watched), is_full=True)
            self._changed_at = watched
        elif now >= self._changed_walk_at:
            await self._walk_changed(watched)
        if now >= self._walk_at:
            await self._walk(list(watched), is_full=False)

    async def _has_duty(self, node: str, now: Instant) -> bool:
        until = Instant(now + _LEASE_TICKS)
        return await self._store.write(lambda to: to.claim_duty(_DUTY, node, now, until))

    async def _look_at_incidents(self, now: Instant) -> None:
        after, limit = self._reached, self._pace.incidents
        found = await self._store.read(lambda reading: reading.open_incidents_after(after, limit))
        self._reached = found[-1].id if len(found) == limit else _FIRST
        over = await self._store.read(lambda reading: incidents_over(reading, found, now))
        if over:
            await self._store.write(lambda to: close_incidents(to, over, now))

    async def _walk(self, collections: Sequence[CollectionId], *, is_full: bool) -> None:
        """Walk through the jobs of collections, a page at a time."""
        began = self._clock.now()
        for each in collections:
            await self._walk_collection(each, is_full=is_full)
        self._walk_at = self._after_rest(began, self._pace.ticks_between_walks)
        if is_full:
            self._full_walk_at = Instant(self._clock.now() + self._pace.ticks_between_full_walks)

    async def _walk_changed(self, watched: Mapping[CollectionId, Instant]) -> None:
        """Walk through all jobs of the collections in which an alert was changed."""
        began = self._clock.now()
        for each, changed_at in watched.items():
            if self._changed_at.get(each) != changed_at:
                await self._walk_collection(each, is_full=True)
        self._changed_at = watched
        self._changed_walk_at = self._after_rest(began)

    def _after_rest(self, began: Instant, shortest: int = 0) -> Instant:
        """Return when to walk again: the longer a walk took, the later."""
        now = self._clock.now()
        return Instant(now + max(shortest, self._pace.rest_per_walk * (now - began)))

    async def _walk_collection(self, collection_id: CollectionId, *, is_full: bool) -> None:
        after: str | None = ""
        while after is not None:
            after = await self._walk_page(collection_id, after, is_full=is_full)

    async def _walk_page(
        self, collection_id: CollectionId, after: str, *, is_full: bool
    ) -> str | None:
        """Open incidents of a page of jobs; return its last name, or None after the last page."""
        now, limit = self._clock.now(), self._pace.jobs

        def look(reading: Reading) -> tuple[str | None, list[JobId]]:
            page = reading.jobs_to_check(
                collection_id, now, after=after, limit=limit, is_full=is_full
            )
            jobs = [job for _, job in page if job is not None]
            last = page[-1][0] if len(page) == limit else None
            return last, jobs_to_tell(reading, collection_id, jobs, now)

        following, met = await self._store.browse(look)
        if met:
            await self._store.write(lambda to: open_incidents(to, met, now))
        return following
