"""Runs the sending of e-mails in threads that nobody waits for.

A mail server that does not answer keeps a thread busy. So no other part of the server shares these
threads, and the end of the server does not wait for them: they are daemons, unlike those of a pool.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from threading import Thread


class EmailThreads:
    """Some threads at a time, a new one for each e-mail."""

    def __init__(self, most: int, name: str) -> None:
        self._free = asyncio.Semaphore(most)
        self._name = name

    async def run(self, send: Callable[[], str | None]) -> str | None:
        """Send in a thread and return what is wrong; if this is cancelled, the thread goes on."""
        loop = asyncio.get_running_loop()
        sent: asyncio.Future[str | None] = loop.create_future()

        def work() -> None:
            try:
                error, broken = send(), None
            except Exception as raised:  # noqa: BLE001  (whoever waits gets it)
                error, broken = None, raised
            # The loop is closed if the server has ended meanwhile.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(_end, sent, error, broken)

        async with self._free:
            Thread(target=work, name=self._name, daemon=True).start()
            return await sent


def _end(sent: asyncio.Future[str | None], error: str | None, broken: Exception | None) -> None:
    if sent.done():
        return
    if broken is None:
        sent.set_result(error)
    else:
        sent.set_exception(broken)
