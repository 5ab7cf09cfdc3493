"""Makes the attempts at runs that have a slot, and passes on how they end."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from msgspec import structs

from foliot.core.errors import origin_of
from foliot.core.instant import Instant
from foliot.core.model.attempt import Attempt, Expired, NotSent, Outcome
from foliot.core.model.run import DueRun, Run
from foliot.core.rules.attempt_request import attempt_request
from foliot.core.rules.turns import is_expired
from foliot.engine.attempt_log import run_fields
from foliot.engine.fair_queue import FairQueue
from foliot.engine.parts import Parts
from foliot.engine.requeue import RequeueQueue
from foliot.engine.settle import EndedAttempt
from foliot.engine.settle_queue import SettleQueue
from foliot.ports.logs import get_logger

_log = get_logger("foliot.engine")

_End = Outcome | NotSent | Expired


class Queues(NamedTuple):
    """The queues of an engine: runs before their attempt, with an outcome, and without one."""

    waiting: FairQueue
    settle: SettleQueue
    requeue: RequeueQueue


class _InProgress(NamedTuple):
    destination: str
    due: DueRun
    started_at: Instant
    request_id: str


class Attempts:
    """The attempts in progress; calls `ended` after some have ended."""

    def __init__(self, parts: Parts, queues: Queues, ended: Callable[[], None]) -> None:
        self._parts = parts
        self._meter = parts.meter
        self._tracer = parts.tracer
        self._queues = queues
        self._ended = ended
        self._in_progress: dict[asyncio.Future[Any], _InProgress] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._has_told = False

    @property
    def futures(self) -> Sequence[asyncio.Future[Any]]:
        """The futures of the attempts."""
        return list(self._in_progress)

    @property
    def runs(self) -> Sequence[DueRun]:
        """The runs of the attempts, which may have reached their targets."""
        in_progress = self._in_progress.values()
        return [structs.replace(each.due, may_have_begun=True) for each in in_progress]

    def start(self, destination: str, due: DueRun) -> None:
        """Begin an attempt at a run that was taken from the fair queue."""
        # Kept: to ask for the running loop is a system call before Python 3.12.
        loop = self._loop = self._loop or asyncio.get_running_loop()
        started_at, request_id = self._parts.clock.now(), self._parts.claimant.new_id()
        future = self._begun(loop, due, started_at, request_id)
        self._in_progress[future] = _InProgress(destination, due, started_at, request_id)
        future.add_done_callback(self._after)

    def abort(self, is_over: Callable[[Run], bool]) -> None:
        """Cancel the attempts at runs that are over: whatever they find out changes nothing."""
        for future, attempt in self._in_progress.items():
            if is_over(attempt.due.run):
                future.cancel()

    async def cancel(self) -> None:
        """Cancel all attempts, and wait for their ends."""
        futures = self.futures
        for future in futures:
            future.cancel()
        await asyncio.gather(*futures, return_exceptions=True)

    def _begun(
        self, loop: asyncio.AbstractEventLoop, due: DueRun, started_at: Instant, request_id: str
    ) -> asyncio.Future[Any]:
        """Return the future of an attempt; what keeps it from being made is a result too."""
        ended: asyncio.Future[_End] = loop.create_future()
        try:
            if is_expired(due, started_at):
                # It has waited for a slot, or for a node that has one.
                ended.set_result(Expired(started_at))
                return ended
            self._meter.sent(due, started_at)
            request = attempt_request(due, request_id, self._parts.limits)
            if isinstance(request, Outcome):
                ended.set_result(request)
                return ended
            if self._tracer is not None:
                headers = dict(self._tracer.headers(due, request_id))
                request = structs.replace(request, trace_headers=headers)
            # A future is taken as it is, a coroutine becomes a task.
            return asyncio.ensure_future(self._parts.dispatcher.dispatch(request), loop=loop)
        except StopIteration as error:
            # A future refuses this one, as a coroutine does.
            ended.set_exception(RuntimeError(f"{error!r} was raised"))
            return ended
        except Exception as error:  # noqa: BLE001  (a fault of ours must not lose the run)
            ended.set_exception(error)
            return ended

    def _after(self, future: asyncio.Future[Any]) -> None:
        attempt = self._in_progress.pop(future)
        due, now = attempt.due, self._parts.clock.now()
        self._queues.waiting.release(attempt.destination, due.collection.id, now)
        try:
            if not future.cancelled():
                self._pass_on(attempt, future, now)
        except Exception as error:  # noqa: BLE001  (see below)
            # Its lease is renewed as long as this node lives, so no other node would take the run.
            _log.error("Attempt broke down", **run_fields(due), error=origin_of(error))
            self._queues.settle.add_breakdown(due)
        self._tell_soon()

    def _pass_on(self, attempt: _InProgress, future: asyncio.Future[Any], now: Instant) -> None:
        """Pass on how an attempt ended: to be settled, or to be re-queued if it was not made."""
        due, error = attempt.due, future.exception()
        end: _End | None
        if error is None:
            end = future.result()
        else:
            _log.error("Attempt broke down", **run_fields(due), error=origin_of(error))
            end = self._queues.requeue.after_breakdown(due)
        match end:
            case Outcome():
                self._settle(
                    attempt, Attempt(outcome=end, started_at=attempt.started_at, ended_at=now)
                )
            case Expired():
                self._queues.settle.add(EndedAttempt(due, end))
            case NotSent():
                self._queues.requeue.not_sent(due, end)
                if end.is_of_destination:
                    self._queues.waiting.pause(attempt.destination, now)
            case None:
                pass

    def _settle(self, attempt: _InProgress, ended: Attempt) -> None:
        due, request_id = attempt.due, attempt.request_id
        self._meter.ended(due, ended)
        if self._tracer is not None:
            self._tracer.ended(due, ended, request_id)
        self._queues.settle.add(EndedAttempt(due, ended, request_id))

    def _tell_soon(self) -> None:
        """Tell once of all attempts that end in this turn of the event loop."""
        if not self._has_told and self._loop is not None:
            self._has_told = True
            self._loop.call_soon(self._tell)

    def _tell(self) -> None:
        self._has_told = False
        self._ended()
