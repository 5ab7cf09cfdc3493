"""A way to the database that breaks in the middle of commits.

Of a commit, either the question is lost, or the answer, or the connection ends while the database
is busy with it. Transactions that only read are left alone: nobody needs to know their fate.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from typing import Self

from chaos.facts import SECOND, now

_COMMIT = b"COMMIT\0"  # the end of the question, and of the answer
_READ_ONLY = b"READ ONLY"
_BEGIN = b"BEGIN"


class Cut(Enum):
    """What of a commit arrives."""

    QUESTION_LOST = "before the commit reached the database"
    HALFWAY = "while the database was busy with it"
    ANSWER_LOST = "before its answer came back"


class CuttingProxy:
    """Passes bytes on; while it is `armed`, it cuts connections at commits, now and then."""

    def __init__(self, port: int, dice: random.Random, seconds: tuple[float, float]) -> None:
        self._target = port
        self._dice = dice
        self._seconds = seconds
        self._next_at = 0
        self._server: asyncio.Server | None = None
        self.is_armed = False
        self.cuts: Counter[Cut] = Counter()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._server.sockets[0].getsockname()[1]) if self._server else 0

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            theirs, ours = await asyncio.open_connection("127.0.0.1", self._target)
            link = _Link(writer, ours, self._cut_now)
            await asyncio.gather(link.ask(reader), link.answer(theirs))

    def _cut_now(self) -> Cut | None:
        """Tell how to cut the commit that goes by, if one is to be cut again."""
        if not self.is_armed or now() < self._next_at:
            return None
        self._next_at = now() + int(self._dice.uniform(*self._seconds) * SECOND)
        cut = self._dice.choice(list(Cut))
        self.cuts[cut] += 1
        return cut


class _Link:
    """One connection of a node, with that to the database which belongs to it."""

    def __init__(
        self,
        node: asyncio.StreamWriter,
        database: asyncio.StreamWriter,
        cut_now: Callable[[], Cut | None],
    ) -> None:
        self._node = node
        self._database = database
        self._cut_now = cut_now
        self._is_reading = False
        self._cut: Cut | None = None

    async def ask(self, source: asyncio.StreamReader) -> None:
        """Pass on what the node says."""
        with suppress(OSError):
            while data := await source.read(65536):
                if _BEGIN in data:
                    self._is_reading = _READ_ONLY in data
                if data.endswith(_COMMIT) and not self._is_reading:
                    self._cut = self._cut_now()
                if self._cut is Cut.QUESTION_LOST:
                    break
                self._database.write(data)
                await self._database.drain()
                if self._cut is Cut.HALFWAY:
                    break
        self._end()

    async def answer(self, source: asyncio.StreamReader) -> None:
        """Pass on what the database says."""
        with suppress(OSError):
            while data := await source.read(65536):
                if self._cut is Cut.ANSWER_LOST and _COMMIT in data:
                    break
                self._node.write(data)
                await self._node.drain()
        self._end()

    def _end(self) -> None:
        self._node.close()
        self._database.close()
