"""Hands errands to an outpost, watches it, and brings the outcomes back."""

import asyncio
import socket
from collections.abc import Iterable
from itertools import count
from typing import Protocol

from msgspec import Struct

from foliot.core.model.attempt import Errand, NotSent, Outcome
from foliot.dispatch.worker.crash_suspects import Suspects
from foliot.dispatch.worker.framing import Frames, open_frames
from foliot.dispatch.worker.server import HEARTBEAT, Broken, read_outcomes, write_errands
from foliot.ports.health import Health
from foliot.ports.logs import get_logger

_PART = "sender"
# So many kills in a row say nothing about the requests under way. More may be a lack of memory that
# one of them causes.
_KILLS_WITHOUT_MEANING = 5
_GUILTY = (
    "The process that sends requests ended each time this attempt was made,"
    " the last time with no other request under way that could be the cause."
)

_log = get_logger("foliot.dispatch")


class Outposts(Protocol):
    """Begins outposts, one at a time."""

    async def start(self) -> socket.socket:
        """Begin one, when the one before has ended, and return the way there; or OSError."""
        ...

    def kill(self) -> None:
        """End the present one at once, however stuck it is."""
        ...

    async def was_killed(self) -> bool:
        """Tell whether the one that has just ended was killed by somebody else."""
        ...


class Patience(Struct, frozen=True, kw_only=True):
    """How long an outpost is waited for.

    Silence and attempts are counted in heartbeats that this process has made: if it stood still
    itself, it has made none, and what was answered meanwhile is read before the next.
    """

    heartbeat_seconds: float = 2.0
    silent_heartbeats: int = 6
    attempt_seconds: float = 70.0
    start_seconds: float = 30.0
    seconds_to_end: float = 2.0
    longest_pause_seconds: float = 5.0
    # Between outposts that have worked and ended; a search among requests takes some ten of them.
    longest_pause_after_end_seconds: float = 2.0
    # Without an outpost for so long, requests are given back: other nodes may have one.
    away_seconds: float = 10.0


class _Open(Struct):
    errand: Errand
    future: asyncio.Future[Outcome | NotSent | Broken]
    sent_at: int | None = None


class _Link:
    """The way to one outpost."""

    def __init__(self) -> None:
        self.frames: Frames | None = None
        self.was_heard = False
        self.has_begun = asyncio.Event()
        self.is_over = asyncio.Event()

    def hear(self) -> None:
        self.was_heard = True
        self.has_begun.set()

    def end(self) -> None:
        self.is_over.set()
        self.has_begun.set()


class AttemptBrokeDown(Exception):
    """An attempt ended in an exception at the outpost."""


_PATIENCE = Patience()


