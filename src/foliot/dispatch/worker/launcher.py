"""What the client needs of whoever starts worker processes, and how long it waits for them."""

import socket
from typing import Protocol

from msgspec import Struct

from foliot.core.model.attempt import AttemptRequest


class WorkerLauncher(Protocol):
    """Starts worker processes, one at a time."""

    async def start(self) -> socket.socket:
        """Start a process after the last one has ended; return a socket to it, or raise OSError."""
        ...

    def kill(self) -> None:
        """Kill the present process at once, even if it is stuck."""
        ...

    async def was_killed(self) -> bool:
        """Tell whether somebody else killed the process that has just ended."""
        ...


class WorkerTimeouts(Struct, frozen=True, kw_only=True):
    """How long the client waits for a worker process.

    Silence and attempts are counted in heartbeats that this process has sent, not in seconds: while
    this process stands still itself it sends none, and it reads waiting replies before the next.
    """

    heartbeat_seconds: float = 2.0
    silent_heartbeats: int = 6
    # For a request without a timeout of its own; with one, the second counts from its end.
    attempt_seconds: float = 70.0
    seconds_after_timeout: float = 10.0
    start_seconds: float = 30.0
    seconds_to_end: float = 2.0
    longest_pause_seconds: float = 5.0
    # Between workers that have worked and ended: the search for the request that crashes them needs
    # about ten, so the pause is short.
    longest_pause_after_end_seconds: float = 2.0
    # Without a worker for this long, requests are given back: other nodes may have one.
    away_seconds: float = 10.0

    def heartbeats_for(self, request: AttemptRequest) -> float:
        """Return after how many heartbeats without a reply the worker counts as stuck."""
        own = request.timeout_seconds
        seconds = self.attempt_seconds if own is None else own + self.seconds_after_timeout
        return seconds / self.heartbeat_seconds
