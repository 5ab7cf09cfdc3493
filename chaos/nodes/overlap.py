"""Jobs whose runs must not overlap, at slow targets that fail at times, while nodes are killed."""

import asyncio
from typing import Any

from chaos import register
from chaos.api import job_path
from chaos.cluster import Cluster, cluster, database
from chaos.facts import MINUTE, SECOND, Break, Calendar, Delivery, now, written
from chaos.judge import Evidence, judge
from chaos.load import definition, soon
from chaos.nodes.killed import Killer
from chaos.overlaps import overlaps
from chaos.sink import Sink, holds_and_fails
from chaos.stage import Finding, Stage, comes_true, until

JOBS_OF_EACH = 60
MINUTES = 4
SECONDS_TO_SETTLE = 600
_POLICIES = ("queue", "skip")


async def play(stage: Stage, minutes: int = MINUTES) -> Finding:
    """Kill nodes again and again while runs last longer than their interval at times."""
    log: list[Delivery] = []
    async with (
        Sink(holds_and_fails(stage.dice, 5, 40, 0.3), log) as sink,
        database(stage) as postgres,
        cluster(stage, postgres) as nodes,
    ):
        start = soon(30)
        end = start + minutes * MINUTE
        jobs = {
            f"{policy}-{number}": start + number * MINUTE // JOBS_OF_EACH // 1000 * 1000
            for policy in _POLICIES
            for number in range(JOBS_OF_EACH)
        }
        await _create(nodes, jobs, sink.url, end)
        await until(start + 2 * SECOND)
        doubles: list[str] = []
        watch = asyncio.create_task(_watch(postgres.url, doubles))
        kills = await Killer(nodes, sink).work_until(end)
        is_settled = await comes_true(lambda: _is_settled(postgres.url), SECONDS_TO_SETTLE)
        watch.cancel()
        stage.say("settled" if is_settled else "NOT settled")
        calendar: Calendar = {job: range(first, end + 1, MINUTE) for job, first in jobs.items()}
        stored = await asyncio.to_thread(register.told, postgres.url)
        evidence = Evidence(
            calendar=calendar, deliveries=log, told=stored, breaks=kills, must_succeed=False
        )
        return _finding(stage, evidence, doubles, is_settled=is_settled)


async def _create(nodes: Cluster, jobs: dict[str, int], url: str, end: int) -> None:
    await nodes.api.create_collections(_POLICIES)
    bodies = {
        job_path(name.partition("-")[0], name): _job(name.partition("-")[0], url, first, end)
        for name, first in jobs.items()
    }
    await nodes.api.create_jobs(bodies)


def _job(policy: str, url: str, first: int, end: int) -> Any:
    recurrence = {"frequency": "minute", "interval": 1, "endTime": written(end)}
    job = definition(url, first, recurrence, retries=True)
    retries = {"retryType": "fixed", "retryInterval": "PT15S", "retryCount": 1}
    job["properties"]["action"]["retryPolicy"] = retries
    job["properties"]["policy"] = {"overlap": policy}
    return job


async def _watch(url: str, found: list[str]) -> None:
    """Look for jobs with two runs in progress in the database, until cancelled."""
    while True:
        count = await asyncio.to_thread(register.count_overlapping, url)
        if count:
            found.append(f"{count} jobs had two runs in progress at {written(now())}")
        await asyncio.sleep(0.5)


async def _is_settled(url: str) -> bool:
    return not await asyncio.to_thread(register.count_open, url, "")


def _finding(stage: Stage, evidence: Evidence, doubles: list[str], *, is_settled: bool) -> Finding:
    judgement = judge(evidence)
    breaks: list[Break] = [*evidence.breaks]
    queued = sum(late > MINUTE // 2 for late in judgement.lateness)
    return Finding(
        scenario=stage.scenario,
        judgement=judgement,
        kills=len(breaks),
        observations=[
            (
                f"{JOBS_OF_EACH} jobs with overlap queue and {JOBS_OF_EACH} with overlap skip; "
                f"{judgement.skipped} occurrences were skipped, {queued} began half a minute late "
                "or later"
            )
        ],
        failures=[
            *([] if is_settled else ["some jobs were not settled in the end"]),
            *([] if judgement.skipped and queued else ["nothing overlapped: nothing was tried"]),
            *overlaps(evidence.deliveries, breaks),
            *doubles,
        ],
    )
