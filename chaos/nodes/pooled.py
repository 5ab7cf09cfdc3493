"""A pooler in transaction mode between nodes and database, and a kill -9 in the middle."""

import asyncio

from chaos import register
from chaos.cluster import NODES, Seen, cluster, database
from chaos.facts import SECOND, Delivery
from chaos.pgbouncer import CONNECTIONS, pooler
from chaos.sink import Sink, holds
from chaos.stage import Finding, Stage, until

PER_SECOND = 100
SECONDS = 60
AWAY_SECONDS = 18


async def play(stage: Stage, seconds: int = SECONDS) -> Finding:
    """Let nodes work through the pooler, kill one for longer than a lease, and judge."""
    log: list[Delivery] = []
    async with (
        Sink(holds(stage.dice, 0.2, 0.6), log) as sink,
        database(stage) as postgres,
        pooler(stage.folder, postgres) as pooled,
        cluster(stage, postgres, pooled.url) as nodes,
    ):
        load = await nodes.load(sink.url, PER_SECOND, seconds)
        await until(load.start + 10 * SECOND)
        clients = await asyncio.to_thread(pooled.count_clients)
        connections = await asyncio.to_thread(register.count_connections, postgres.url)
        victim = max(nodes.nodes, key=lambda node: sink.count_open(node.clients))
        kill = await victim.kill(sink)
        stage.say(f"kill with {kill.in_flight} in flight")
        await asyncio.sleep(AWAY_SECONDS)
        await victim.start()
        await until(load.end)
        return await nodes.finding(
            load,
            log,
            Seen(
                breaks=[kill],
                delays=[kill.at],
                kills=1,
                observations=[
                    (
                        f"{clients} connections of {NODES} nodes shared {connections} of the "
                        f"database, through {pooled.version} in transaction mode"
                    ),
                    f"{kill.in_flight} attempts of a node were in flight when it was killed",
                ],
                failures=[] if clients > CONNECTIONS >= connections else ["nothing was shared"],
            ),
        )
