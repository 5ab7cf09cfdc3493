"""Targets and names that misbehave in every way, while jobs with a healthy target are on time."""

import asyncio

from msgspec import structs

from chaos.dns import ADDRESS
from chaos.facts import MINUTE, SECOND, now
from chaos.judge import Evidence, Judgement, joined, judge, percentile
from chaos.load import Load, soon
from chaos.namespace import resolve_through
from chaos.scenarios.bad_targets import DENIED, BadTargets, bad_targets
from chaos.scenarios.moving_names import moving_names
from chaos.server import Server
from chaos.sink import Sink, answers
from chaos.stage import Finding, Stage, settled, until

HEALTHY = 1200
EACH = 10
RUNS = 2
LATEST = SECOND
MOST_GROWTH_KIB = 64 * 1024


async def play(stage: Stage) -> Finding:
    """Run healthy jobs beside bad ones, and judge the history of each kind."""
    resolve_through(ADDRESS, stage.folder)
    start = soon(20)
    async with (
        Sink(answers, []) as sink,
        bad_targets() as bad,
        moving_names(start + 5 * SECOND, bad.forbidden) as moving,
        stage.server({"FOLIOT_EGRESS_DENY": DENIED}) as server,
    ):
        end = start + RUNS * MINUTE - SECOND
        healthy = Load(name="healthy", url=sink.url, count=HEALTHY, start=start, end=end)
        loads = [
            structs.replace(healthy, name=kind.name, url=kind.url, count=EACH) for kind in bad.kinds
        ]
        everything = (moving, *loads, healthy)
        for load in everything:
            await load.create(server.api)
        await until(start)
        stage.say("the first jobs are due")
        growth = await _growth_until(healthy.end + MINUTE + 5 * SECOND, server)
        stage.say(f"memory has grown by {growth} KiB at most")
        collections = [name for load in everything for name in load.collections]
        is_settled = await settled(server.api, collections, 60)
        told = await server.api.tell([path for load in everything for path in load.paths])
    well = judge(Evidence(calendar=healthy.calendar, deliveries=sink.log, told=told))
    others = judge(
        Evidence(
            calendar={
                job: load.calendar[job] for load in (*loads, moving) for job in load.calendar
            },
            deliveries=[*bad.log, *moving.log],
            told=told,
            must_succeed=False,
        )
    )
    return Finding(
        scenario=stage.scenario,
        judgement=joined(well, others),
        observations=[*_observations(bad, growth), moving.observation],
        failures=[
            *([] if is_settled else ["some jobs were not settled in the end"]),
            *_failures(well, growth),
            *bad.objections(told),
            *moving.objections(told),
        ],
    )


async def _growth_until(end: int, server: Server) -> int:
    """Return by how many KiB the server's memory grew at most until then."""
    before = most = server.resident_kib
    while now() < end:
        await asyncio.sleep(0.25)
        most = max(most, server.resident_kib)
    return most - before


def _observations(bad: BadTargets, growth: int) -> list[str]:
    kinds = ", ".join(kind.name for kind in bad.kinds)
    return [
        f"The lateness is that of {HEALTHY} jobs with a healthy target, a run each minute",
        f"Beside them {EACH} jobs each, with {RUNS} runs: {kinds}",
        (
            f"Of an answer of 10 GB at most {bad.flood.most // 1024} KiB left the target; "
            f"the memory of the server grew by {growth / 1024:.1f} MiB at most"
        ),
        f"{len(bad.forbidden)} requests reached the address that is denied",
    ]


def _failures(well: Judgement, growth: int) -> list[str]:
    failures: list[str] = []
    if percentile(well.lateness, 0.99) >= LATEST:
        failures.append("the healthy jobs' p99 lateness is not under a second")
    if growth > MOST_GROWTH_KIB:
        failures.append(f"memory grew by {growth} KiB, and {MOST_GROWTH_KIB} are the limit")
    return failures
