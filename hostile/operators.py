"""Operators who make mistakes: what they lose must be said, and must not be lost in silence."""

import asyncio
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from chaos.api import TOKEN
from chaos.cluster import KEY, database
from chaos.load import soon
from chaos.server import Server
from chaos.sockets import free_port
from chaos.stage import Stage, comes_true
from hostile.attack import Attack, Result
from hostile.client import Client
from hostile.requests import http_job, make_collection, put_all

NOTICED_WITHIN = 20
PUTS = 5

_TOKEN = re.compile(r"foliot_[A-Za-z0-9_-]{40,}")
_SECRETS = ("FOLIOT_ADMIN_TOKEN", "FOLIOT_SECRET_KEYS")
# A misspelt variable, and the name that is meant.
MISSPELT = {
    "FOLIOT_DATA_DRI": "FOLIOT_DATA_DIR",
    "FOLIOT_EGRES_DENY": "FOLIOT_EGRESS_DENY",
    "FOLIOT_ADMIN_TOKNE": "FOLIOT_ADMIN_TOKEN",
    "FOLIOT_SECRET_KEY": "FOLIOT_SECRET_KEYS",
    "FOLIOT_PUBLC_URL": "FOLIOT_PUBLIC_URL",
    "FOLIOT_HISTORY_DAY": "FOLIOT_HISTORY_DAYS",
}


async def directory_removed(stage: Stage) -> Result:
    """Remove the data directory under a running server."""
    return await _lose(stage, "removed", shutil.rmtree)


async def directory_replaced(stage: Stage) -> Result:
    """Put another directory in the place of a running server's."""

    def replace(folder: Path) -> None:
        folder.rename(folder.with_name("away"))
        folder.mkdir()

    return await _lose(stage, "replaced by an empty one", replace)


async def database_replaced(stage: Stage) -> Result:
    """Restore an older database under a running server."""

    def replace(folder: Path) -> None:
        copy = folder / "copy.db"
        shutil.copy(folder / "foliot.db", copy)
        copy.replace(folder / "foliot.db")

    return await _lose(stage, "given another database file", replace)


async def key_removed(stage: Stage) -> Result:
    """Remove the file with the key under a running server."""
    return await _lose(stage, "robbed of its key file", lambda it: (it / "secret-key").unlink())


async def _lose(stage: Stage, how: str, lose: Callable[[Path], object]) -> Result:
    objections: list[str] = []
    async with stage.server() as server, Client(server.port) as client:
        await make_collection(server)
        await asyncio.to_thread(lose, stage.data)

        async def is_noticed() -> bool:
            return bool(await server.problems())

        if not await comes_true(is_noticed, NOTICED_WITHIN):
            objections.append(f"`/readyz` says nothing within {NOTICED_WITHIN} s")
        said = "; ".join(f"{part} {what}" for part, what in (await server.problems()).items())
        jobs = {f"lost-{i}": http_job("http://127.0.0.1:9/", soon(3600)) for i in range(PUTS)}
        statuses = [answer.status for answer in (await put_all(client, jobs)).values()]
        if any(status != 503 for status in statuses):
            objections.append(f"writes were answered with {sorted(set(statuses))}, not 503")
        if str(stage.folder) in said:
            objections.append("`/readyz` names a path")
    return Result(
        tried=f"a data directory that is {how} under a running server",
        count=PUTS,
        happened=f"`/readyz` said: {said or 'nothing'}; writes {sorted(set(statuses))}",
        objections=objections,
    )


async def migrated_while_running(stage: Stage) -> Result:
    """Copy the database of a server that runs."""
    async with stage.server() as server, database(stage) as postgres:
        await make_collection(server)
        source = f"sqlite:///{stage.data / 'foliot.db'}"
        code, said = await _foliot({}, "migrate", "--from", source, "--to", postgres.url)
    return Result(
        tried="`foliot migrate` from a server that is running",
        count=1,
        happened=f"exit code {code}: {said[-120:]}",
        objections=[] if code else ["it was copied"],
    )


async def started_after_migration(stage: Stage) -> Result:
    """Start the old server after its database was copied."""
    async with database(stage) as postgres:
        async with stage.server() as server:
            await make_collection(server)
        source = f"sqlite:///{stage.data / 'foliot.db'}"
        copied, words = await _foliot({}, "migrate", "--from", source, "--to", postgres.url)
        code, said = await _serve(stage.data, {"FOLIOT_ADMIN_TOKEN": TOKEN})
    return Result(
        tried="a server started again after its database was moved",
        count=1,
        happened=f"exit code {code}: {said[-120:]}",
        objections=[
            *([f"the copy failed: {words[-200:]}"] if copied else []),
            *([] if code else ["it starts, and runs the jobs a second time"]),
        ],
    )


