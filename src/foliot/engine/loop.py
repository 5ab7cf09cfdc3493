"""The loop of the engine: it claims runs, gives them slots, sleeps, and shuts down."""

import asyncio
from collections.abc import Callable, Sequence

from foliot.core.errors import FoliotError, NotReadableHere
from foliot.core.ids import CollectionId
from foliot.core.instant import SECOND, Instant
from foliot.core.model.run import DueRun, Run
from foliot.engine.attempts import Attempts, Queues
from foliot.engine.claim import LEASE_TICKS, Claimed, claim, dominant_collections
from foliot.engine.fair_queue import FairQueue
from foliot.engine.leases import Leases
from foliot.engine.parts import Parts
from foliot.engine.requeue import RequeueQueue
from foliot.engine.round_pause import round_seconds
from foliot.engine.settings import EngineSettings
from foliot.engine.settle import requeue_runs
from foliot.engine.settle_queue import SettleQueue
from foliot.engine.supervision import Restarts, keep_running, supervised
from foliot.engine.unreadable_jobs import UnreadableJobs
from foliot.ports.logs import get_logger
from foliot.ports.metrics import Load
from foliot.ports.store import Transaction

# A claim that excludes dominant collections reads past their rows, which costs time: only every
# fourth one does. A round of a burst takes 50 ms, so other collections wait a fifth of a second.
_ROUNDS_PER_EXCLUSION = 4
# With few slots the backlog is smaller than its setting: a long queue would only age here, while
# other nodes could send it.
_BACKLOG_PER_SLOT = 2
# Runs that wait where nothing ends are re-queued after this time, and due again after it.
_STUCK_TICKS = LEASE_TICKS // 3

_log = get_logger("foliot.engine")


