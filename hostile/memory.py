"""How much more memory the server's processes take under attack."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from msgspec import Struct

from chaos.server import Server

EVERY_SECONDS = 0.05


class Growth(Struct):
    """By how many KiB the memory of all processes grew at most, and in the end."""

    before: int
    most: int = 0
    last: int = 0

    @property
    def peak_mib(self) -> float:
        """The growth at its peak."""
        return (self.most - self.before) / 1024

    @property
    def kept_mib(self) -> float:
        """The growth that was left in the end."""
        return (self.last - self.before) / 1024


@asynccontextmanager
async def watching(server: Server) -> AsyncGenerator[Growth]:
    """Look all the while."""
    growth = Growth(server.resident_kib)
    task = asyncio.create_task(_look(server, growth))
    try:
        yield growth
        await asyncio.sleep(2 * EVERY_SECONDS)
    finally:
        task.cancel()


async def _look(server: Server, growth: Growth) -> None:
    while True:
        growth.last = server.resident_kib
        growth.most = max(growth.most, growth.last)
        await asyncio.sleep(EVERY_SECONDS)
