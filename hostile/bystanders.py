"""Jobs of somebody else with a healthy target: they must stay on time and succeed."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from itertools import count

from msgspec import Struct

from chaos.api import job_path
from chaos.facts import SECOND, Delivery, now
from chaos.load import definition, soon
from chaos.server import Server
from chaos.sink import Sink, answers
from chaos.stage import comes_true, until
from hostile.attack import Result

COLLECTION = "bystanders"
EVERY = SECOND // 4
PATIENCE_SECONDS = 30
# A machine is noisy: attacks that got through made others 4 to 16 seconds late.
MARGIN = 3 * SECOND

_numbers = count()


class Fared(Struct, frozen=True):
    """How late they were at most, and which were not sent or failed."""

    jobs: int
    worst: int
    missing: int
    failed: Sequence[str]

    def objections(self, before: "Fared") -> list[str]:
        """Say what was worse than before the attack."""
        found: list[str] = []
        if self.worst > before.worst + MARGIN:
            late = f"{self.worst / SECOND:.1f} s late, and {before.worst / SECOND:.1f} s before"
            found.append(f"another collection's job was {late}")
        if self.missing:
            found.append(f"{self.missing} jobs of another collection were not sent")
        if self.failed:
            found.append(f"{len(self.failed)} jobs of another collection failed: {self.failed[0]}")
        return found

    def __str__(self) -> str:
        return f"{self.worst / SECOND:.1f} s late at most"


class Planned(Struct, frozen=True):
    """Jobs that were created, one every quarter of a second."""

    server: Server
    log: list[Delivery]
    times: dict[str, int]

    async def fare(self) -> Fared:
        """Wait until all have run, or it is too late, and tell how they fared."""
        await until(max(self.times.values()))
        await comes_true(self._all_arrived, PATIENCE_SECONDS)
        await asyncio.sleep(0.5)
        told = await self.server.api.tell([job_path(COLLECTION, name) for name in self.times])
        arrived = {each.job: each.arrived for each in reversed(self.log)}
        return Fared(
            jobs=len(self.times),
            worst=max(arrived.get(name, now()) - time for name, time in self.times.items()),
            missing=sum(name not in arrived for name in self.times),
            failed=[
                entry.message[:120]
                for name in self.times
                if name in told
                for entry in told[name].history
                if entry.status == "failed"
            ],
        )

    async def _all_arrived(self) -> bool:
        return self.times.keys() <= {each.job for each in self.log}


class Bystanders(Struct, frozen=True):
    """Somebody with a collection on the same server."""

    server: Server
    sink: Sink
    host: str = "127.0.0.1"

    async def plan(self, seconds: int, start: int | None = None) -> Planned:
        """Create jobs that run soon, or from a moment on, for so long."""
        start = start or soon(2)
        times = {
            f"bystander-{next(_numbers)}": start + offset
            for offset in range(0, seconds * SECOND, EVERY)
        }
        url = f"http://{self.host}:{self.sink.port}/"
        await self.server.api.create_jobs(
            {job_path(COLLECTION, name): definition(url, time) for name, time in times.items()}
        )
        if now() > start + SECOND:
            raise RuntimeError("the bystanders' jobs were not created in time")
        return Planned(self.server, self.sink.log, times)

    async def fare(self, seconds: int = 5) -> Fared:
        """Tell how they fare when nothing else happens."""
        return await (await self.plan(seconds)).fare()


@asynccontextmanager
async def bystanders(server: Server, host: str = "127.0.0.1") -> AsyncGenerator[Bystanders]:
    """Let somebody else use the server, with a target by this name."""
    await server.api.create_collections([COLLECTION])
    async with Sink(answers, []) as sink:
        yield Bystanders(server, sink, host)


def judged(tried: str, count: int, happened: str, fared: tuple[Fared, Fared]) -> Result:
    """Return the result of an attack by how others fared before and under it."""
    before, after = fared
    said = f"others' jobs {after}, {before} before"
    return Result(
        tried=tried,
        count=count,
        happened=f"{happened}; {said}" if happened else said,
        objections=after.objections(before),
    )


def with_more(result: Result, objections: Sequence[str]) -> Result:
    """Return a result with further objections."""
    return Result(
        tried=result.tried,
        count=result.count,
        happened=result.happened,
        objections=[*objections, *result.objections],
    )
