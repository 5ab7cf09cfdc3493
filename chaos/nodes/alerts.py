"""Alerts while nodes are killed and the database is away: nothing is lost or comes with two ids."""

import asyncio

from chaos import inbox
from chaos.cluster import Cluster, cluster, database
from chaos.facts import SECOND, now
from chaos.inbox import JOBS, Target
from chaos.judge import NOTHING
from chaos.stage import Finding, Stage, comes_true

PHASE_SECONDS = 75
AWAY_SECONDS = 6.0
PATIENCE_SECONDS = 400
KILLS = 10


async def play(stage: Stage) -> Finding:
    """Let all jobs fail, then succeed, one in turns; meanwhile kill nodes and the database."""
    async with (
        inbox.target(stage.dice) as target,
        database(stage) as postgres,
        cluster(stage, postgres) as nodes,
    ):
        await inbox.create(nodes.api, target)
        stage.say(f"{JOBS} jobs created")
        kills, breaks = await _break_for(PHASE_SECONDS, nodes)
        target.is_failing = False
        stage.say(f"{kills} kills, {target.count('alert.raised')} jobs told as failed; all recover")
        more_kills, more_breaks = await _break_for(PHASE_SECONDS, nodes)
        kills, breaks = kills + more_kills, breaks + more_breaks
        target.is_flapping = False
        has_all = await comes_true(lambda: _is_told(target), PATIENCE_SECONDS)
        stage.say(f"{target.count('alert.resolved')} jobs told as recovered, {kills} kills")
    return Finding(
        scenario=stage.scenario,
        judgement=NOTHING,
        kills=kills,
        observations=[
            *inbox.observations(target),
            f"The database was killed {breaks} times, and away for {AWAY_SECONDS:.0f} s each time",
        ],
        failures=[
            *inbox.failures(target),
            *([] if has_all else ["not all messages arrived in time"]),
            *([] if breaks else ["the database was never away"]),
            *([] if kills >= KILLS else [f"there were {kills} kills, and {KILLS} are wanted"]),
        ],
    )


async def _break_for(seconds: int, nodes: Cluster) -> tuple[int, int]:
    """Kill one node after the other and, in the middle, the database; return how often each."""
    dice, end, kills = nodes.stage.dice, now() + seconds * SECOND, 0
    middle, breaks = now() + seconds * SECOND // 2, 0
    while now() < end:
        await asyncio.sleep(dice.uniform(1.0, 6.0))
        await inbox.flap(nodes.api)
        await dice.choice(nodes.nodes).kill_and_restart(0)
        kills += 1
        if now() > middle and not breaks:
            await nodes.postgres.break_down(AWAY_SECONDS, by_kill=True, in_flight=0)
            breaks += 1
    return kills, breaks


async def _is_told(target: Target) -> bool:
    return target.is_told