class Courier:
    """Satisfies `ports.Dispatcher` as long as `run` is running.

    An outpost that ends, or is stuck and therefore killed, is begun anew and asked again for what
    it has not answered. Whether it was sent is not known; a target can tell a repeat by its tag.
    """

    def __init__(self, outposts: Outposts, health: Health, patience: Patience = _PATIENCE) -> None:
        self._outposts = outposts
        self._health = health
        self._patience = patience
        self._open: dict[int, _Open] = {}
        self._numbers = count()
        self._outbox: list[int] = []
        self._suspects = Suspects()
        self._link: _Link | None = None
        self._away: asyncio.TimerHandle | None = None
        self._heartbeats = 0
        self.can_send = True

    async def dispatch(self, errand: Errand) -> Outcome | NotSent:
        """Have one attempt made."""
        if not self.can_send:
            return NotSent("there is no process that sends requests")
        number = next(self._numbers)
        entry = _Open(errand, asyncio.get_running_loop().create_future())
        self._open[number] = entry
        self._put([number])
        try:
            reply = await entry.future
        finally:
            self._open.pop(number, None)
            self._put(self._suspects.has_ended(number))
        if isinstance(reply, Broken):
            raise AttemptBrokeDown(reply.kind)
        return reply

    async def run(self) -> None:
        """Have an outpost, and the next one when it ends or is stuck, until cancelled."""
        loop, ends = asyncio.get_running_loop(), 0
        try:
            while True:
                self._wait_for_outpost()
                began_at = loop.time()
                has_worked = await self._have_one(ends)
                # What was under way at the end before has ended within the time of an attempt.
                is_in_a_row = loop.time() - began_at <= self._patience.attempt_seconds
                ends = ends + 1 if is_in_a_row else 1
                await asyncio.sleep(self._pause(ends, has_worked=has_worked))
        finally:
            self._stop_waiting()

    async def close(self) -> None:
        """Answer whoever still waits; the outpost is gone with the end of `run`."""
        self._give_back("the server is stopping")

    async def _have_one(self, ends: int) -> bool:
        """Have an outpost until it ends, after so many ends in a row; tell whether it worked."""
        link, is_evidence = _Link(), True
        try:
            await self._begin(link)
            await self._watch(link)
            self._link = None
            was_killed = await self._outposts.was_killed()
            is_evidence = not was_killed or ends >= _KILLS_WITHOUT_MEANING
            _log.error("Worker process ended; another one starts", was_killed=was_killed)
        except Exception as failure:  # noqa: BLE001  (no thread may be left, either)
            _log.error("Worker process cannot be started", error=str(failure))
            self._outposts.kill()
            return False
        finally:
            self._part_from(link, is_evidence=is_evidence)
        return True

    async def _begin(self, link: _Link) -> None:
        """Begin an outpost; it is there when it has answered for the first time."""
        try:
            async with asyncio.timeout(self._patience.start_seconds):
                sock = await self._outposts.start()
                link.frames = await open_frames(
                    sock, lambda message: self._received(link, message), link.end
                )
                await link.has_begun.wait()
        except TimeoutError:
            raise OSError("it has not answered in time") from None
        if link.is_over.is_set():
            raise OSError("it has ended at once")
        self._link, self.can_send = link, True
        self._stop_waiting()
        self._health.report(_PART, None)
        self._send()

    async def _watch(self, link: _Link) -> None:
        """Return when the outpost has ended; one that is stuck is made to end."""
        silent, patience = 0, self._patience
        while not await _is_set(link.is_over, within=patience.heartbeat_seconds):
            self._heartbeats += 1
            silent = 0 if link.was_heard else silent + 1
            link.was_heard = False
            if silent > patience.silent_heartbeats or self._has_overdue():
                _log.error("Worker process is stuck and is killed")
                self._outposts.kill()
                # What it has said before is read first.
                await _is_set(link.is_over, within=patience.seconds_to_end)
                return
            if link.frames is not None:
                link.frames.send(HEARTBEAT)

    def _has_overdue(self) -> bool:
        allowed = self._patience.attempt_seconds / self._patience.heartbeat_seconds
        return any(
            entry.sent_at is not None and self._heartbeats - entry.sent_at > allowed
            for entry in self._open.values()
        )

    def _part_from(self, link: _Link, *, is_evidence: bool) -> None:
        """Let go of an outpost, and ask the next one for what it has not answered.

        Its end may be evidence against a request that was under way.
        """
        self._link = None
        if link.frames is not None:
            link.frames.abort()
        under_way = [number for number, entry in self._open.items() if entry.sent_at is not None]
        if not under_way:
            return
        for number in under_way:
            self._open[number].sent_at = None
        if not is_evidence:
            self._put(under_way)
            return
        guilty, again = self._suspects.after_end(under_way)
        if guilty is not None:
            _answer(self._open[guilty], Outcome(succeeded=False, message=_GUILTY))
        self._put(again)

    def _put(self, numbers: Iterable[int]) -> None:
        before = len(self._outbox)
        self._outbox.extend(numbers)
        if not before and self._outbox:
            asyncio.get_running_loop().call_soon(self._send)

    def _send(self) -> None:
        # Without an outpost they wait: `_begin` comes back to them.
        if self._link is None or self._link.frames is None or not self._outbox:
            return
        outbox, self._outbox = self._outbox, []
        errands: list[tuple[int, Errand]] = []
        for number in outbox:
            entry = self._open.get(number)
            if entry is not None:
                entry.sent_at = self._heartbeats
                errands.append((number, entry.errand))
        if errands:
            self._link.frames.send(write_errands(errands))

    def _received(self, link: _Link, message: bytes) -> None:
        link.hear()
        for number, reply in read_outcomes(message):
            entry = self._open.get(number)
            if entry is not None:
                entry.sent_at = None
                _answer(entry, reply)

    def _wait_for_outpost(self) -> None:
        if self._away is None:
            self._away = asyncio.get_running_loop().call_later(
                self._patience.away_seconds, self._give_up
            )

    def _stop_waiting(self) -> None:
        if self._away is not None:
            self._away.cancel()
            self._away = None

    def _give_up(self) -> None:
        self.can_send = False
        self._health.report(_PART, "the process that sends requests cannot be started")
        self._give_back("there is no process that sends requests")

    def _give_back(self, why: str) -> None:
        for entry in self._open.values():
            _answer(entry, NotSent(why))

    def _pause(self, ends: int, *, has_worked: bool) -> float:
        """Return the seconds to wait for the next outpost; none if the last one ended for once."""
        if not has_worked:
            return min(2.0 ** min(ends, 10) / 4, self._patience.longest_pause_seconds)
        if ends == 1:
            return 0.0
        longest = self._patience.longest_pause_after_end_seconds
        return min(2.0 ** min(ends, 10) / 16, longest)


def _answer(entry: _Open, reply: Outcome | NotSent | Broken) -> None:
    if not entry.future.done():
        entry.future.set_result(reply)


async def _is_set(event: asyncio.Event, *, within: float) -> bool:
    try:
        async with asyncio.timeout(within):
            return await event.wait()
    except TimeoutError:
        return False
