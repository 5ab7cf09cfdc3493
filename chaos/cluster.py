"""Three nodes on one PostgreSQL: they start together, share a load, and are judged together."""

import asyncio
import math
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager

import msgspec
from msgspec import Struct

from chaos import register
from chaos.api import Api
from chaos.deadline import BOUND, waits
from chaos.facts import HOUR, SECOND, Break, Delivery, Told, now
from chaos.judge import Evidence, judge
from chaos.load import Load, soon
from chaos.postgres import Postgres
from chaos.server import Server
from chaos.stage import Finding, Stage, comes_true

NODES = 3
ASKED = 150  # jobs of which the nodes are asked at the end

KEY = "Y2hhb3NjaGFvc2NoYW9zY2hhb3NjaGFvc2NoYW9zY2g="
_TRIALS = 1500
# A machine may be busier while most jobs are created than it was before.
_MARGIN = 1.7


class Seen(Struct, frozen=True, kw_only=True):
    """What a scenario did and saw; `delays` are the moments from which what broke must go on."""

    breaks: Sequence[Break] = ()
    delays: Sequence[int] = ()
    kills: int = 0
    observations: Sequence[str] = ()
    failures: Sequence[str] = ()


class Cluster:
    """The nodes, the database, and a client that calls the nodes in turn."""

    def __init__(self, stage: Stage, postgres: Postgres, nodes: Sequence[Server]) -> None:
        self.stage = stage
        self.postgres = postgres
        self.nodes = nodes
        self.api = Api(*(node.port for node in nodes))

    async def load(self, url: str, per_second: int, seconds: int) -> Load:
        """Create jobs, so many a second, each of which runs every minute for so long."""
        spread = min(60, seconds)
        count = per_second * spread
        start = soon(5 + math.ceil(count * await self._seconds_for_a_job(url) * _MARGIN))
        load = Load(
            name="load",
            url=url,
            count=count,
            start=start,
            end=start + seconds * SECOND,
            spread=spread * SECOND,
        )
        await self._create(load)
        self.stage.say(f"{count} jobs created, {(start - now()) / SECOND:.0f} s ahead")
        return load

    async def _seconds_for_a_job(self, url: str) -> float:
        """Measure how long it takes to create a job, at the moment."""
        start, began = soon(HOUR // SECOND), now()
        trial = Load(name="trial", url=url, count=_TRIALS, start=start, end=start + HOUR)
        await self._create(trial)
        return (now() - began) / SECOND / _TRIALS

    async def _create(self, load: Load) -> None:
        await load.create(*(node.api for node in self.nodes))

    async def finding(self, load: Load, log: Sequence[Delivery], seen: Seen) -> Finding:
        """Wait until all is settled, and judge by the sink's log and the database."""
        is_settled = await comes_true(lambda: self._is_settled(load), 60)
        self.stage.say("settled" if is_settled else "NOT settled")
        stored = await asyncio.to_thread(register.told, self.postgres.url)
        evidence = Evidence(calendar=load.calendar, deliveries=log, told=stored, breaks=seen.breaks)
        # For whoever looks into what went wrong; it goes with the folder if nothing did.
        (self.stage.folder / "evidence.json").write_bytes(msgspec.json.encode([log, seen.breaks]))
        waited = waits(evidence, seen.delays)
        return Finding(
            scenario=self.stage.scenario,
            judgement=judge(evidence),
            kills=seen.kills,
            observations=[
                *seen.observations,
                (
                    f"The longest wait, from the planned time or from the break, was "
                    f"{waited.longest / SECOND:.1f} s of {BOUND // SECOND} s; "
                    f"{waited.struck_twice} attempts met a second break"
                ),
            ],
            failures=[
                *([] if is_settled else ["some jobs were not settled in the end"]),
                *seen.failures,
                *waited.problems,
                *await self._contradictions(load, stored),
            ],
        )

    async def _is_settled(self, load: Load) -> bool:
        return not await asyncio.to_thread(register.count_open, self.postgres.url, load.name)

    async def _contradictions(self, load: Load, stored: Mapping[str, Told]) -> list[str]:
        """Ask the nodes of some jobs; name those of which they tell what is not stored."""
        asked = self.stage.dice.sample(load.paths, min(ASKED, load.count))
        answered = await self.api.tell(asked)
        names = [path.rpartition("/")[2] for path in asked]
        wrongly_due = await asyncio.to_thread(register.count_wrongly_due, self.postgres.url)
        return [f"{wrongly_due} jobs are not due when they say"] * bool(wrongly_due) + [
            f"{name}: a node tells {answered.get(name)}, and {stored.get(name)} is stored"
            for name in names
            if answered.get(name) != stored.get(name)
        ]


@asynccontextmanager
async def database(stage: Stage) -> AsyncGenerator[Postgres]:
    """Run a PostgreSQL of its own."""
    postgres = Postgres(stage.folder)
    try:
        await postgres.start()
        yield postgres
    finally:
        postgres.stop()


@asynccontextmanager
async def cluster(
    stage: Stage,
    postgres: Postgres,
    url: str | None = None,
    environs: Sequence[Mapping[str, str]] = ({},) * NODES,
) -> AsyncGenerator[Cluster]:
    """Start nodes together, on an empty database; the address is of what stands in between."""
    shared = {"FOLIOT_DATABASE": url or postgres.url, "FOLIOT_SECRET_KEYS": KEY}
    nodes = [
        Server(stage.folder / f"node-{number}", {**shared, **environ})
        for number, environ in enumerate(environs)
    ]
    built = Cluster(stage, postgres, nodes)
    try:
        await asyncio.gather(*(node.start() for node in nodes))
        yield built
    finally:
        await built.api.close()
        await asyncio.gather(*(node.stop() for node in nodes))
