"""Where attempts are made in a process of their own, and what is said on the way there and back.

An interpreter does one thing at a time. With the attempts in another, requests go out while the
store is written.
"""

import asyncio
import socket

from msgspec import Struct, msgpack

from foliot.core.errors import origin_of
from foliot.core.model.attempt import Errand, NotSent, Outcome
from foliot.dispatch.worker.framing import Frames, open_frames
from foliot.ports.dispatch import Dispatcher
from foliot.ports.logs import get_logger

_log = get_logger("foliot.dispatch")


class Broken(Struct, frozen=True, tag=True):
    """An attempt ended in an exception of this kind: a fault of ours, which is in the log."""

    kind: str


# Each by a number that the other side has given it. An empty message asks an outpost whether it is
# alive; its answer, and its first word, is one.
Reply = Outcome | NotSent | Broken
write_errands = msgpack.Encoder().encode
write_outcomes = msgpack.Encoder().encode
read_outcomes = msgpack.Decoder(list[tuple[int, Reply]]).decode
_read_errands = msgpack.Decoder(list[tuple[int, Errand]]).decode
HEARTBEAT = write_errands([])


class Outpost:
    """Makes the attempts it is asked for; those that end together are reported together."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher
        self._frames: Frames | None = None
        self._under_way: set[asyncio.Task[None]] = set()
        self._ended: list[tuple[int, Reply]] = []
        self._left = asyncio.Event()

    async def serve(self, sock: socket.socket) -> None:
        """Work until the other side is gone; whoever asked for what is under way is gone, too."""
        self._frames = await open_frames(sock, self._received, self._left.set)
        # It is here now; what was received before could not be answered.
        self._frames.send(HEARTBEAT)
        await self._left.wait()
        for task in self._under_way:
            task.cancel()
        await self._dispatcher.close()

    def _received(self, message: bytes) -> None:
        errands = _read_errands(message)
        if not errands and self._frames is not None:
            self._frames.send(HEARTBEAT)
        for number, errand in errands:
            task = asyncio.create_task(self._carry_out(number, errand))
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)

    async def _carry_out(self, number: int, errand: Errand) -> None:
        reply: Reply
        try:
            reply = await self._dispatcher.dispatch(errand)
        except Exception as error:  # noqa: BLE001  (who asked must hear of it)
            _log.error("Attempt broke down", job=errand.job, tag=errand.tag, error=origin_of(error))
            reply = Broken(type(error).__name__)
        if not self._ended:
            asyncio.get_running_loop().call_soon(self._report)
        self._ended.append((number, reply))

    def _report(self) -> None:
        ended, self._ended = self._ended, []
        if self._frames is not None:
            self._frames.send(write_outcomes(ended))
