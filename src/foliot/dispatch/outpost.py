"""Where attempts are made in a process of their own, and what is said on the way there and back.

An interpreter does one thing at a time. With the attempts in another, requests go out while the
store is written.
"""

import asyncio
import socket

from msgspec import msgpack

from foliot.core.errand import Errand, NotSent, Outcome
from foliot.dispatch.frames import Frames, open_frames
from foliot.ports import Dispatcher

# Each by a number that the other side has given it.
write_errands = msgpack.Encoder().encode
write_outcomes = msgpack.Encoder().encode
read_outcomes = msgpack.Decoder(list[tuple[int, Outcome | NotSent]]).decode
_read_errands = msgpack.Decoder(list[tuple[int, Errand]]).decode


class Outpost:
    """Makes the attempts it is asked for; those that end together are reported together."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher
        self._frames: Frames | None = None
        self._under_way: set[asyncio.Task[None]] = set()
        self._ended: list[tuple[int, Outcome | NotSent]] = []
        self._left = asyncio.Event()

    async def serve(self, sock: socket.socket) -> None:
        """Work until the other side is gone; whoever asked for what is under way is gone, too."""
        self._frames = await open_frames(sock, self._received, self._left.set)
        await self._left.wait()
        for task in self._under_way:
            task.cancel()
        await self._dispatcher.close()

    def _received(self, message: bytes) -> None:
        for number, errand in _read_errands(message):
            task = asyncio.create_task(self._carry_out(number, errand))
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)

    async def _carry_out(self, number: int, errand: Errand) -> None:
        outcome = await self._dispatcher.dispatch(errand)
        if not self._ended:
            asyncio.get_running_loop().call_soon(self._report)
        self._ended.append((number, outcome))

    def _report(self) -> None:
        ended, self._ended = self._ended, []
        if self._frames is not None:
            self._frames.send(write_outcomes(ended))
