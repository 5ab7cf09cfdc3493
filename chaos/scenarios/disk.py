"""A disk that fills up under load, stays full for longer than a lease, and has room again."""

import asyncio
import os
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from chaos.api import Api, job_path
from chaos.facts import SECOND, Break, Calendar, now
from chaos.judge import Evidence, judge
from chaos.load import Load, definition, soon
from chaos.namespace import small_disk
from chaos.sink import Sink, holds
from chaos.stage import Finding, Stage, settled, until

PER_SECOND = 100
SECONDS = 75
MEBIBYTES = 96
FULL_SECONDS = 20
PATIENCE_SECONDS = 40
PROBES = "probes"


class Probe(Struct, frozen=True):
    """A job that a client tried to create, and how the server answered."""

    name: str
    at: int
    status: int
    reading: int


async def play(stage: Stage) -> Finding:
    """Fill the disk, make room again, and judge; a client goes on creating jobs all the while."""
    with small_disk(stage.data, MEBIBYTES):
        return await _play(stage)


async def _play(stage: Stage) -> Finding:
    async with Sink(holds(stage.dice, 0.2, 0.6), []) as sink, stage.server() as server:
        start = soon(20)
        load = Load(
            name="load",
            url=sink.url,
            count=PER_SECOND * 60,
            start=start,
            end=start + SECONDS * SECOND,
        )
        await load.create(server.api)
        await server.api.create_collections([PROBES])
        await until(start + 10 * SECOND)
        probes: list[Probe] = []
        probing = asyncio.create_task(_probe(server.api, sink.url, load.end, probes))
        full = await _fill(stage, probes, len(sink.open))
        await probing
        is_settled = await settled(server.api, [*load.collections, PROBES], SECONDS)
        paths = [*load.paths, *(job_path(PROBES, probe.name) for probe in probes)]
        told = await server.api.tell(paths)
    accepted = [probe for probe in probes if probe.status == 201]
    calendar: Calendar = {
        **load.calendar,
        **{probe.name: [load.end] for probe in accepted},
    }
    evidence = Evidence(calendar=calendar, deliveries=sink.log, told=told, breaks=[full])
    return Finding(
        scenario=stage.scenario,
        judgement=judge(evidence),
        observations=[_observation(probes, full)],
        failures=[
            *([] if is_settled else ["some jobs were not settled in the end"]),
            *_failures(probes, full),
        ],
    )


async def _fill(stage: Stage, probes: list[Probe], in_flight: int) -> Break:
    """Take all the room there is, until the server has refused writes for long enough."""
    balloon = stage.data / "balloon"
    at, refused_since = now(), None
    stage.say("the disk is full")
    while refused_since is None or now() < refused_since + FULL_SECONDS * SECOND:
        # What SQLite frees by a checkpoint is room again.
        _inflate(balloon)
        await asyncio.sleep(0.05)
        if refused_since is None and probes and probes[-1].status == 503:
            refused_since = now()
            stage.say(f"writes are refused, {(refused_since - at) / SECOND:.1f} s later")
        if refused_since is None and now() > at + PATIENCE_SECONDS * SECOND:
            break
    balloon.unlink()
    stage.say("the disk has room again")
    return Break(at=at, until=now(), in_flight=in_flight)


def _inflate(balloon: Path) -> None:
    found = os.statvfs(balloon.parent)
    with balloon.open("ab") as file, suppress(OSError):
        # The server may be quicker to take what is free.
        os.posix_fallocate(file.fileno(), file.tell(), found.f_bavail * found.f_frsize)


async def _probe(api: Api, url: str, end: int, probes: list[Probe]) -> None:
    """Create a job every tenth of a second, all due at the end; and read one each time."""
    while now() < end - 5 * SECOND:
        name, at = f"probe-{len(probes)}", now()
        status, _ = await api.call("PUT", job_path(PROBES, name), definition(url, end))
        reading, _ = await api.call("GET", job_path("load-0", "load-0"))
        probes.append(Probe(name, at, status, reading))
        await asyncio.sleep(0.1)


def _observation(probes: list[Probe], full: Break) -> str:
    accepted = sum(probe.status == 201 for probe in probes)
    refused = sum(probe.status == 503 for probe in probes)
    read = sum(probe.reading == 200 for probe in probes)
    return (
        f"Of {len(probes)} jobs that a client created meanwhile {accepted} were accepted and "
        f"{refused} refused with 503; {read} of {len(probes)} readings of a job were answered; "
        f"the first was accepted {_back_after(probes, full) / SECOND:.1f} s after there was room"
    )


def _back_after(probes: list[Probe], full: Break) -> int:
    back = (probe.at for probe in probes if probe.at > full.until and probe.status == 201)
    return next(back, full.until) - full.until


def _failures(probes: list[Probe], full: Break) -> list[str]:
    failures: list[str] = []
    if odd := {probe.status for probe in probes} - {201, 503}:
        failures.append(f"writes were answered with {sorted(odd)}, not 201 or 503")
    if any(probe.reading != 200 for probe in probes):
        failures.append("a job could not be read meanwhile")
    if not any(probe.status == 503 for probe in probes):
        failures.append("no write was refused: the disk was not full")
    if not any(probe.at > full.until and probe.status == 201 for probe in probes):
        failures.append("writes were refused although there was room again")
    return failures
