"""Makes attempts in the worker process, for the client in the server's process.

A Python interpreter runs one thread at a time. With a second process, requests go out while the
first one writes to the store.
"""

import asyncio
import socket

from foliot.core.errors import origin_of
from foliot.core.model.attempt import AttemptRequest
from foliot.dispatch.worker.framing import Frames, open_frames
from foliot.dispatch.worker.protocol import (
    HEARTBEAT,
    Broken,
    Reply,
    read_requests,
    write_replies,
)
from foliot.ports.dispatch import Dispatcher
from foliot.ports.logs import get_logger

_log = get_logger("foliot.dispatch")


class WorkerServer:
    """Makes the attempts it is asked for, and sends the replies that are ready in one message."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher
        self._frames: Frames | None = None
        self._attempts: dict[int, asyncio.Task[None]] = {}
        self._replies: list[tuple[int, Reply]] = []
        self._is_disconnected = asyncio.Event()
        # Kept: to ask for the running loop is a system call before Python 3.12.
        self._loop = asyncio.get_running_loop()

    async def serve(self, sock: socket.socket) -> None:
        """Serve until the client disconnects; then nobody waits for the open attempts."""
        self._frames = await open_frames(sock, self._received, self._is_disconnected.set)
        # The first heartbeat says that this process is ready: earlier ones could not be answered.
        self._frames.send(HEARTBEAT)
        await self._is_disconnected.wait()
        for task in self._attempts.values():
            task.cancel()
        await self._dispatcher.close()

    def _received(self, message: bytes) -> None:
        requests = read_requests(message)
        if not requests and self._frames is not None:
            self._frames.send(HEARTBEAT)
        for number, request in requests:
            if request is None:
                self._abort(number)
            else:
                self._attempts[number] = self._loop.create_task(self._attempt(number, request))

    def _abort(self, number: int) -> None:
        # Taken out here: a task that is cancelled before its first step never runs.
        task = self._attempts.pop(number, None)
        if task is not None:
            task.cancel()

    async def _attempt(self, number: int, request: AttemptRequest) -> None:
        reply: Reply
        try:
            reply = await self._dispatcher.dispatch(request)
        except Exception as error:  # noqa: BLE001  (the client must learn of it)
            _log.error(
                "Attempt broke down", job=request.job, tag=request.tag, error=origin_of(error)
            )
            reply = Broken(type(error).__name__)
        self._attempts.pop(number, None)
        if not self._replies:
            self._loop.call_soon(self._send_replies)
        self._replies.append((number, reply))

    def _send_replies(self) -> None:
        replies, self._replies = self._replies, []
        if self._frames is not None:
            self._frames.send(write_replies(replies))
