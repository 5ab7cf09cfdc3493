"""The loop that moves values: it claims, dispatches, settles, sleeps and shuts down."""

import asyncio
from collections.abc import Sequence

from foliot.core.errors import FoliotError, NotReadableHere, origin_of
from foliot.core.ids import CollectionId
from foliot.core.instant import SECOND, Instant
from foliot.core.model.attempt import Attempt, Errand, NotSent, Outcome
from foliot.core.model.run import DueRun
from foliot.core.rules.settling import action_of
from foliot.engine.attempt_log import run_fields
from foliot.engine.claim import LEASE_TICKS, claim, crowding_of
from foliot.engine.fair_queue import Lanes, destination_of
from foliot.engine.leases import Leases
from foliot.engine.parts import EngineSettings, Parts
from foliot.engine.requeue import Returns
from foliot.engine.settle import Result, put_back
from foliot.engine.settle_queue import Records
from foliot.engine.supervision import Restarts, keep_running, supervised
from foliot.engine.unreadable_jobs import UnreadableJobs
from foliot.ports.logs import get_logger
from foliot.ports.metrics import Load
from foliot.ports.store import Transaction

# In a burst a round takes a twentieth of a second, so that others wait a fraction of one.
_ROUNDS_BETWEEN_OTHERS = 4
# With few slots, fewer runs wait than a backlog has room for.
_BACKLOG_OF_A_SLOT = 2
# For how long runs wait where nothing moves until they are put back, and then elsewhere.
_ASIDE = LEASE_TICKS // 3

_log = get_logger("foliot.engine")


