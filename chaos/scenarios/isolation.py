"""Half of the jobs call a target that never answers; the other half must not notice."""

import asyncio

from chaos.facts import MINUTE, SECOND
from chaos.judge import Evidence, Judgement, joined, judge, percentile
from chaos.load import Load, soon
from chaos.sink import Sink, answers, hangs_until
from chaos.stage import Finding, Stage, settled, until

JOBS = 500
MINUTES = 3
LATEST = SECOND


async def play(stage: Stage) -> Finding:
    """Let all jobs be due at the same instants, and measure those that have a healthy target.

    In the end the other target answers, so that nothing is left to wait for and all is judged.
    """
    released = asyncio.Event()
    async with (
        Sink(answers, []) as healthy,
        Sink(hangs_until(released), []) as hanging,
        stage.server() as server,
    ):
        start = soon(15)
        end = start + MINUTES * MINUTE
        well, ill = (
            Load(name=name, url=sink.url, count=JOBS, start=start, end=end, spread=0, retries=True)
            for name, sink in (("healthy", healthy), ("hanging", hanging))
        )
        for load in (well, ill):
            await load.create(server.api)
        for minute in range(MINUTES + 1):
            await until(start + minute * MINUTE + 5 * SECOND)
            stage.say(f"minute {minute}: {len(healthy.log)} healthy, {len(hanging.log)} hang")
        released.set()
        collections = [*well.collections, *ill.collections]
        is_settled = await settled(server.api, collections, 150)
        told = await server.api.tell([*well.paths, *ill.paths])
    healthy_ones = judge(Evidence(calendar=well.calendar, deliveries=healthy.log, told=told))
    others = judge(
        Evidence(calendar=ill.calendar, deliveries=hanging.log, told=told, must_succeed=False)
    )
    return Finding(
        scenario=stage.scenario,
        judgement=joined(healthy_ones, others),
        observations=_observations(others),
        failures=_failures(healthy_ones, is_settled=is_settled),
    )


def _observations(others: Judgement) -> list[str]:
    return [
        (
            f"The lateness is that of {JOBS} jobs with a healthy target, due at the same "
            f"{MINUTES + 1} instants as {JOBS} jobs with a target that never answers"
        ),
        (
            f"For the target that never answers {others.sent} occurrences were sent, "
            f"{others.skipped} skipped, and {others.duplicated} attempts were retries"
        ),
    ]


def _failures(healthy: Judgement, *, is_settled: bool) -> list[str]:
    failures = [] if is_settled else ["some jobs were not settled in the end"]
    if percentile(healthy.lateness, 0.99) >= LATEST:
        failures.append("the healthy jobs' p99 lateness is not under a second")
    return failures
