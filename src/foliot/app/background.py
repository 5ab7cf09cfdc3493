"""Work that a page waits for a moment, and that goes on when the page does not."""

import asyncio
from collections.abc import Coroutine
from typing import Any


class Background:
    """Starts work and waits for it for a limited time."""

    def __init__(self, patience_seconds: float) -> None:
        self._patience_seconds = patience_seconds
        self._tasks: set[asyncio.Task[None]] = set()

    async def work(self, coroutine: Coroutine[Any, Any, None]) -> None:
        """Start work; return when it is done or has taken too long, raise if it fails by then."""
        task = asyncio.create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._forget)
        done, _ = await asyncio.wait({task}, timeout=self._patience_seconds)
        for each in done:
            each.result()

    def _forget(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            # Whoever asks next starts the work again, and learns why it fails.
            task.exception()