class Engine:
    """Runs due jobs. `tick` makes one round, for tests; `run` makes rounds until stopped."""

    def __init__(self, parts: Parts, settings: EngineSettings | None = None) -> None:
        self._parts = parts
        self._meter = parts.meter
        self._settings = settings or EngineSettings()
        self._queue = FairQueue(self._settings.slots, self._settings.slots_per_host)
        self._backlog = min(self._settings.backlog, _BACKLOG_PER_SLOT * self._settings.slots)
        self._requeue = RequeueQueue(parts.store, parts.clock, self._meter, self._pause)
        self._settle_queue = SettleQueue(parts, self._requeue, self.wake)
        queues = Queues(self._queue, self._settle_queue, self._requeue)
        self._attempts = Attempts(parts, queues, self._attempt_ended)
        self._woken = asyncio.Event()
        self._leases = Leases(
            *(parts.store, parts.clock, parts.claimant), self._settings.heartbeat_seconds
        )
        self._unreadable = UnreadableJobs(parts.health)
        self._has_begun = False
        self._dominant: Sequence[CollectionId] = ()
        self._rounds = 0
        # When something is due next, as the last claim saw it.
        self._due_at: Instant | None = None
        self._round_seconds = 0.0
        self._lacks_room = False
        self._is_stopping = False
        self._is_hurried = asyncio.Event()

    @property
    def load(self) -> Load:
        """The attempts in progress, and the runs that wait for a slot."""
        return Load(self._queue.in_flight, self._queue.waiting_count)

    def wake(self) -> None:
        """Make a round soon: a write may have made something due, or a slot is free."""
        self._woken.set()

    def stop(self) -> None:
        """Claim nothing more; `run` returns when all attempts have ended or are re-queued."""
        self._is_stopping = True
        self.wake()

    def hurry(self) -> None:
        """Re-queue open attempts at once instead of waiting for them."""
        self._is_hurried.set()

    def abort_runs(self, run_ids: Sequence[int]) -> None:
        """Abort attempts at runs that somebody has canceled, and forget those that wait here."""
        canceled = frozenset(run_ids)
        self._abort(lambda run: run.id in canceled)

    async def abort_lost_runs(self) -> None:
        """Abort attempts at runs that this node no longer holds: another node has ended them."""
        held = [due.run for due in (*self._attempts.runs, *self._queue.waiting)]
        if held:
            # A run that was claimed again meanwhile is another one: it has another claim.
            lost = await self._parts.store.read(lambda reading: reading.lost_runs(held))
            self._abort(lambda run: run in lost)

    def _abort(self, is_over: Callable[[Run], bool]) -> None:
        if any(is_over(due.run) for due in self._queue.waiting):
            for due in self._queue.take_all():
                if not is_over(due.run):
                    self._queue.add(due)
        self._attempts.abort(is_over)

    async def _watch_for_lost_runs(self) -> None:
        while True:
            await asyncio.sleep(self._settings.heartbeat_seconds)
            try:
                await self.abort_lost_runs()
            except FoliotError as error:
                _log.warning("Runs not looked up: the store does not answer", error=str(error))

    async def run(self) -> None:
        """Make rounds until stopped, whatever goes wrong in one."""
        health, settings = self._parts.health, self._settings
        restarts = Restarts(longest_pause_seconds=min(2.0, settings.longest_pause_seconds))
        async with (
            supervised("lease heartbeat", lambda: self._leases.keep_renewing(health), health),
            supervised("watch for canceled runs", self._watch_for_lost_runs, health),
        ):
            await keep_running(
                *("engine", self._make_rounds, health),
                is_over=lambda: self._is_stopping,
                restarts=restarts,
            )
            await self._shut_down()

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
            begun_at = asyncio.get_running_loop().time()
            if not await self.tick():
                # Runs that become due in this pause share the next transaction.
                passed = asyncio.get_running_loop().time() - begun_at
                await asyncio.sleep(max(0.0, self._round_seconds - passed))
                await self._rest(self._seconds_until_due())
            self._meter.looked(self._parts.clock.now())
        except NotReadableHere as error:
            self._unreadable.missed(error, self._parts.clock.now())
            return False
        except FoliotError as error:
            _log.warning("Nothing is claimed: the store does not answer", error=str(error))
            return False
        return True

    async def _begin(self) -> None:
        """End the leases of this node's last process, so that its runs are claimed at once."""
        node, now = self._parts.claimant.node, self._parts.clock.now()
        await self._parts.store.write(lambda transaction: transaction.end_leases(node, now))
        self._has_begun, self._leases.renewed_at = True, now

    async def tick(self) -> bool:
        """Claim due runs and send those that may go; tell whether more may be due."""
        now, claimant, dominant = self._parts.clock.now(), self._parts.claimant, self._excluded()
        leases, renewed_at = self._leases, self._leases.renewed_at
        can_send, self._lacks_room = self._parts.can_send(), True
        if (leases.are_in_doubt(now) or not can_send) and self._queue.waiting_count:
            # Another node may hold these runs, or could send them.
            await self._requeue_waiting(self._queue.take_all(), now)
        if not can_send or self._requeue.is_pausing(now):
            return False
        self._send()
        if self._queue.waiting_count:
            await self._requeue_stuck(now)
        room = self._unreadable.limit(self._room(now), now)
        if room <= 0:
            return False
        must_renew = leases.must_be_renewed(now)
        self._lacks_room = False

        def change(transaction: Transaction) -> Claimed:
            if must_renew:
                # A node that was paused must not claim its own runs as those of a dead node.
                leases.renew(transaction, now, since=renewed_at)
            claimed = claim(transaction, claimant, now, room, dominant)
            if len(claimed.runs) < room:
                # A look by itself would cost as much as the claim: most of it is the way to the
                # thread. After a full batch the next one follows at once.
                self._due_at = transaction.earliest_due_at(self._settings.gather_due)
            return claimed

        found = await self._requeue.claimed(change)
        self._round_seconds = round_seconds(self._settings.gather_seconds, now, found)
        leases.renewed_at = now if must_renew else leases.renewed_at
        self._unreadable.claimed(now)
        self._dominant = dominant_collections(found, room)
        for due in found:
            self._queue.add(due)
        self._send()
        # A round that passed over collections, or took longer than a lease, has left work behind.
        return len(found) == room or bool(dominant) or leases.are_in_doubt(self._parts.clock.now())

    def _excluded(self) -> Sequence[CollectionId]:
        """Return the collections that this round passes over at first."""
        self._rounds += 1
        return self._dominant if self._rounds % _ROUNDS_PER_EXCLUSION == 0 else ()

    def _room(self, now: Instant) -> int:
        """Return how many runs to claim: those that can begin soon, since others may be idle."""
        left = self._backlog - self._queue.waiting_count
        return min(self._settings.batch, left, self._queue.room(now))

    async def _requeue_stuck(self, now: Instant) -> None:
        """Re-queue for a while the runs that wait where nothing ends: other nodes may be idle.

        A full backlog makes that urgent: no run of another destination can be claimed any more,
        though slots are reserved for them.
        """
        is_full = self._queue.waiting_count >= self._backlog
        patience = int(self._settings.poll_seconds * SECOND) if is_full else _STUCK_TICKS
        stuck = self._queue.take_stuck(Instant(now - patience))
        if stuck:
            await self._requeue_waiting(stuck, Instant(now + _STUCK_TICKS))

    async def _requeue_waiting(self, runs: Sequence[DueRun], until: Instant) -> None:
        """Release runs that were waiting; if that cannot be stored they go on waiting."""
        try:
            await self._parts.store.write(lambda to: requeue_runs(to, runs, until))
        except Exception:
            for due in runs:
                self._queue.add(due)
            raise

    async def drain(self) -> None:
        """Wait until all attempts have ended and are settled."""
        while waiting := [
            *(*self._attempts.futures, *self._settle_queue.tasks, *self._requeue.tasks)
        ]:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)

    def _send(self) -> None:
        now = self._parts.clock.now()
        if self._leases.are_in_doubt(now) or self._requeue.is_pausing(now):
            return
        while (taken := self._queue.take(now)) is not None:
            self._attempts.start(*taken)

    def _attempt_ended(self) -> None:
        if not self._is_stopping:
            self._send()
        if self._lacks_room:
            self.wake()

    def _pause(self, failures: int) -> float:
        return min(2.0**failures / 10, self._settings.longest_pause_seconds)

    def _seconds_until_due(self) -> float:
        """Return how long nothing is due; with no room, nothing can be claimed until `wake`."""
        now = self._parts.clock.now()
        self._lacks_room = self._lacks_room or self._room(now) <= 0
        if self._due_at is None or self._lacks_room or self._requeue.is_pausing(now):
            return self._settings.poll_seconds
        return max(0.0, (self._due_at - now) / SECOND)

    async def _rest(self, seconds: float) -> None:
        """Sleep until the time has come or `wake`, at most for one poll: a lease may expire."""
        try:
            async with asyncio.timeout(min(seconds, self._settings.poll_seconds)):
                await self._woken.wait()
        except TimeoutError:
            pass
        self._woken.clear()

    async def _shut_down(self) -> None:
        """Give open attempts their grace, then re-queue those that are left, with the same tag.

        Waiting runs are re-queued first: other nodes may send them meanwhile.
        """
        await self._release(self._queue.take_all())
        if await self._is_drained():
            return
        left = [*self._requeue.waiting, *self._attempts.runs]
        await self._attempts.cancel()
        await self._release(left)

    async def _release(self, runs: Sequence[DueRun]) -> None:
        now = self._parts.clock.now()
        try:
            if runs:
                await self._parts.store.write(lambda to: requeue_runs(to, runs, now))
        except FoliotError as error:
            _log.warning("Runs wait: the store does not answer", runs=len(runs), error=str(error))

    async def _is_drained(self) -> bool:
        """Wait for open attempts until their grace ends or `hurry`; tell whether all have ended."""
        draining = asyncio.create_task(self.drain())
        hurried = asyncio.create_task(self._is_hurried.wait())
        grace = self._settings.grace_seconds
        await asyncio.wait({draining, hurried}, timeout=grace, return_when="FIRST_COMPLETED")
        hurried.cancel()
        return draining.done() or not draining.cancel()
