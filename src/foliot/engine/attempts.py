"""Makes the attempts at runs that have a slot, and passes on how they end."""

import asyncio
from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec import structs

from foliot.core.errors import origin_of
from foliot.core.model.attempt import Attempt, Expired, NotSent, Outcome
from foliot.core.model.run import DueRun, Run
from foliot.core.rules.attempt_request import attempt_request
from foliot.core.rules.turns import is_expired
from foliot.engine.attempt_log import run_fields
from foliot.engine.fair_queue import FairQueue, destination_of
from foliot.engine.requeue import RequeueQueue
from foliot.engine.settings_and_parts import Parts
from foliot.engine.settle import EndedAttempt
from foliot.engine.settle_queue import SettleQueue
from foliot.ports.logs import get_logger

_log = get_logger("foliot.engine")


class Queues(NamedTuple):
    """The queues of an engine: runs before their attempt, with an outcome, and without one."""

    waiting: FairQueue
    settle: SettleQueue
    requeue: RequeueQueue


class Attempts:
    """The attempts in progress, each in a task of its own; calls `ended` after some have ended."""

    def __init__(self, parts: Parts, queues: Queues, ended: Callable[[], None]) -> None:
        self._parts = parts
        self._meter = parts.claimant.meter
        self._tracer = parts.tracer
        self._queues = queues
        self._ended = ended
        self._in_progress: dict[asyncio.Task[None], tuple[str, DueRun]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._has_told = False

    @property
    def tasks(self) -> Sequence[asyncio.Task[None]]:
        """The tasks of the attempts."""
        return list(self._in_progress)

    @property
    def runs(self) -> Sequence[DueRun]:
        """The runs of the attempts, which may have reached their targets."""
        in_progress = self._in_progress.values()
        return [structs.replace(due, may_have_begun=True) for _, due in in_progress]

    def start(self, destination: str, due: DueRun) -> None:
        """Begin an attempt at a run that was taken from the fair queue."""
        # Kept: to ask for the running loop is a system call before Python 3.12.
        loop = self._loop = self._loop or asyncio.get_running_loop()
        task = loop.create_task(self._attempt(due))
        self._in_progress[task] = destination, due
        task.add_done_callback(self._after)

    def abort(self, is_over: Callable[[Run], bool]) -> None:
        """Cancel the attempts at runs that are over: whatever they find out changes nothing."""
        for task, (_, due) in self._in_progress.items():
            if is_over(due.run):
                task.cancel()

    async def cancel(self) -> None:
        """Cancel all attempts, and wait for their ends."""
        tasks = self.tasks
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _after(self, task: asyncio.Task[None]) -> None:
        destination, due = self._in_progress.pop(task)
        self._queues.waiting.release(destination, due.collection.id, self._parts.clock.now())
        if not task.cancelled() and (error := task.exception()) is not None:
            # Its lease is renewed as long as this node lives, so no other node would take the run.
            _log.error("Attempt broke down", **run_fields(due), error=origin_of(error))
            self._queues.settle.add_breakdown(due)
        self._tell_soon()

    def _tell_soon(self) -> None:
        """Tell once of all attempts that end in this turn of the event loop."""
        if not self._has_told and self._loop is not None:
            self._has_told = True
            self._loop.call_soon(self._tell)

    def _tell(self) -> None:
        self._has_told = False
        self._ended()

    async def _attempt(self, due: DueRun) -> None:
        started_at = self._parts.clock.now()
        if is_expired(due, started_at):
            # It has waited for a slot, or for a node that has one.
            self._queues.settle.add(EndedAttempt(due, Expired(started_at)))
            return
        self._meter.sent(due, started_at)
        request_id = self._parts.claimant.new_id()
        outcome = await self._dispatch(due, request_id)
        if outcome is None:
            return
        attempt = Attempt(outcome=outcome, started_at=started_at, ended_at=self._parts.clock.now())
        self._meter.ended(due, attempt)
        if self._tracer is not None:
            self._tracer.ended(due, attempt, request_id)
        self._queues.settle.add(EndedAttempt(due, attempt, request_id))

    async def _dispatch(self, due: DueRun, request_id: str) -> Outcome | None:
        """Make an attempt; None if it was not made, and the run is re-queued."""
        request = attempt_request(due, request_id, self._parts.limits)
        if isinstance(request, Outcome):
            return request
        if self._tracer is not None:
            headers = dict(self._tracer.headers(due, request_id))
            request = structs.replace(request, trace_headers=headers)
        try:
            outcome = await self._parts.dispatcher.dispatch(request)
        except Exception as error:  # noqa: BLE001  (a fault of ours must not lose the run)
            _log.error("Attempt broke down", **run_fields(due), error=origin_of(error))
            return self._queues.requeue.after_breakdown(due)
        if isinstance(outcome, NotSent):
            self._queues.requeue.not_sent(due, outcome)
            if outcome.is_of_destination:
                now = self._parts.clock.now()
                self._queues.waiting.pause(destination_of(request.action), now)
            return None
        return outcome
