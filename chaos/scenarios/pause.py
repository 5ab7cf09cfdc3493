"""SIGSTOP for longer than a lease, then SIGCONT, under the same load."""

from chaos.facts import SECOND, Delivery
from chaos.judge import Evidence, judge
from chaos.load import Load, soon
from chaos.sink import Sink, holds
from chaos.stage import Finding, Stage, settled, until

PER_SECOND = 200
SECONDS = 75
LEASE_SECONDS = 15
PAUSE_SECONDS = LEASE_SECONDS + 5


async def play(stage: Stage) -> Finding:
    """Pause a server with attempts in flight, let it go on, and judge."""
    log: list[Delivery] = []
    async with Sink(holds(stage.dice, 0.2, 0.6), log) as sink, stage.server() as server:
        start = soon(30)
        load = Load(
            name="load",
            url=sink.url,
            count=PER_SECOND * 60,
            start=start,
            end=start + SECONDS * SECOND,
        )
        await load.create(server.api)
        await until(start + 15 * SECOND)
        stage.say(f"SIGSTOP for {PAUSE_SECONDS} s with {len(sink.open)} in flight")
        paused = await server.pause(PAUSE_SECONDS, sink)
        stage.say("SIGCONT")
        await until(load.end)
        is_settled = await settled(server.api, load.collections, SECONDS)
        told = await server.api.tell(load.paths)
    evidence = Evidence(calendar=load.calendar, deliveries=log, told=told, breaks=[paused])
    return Finding(
        scenario=stage.scenario,
        judgement=judge(evidence),
        observations=[
            (
                f"SIGSTOP for {PAUSE_SECONDS} s with {paused.in_flight} attempts in flight; "
                f"a lease lasts {LEASE_SECONDS} s"
            )
        ],
        failures=[] if is_settled else ["some jobs were not settled in the end"],
    )
