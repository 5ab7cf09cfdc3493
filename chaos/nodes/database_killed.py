"""PostgreSQL killed, or stopped at once without a checkpoint, and started again; several times."""

import asyncio
from collections.abc import Sequence

from msgspec import Struct

from chaos.api import Api, job_path
from chaos.cluster import Seen, cluster, database
from chaos.facts import SECOND, Break, Delivery, now
from chaos.load import definition
from chaos.sink import Sink, holds
from chaos.stage import Finding, Stage, until

PER_SECOND = 100
SECONDS = 75
# When, in seconds after the start; for how long; and whether by kill -9.
BREAKS = ((8, 6.0, True), (28, 3.0, False), (48, 10.0, True))
BACK_SECONDS = 10
PROBES = "probes"


class Probe(Struct, frozen=True):
    """A job that a client tried to create, or to read; and how a node answered."""

    name: str
    at: int
    answered: int
    is_writing: bool
    status: int
    retry_after: str | None


async def play(stage: Stage) -> Finding:
    """Break the database again and again; a client goes on calling the nodes all the while."""
    log: list[Delivery] = []
    async with (
        Sink(holds(stage.dice, 0.2, 0.6), log) as sink,
        database(stage) as postgres,
        cluster(stage, postgres) as nodes,
    ):
        load = await nodes.load(sink.url, PER_SECOND, SECONDS)
        await nodes.api.create_collections([PROBES])
        probing = asyncio.create_task(_probe(nodes.api, sink.url, load.start, load.end))
        breaks: list[Break] = []
        for second, away, by_kill in BREAKS:
            await until(load.start + second * SECOND)
            breaks.append(
                await postgres.break_down(away, by_kill=by_kill, in_flight=len(sink.open))
            )
            took = (breaks[-1].until - breaks[-1].at) / SECOND
            stage.say(f"the database was away for {took:.1f} s")
        probes = await probing
        await until(load.end)
        finding = await nodes.finding(
            load,
            log,
            Seen(
                breaks=breaks,
                delays=[each.until for each in breaks],
                observations=_observations(probes, breaks, log),
                failures=_failures(probes, breaks, log),
            ),
        )
        kept = await nodes.api.tell(
            [job_path(PROBES, each.name) for each in probes if each.is_writing]
        )
        finding.failures.extend(_broken_promises(probes, set(kept)))
        return finding


async def _probe(api: Api, url: str, start: int, end: int) -> list[Probe]:
    """Create a job, and read one, every tenth of a second; all are due long after the end."""
    await until(start)
    calls: list[asyncio.Task[Probe]] = []
    due = end + 3600 * SECOND
    while now() < end - 5 * SECOND:
        name = f"probe-{len(calls)}"
        calls.append(asyncio.create_task(_call(api, name, definition(url, due))))
        calls.append(asyncio.create_task(_call(api, name, None)))
        await asyncio.sleep(0.1)
    return list(await asyncio.gather(*calls))


async def _call(api: Api, name: str, body: object) -> Probe:
    at, method = now(), "PUT" if body else "GET"
    path = job_path(PROBES, name) if body else job_path("load-0", "load-0")
    status, _, headers = await api.ask(method, path, body)
    return Probe(name, at, now(), bool(body), status, headers.get("retry-after"))


def _observations(
    probes: Sequence[Probe], breaks: Sequence[Break], log: Sequence[Delivery]
) -> list[str]:
    refused = [probe for probe in probes if probe.status == 503]
    away = "; ".join(
        f"for {(each.until - each.at) / SECOND:.1f} s with {each.in_flight} attempts in flight, "
        f"and {_sent_after(each, log) / SECOND:.1f} s after its return a request was sent"
        for each in breaks
    )
    slowest = max((probe.answered - probe.at for probe in refused), default=0)
    return [
        f"The database was away {away}",
        (
            f"Of {len(probes)} calls meanwhile {len(refused)} were answered with 503 and "
            f"Retry-After, the slowest after {slowest / SECOND:.1f} s, the others well"
        ),
    ]


def _sent_after(broken: Break, log: Sequence[Delivery]) -> int:
    back = [each.arrived for each in log if each.arrived > broken.until]
    return min(back, default=now()) - broken.until


def _failures(
    probes: Sequence[Probe], breaks: Sequence[Break], log: Sequence[Delivery]
) -> list[str]:
    failures: list[str] = []
    if odd := {probe.status for probe in probes} - {200, 201, 503}:
        failures.append(f"calls were answered with {sorted(odd)}, not 200, 201 or 503")
    if any(probe.status == 503 and not probe.retry_after for probe in probes):
        failures.append("an answer of 503 had no Retry-After")
    for broken in breaks:
        if not any(each.status == 503 and _is_within(each, broken) for each in probes):
            failures.append("no call was answered with 503 while the database was away")
        if _sent_after(broken, log) > BACK_SECONDS * SECOND:
            failures.append(f"nothing was sent for {BACK_SECONDS} s after the database's return")
    return failures


def _is_within(probe: Probe, broken: Break) -> bool:
    return broken.at <= probe.at <= probe.answered <= broken.until


def _broken_promises(probes: Sequence[Probe], kept: set[str]) -> list[str]:
    promised = {probe.name for probe in probes if probe.status == 201}
    refused = {probe.name for probe in probes if probe.is_writing and probe.status == 503}
    return [
        *(f"{name} was answered with 201, and is gone" for name in promised - kept),
        *(f"{name} was answered with 503, and is there" for name in refused & kept),
    ]
