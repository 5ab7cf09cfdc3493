"""Targets that mean harm to whoever calls them, or to whoever reads what they answered."""

import asyncio
import re

from chaos.api import TOKEN
from chaos.facts import SECOND
from chaos.load import soon
from chaos.stage import Stage, comes_true, until
from hostile.attack import Attack, Result
from hostile.client import Browser, Client
from hostile.memory import watching
from hostile.requests import (
    COLLECTION,
    accepted,
    attackers_job,
    have_run,
    http_job,
    make_collection,
    put_all,
)
from hostile.wire import listening, read_request

SECRETS = {
    "X-Api-Key": "secret-of-x-api-key",
    "Ocp-Apim-Subscription-Key": "secret-of-ocp-apim",
    "x-functions-key": "secret-of-x-functions-key",
    "X-Auth-Token": "secret-of-x-auth-token",
    "Authorization": "Bearer secret-of-authorization",
    "Cookie": "session=secret-of-cookie",
    "Proxy-Authorization": "Basic secret-of-proxy",
    "X-Custom-Credential": "secret-of-x-custom",
}
REDIRECTS = (301, 302, 303, 307, 308)
CHARSETS = 400
# A leak was 36 MB for so many answers.
MOST_LEAKED_MIB = 16

_SECRET = re.compile(r"secret-of-[a-z-]+")
# What a terminal or a page would obey: C0 but line ends and tabs, C1, directions, zero width.
_MISLEADING = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)
_TRICKS = "\x1b[2J\x1b]0;owned\x07 \u202egnp.exe \u2066x\u2069 zero\u200bwidth \x9b31m \x00 \x08"
_OK = b"HTTP/1.1 200 OK\r\nconnection: close\r\n"


async def redirects_elsewhere(stage: Stage) -> Result:
    """Send callers to another origin, and see which secrets they bring along."""
    heads: list[str] = []

    async def collect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await read_request(reader))
        writer.write(_OK + b"content-length: 0\r\n\r\n")

    async def redirect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        status = (await read_request(reader)).split()[1].strip("/")
        head = f"HTTP/1.1 {status} Go\r\nlocation: http://127.0.0.2:{away}/\r\n"
        writer.write(f"{head}connection: close\r\ncontent-length: 0\r\n\r\n".encode())

    async with (
        listening(collect, "127.0.0.2") as away,
        listening(redirect) as port,
        stage.server() as server,
        Client(server.port) as client,
    ):
        await make_collection(server)
        jobs = {
            f"r-{status}": http_job(f"http://127.0.0.1:{port}/{status}", headers=SECRETS)
            for status in REDIRECTS
        }
        made = accepted(await put_all(client, jobs))
        await comes_true(lambda: have_run(server, made), 20)
    leaked = sorted({found for head in heads for found in _SECRET.findall(head)})
    return Result(
        tried=f"redirects {', '.join(map(str, REDIRECTS))} to another origin",
        count=len(REDIRECTS),
        happened=f"{len(heads)} were followed, {len(leaked)} secrets came along",
        objections=[f"{secret} was sent to another origin" for secret in leaked],
    )


async def echoed_secrets(stage: Stage) -> Result:
    """Answer with all that was sent, so that it stands in history."""

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await read_request(reader)
        own = [line for line in head.split("\r\n")[1:] if "secret-of" in line]
        headers = "".join(f"x-echo-{i}: {line}\r\n" for i, line in enumerate(own))
        body = head.encode("latin-1")
        answer = f"HTTP/1.1 200 OK\r\nconnection: close\r\n{headers}content-length: {len(body)}\r\n"
        writer.write(answer.encode("latin-1") + b"\r\n" + body)

    async with (
        listening(echo) as port,
        stage.server() as server,
        Client(server.port) as client,
    ):
        await make_collection(server)
        await put_all(client, {"echo": http_job(f"http://127.0.0.1:{port}/", headers=SECRETS)})
        await comes_true(lambda: have_run(server, ["echo"]), 20)
        shown = await _shown(client, "echo")
    leaked = sorted(
        {f"{where}: {it}" for where, text in shown.items() for it in _SECRET.findall(text)}
    )
    return Result(
        tried="a target that answers with the headers it was sent",
        count=1,
        happened=f"{len(leaked)} values stand in history and pages",
        objections=[f"a header's value is shown in {each}" for each in leaked],
    )


