"""Kill -9 at random moments under load, each with attempts in flight, and a restart at once."""

import asyncio
import random

from chaos.facts import SECOND, Break, Delivery, now
from chaos.judge import Evidence, judge
from chaos.load import Load, soon
from chaos.server import Server
from chaos.sink import Sink, holds
from chaos.stage import Finding, Stage, settled

PER_SECOND = 200
SECONDS = 120
KILLS = 20
IN_FLIGHT = 20


async def play(stage: Stage) -> Finding:
    """Kill a server again and again, then wait until all is settled, and judge."""
    log: list[Delivery] = []
    dice = stage.dice
    async with Sink(holds(dice, 0.2, 0.6), log) as sink, stage.server() as server:
        start = soon(30)
        load = Load(
            name="load",
            url=sink.url,
            count=PER_SECOND * 60,
            start=start,
            end=start + SECONDS * SECOND,
        )
        await load.create(server.api)
        stage.say(f"{load.count} jobs created, {(start - now()) / SECOND:.0f} s before the first")
        kills = await _kill_until(load.end - 5 * SECOND, server, sink, dice, stage)
        is_settled = await settled(server.api, load.collections, SECONDS)
        stage.say("settled" if is_settled else "NOT settled")
        told = await server.api.tell(load.paths)
    judgement = judge(Evidence(calendar=load.calendar, deliveries=log, told=told, breaks=kills))
    return Finding(
        scenario=stage.scenario,
        judgement=judgement,
        kills=len(kills),
        observations=[_observation(kills)],
        failures=_failures(kills, is_settled=is_settled),
    )


async def _kill_until(
    end: int, server: Server, sink: Sink, dice: random.Random, stage: Stage
) -> list[Break]:
    kills: list[Break] = []
    while True:
        await asyncio.sleep(dice.uniform(1.0, 5.0) if sink.open or kills else 0.5)
        if not await _is_busy(sink, end):
            return kills
        kills.append(await server.kill_and_restart(sink.forget_open()))
        stage.say(f"kill {len(kills)} with {kills[-1].in_flight} in flight")


async def _is_busy(sink: Sink, end: int) -> bool:
    """Wait until enough is in flight; tell whether that came about before the end."""
    while now() < end:
        if len(sink.open) >= IN_FLIGHT:
            return True
        await asyncio.sleep(0.001)
    return False


def _observation(kills: list[Break]) -> str:
    in_flight = sorted(each.in_flight for each in kills) or [0]
    return (
        f"{PER_SECOND} occurrences a second; {in_flight[0]} to {in_flight[-1]} attempts were in "
        f"flight at a kill, {sum(in_flight)} in all"
    )


def _failures(kills: list[Break], *, is_settled: bool) -> list[str]:
    failures = [] if is_settled else ["some jobs were not settled in the end"]
    if len(kills) < KILLS:
        failures.append(f"there were {len(kills)} kills, and {KILLS} are wanted")
    return failures
