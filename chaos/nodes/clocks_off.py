"""Clocks of two nodes that are wrong by half a minute, to either side: the database's counts."""

from chaos.cluster import Seen, cluster, database
from chaos.facts import Delivery
from chaos.false_clock import FalseClock
from chaos.sink import Sink, holds
from chaos.stage import Finding, Stage, until

PER_SECOND = 100
SECONDS = 50
OFF_SECONDS = (30, -30, 0)
# Of a hundred; each node takes its part, or the false clocks were not tried.
LEAST_SHARE = 5


async def play(stage: Stage, seconds: int = SECONDS) -> Finding:
    """Let three nodes with three clocks share a load; the true one is the judge."""
    log: list[Delivery] = []
    clocks: list[FalseClock] = []
    for number, off in enumerate(OFF_SECONDS):
        folder = stage.folder / f"clock-{number}"
        folder.mkdir()
        clocks.append(FalseClock(folder))
        clocks[-1].set(off)
    async with (
        Sink(holds(stage.dice, 0.2, 0.6), log) as sink,
        database(stage) as postgres,
        cluster(stage, postgres, environs=[clock.environ for clock in clocks]) as nodes,
    ):
        load = await nodes.load(sink.url, PER_SECOND, seconds)
        await until(load.end)
        ports = [node.clients for node in nodes.nodes]
        sent = [sum(each.client in own for each in log) for own in ports]
        shares = [100 * each // max(1, len(log)) for each in sent]
        return await nodes.finding(
            load,
            log,
            Seen(
                observations=[
                    "; ".join(
                        f"the node with a clock {off:+d} s off sent {count} requests"
                        for off, count in zip(OFF_SECONDS, sent, strict=True)
                    ).capitalize()
                ],
                failures=[
                    f"the node with a clock {off:+d} s off sent only {share} of 100 requests"
                    for off, share in zip(OFF_SECONDS, shares, strict=True)
                    if share < LEAST_SHARE
                ],
            ),
        )
