"""SIGSTOP of one node for longer than its lease, while the others go on; then SIGCONT."""

from chaos.cluster import Seen, cluster, database
from chaos.deadline import LEASE_SECONDS
from chaos.facts import SECOND, Delivery
from chaos.sink import Sink, holds
from chaos.stage import Finding, Stage, until

PER_SECOND = 100
SECONDS = 50
PAUSE_SECONDS = LEASE_SECONDS + 7


async def play(stage: Stage, seconds: int = SECONDS) -> Finding:
    """Pause a node with attempts in flight, let it go on, and judge."""
    log: list[Delivery] = []
    async with (
        Sink(holds(stage.dice, 0.2, 0.6), log) as sink,
        database(stage) as postgres,
        cluster(stage, postgres) as nodes,
    ):
        load = await nodes.load(sink.url, PER_SECOND, seconds)
        await until(load.start + 10 * SECOND)
        victim = max(nodes.nodes, key=lambda node: sink.count_open(node.clients))
        paused = await victim.pause(PAUSE_SECONDS, sink)
        stage.say(f"SIGCONT; {paused.in_flight} were in flight")
        await until(load.end)
        return await nodes.finding(
            load,
            log,
            Seen(
                breaks=[paused],
                delays=[paused.at],
                observations=[
                    (
                        f"SIGSTOP of one node for {PAUSE_SECONDS} s with {paused.in_flight} of its "
                        f"attempts in flight; a lease lasts {LEASE_SECONDS} s"
                    )
                ],
                failures=[] if paused.in_flight else ["nothing was in flight"],
            ),
        )