class Engine:
    """Runs what is due. `tick` makes one round and is all that tests need; `run` makes rounds."""

    def __init__(self, parts: Parts, settings: EngineSettings | None = None) -> None:
        self._parts = parts
        self._meter = parts.claimant.meter
        self._settings = settings or EngineSettings()
        self._lanes = Lanes(self._settings.slots, self._settings.slots_per_host)
        self._backlog = min(self._settings.backlog, _BACKLOG_OF_A_SLOT * self._settings.slots)
        self._under_way: dict[asyncio.Task[None], tuple[str, DueRun]] = {}
        self._returns = Returns(parts.store, parts.clock, self._meter, self._pause)
        self._records = Records(
            *(parts.store, parts.clock, self._meter, self._returns, parts.health)
        )
        self._woken = asyncio.Event()
        self._leases = Leases(
            *(parts.store, parts.clock, parts.claimant), self._settings.heartbeat_seconds
        )
        self._unreadable = UnreadableJobs(parts.health)
        self._has_begun = False
        self._crowding: Sequence[CollectionId] = ()
        self._rounds = 0
        self._is_stopping = False
        self._is_hurried = asyncio.Event()

    @property
    def load(self) -> Load:
        """What the engine holds at the moment."""
        return Load(self._lanes.in_flight, self._lanes.waiting_count)

    def wake(self) -> None:
        """Look again: something was written that may be due, or a slot is free."""
        self._woken.set()

    def stop(self) -> None:
        """Claim nothing more; `run` returns when what is under way has ended or is put back."""
        self._is_stopping = True
        self.wake()

    def hurry(self) -> None:
        """Wait no longer for what is under way: put it back at once."""
        self._is_hurried.set()

    async def run(self) -> None:
        """Make rounds until told to stop, whatever goes wrong in one."""
        health, settings = self._parts.health, self._settings
        restarts = Restarts(longest_pause_seconds=min(2.0, settings.longest_pause_seconds))
        async with supervised(
            "lease heartbeat", lambda: self._leases.keep_renewing(health), health
        ):
            await keep_running(
                *("engine", self._make_rounds, health),
                is_over=lambda: self._is_stopping,
                restarts=restarts,
            )
            await self._finish()

    async def _make_rounds(self) -> None:
        failures = 0
        while not self._is_stopping:
            went_well = await self._round()
            failures = 0 if went_well else failures + 1
            if failures:
                await self._rest(self._pause(failures))

    async def _round(self) -> bool:
        try:
            if not self._has_begun:
                await self._begin()
            if not await self.tick():
                await asyncio.sleep(self._settings.gather_seconds)
                await self._rest(await self._seconds_until_due())
            self._meter.looked(self._parts.clock.now())
        except NotReadableHere as error:
            self._unreadable.missed(error, self._parts.clock.now())
            return False
        except FoliotError as error:
            _log.warning("Nothing is claimed: the store does not answer", error=str(error))
            return False
        return True

    async def _begin(self) -> None:
        """Take over at once what this node held when it ended without putting it back."""
        node, now = self._parts.claimant.node, self._parts.clock.now()
        await self._parts.store.write(lambda transaction: transaction.end_leases(node, now))
        self._has_begun, self._leases.renewed_at = True, now

    async def tick(self) -> bool:
        """Claim what is due and send what may go; tell whether there may be more."""
        now, claimant, crowding = self._parts.clock.now(), self._parts.claimant, self._crowd()
        leases, renewed_at = self._leases, self._leases.renewed_at
        can_send = self._parts.can_send()
        if (self._leases.are_in_doubt(now) or not can_send) and self._lanes.waiting_count:
            await self._put_back(self._lanes.put_back(), now)
        if not can_send or self._returns.is_pausing(now):
            return False
        self._send()
        if self._lanes.waiting_count:
            await self._set_aside(now)
        room = self._unreadable.limit(self._room(now), now)
        if room <= 0:
            return False
        must_renew = leases.must_be_renewed(now)

        def change(transaction: Transaction) -> Sequence[DueRun]:
            if must_renew:
                # A node that was paused must not take its own runs for those of a dead one.
                leases.renew(transaction, now, since=renewed_at)
            return claim(transaction, claimant, now, room, crowding)

        found = await self._returns.claimed(change)
        leases.renewed_at = now if must_renew else leases.renewed_at
        self._unreadable.claimed(now)
        self._crowding = crowding_of(found, room)
        for due in found:
            self._lanes.add(due)
        self._send()
        return (
            len(found) == room
            or bool(crowding)
            or self._leases.are_in_doubt(self._parts.clock.now())
        )

    def _crowd(self) -> Sequence[CollectionId]:
        """Return the collections that crowd, in one round of some: to look past them costs."""
        self._rounds += 1
        return self._crowding if self._rounds % _ROUNDS_BETWEEN_OTHERS == 0 else ()

    def _room(self, now: Instant) -> int:
        """Return how much to claim: no more than can begin soon, for other nodes may be idle."""
        left = self._backlog - self._lanes.waiting_count
        return min(self._settings.batch, left, self._lanes.room(now))

    async def _set_aside(self, now: Instant) -> None:
        """Put back for a while what waits where nothing moves: other nodes may be idle.

        If no more fits in, that is urgent: others may be due, for whom slots are kept.
        """
        is_full = self._lanes.waiting_count >= self._backlog
        patience = int(self._settings.poll_seconds * SECOND) if is_full else _ASIDE
        aside = self._lanes.set_aside(Instant(now - patience))
        if aside:
            await self._put_back(aside, Instant(now + _ASIDE))

    async def _put_back(self, left: Sequence[DueRun], until: Instant) -> None:
        """Let go of runs that wait; if that cannot be stored they go on waiting."""
        try:
            await self._parts.store.write(lambda transaction: put_back(transaction, left, until))
        except Exception:
            for due in left:
                self._lanes.add(due)
            raise

    async def drain(self) -> None:
        """Wait until all that is under way has ended and is recorded."""
        while waiting := [*(*self._under_way, *self._records.under_way, *self._returns.under_way)]:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)

    def _send(self) -> None:
        now = self._parts.clock.now()
        if self._leases.are_in_doubt(now) or self._returns.is_pausing(now):
            return
        while (taken := self._lanes.take(now)) is not None:
            task = asyncio.create_task(self._attempt(taken[1]))
            self._under_way[task] = taken
            task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        destination, due = self._under_way.pop(task)
        self._lanes.release(destination, due.collection.id, self._parts.clock.now())
        if not task.cancelled() and (error := task.exception()) is not None:
            # Nobody else looks after the run, and its lease is renewed.
            _log.error("Attempt broke down", **run_fields(due), error=origin_of(error))
            self._records.add_breakdown(due)
        if not self._is_stopping:
            self._send()
        self.wake()

    async def _attempt(self, due: DueRun) -> None:
        started_at = self._parts.clock.now()
        self._meter.sent(due, started_at)
        request_id = self._parts.claimant.new_id()
        outcome = await self._dispatch(due, request_id)
        if outcome is None:
            return
        attempt = Attempt(outcome=outcome, started_at=started_at, ended_at=self._parts.clock.now())
        self._meter.ended(due, attempt)
        self._records.add(Result(due, attempt, request_id))

    async def _dispatch(self, due: DueRun, request_id: str) -> Outcome | None:
        """Make an attempt; None if it was none, so that the run is put back."""
        errand = Errand(
            action=action_of(due),
            collection=due.collection.key,
            job=due.job.name,
            region=due.collection.location,
            expected_at=due.run.expected_at,
            tag=due.run.tag,
            request_id=request_id,
        )
        try:
            outcome = await self._parts.dispatcher.dispatch(errand)
        except Exception as error:  # noqa: BLE001  (a fault of ours must not lose the run)
            _log.error("Attempt broke down", **run_fields(due), error=origin_of(error))
            return self._returns.judge_breakdown(due)
        if isinstance(outcome, NotSent):
            self._returns.not_sent(due, outcome)
            if outcome.is_of_destination:
                self._lanes.hold(destination_of(errand.action), self._parts.clock.now())
            return None
        return outcome

    def _pause(self, failures: int) -> float:
        return min(2.0**failures / 10, self._settings.longest_pause_seconds)

    async def _seconds_until_due(self) -> float:
        due_at = await self._parts.store.read(lambda reading: reading.earliest_due_at())
        now = self._parts.clock.now()
        is_full = self._room(now) <= 0
        is_waiting = is_full or self._returns.is_pausing(now) or not self._parts.can_send()
        if due_at is None or is_waiting:
            return self._settings.poll_seconds
        return max(0.0, (due_at - now) / SECOND)

    async def _rest(self, seconds: float) -> None:
        """Sleep until the time has come, but never so long that a lost lease goes unseen."""
        try:
            async with asyncio.timeout(min(seconds, self._settings.poll_seconds)):
                await self._woken.wait()
        except TimeoutError:
            pass
        self._woken.clear()

    async def _finish(self) -> None:
        """Give what is under way its grace; what waits, and what is left then, is put back.

        It repeats with the same tag. What waits goes first: others may send it meanwhile.
        """
        await self._let_go(self._lanes.put_back())
        if await self._drained():
            return
        left = [*self._returns.waiting, *(due for _, due in self._under_way.values())]
        for task in self._under_way:
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)
        await self._let_go(left)

    async def _let_go(self, left: Sequence[DueRun]) -> None:
        now = self._parts.clock.now()
        try:
            if left:
                await self._parts.store.write(lambda to: put_back(to, left, now))
        except FoliotError as error:
            _log.warning("Runs wait: the store does not answer", runs=len(left), error=str(error))

    async def _drained(self) -> bool:
        """Tell whether all that is under way has ended within its grace; a hurry ends that."""
        draining = asyncio.create_task(self.drain())
        hurried = asyncio.create_task(self._is_hurried.wait())
        grace = self._settings.grace_seconds
        await asyncio.wait({draining, hurried}, timeout=grace, return_when="FIRST_COMPLETED")
        hurried.cancel()
        return draining.done() or not draining.cancel()
