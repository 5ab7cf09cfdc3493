"""The process that sends requests, alone: stopped, made to spin, and killed, under load.

The server itself goes on all the while, and must put another one in its place.
"""

import asyncio
import os
import signal
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from chaos.facts import SECOND, Break, Delivery, now
from chaos.injected import Injection
from chaos.judge import Evidence, judge
from chaos.load import Load, soon
from chaos.server import Server, is_running
from chaos.sink import Sink, holds
from chaos.stage import Finding, Stage, comes_true, settled, until

PER_SECOND = 100
TIMEOUT_SECONDS = 5
# A request may take its timeout; some seconds later the process that owes its answer is given up.
REPLACED_WITHIN = TIMEOUT_SECONDS + 18
ON_TIME_WITHIN = REPLACED_WITHIN + 7
KILLED, STOPPED, SPUN = signal.SIGKILL, signal.SIGSTOP, signal.SIGUSR2
# When, in seconds after the start, and how.
FAULTS = (
    *((5, KILLED), (8, KILLED), (11, STOPPED), (40, SPUN), (70, KILLED)),
    *((71, KILLED), (75, STOPPED), (105, SPUN)),
)
SECONDS = 140

_NAMES = {KILLED: "killed", STOPPED: "stopped", SPUN: "spinning"}


class Fault(Struct, frozen=True):
    """What happened to one of these processes, and when another one was there."""

    kind: signal.Signals
    broken: Break
    is_replaced: bool
    used_seconds: float


async def play(
    stage: Stage, faults: Sequence[tuple[int, signal.Signals]] = FAULTS, seconds: int = SECONDS
) -> Finding:
    """Break the sending process again and again, and judge."""
    log: list[Delivery] = []
    told = {"FOLIOT_HTTP_TIMEOUT_SECONDS": str(TIMEOUT_SECONDS)}
    environ = Injection(stage.folder).environ | told
    async with Sink(holds(stage.dice, 0.2, 0.6), log) as sink, stage.server(environ) as server:
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
        for second, kind in faults:
            await until(start + second * SECOND)
            seen.append(await _break(server, sink, kind))
            took = (seen[-1].broken.until - seen[-1].broken.at) / SECOND
            in_flight = seen[-1].broken.in_flight
            stage.say(f"{_NAMES[kind]} with {in_flight} in flight, replaced after {took:.1f} s")
        await until(load.end)
        is_settled = await settled(server.api, load.collections, 60)
        told_by_api = await server.api.tell(load.paths)
        has_ended = server.running.poll() is not None
    breaks = [fault.broken for fault in seen]
    judgement = judge(
        Evidence(calendar=load.calendar, deliveries=log, told=told_by_api, breaks=breaks)
    )
    return Finding(
        scenario=stage.scenario,
        judgement=judgement,
        kills=sum(fault.kind == KILLED for fault in seen),
        observations=[_observation(kind, seen) for kind in _NAMES],
        failures=[
            *([] if is_settled else ["some jobs were not settled in the end"]),
            *(["the server itself has ended"] if has_ended else []),
            *_failures(seen, max(judgement.lateness, default=0)),
        ],
    )


async def _break(server: Server, sink: Sink, kind: signal.Signals) -> Fault:
    """Hit all processes that the server has started; wait until others are in their place."""
    victims = server.children
    at, in_flight, used = now(), len(sink.open), _processor_seconds(victims)
    for victim in victims:
        os.kill(victim, kind)
    if kind == SPUN:
        await asyncio.sleep(2)
        used = _processor_seconds(victims) - used

    async def are_replaced() -> bool:
        return bool(server.children) and not any(map(is_running, victims))

    is_replaced = await comes_true(are_replaced, REPLACED_WITHIN)
    # The scenario goes on as if it had been.
    for victim in filter(is_running, victims):
        os.kill(victim, signal.SIGKILL)
    # What was sent before is still on its way.
    await asyncio.sleep(0.5)
    return Fault(kind, Break(at=at, until=now(), in_flight=in_flight), is_replaced, used)


def _processor_seconds(processes: Sequence[int]) -> float:
    """Return how long processes have kept a processor busy so far."""
    ticks = 0
    for process in filter(is_running, processes):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _observation(kind: signal.Signals, faults: Sequence[Fault]) -> str:
    own = [fault.broken for fault in faults if fault.kind == kind]
    longest = max((each.until - each.at for each in own), default=0)
    in_flight = sum(each.in_flight for each in own)
    return (
        f"{_NAMES[kind].capitalize()} {len(own)} times with {in_flight} attempts in flight in all; "
        f"another process was there after {longest / SECOND:.1f} s at most"
    )


def _failures(faults: Sequence[Fault], latest: int) -> list[str]:
    failures = [
        f"a process that was {_NAMES[fault.kind]} was not replaced within {REPLACED_WITHIN} s"
        for fault in faults
        if not fault.is_replaced
    ]
    if any(fault.kind == SPUN and fault.used_seconds < 0.2 for fault in faults):
        failures.append("a process that was made to spin did not")
    if latest > ON_TIME_WITHIN * SECOND:
        failures.append(f"a request was sent {latest / SECOND:.1f} s late, not {ON_TIME_WITHIN} s")
    return failures
