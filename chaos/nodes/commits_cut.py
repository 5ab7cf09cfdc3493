"""Connections to the database that are cut in the middle of commits, several times a second."""

from chaos.cluster import NODES, Seen, cluster, database
from chaos.facts import SECOND, Delivery
from chaos.postgres import DATABASE
from chaos.proxy import Cut, CuttingProxy
from chaos.sink import Sink, holds
from chaos.stage import Finding, Stage, until

PER_SECOND = 100
SECONDS = 50
BETWEEN_CUTS = (0.1, 0.7)
CUTS = 60


async def play(stage: Stage, seconds: int = SECONDS) -> Finding:
    """Cut, and judge: since each commit is looked up, not even a duplicate is right."""
    log: list[Delivery] = []
    async with (
        Sink(holds(stage.dice, 0.2, 0.6), log) as sink,
        database(stage) as postgres,
        CuttingProxy(postgres.port, stage.dice, BETWEEN_CUTS) as proxy,
        cluster(stage, postgres, postgres.address(DATABASE, proxy.port)) as nodes,
    ):
        load = await nodes.load(sink.url, PER_SECOND, seconds)
        await until(load.start + SECOND)
        proxy.is_armed = True
        await until(load.end)
        proxy.is_armed = False
        looked_up = sum(node.log.read_text().count("looking it up") for node in nodes.nodes)
        cuts, wanted = proxy.cuts.total(), CUTS * seconds // SECONDS
        stage.say(f"{cuts} cuts")
        return await nodes.finding(
            load,
            log,
            Seen(
                observations=[
                    (
                        f"{cuts} connections of {NODES} nodes were cut at a commit: "
                        + ", ".join(f"{proxy.cuts[cut]} {cut.value}" for cut in Cut)
                    ),
                    f"{looked_up} commits were looked up; the others had changed nothing",
                ],
                failures=[] if cuts >= wanted else [f"{cuts} cuts, and {wanted} are wanted"],
            ),
        )