async def escapes(stage: Stage) -> Result:
    """Answer what a terminal or a page would obey."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        body = _TRICKS.encode()
        head = f"x-trick: \u202e\x1b[2J\r\ncontent-length: {len(body)}\r\n\r\n".encode()
        writer.write(_OK + b"content-type: text/plain; charset=utf-8\r\n" + head + body)

    async with (
        listening(answer) as port,
        stage.server() as server,
        Client(server.port) as client,
    ):
        await make_collection(server)
        await put_all(client, {"escapes": http_job(f"http://127.0.0.1:{port}/")})
        await comes_true(lambda: have_run(server, ["escapes"]), 20)
        shown = await _shown(client, "escapes")
    raw = {where: sorted(set(map(ascii, _MISLEADING.findall(it)))) for where, it in shown.items()}
    return Result(
        tried="terminal escapes, direction overrides and zero-width letters in header and body",
        count=1,
        happened="shown escaped" if not any(raw.values()) else "shown as they are",
        objections=[f"{where} shows {' '.join(found)}" for where, found in raw.items() if found],
    )


async def _shown(client: Client, job: str) -> dict[str, str]:
    """Return what the API and the pages show of a job's history."""
    history = await client.call("GET", f"{attackers_job(job)}/history")
    browser = Browser(client)
    await browser.sign_in(TOKEN)
    page = f"/collections/chaos/g/{COLLECTION}/jobs/{job}"
    said = "".join(each["properties"]["message"] for each in history.content["value"])
    # The API's message has the line ends of headers, which are its form.
    return {
        "the API": said,
        "the page of a job": (await browser.see(page)).text,
        "the page of its history": (await browser.see(f"{page}/history")).text,
    }


async def fresh_charsets(stage: Stage) -> Result:
    """Name a charset of 90 kB that nobody knows, another one each time."""
    served = 0

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal served
        while True:
            await read_request(reader)
            served += 1
            name = f"{served:06}".encode() * 15_000
            head = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=" + name
            # What is ASCII need not be decoded by its charset.
            writer.write(head + b"\r\ncontent-length: 2\r\n\r\n\xe9\xe9")

    async with (
        listening(answer) as port,
        stage.server() as server,
        Client(server.port) as client,
    ):
        await make_collection(server)
        # What is needed once is there before memory is watched.
        await _run_many(client, port, "warm", 50)
        await asyncio.sleep(4)
        async with watching(server) as growth:
            before = served
            made = await _run_many(client, port, "leak", CHARSETS)
            await comes_true(lambda: have_run(server, made), 60)
            await asyncio.sleep(3)
    leaks = growth.kept_mib > MOST_LEAKED_MIB
    answered = served - before
    return Result(
        tried="answers with a fresh `charset=` of 90 kB each",
        count=answered,
        happened=f"memory grew by {growth.kept_mib:.1f} MiB",
        objections=[
            *([f"memory grew by {growth.kept_mib:.0f} MiB"] if leaks else []),
            *([] if answered >= CHARSETS else [f"only {answered} answers were given"]),
        ],
    )


async def _run_many(client: Client, port: int, name: str, count: int) -> list[str]:
    start = soon(4)
    jobs = {
        f"{name}-{i}": http_job(f"http://127.0.0.1:{port}/", start + i * SECOND // 100)
        for i in range(count)
    }
    made = accepted(await put_all(client, jobs))
    await until(start + count * SECOND // 100)
    return made


ATTACKS: dict[str, Attack] = {
    "redirects": redirects_elsewhere,
    "echoed-secrets": echoed_secrets,
    "escapes": escapes,
    "charsets": fresh_charsets,
}
