"""Tenants whose collections are so large that a change of them is long work for the server."""

import asyncio
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from chaos.api import collection_path
from chaos.facts import MINUTE
from chaos.load import soon
from chaos.sink import Sink, answers
from chaos.stage import Stage, comes_true
from hostile.attack import Attack, Result
from hostile.bystanders import bystanders, judged, with_more
from hostile.client import Answer, Browser, Client
from hostile.probe import calm, probing
from hostile.requests import COLLECTION, accepted, have_run, http_job, make_collection, put_all

HISTORY_JOBS, HISTORY_EACH = 90, 1000
QUOTAS = 10


async def history_deleted(stage: Stage) -> Result:
    """Delete a collection with 90,000 entries of history."""
    async with Sink(answers, []) as sink:
        async with stage.server() as server, Client(server.port) as client:
            await make_collection(server)
            names = [f"old-{i}" for i in range(HISTORY_JOBS)]
            await put_all(client, {name: http_job(sink.url) for name in names})
            await comes_true(lambda: have_run(server, names), 30)
        entries = await asyncio.to_thread(_multiply_history, stage.data / "foliot.db")
        async with (
            stage.server() as server,
            Client(server.port) as client,
            bystanders(server) as others,
        ):
            before, quick = await others.fare(), await calm(server.port)
            planned = await others.plan(10)
            await asyncio.sleep(3)
            async with probing(server.port) as seen:
                gone = await client.call("DELETE", collection_path(COLLECTION))
                after = await planned.fare()
            left = await client.call("GET", collection_path(COLLECTION))
    found = judged(
        f"a collection with {entries} entries of history, deleted",
        1,
        f"answered with {gone.status} after {gone.seconds:.1f} s; {seen}",
        (before, after),
    )
    wrong = [*seen.objections(quick)]
    if (gone.status, left.status) != (200, 404):
        wrong.append(f"DELETE was answered with {gone.status}, GET afterwards with {left.status}")
    return with_more(found, wrong)


def _multiply_history(database: Path) -> int:
    """Make many entries of each that is there, in the database of a server that has stopped."""
    with closing(sqlite3.connect(database)) as connection, connection:
        columns = [row[1] for row in connection.execute("PRAGMA table_info(history)") if not row[5]]
        names = ", ".join(columns)
        connection.execute(
            f"INSERT INTO history ({names}) WITH RECURSIVE n(i) AS "  # noqa: S608  (the columns' names)
            f"(SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {HISTORY_EACH - 1}) "
            f"SELECT {names} FROM history, n"
        )
        (count,) = connection.execute("SELECT count(*) FROM history").fetchone()
        return int(count)


async def quotas_changed(stage: Stage) -> Result:
    """Change the quota of a collection with a thousand jobs again and again."""
    async with (
        stage.server() as server,
        Client(server.port) as client,
        bystanders(server) as others,
    ):
        await make_collection(server)
        start = soon(36000)
        schedule = {"minutes": list(range(60)), "hours": list(range(24))}
        weekly = {"frequency": "week", "interval": 1, "schedule": schedule}
        jobs = {f"many-{i}": _recurring("http://127.0.0.1:9/", start, weekly) for i in range(1000)}
        made = accepted(await put_all(client, jobs))
        before, quick = await others.fare(), await calm(server.port)
        planned = await others.plan(10)
        async with probing(server.port) as seen:
            statuses = [(await _set_quota(client, 900 + i)).status for i in range(QUOTAS)]
            statuses += [(await _set_quota(client, 1000)).status for _ in range(QUOTAS)]
            after = await planned.fare()
    found = judged(
        f"the quota of a collection of {len(made)} jobs changed",
        2 * QUOTAS,
        f"answered with {sorted(set(statuses))}; {seen}",
        (before, after),
    )
    return with_more(found, seen.objections(quick))


async def _set_quota(client: Client, most: int) -> Answer:
    quota = {"maxJobCount": most, "maxRecurrence": {"frequency": "minute", "interval": 1}}
    return await client.call("PATCH", collection_path(COLLECTION), {"properties": {"quota": quota}})


async def schedules_shown(stage: Stage) -> Result:
    """Look at the pages of jobs with very many counted occurrences behind them."""
    async with (
        stage.server() as server,
        Client(server.port) as client,
        bystanders(server) as others,
    ):
        await make_collection(server)
        schedule = {"minutes": list(range(60)), "hours": list(range(24))}
        minutely = {"frequency": "month", "interval": 1, "count": 2**31 - 1, "schedule": schedule}
        job = _recurring("http://127.0.0.1:9/", _year(1900), minutely)
        job["properties"]["state"] = "disabled"
        made = accepted(await put_all(client, {f"counted-{i}": job for i in range(5)}))
        before, quick = await others.fare(), await calm(server.port)
        planned = await others.plan(10)
        browser = Browser(client)
        await browser.sign_in(client.token)
        async with probing(server.port) as seen:
            pages = [f"/collections/chaos/g/{COLLECTION}/jobs/{name}" for name in made]
            looks = [
                await browser.see(f"{page}{part}") for page in pages for part in ("", "/schedule")
            ]
            looks.append(await browser.see("/calendar"))
            after = await planned.fare()
    slowest = max(look.seconds for look in looks)
    found = judged(
        "pages of jobs with thousands of millions of counted occurrences",
        len(looks),
        f"answered with {sorted({look.status for look in looks})} within {slowest:.1f} s; {seen}",
        (before, after),
    )
    return with_more(found, seen.objections(quick))


def _year(year: int) -> int:
    """Return about the beginning of a year."""
    return (year - 1970) * 365 * 24 * 60 * MINUTE


def _recurring(uri: str, start: int, recurrence: Mapping[str, Any]) -> Any:
    job = http_job(uri, start)
    job["properties"]["recurrence"] = dict(recurrence)
    return job


ATTACKS: dict[str, Attack] = {
    "history-deleted": history_deleted,
    "quotas-changed": quotas_changed,
    "schedules-shown": schedules_shown,
}
