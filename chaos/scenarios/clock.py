"""A wall clock that jumps back by an hour, forward again, and then an hour ahead.

A time that the clock shows twice runs once, as the times of a day on which clocks go back do: after
a jump back, jobs wait until the clock reaches their next time. So what must not be silent then is
the server: jobs for the hour that the clock shows run on time.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from chaos.api import Api, job_path
from chaos.facts import SECOND, Calendar, Delivery, now
from chaos.false_clock import FalseClock
from chaos.judge import Evidence, judge
from chaos.load import Load, definition, soon
from chaos.sink import Sink, answers, holds
from chaos.stage import Finding, Stage, settled, until

JOBS = 600
SPREAD = 20 * SECOND
HOUR_SECONDS = 3600
# When the clock jumps, in seconds of the true clock after the start, and where to.
JUMPS = ((50, -HOUR_SECONDS), (85, 0), (145, HOUR_SECONDS))
END = 205
IN_FLIGHT = 20
PROBES, SLOW = "probes", "slow"
LATEST = SECOND
AHEAD = 5 * SECOND
# A probe cannot be due at a jump: none arrives for as long before and after it.
LONGEST_SILENCE = 2 * AHEAD + 2 * SECOND
HOLD_SECONDS = 6


async def play(stage: Stage) -> Finding:
    """Let the clock jump with attempts in flight, and judge by what it showed."""
    clock, log = FalseClock(stage.folder), list[Delivery]()
    async with (
        Sink(answers, log) as sink,
        Sink(holds(stage.dice, HOLD_SECONDS, HOLD_SECONDS), log) as slow,
        stage.server(clock.environ) as server,
    ):
        start = soon(15)
        end = start + (HOUR_SECONDS + END) * SECOND
        load = Load(name="load", url=sink.url, count=JOBS, start=start, end=end, spread=SPREAD)
        await load.create(server.api)
        await server.api.create_collections([PROBES, SLOW])
        await until(start)
        probing = asyncio.create_task(_probe(server.api, sink.url, clock, start))
        held = await _jump(stage, server.api, slow, clock, start)
        calendar = {**load.calendar, **held, **await probing}
        is_settled = await settled(server.api, [*load.collections, PROBES, SLOW], 60)
        paths = [
            *load.paths,
            *(job_path(job.partition("-")[0], job) for job in calendar if job not in load.calendar),
        ]
        told = await server.api.tell(paths)
    shown = clock.as_shown(log)
    return Finding(
        scenario=stage.scenario,
        judgement=judge(Evidence(calendar=calendar, deliveries=shown, told=told)),
        observations=_observations(log, start),
        failures=[
            *([] if is_settled else ["some jobs were not settled in the end"]),
            *_failures(log, shown, start),
        ],
    )


async def _jump(stage: Stage, api: Api, slow: Sink, clock: FalseClock, start: int) -> Calendar:
    """Set the clock again and again, each time while a few attempts wait for their answer."""
    held: dict[str, Sequence[int]] = {}
    for number, (second, ahead) in enumerate(JUMPS):
        moment = start + second * SECOND
        await until(moment - 8 * SECOND)
        due = clock.shown_at(now()) // SECOND * SECOND + 5 * SECOND
        jobs = {f"{SLOW}-{number}-{each}": [due] for each in range(IN_FLIGHT)}
        await api.create_jobs(
            {job_path(SLOW, job): definition(slow.url, due) for job in jobs},
        )
        held |= jobs
        await until(moment)
        stage.say(f"the clock goes to {ahead:+d} s with {len(slow.open)} attempts in flight")
        clock.set(ahead)
    return held


async def _probe(api: Api, url: str, clock: FalseClock, start: int) -> Calendar:
    """Create a job every other second, due some seconds later by the clock of the server."""
    probes: dict[str, Sequence[int]] = {}
    while now() < start + (END - 5) * SECOND:
        await asyncio.sleep(2)
        if _is_near_a_jump(now() - start):
            continue  # its time would come an hour too early or too late
        job, due = f"{PROBES}-{len(probes)}", clock.now() // 1000 * 1000 + AHEAD
        await api.create_jobs({job_path(PROBES, job): definition(url, due)})
        probes[job] = [due]
    return probes


def _is_near_a_jump(passed: int) -> bool:
    return any(-AHEAD - 2 * SECOND <= passed - second * SECOND <= 0 for second, _ in JUMPS)


def _observations(log: Sequence[Delivery], start: int) -> list[str]:
    (back, _), (again, _), (ahead, _) = JUMPS
    return [
        (
            f"The clock went back by an hour for {again - back} s, and later an hour ahead; "
            f"{IN_FLIGHT} attempts were in flight at each jump"
        ),
        (
            f"{JOBS} recurring jobs made {_count(log, start, back, again)} requests in the "
            f"{again - back} s after the jump back, since their times had been shown before, and "
            f"{_count(log, start, ahead, END)} in the {END - ahead} s after the jump ahead"
        ),
        (
            f"The longest time without any request was {_silence(log) / SECOND:.1f} s, the most "
            f"requests in a second were {_most_in_a_second(log)}"
        ),
    ]


def _failures(log: Sequence[Delivery], shown: Sequence[Delivery], start: int) -> list[str]:
    failures: list[str] = []
    late = [each for each in shown if each.arrived - each.expected > LATEST]
    if any(each.job.startswith(PROBES) for each in late):
        failures.append("jobs for the time that the clock showed were late by more than a second")
    if _silence(log) > LONGEST_SILENCE:
        failures.append(f"there was silence for {_silence(log) / SECOND:.1f} s")
    for second, _ in JUMPS:
        if _count(log, start, second, second + 20) > JOBS:
            failures.append(f"a storm followed the jump after {second} s")
    return failures


def _count(log: Sequence[Delivery], start: int, first: int, last: int) -> int:
    """Count the requests of recurring jobs between two seconds after the start."""
    return sum(
        first * SECOND <= each.arrived - start < last * SECOND
        for each in log
        if each.job.startswith("load")
    )


def _silence(log: Sequence[Delivery]) -> int:
    arrived = sorted(each.arrived for each in log)
    return max((later - earlier for earlier, later in pairwise(arrived)), default=0)


def _most_in_a_second(log: Sequence[Delivery]) -> int:
    return max(Counter(each.arrived // SECOND for each in log).values(), default=0)
