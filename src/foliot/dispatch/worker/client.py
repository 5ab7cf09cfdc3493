"""Sends attempts to a worker process, restarts it when it ends or hangs, and returns outcomes."""

import asyncio
from collections.abc import Iterable
from functools import partial
from itertools import count

from msgspec import Struct

from foliot.core.history_text import failure_note
from foliot.core.model.attempt import AttemptRequest, NotSent, Outcome
from foliot.core.model.reason import Reason
from foliot.dispatch.worker.connection import WorkerConnection
from foliot.dispatch.worker.crash_suspects import CrashSuspects
from foliot.dispatch.worker.framing import open_frames
from foliot.dispatch.worker.launcher import WorkerLauncher, WorkerTimeouts
from foliot.dispatch.worker.protocol import (
    HEARTBEAT,
    Broken,
    Reply,
    read_replies,
    write_requests,
)
from foliot.ports.health import Health
from foliot.ports.logs import get_logger

_PART = "sender"
# An operator or a service manager may kill the worker: that is no evidence against the requests in
# progress. The system also kills a process for want of memory, which a request may cause, so after
# this many ends in a row a kill counts as evidence.
_KILLS_WITHOUT_MEANING = 5
_GUILTY = (
    "The process that sends requests ended each time this attempt was made,"
    " the last time with no other request under way that could be the cause."
)

_log = get_logger("foliot.dispatch")


class _OpenRequest(Struct):
    """A request without a reply; `sent_at` is the heartbeat at which the worker was asked."""

    request: AttemptRequest
    future: asyncio.Future[Outcome | NotSent]
    sent_at: int | None = None


class AttemptBrokeDown(Exception):
    """An attempt raised an exception in the worker process."""


_TIMEOUTS = WorkerTimeouts()


