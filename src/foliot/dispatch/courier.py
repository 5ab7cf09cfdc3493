"""Hands errands to an outpost, and brings their outcomes back."""

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable
from itertools import count

from msgspec import Struct

from foliot.core.errand import Errand, NotSent, Outcome
from foliot.dispatch.frames import Frames, open_frames
from foliot.dispatch.messages import CANCELED
from foliot.dispatch.outpost import read_outcomes, write_errands

# One that was under way at so many ends of an outpost may be what ended it.
_MOST_ENDS = 2
_PAUSE_SECONDS = 0.5

_log = logging.getLogger(__name__)


class _Open(Struct):
    errand: Errand
    future: asyncio.Future[Outcome | NotSent]
    ends: int = 0


class Courier:
    """Satisfies `ports.Dispatcher`; `start` begins an outpost and returns the way there.

    An outpost that ends is begun anew, and asked again for what it has not answered: whether it was
    sent is not known, and a target can tell a repeat by its tag.
    """

    def __init__(self, start: Callable[[], Awaitable[socket.socket]]) -> None:
        self._start = start
        self._open: dict[int, _Open] = {}
        self._numbers = count()
        self._outbox: list[tuple[int, Errand]] = []
        self._frames: Frames | None = None
        self._is_closed = False
        self._connecting = asyncio.create_task(self._connect())

    async def dispatch(self, errand: Errand) -> Outcome | NotSent:
        """Have one attempt made."""
        number = next(self._numbers)
        entry = _Open(errand, asyncio.get_running_loop().create_future())
        self._open[number] = entry
        self._put(number, errand)
        try:
            return await entry.future
        finally:
            self._open.pop(number, None)

    async def close(self) -> None:
        """Let the outpost go; attempts under way fail."""
        self._is_closed = True
        self._connecting.cancel()
        await asyncio.wait([self._connecting])
        if self._frames is not None:
            self._frames.close()
        for entry in self._open.values():
            _fail(entry, CANCELED.text)

    def _put(self, number: int, errand: Errand) -> None:
        if not self._outbox:
            asyncio.get_running_loop().call_soon(self._send)
        self._outbox.append((number, errand))

    def _send(self) -> None:
        # Without an outpost they wait: `_connect` comes back to them.
        if self._frames is not None and self._outbox:
            outbox, self._outbox = self._outbox, []
            self._frames.send(write_errands(outbox))

    def _received(self, message: bytes) -> None:
        for number, outcome in read_outcomes(message):
            entry = self._open.pop(number, None)
            if entry is not None and not entry.future.done():
                entry.future.set_result(outcome)

    def _ended(self) -> None:
        self._frames = None
        if self._is_closed:
            return
        _log.error("The process that sends requests has ended; another one takes its place")
        self._outbox = []
        for number, entry in list(self._open.items()):
            self._ask_again(number, entry)
        self._connecting = asyncio.create_task(self._connect())

    def _ask_again(self, number: int, entry: _Open) -> None:
        entry.ends += 1
        if entry.ends < _MOST_ENDS:
            self._outbox.append((number, entry.errand))
        else:
            _fail(entry, "The process that sends requests ended in the middle of the attempt.")

    async def _connect(self) -> None:
        while True:
            try:
                self._frames = await open_frames(await self._start(), self._received, self._ended)
            except OSError as failure:
                _log.error("The process that sends requests cannot be started: %s", failure)
                await asyncio.sleep(_PAUSE_SECONDS)
            else:
                self._send()
                return


def _fail(entry: _Open, why: str) -> None:
    if not entry.future.done():
        entry.future.set_result(Outcome(succeeded=False, message=why))