async def node_without_token(stage: Stage) -> Result:
    """Start a second node that was not told the admin's token."""
    objections: list[str] = []
    path = "/subscriptions/chaos/providers/Microsoft.Scheduler/jobCollections"
    async with database(stage) as postgres:
        told = {"FOLIOT_DATABASE": postgres.url, "FOLIOT_SECRET_KEYS": KEY}
        first = Server(stage.folder / "first", told)
        second = Server(stage.folder / "second", {**told, "FOLIOT_ADMIN_TOKEN": ""})
        try:
            for server in (first, second):
                await server.start()
            await asyncio.sleep(2)
            for name, server in (("first", first), ("second", second)):
                async with Client(server.port) as client:
                    answer = await client.call("GET", path)
                if answer.status != 200:
                    objections.append(f"the {name} node answers the token with {answer.status}")
            printed = _TOKEN.search(second.log.read_text())
            kept = stage.folder / "second" / "admin-token"
            if printed or kept.exists():
                objections.append("the second node made a token of its own")
        finally:
            await asyncio.gather(first.stop(), second.stop())
    return Result(
        tried="a second node on PostgreSQL without FOLIOT_ADMIN_TOKEN",
        count=1,
        happened="the token is as good as before" if not objections else "the token is gone",
        objections=objections,
    )


async def misspelt_variables(stage: Stage) -> Result:
    """Misspell a setting."""
    objections: list[str] = []
    for wrong, right in MISSPELT.items():
        folder = stage.folder / wrong.lower()
        code, said = await _serve(folder, {"FOLIOT_ADMIN_TOKEN": TOKEN, wrong: "1"})
        if not code:
            objections.append(f"{wrong} is ignored")
        elif wrong not in said or right not in said:
            objections.append(f"{wrong} is refused without naming {right}: {said[-150:]}")
    return Result(
        tried="misspelt variables",
        count=len(MISSPELT),
        happened=f"{len(MISSPELT) - len(objections)} refused with the nearest name",
        objections=objections,
    )


async def environment_of_the_sender(stage: Stage) -> Result:
    """Look what the process that sends requests was told."""
    async with stage.server({"FOLIOT_SECRET_KEYS": KEY}) as server:

        async def has_children() -> bool:
            return bool(server.children)

        await comes_true(has_children, 10)
        environs = [_environ(each) for each in server.children]
    found = {secret for secret in _SECRETS for each in environs if secret.encode() in each}
    values = [each for each in environs if TOKEN.encode() in each or KEY.encode() in each]
    return Result(
        tried="secrets in the environment of the process that sends requests",
        count=len(environs),
        happened=f"{len(found) + len(values)} found",
        objections=[
            *(f"{secret} is in it" for secret in sorted(found)),
            *(["the value of a secret is in it"] if values else []),
            *([] if environs else ["there is no such process"]),
        ],
    )


async def running_as_root(stage: Stage) -> Result:
    """Run as root, as one does in a container."""
    async with stage.server() as server:
        said = server.log.read_text()
    is_said = bool(re.search(r"\broot\b", said))
    return Result(
        tried="a server that runs as root",
        count=1,
        happened="it says so" if is_said else "it says nothing",
        objections=[] if is_said or os.geteuid() else ["nothing is said of it"],
    )


def _environ(process: int) -> bytes:
    return Path(f"/proc/{process}/environ").read_bytes()


async def _serve(folder: Path, environ: Mapping[str, str]) -> tuple[int, str]:
    """Start a server that should not start; the exit code is 0 if it does."""
    options = ("--port", str(free_port()), "--data-dir", str(folder))
    return await _foliot(environ, "serve", *options)


async def _foliot(environ: Mapping[str, str], *arguments: str) -> tuple[int, str]:
    """Run a command to its end, or until it says that it listens; return what it said."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("FOLIOT_")}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "foliot", *arguments),
        env={**kept, **environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    said = bytearray()
    if process.stdout is not None:
        async for line in process.stdout:
            said += line
            if b"listens on" in line:
                process.terminate()
                await process.communicate()
                return 0, said.decode()
    return await process.wait(), said.decode()


ATTACKS: dict[str, Attack] = {
    "directory-removed": directory_removed,
    "directory-replaced": directory_replaced,
    "database-replaced": database_replaced,
    "key-removed": key_removed,
    "migrated-while-running": migrated_while_running,
    "started-after-migration": started_after_migration,
    "node-without-token": node_without_token,
    "misspelt-variables": misspelt_variables,
    "environment-of-the-sender": environment_of_the_sender,
    "running-as-root": running_as_root,
}