class WorkerClient:
    """Satisfies `ports.Dispatcher` as long as `run` is running.

    A worker that ends, or is stuck and therefore killed, is replaced, and the next one gets the
    requests without a reply again. Whether they were sent before is not known; a target can tell a
    repeat by its tag.
    """

    def __init__(
        self, launcher: WorkerLauncher, health: Health, timeouts: WorkerTimeouts = _TIMEOUTS
    ) -> None:
        self._launcher = launcher
        self._health = health
        self._timeouts = timeouts
        self._open: dict[int, _OpenRequest] = {}
        self._numbers = count()
        self._outbox: list[int] = []
        self._suspects = CrashSuspects()
        self._connection: WorkerConnection | None = None
        self._away_timer: asyncio.TimerHandle | None = None
        self._heartbeats = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self.can_send = True

    def dispatch(self, request: AttemptRequest) -> asyncio.Future[Outcome | NotSent]:
        """Let the worker make one attempt.

        The engine takes a future as it is, which spares it a task for each attempt.
        """
        # Kept: to ask for the running loop is a system call before Python 3.12.
        loop = self._loop = self._loop or asyncio.get_running_loop()
        future: asyncio.Future[Outcome | NotSent] = loop.create_future()
        if not self.can_send:
            future.set_result(NotSent("there is no process that sends requests"))
            return future
        number = next(self._numbers)
        self._open[number] = _OpenRequest(request, future)
        self._queue([number])
        future.add_done_callback(partial(self._has_ended, number))
        return future

    def _has_ended(self, number: int, future: asyncio.Future[Outcome | NotSent]) -> None:
        """Forget a request; one that was cancelled after it was sent is aborted."""
        entry = self._open.pop(number)
        if future.cancelled() and entry.sent_at is not None:
            self._queue([number])
        self._queue(self._suspects.has_ended(number))

    async def run(self) -> None:
        """Keep a worker running until cancelled: start the next one when it ends or is stuck."""
        loop, ends = asyncio.get_running_loop(), 0
        try:
            while True:
                self._start_away_timer()
                began_at = loop.time()
                has_worked = await self._run_one(ends)
                # A worker that outlived an attempt has answered all that was open at the last end,
                # so those requests did not cause this end.
                is_in_a_row = loop.time() - began_at <= self._timeouts.attempt_seconds
                ends = ends + 1 if is_in_a_row else 1
                await asyncio.sleep(self._pause(ends, has_worked=has_worked))
        finally:
            self._cancel_away_timer()

    async def close(self) -> None:
        """Give back the open requests; the worker has ended together with `run`."""
        self._give_back("the server is stopping")

    async def _run_one(self, ends: int) -> bool:
        """Run one worker until it ends, after so many ends in a row; tell whether it worked."""
        connection, is_evidence = WorkerConnection(), True
        try:
            await self._start(connection)
            await self._watch(connection)
            self._connection = None
            was_killed = await self._launcher.was_killed()
            is_evidence = not was_killed or ends >= _KILLS_WITHOUT_MEANING
            _log.error("Worker process ended; another one starts", was_killed=was_killed)
        except Exception as failure:  # noqa: BLE001  (no memory, no thread: try again)
            _log.error("Worker process cannot be started", error=str(failure))
            self._launcher.kill()
            return False
        finally:
            self._disconnect(connection, is_evidence=is_evidence)
        return True

    async def _start(self, connection: WorkerConnection) -> None:
        """Start a worker; it is ready when it has sent its first heartbeat."""
        try:
            async with asyncio.timeout(self._timeouts.start_seconds):
                sock = await self._launcher.start()
                connection.frames = await open_frames(
                    sock, lambda message: self._received(connection, message), connection.close
                )
                await connection.is_ready.wait()
        except TimeoutError:
            raise OSError("it has not answered in time") from None
        if connection.is_closed.is_set():
            raise OSError("it has ended at once")
        self._connection, self.can_send = connection, True
        self._cancel_away_timer()
        self._health.report(_PART, None)
        self._send()

    async def _watch(self, connection: WorkerConnection) -> None:
        """Return when the worker has ended; kill one that is stuck."""
        silent, timeouts = 0, self._timeouts
        while not await _is_set(connection.is_closed, within=timeouts.heartbeat_seconds):
            self._heartbeats += 1
            silent = 0 if connection.was_heard else silent + 1
            connection.was_heard = False
            if silent > timeouts.silent_heartbeats or self._has_overdue():
                _log.error("Worker process is stuck and is killed")
                self._launcher.kill()
                # Its last replies may still be in the socket: read them before it is closed.
                await _is_set(connection.is_closed, within=timeouts.seconds_to_end)
                return
            if connection.frames is not None:
                connection.frames.send(HEARTBEAT)

    def _has_overdue(self) -> bool:
        return any(
            entry.sent_at is not None
            and self._heartbeats - entry.sent_at > self._timeouts.heartbeats_for(entry.request)
            for entry in self._open.values()
        )

    def _disconnect(self, connection: WorkerConnection, *, is_evidence: bool) -> None:
        """Close the connection to a worker, and queue the requests without a reply again.

        With `is_evidence`, one of the requests in progress may have caused the worker's end.
        """
        self._connection = None
        if connection.frames is not None:
            connection.frames.abort()
        in_progress = [number for number, entry in self._open.items() if entry.sent_at is not None]
        if not in_progress:
            return
        for number in in_progress:
            self._open[number].sent_at = None
        tests = {each for each in in_progress if self._open[each].request.is_test}
        for number in tests:
            _answer(self._open[number], NotSent("the process that sends requests has ended"))
        in_progress = [each for each in in_progress if each not in tests]
        # A test is not sent again, so the search for the cause could not find it.
        is_evidence = is_evidence and not tests
        if not is_evidence:
            self._queue(in_progress)
            return
        guilty, again = self._suspects.after_end(in_progress)
        if guilty is not None:
            entry = self._open[guilty]
            message = failure_note(entry.request.action, "UnknownError", _GUILTY)
            outcome = Outcome(succeeded=False, message=message, reason=Reason.BREAKDOWN)
            _answer(entry, outcome)
        self._queue(again)

    def _queue(self, numbers: Iterable[int]) -> None:
        was_empty = not self._outbox
        self._outbox.extend(numbers)
        if was_empty and self._outbox:
            # Requests of the same turn of the event loop share one message.
            asyncio.get_running_loop().call_soon(self._send)

    def _send(self) -> None:
        # Without a worker the requests wait: `_start` calls this again.
        if self._connection is None or self._connection.frames is None or not self._outbox:
            return
        outbox, self._outbox = self._outbox, []
        requests: list[tuple[int, AttemptRequest | None]] = []
        for number in outbox:
            entry = self._open.get(number)
            # One that nobody waits for any more is aborted; it may be open until the next turn.
            if entry is None or entry.future.done():
                requests.append((number, None))
                continue
            entry.sent_at = self._heartbeats
            requests.append((number, entry.request))
        self._connection.frames.send(write_requests(requests))

    def _received(self, connection: WorkerConnection, message: bytes) -> None:
        connection.hear()
        for number, reply in read_replies(message):
            entry = self._open.get(number)
            if entry is not None:
                entry.sent_at = None
                _answer(entry, reply)

    def _start_away_timer(self) -> None:
        if self._away_timer is None:
            self._away_timer = asyncio.get_running_loop().call_later(
                self._timeouts.away_seconds, self._give_up
            )

    def _cancel_away_timer(self) -> None:
        if self._away_timer is not None:
            self._away_timer.cancel()
            self._away_timer = None

    def _give_up(self) -> None:
        self.can_send = False
        self._health.report(_PART, "the process that sends requests cannot be started")
        self._give_back("there is no process that sends requests")

    def _give_back(self, why: str) -> None:
        for entry in self._open.values():
            _answer(entry, NotSent(why))

    def _pause(self, ends: int, *, has_worked: bool) -> float:
        """Return the seconds before the next start: none after a single end."""
        if not has_worked:
            return min(2.0 ** min(ends, 10) / 4, self._timeouts.longest_pause_seconds)
        if ends == 1:
            return 0.0
        longest = self._timeouts.longest_pause_after_end_seconds
        return min(2.0 ** min(ends, 10) / 16, longest)


def _answer(entry: _OpenRequest, reply: Reply) -> None:
    if entry.future.done():
        return
    if isinstance(reply, Broken):
        entry.future.set_exception(AttemptBrokeDown(reply.kind))
    else:
        entry.future.set_result(reply)


async def _is_set(event: asyncio.Event, *, within: float) -> bool:
    try:
        async with asyncio.timeout(within):
            return await event.wait()
    except TimeoutError:
        return False
