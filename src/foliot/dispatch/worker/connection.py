"""The connection to one worker process: whether it was heard of, and whether it has ended."""

import asyncio

from foliot.dispatch.worker.framing import Frames


class WorkerConnection:
    """The connection to one worker process."""

    def __init__(self) -> None:
        self.frames: Frames | None = None
        self.was_heard = False
        self.is_ready = asyncio.Event()
        self.is_closed = asyncio.Event()

    def hear(self) -> None:
        """Note a message of the worker: with the first one it is ready."""
        self.was_heard = True
        self.is_ready.set()

    def close(self) -> None:
        """Note that the worker has ended."""
        self.is_closed.set()
        # Nobody may wait for a worker that will never be ready.
        self.is_ready.set()
