"""What every scenario needs: a folder, dice, a server, patience, and a word on the progress."""

import asyncio
import random
import sys
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Self

from msgspec import Struct

from chaos.api import Api
from chaos.facts import SECOND, now
from chaos.judge import NOTHING, Judgement
from chaos.server import Server


class Finding(Struct, frozen=True, kw_only=True):
    """What a scenario found out: its judgement, what else was seen, and what is wrong."""

    scenario: str
    judgement: Judgement
    kills: int = 0
    observations: list[str]
    failures: list[str]

    @classmethod
    def broken_off(cls, scenario: str, why: str) -> Self:
        """Return the finding of a scenario that could not be played to its end."""
        return cls(scenario=scenario, judgement=NOTHING, observations=[], failures=[why])

    @property
    def is_good(self) -> bool:
        """Whether all that was asked of the server held."""
        return not (self.failures or self.judgement.problems)


class Stage(Struct, frozen=True):
    """Where a scenario is played; the dice come from the seed and the scenario's name."""

    scenario: str
    seed: int
    folder: Path

    @property
    def dice(self) -> random.Random:
        """Dice that fall the same way for the same seed."""
        return random.Random(f"{self.seed}/{self.scenario}")

    @property
    def data(self) -> Path:
        """The data directory of the server."""
        return self.folder / "data"

    def say(self, text: str) -> None:
        """Tell how it goes."""
        print(f"{time.strftime('%H:%M:%S')} {self.scenario}: {text}", file=sys.stderr, flush=True)

    @asynccontextmanager
    async def server(
        self, environ: Mapping[str, str] | None = None, limits: Sequence[str] = ()
    ) -> AsyncGenerator[Server]:
        """Run a server on a data directory of its own."""
        server = Server(self.data, environ, limits)
        try:
            await server.start()
            yield server
        finally:
            await server.stop()


async def until(moment: int) -> None:
    """Wait until a moment has come."""
    await asyncio.sleep(max(0, moment - now()) / SECOND)


async def settled(api: Api, collections: Iterable[str], seconds: float) -> bool:
    """Wait until no job has anything left to do; tell whether that came about in time."""
    names = list(collections)
    return await comes_true(lambda: _is_settled(api, names), seconds)


async def comes_true(question: Callable[[], Awaitable[bool]], seconds: float) -> bool:
    """Ask again and again until the answer is yes; tell whether it came in time."""
    limit = now() + int(seconds * SECOND)
    while not await question():
        if now() > limit:
            return False
        await asyncio.sleep(0.5)
    return True


async def _is_settled(api: Api, names: list[str]) -> bool:
    return not await api.count_open(names)
