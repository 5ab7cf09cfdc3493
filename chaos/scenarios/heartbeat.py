"""The renewal of leases meets an error that no database knows, for less and for more than a lease.

Whoever renews them must go on afterwards. `/readyz` must say that something is wrong when it lasts
for more than a lease, and a while later that all is well.
"""

import asyncio
from collections.abc import Sequence

from msgspec import Struct

from chaos.facts import SECOND, Break, Delivery, now
from chaos.injected import Injection
from chaos.judge import Evidence, judge
from chaos.load import Load, soon
from chaos.server import Server
from chaos.sink import Sink, holds
from chaos.stage import Finding, Stage, comes_true, settled, until

PER_SECOND = 60
SECONDS = 130
# When, in seconds after the start, and for how long; a lease lasts 15 seconds.
FAULTS = ((5, 8), (25, 25))
LEASE_SECONDS = 15
# What has failed again and again is believed to be well after a minute without.
BACK_WITHIN = 75


class Fault(Struct, frozen=True):
    """A time without renewals, and what `/readyz` said in it and after it."""

    broken: Break
    problems: frozenset[str]
    is_over: bool

    @property
    def said(self) -> str:
        """What `/readyz` said of it."""
        return "; ".join(sorted(self.problems)) or "nothing"


async def play(
    stage: Stage, faults: Sequence[tuple[int, int]] = FAULTS, seconds: int = SECONDS
) -> Finding:
    """Let the renewal fail again and again, and judge."""
    log: list[Delivery] = []
    injection = Injection(stage.folder)
    async with (
        Sink(holds(stage.dice, 1, 3), log) as sink,
        stage.server(injection.environ) as server,
    ):
        start = soon(20)
        load = Load(
            name="load",
            url=sink.url,
            count=PER_SECOND * 60,
            start=start,
            end=start + seconds * SECOND,
        )
        await load.create(server.api)
        seen: list[Fault] = []
        for second, lasting in faults:
            await until(start + second * SECOND)
            seen.append(await _fail(server, sink, injection, lasting))
            stage.say(f"failed for {lasting} s: {seen[-1].said}")
        await until(load.end)
        is_settled = await settled(server.api, load.collections, 60)
        told = await server.api.tell(load.paths)
    return Finding(
        scenario=stage.scenario,
        judgement=judge(
            Evidence(
                calendar=load.calendar,
                deliveries=log,
                told=told,
                breaks=[fault.broken for fault in seen],
            )
        ),
        observations=[
            (
                f"The renewal of leases failed for {lasting} s with {fault.broken.in_flight} "
                f"attempts in flight; `/readyz` said: {fault.said}"
            )
            for (_, lasting), fault in zip(faults, seen, strict=True)
        ],
        failures=[
            *([] if is_settled else ["some jobs were not settled in the end"]),
            *(
                f"`/readyz` said nothing of it in {lasting} s"
                for (_, lasting), fault in zip(faults, seen, strict=True)
                if not fault.problems and lasting > LEASE_SECONDS
            ),
            *(
                f"`/readyz` was not well again {BACK_WITHIN} s later"
                for fault in seen
                if not fault.is_over
            ),
        ],
    )


async def _fail(server: Server, sink: Sink, injection: Injection, lasting: int) -> Fault:
    at, in_flight, problems = now(), len(sink.open), set[str]()
    injection.switch(on=True)
    while now() < at + lasting * SECOND:
        await asyncio.sleep(0.5)
        problems |= {f"{part} {what}" for part, what in (await server.problems()).items()}
    injection.switch(on=False)

    async def is_ready() -> bool:
        return not await server.problems()

    broken = Break(at=at, until=now(), in_flight=in_flight)
    is_over = await comes_true(is_ready, BACK_WITHIN)
    return Fault(broken, frozenset(problems), is_over)
