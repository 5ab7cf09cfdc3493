"""Tenants of the same server who take more than their share."""

import asyncio

from chaos.dns import ADDRESS, SILENCE, UNKNOWN, open_name_server
from chaos.facts import SECOND
from chaos.judge import Evidence, judge
from chaos.load import Load, soon
from chaos.namespace import resolve_through
from chaos.server import Server
from chaos.sink import Sink, answers, hangs_until, holds
from chaos.stage import Stage, settled, until
from hostile.attack import Attack, Result
from hostile.bystanders import bystanders, judged, with_more
from hostile.client import Client
from hostile.requests import (
    accepted,
    attackers_job,
    http_job,
    make_collection,
    put_all,
)
from hostile.wire import listening, read_request

JOBS = 600
SECONDS = 15
RUNS = 3000
# A plan that allows one run an hour need not allow so many by hand, in half a minute.
MOST_RUNS = 300
SILENT_NAMES = 120
HERD = 1000
HISTORY_JOBS, HISTORY_EACH = 90, 1000
QUOTAS = 10


async def ports_written_anew(stage: Stage) -> Result:
    """Name one hanging target in 600 ways, so that it seems to be 600."""
    released = asyncio.Event()
    async with (
        Sink(hangs_until(released), []) as hanging,
        stage.server() as server,
        Client(server.port) as client,
        bystanders(server) as others,
    ):
        await make_collection(server)
        before = await others.fare()
        hosts = (
            "127.0.0.1",
            "127.1",
            "0x7f000001",
            "2130706433",
            "0177.0.0.1",
            "[::ffff:127.0.0.1]",
        )
        start = soon(20)
        jobs = {
            f"port-{i}": http_job(
                f"http://{hosts[i % len(hosts)]}:{hanging.port:0{5 + i // len(hosts)}}/", start
            )
            for i in range(JOBS)
        }
        made = accepted(await put_all(client, jobs))
        planned = await others.plan(SECONDS, start)
        after = await planned.fare()
        calls = len(hanging.log)
        released.set()
    return judged(
        f"jobs at one hanging target, its address written in {JOBS} ways",
        len(made),
        f"{calls} requests to it at a time",
        (before, after),
    )


async def silent_names(stage: Stage) -> Result:
    """Call names that nobody answers for."""

    def address(name: str) -> str:
        if name == "well.hostile.test":
            return "127.0.0.1"
        return SILENCE if name.startswith("silent") else UNKNOWN

    resolve_through(ADDRESS, stage.folder)
    names = await open_name_server(address)
    async with (
        stage.server() as server,
        Client(server.port) as client,
        bystanders(server, "well.hostile.test") as others,
    ):
        await make_collection(server)
        before = await others.fare()
        start = soon(15)
        jobs = {
            f"name-{i}": http_job(f"http://silent-{i}.hostile.test/", start)
            for i in range(SILENT_NAMES)
        }
        made = accepted(await put_all(client, jobs))
        # A name that was resolved before is remembered for a minute.
        planned = await others.plan(SECONDS + 5, start)
        after = await planned.fare()
    names.close()
    return judged("jobs at names that nobody answers for", len(made), "", (before, after))


async def few_descriptors(stage: Stage) -> Result:
    """Let a thousand jobs be due at once on a server with 256 descriptors."""
    async with (
        Sink(holds(stage.dice, 0.3, 0.6), []) as sink,
        stage.server(limits=["--nofile=256:256"]) as server,
    ):
        start = soon(20)
        load = Load(
            name="herd", url=sink.url, count=HERD, start=start, end=start + SECOND, spread=0
        )
        await load.create(server.api)
        await until(start)
        is_settled = await settled(server.api, load.collections, 60)
        told = await server.api.tell(load.paths)
    judgement = judge(Evidence(calendar=load.calendar, deliveries=sink.log, told=told))
    worst = max(judgement.lateness, default=0)
    return Result(
        tried="jobs due at once on a server with 256 descriptors",
        count=HERD,
        happened=f"{judgement.sent} sent, {judgement.lost} lost, {worst / SECOND:.1f} s late",
        objections=[
            *([] if is_settled else ["some jobs were not settled in the end"]),
            *judgement.problems,
        ],
    )


async def kept_connections(stage: Stage) -> Result:
    """Leave hundreds of connections open or hanging, on a server with 512 descriptors."""
    opened = 0

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal opened
        opened += 1
        head = await read_request(reader)
        if head.startswith("POST /hang"):
            await asyncio.sleep(40)
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
        await writer.drain()
        await asyncio.sleep(60)

    async with (
        listening(answer, "0.0.0.0") as port,
        stage.server(limits=["--nofile=512:512"]) as server,
        Client(server.port) as client,
        bystanders(server) as others,
    ):
        await make_collection(server)
        before = await others.fare()
        start = soon(20)
        jobs = {
            f"kept-{i}": http_job(
                f"http://127.1.{i // 250}.{i % 250 + 1}:{port}/{'hang' if i % 2 else ''}",
                start + i * 4000,
            )
            for i in range(900)
        }
        made = accepted(await put_all(client, jobs))
        planned = await others.plan(SECONDS, start)
        after = await planned.fare()
    return judged(
        "targets at 900 addresses that keep connections open or hang, with 512 descriptors",
        len(made),
        f"{opened} connections",
        (before, after),
    )


async def runs_by_hand(stage: Stage) -> Result:
    """Run a job by hand 3,000 times whose plan allows one run an hour."""
    async with (
        Sink(answers, []) as sink,
        stage.server() as server,
        Client(server.port) as client,
        bystanders(server) as others,
    ):
        before = await others.fare()
        statuses = await _run_free_jobs(server, client, sink.url, RUNS)
        planned = await others.plan(5)
        after = await planned.fare()
    taken = statuses.count(200)
    found = judged(
        "a job of the Free plan run by hand",
        RUNS,
        f"{taken} accepted, {len(sink.log)} sent",
        (before, after),
    )
    return with_more(found, [f"{taken} runs were accepted"] if taken > MOST_RUNS else [])


async def runs_that_hang(stage: Stage) -> Result:
    """Run four jobs of the Free plan by hand 160 times each, at a target that never answers."""
    released = asyncio.Event()
    async with (
        Sink(hangs_until(released), []) as hanging,
        stage.server() as server,
        Client(server.port) as client,
        bystanders(server) as others,
    ):
        before = await others.fare()
        statuses = await _run_free_jobs(server, client, hanging.url, 640)
        after = await others.fare(SECONDS)
        calls = len(hanging.log)
        released.set()
    return judged(
        "four jobs of the Free plan run by hand 160 times each, at a hanging target",
        640,
        f"{statuses.count(200)} accepted, {calls} requests",
        (before, after),
    )


async def _run_free_jobs(server: Server, client: Client, url: str, runs: int) -> list[int]:
    await make_collection(server, plan="Free")
    names = [f"free-{i}" for i in range(4)]
    await put_all(client, {name: http_job(url, soon(36000)) for name in names})
    numbers, statuses = iter(range(runs)), list[int]()

    async def work() -> None:
        for number in numbers:
            path = f"{attackers_job(names[number % len(names)])}/run"
            statuses.append((await client.call("POST", path)).status)

    async with asyncio.TaskGroup() as group:
        for _ in range(16):
            group.create_task(work())
    return statuses


ATTACKS: dict[str, Attack] = {
    "ports-written-anew": ports_written_anew,
    "silent-names": silent_names,
    "few-descriptors": few_descriptors,
    "kept-connections": kept_connections,
    "runs-by-hand": runs_by_hand,
    "runs-that-hang": runs_that_hang,
}
