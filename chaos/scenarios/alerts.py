"""Alerts while the server is killed: none is lost or comes with two ids, and none floods."""

import asyncio
import random

from chaos import inbox
from chaos.facts import SECOND, now
from chaos.inbox import JOBS, Target
from chaos.judge import NOTHING
from chaos.server import Server
from chaos.stage import Finding, Stage, comes_true

KILLS = 20
PHASE_SECONDS = 75
PATIENCE_SECONDS = 400


async def play(stage: Stage) -> Finding:
    """Let all jobs fail, then succeed, one in turns, and kill the server all the while."""
    dice = stage.dice
    async with inbox.target(dice) as target, stage.server() as server:
        await inbox.create(server.api, target)
        stage.say(f"{JOBS} jobs created")
        kills = await _kill_for(PHASE_SECONDS, server, dice)
        target.is_failing = False
        stage.say(f"{kills} kills, {target.count('alert.raised')} jobs told as failed; all recover")
        kills += await _kill_for(PHASE_SECONDS, server, dice)
        target.is_flapping = False
        has_all = await comes_true(lambda: _is_told(target), PATIENCE_SECONDS)
        stage.say(f"{target.count('alert.resolved')} jobs told as recovered, {kills} kills")
    return Finding(
        scenario=stage.scenario,
        judgement=NOTHING,
        kills=kills,
        observations=inbox.observations(target),
        failures=[
            *inbox.failures(target),
            *([] if has_all else ["not all messages arrived in time"]),
            *([] if kills >= KILLS else [f"there were {kills} kills, and {KILLS} are wanted"]),
        ],
    )


async def _kill_for(seconds: int, server: Server, dice: random.Random) -> int:
    end, kills = now() + seconds * SECOND, 0
    while now() < end:
        await asyncio.sleep(dice.uniform(0.5, 6.0))
        await inbox.flap(server.api)
        await server.kill_and_restart(0)
        kills += 1
    return kills


async def _is_told(target: Target) -> bool:
    return target.is_told
