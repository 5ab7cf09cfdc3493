"""Kill -9 of random nodes every few seconds under load; they come back soon, or after a lease."""

import asyncio
from collections.abc import Sequence

from chaos.cluster import NODES, Cluster, Seen, cluster, database
from chaos.deadline import LEASE_SECONDS
from chaos.facts import SECOND, Break, Delivery, now
from chaos.server import Server
from chaos.sink import Sink, holds
from chaos.stage import Finding, Stage, until

PER_SECOND = 300
SECONDS = 120
KILLS = 20
IN_FLIGHT = 5


async def play(stage: Stage, seconds: int = SECONDS) -> Finding:
    """Kill nodes again and again, one always stays; then judge."""
    log: list[Delivery] = []
    async with (
        Sink(holds(stage.dice, 0.2, 0.6), log) as sink,
        database(stage) as postgres,
        cluster(stage, postgres) as nodes,
    ):
        load = await nodes.load(sink.url, PER_SECOND, seconds)
        await until(load.start + 2 * SECOND)
        kills = await Killer(nodes, sink).work_until(load.end)
        return await nodes.finding(
            load,
            log,
            Seen(
                breaks=kills,
                delays=[kill.at for kill in kills],
                kills=len(kills),
                observations=[f"{PER_SECOND} occurrences a second; {_in_flight_at(kills)}"],
                failures=_failures(kills, seconds),
            ),
        )


class Killer:
    """Kills a random node that has something in flight, if another one lives."""

    def __init__(self, nodes: Cluster, sink: Sink) -> None:
        self._nodes = nodes
        self._sink = sink
        self._dice = nodes.stage.dice
        self._ready = set(nodes.nodes)
        self._kills: list[Break] = []

    async def work_until(self, end: int) -> list[Break]:
        """Kill every few seconds, and start again each node after a while; all run at the end."""
        async with asyncio.TaskGroup() as restarts:
            while now() < end:
                if victim := self._victim():
                    self._ready.discard(victim)
                    self._kills.append(await victim.kill(self._sink))
                    restarts.create_task(self._restart(victim, self._absence()))
                await asyncio.sleep(self._dice.uniform(2, 5) if victim else 0.05)
        return self._kills

    def _victim(self) -> Server | None:
        """Return a node that can be spared, with attempts in flight."""
        if len(self._ready) < 2:
            return None
        chosen = self._dice.choice([node for node in self._nodes.nodes if node in self._ready])
        return chosen if self._sink.count_open(chosen.clients) >= IN_FLIGHT else None

    def _absence(self) -> float:
        """Return for how long a node stays away: not for long, or beyond a lease if others live."""
        is_long = self._dice.random() < 0.3 and len(self._ready) == NODES - 1
        return LEASE_SECONDS + 3 if is_long else self._dice.uniform(0, 3)

    async def _restart(self, node: Server, absence: float) -> None:
        number, kill = self._nodes.nodes.index(node), self._kills[-1]
        text = f"node {number} with {kill.in_flight} in flight, for {absence:.0f} s"
        self._nodes.stage.say(f"kill {len(self._kills)}: {text}")
        await asyncio.sleep(absence)
        await node.start()
        self._ready.add(node)


def _in_flight_at(kills: Sequence[Break]) -> str:
    """Tell how much was in flight at kills."""
    counts = sorted(kill.in_flight for kill in kills) or [0]
    return (
        f"{counts[0]} to {counts[-1]} attempts of the node were in flight at a kill, "
        f"{sum(counts)} in all"
    )


def _failures(kills: Sequence[Break], seconds: int) -> list[str]:
    wanted = KILLS * seconds // SECONDS
    return [] if len(kills) >= wanted else [f"{len(kills)} kills, and {wanted} are wanted"]
