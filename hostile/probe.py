"""Requests of somebody else: how long they take, and whether they are answered."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from msgspec import Struct

from hostile.client import VERSION, Client

# A machine is noisy: attacks that got through stopped the server for 1.6 to 15 seconds.
MARGIN_SECONDS = 1.2
EVERY_SECONDS = 0.1


class Answered(Struct):
    """How long the slowest answer took, and how many requests had none."""

    longest: float = 0
    asked: int = 0
    failed: int = 0

    def objections(self, before: "Answered") -> list[str]:
        """Say what was worse than before the attack."""
        found: list[str] = []
        if self.longest > before.longest + MARGIN_SECONDS:
            took = f"{self.longest:.1f} s, and {before.longest:.1f} s before"
            found.append(f"somebody else's request took {took}")
        if self.failed:
            found.append(f"{self.failed} of {self.asked} requests of somebody else failed")
        return found

    def __str__(self) -> str:
        return f"others answered within {self.longest:.2f} s"


@asynccontextmanager
async def probing(port: int, paths: tuple[str, ...] = ()) -> AsyncGenerator[Answered]:
    """Ask all the while; what is yielded is complete when this ends."""
    seen, is_over = Answered(), asyncio.Event()
    asked = ["/healthz", *(path + VERSION for path in paths)]
    async with Client(port) as client, asyncio.TaskGroup() as group:
        for path in asked:
            group.create_task(_ask(client, path, seen, is_over))
        try:
            yield seen
        finally:
            # What was asked under attack is waited for: it may be the slowest.
            is_over.set()


async def calm(port: int, paths: tuple[str, ...] = (), seconds: float = 2) -> Answered:
    """Tell how it is when nothing else happens."""
    async with probing(port, paths) as seen:
        await asyncio.sleep(seconds)
    return seen


async def _ask(client: Client, path: str, seen: Answered, is_over: asyncio.Event) -> None:
    while not is_over.is_set():
        answer = await client.ask("GET", path)
        seen.asked += 1
        seen.failed += answer.status != 200
        seen.longest = max(seen.longest, answer.seconds)
        await asyncio.sleep(EVERY_SECONDS)
