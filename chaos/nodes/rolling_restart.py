"""Each node in turn ends in good order and starts again, as in an upgrade that never stops."""

from chaos.cluster import NODES, Seen, cluster, database
from chaos.facts import SECOND, Delivery, now
from chaos.sink import Sink, holds
from chaos.stage import Finding, Stage, until

PER_SECOND = 100
SECONDS = 300
EVERY_SECONDS = 20


async def play(stage: Stage, seconds: int = SECONDS) -> Finding:
    """Restart nodes one after the other under load; nobody may notice."""
    log: list[Delivery] = []
    async with (
        Sink(holds(stage.dice, 0.2, 0.6), log) as sink,
        database(stage) as postgres,
        cluster(stage, postgres) as nodes,
    ):
        load = await nodes.load(sink.url, PER_SECOND, seconds)
        codes, in_flight, longest = list[int](), 0, 0
        for number, second in enumerate(range(5, seconds, EVERY_SECONDS)):
            await until(load.start + second * SECOND)
            node = nodes.nodes[number % NODES]
            had, began = sink.count_open(node.clients), now()
            codes.append(await node.end())
            took = now() - began
            await node.start()
            in_flight, longest = in_flight + had, max(longest, took)
            stage.say(
                f"restart {number + 1} with {had} in flight; it ended in {took / SECOND:.1f} s"
            )
        await until(load.end)
        return await nodes.finding(
            load,
            log,
            Seen(
                observations=[
                    (
                        f"{len(codes)} restarts, one every {EVERY_SECONDS} s, with {in_flight} "
                        f"attempts in flight in all; each ended within {longest / SECOND:.1f} s"
                    )
                ],
                failures=[f"a node ended with exit code {code}" for code in codes if code],
            ),
        )
