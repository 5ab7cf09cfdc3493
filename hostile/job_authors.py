"""People who may write jobs, and mean harm to others by what they write."""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

from chaos.api import collection_path
from chaos.load import soon
from chaos.server import Server
from chaos.stage import Stage, comes_true
from hostile import certificates
from hostile.attack import Attack, Result
from hostile.client import Answer, Client
from hostile.probe import calm, probing
from hostile.requests import (
    accepted,
    attackers_job,
    have_run,
    http_job,
    make_collection,
    messages,
    put_all,
)
from hostile.wire import listening, read_request

# Wrappings of 169.254.169.254, and others by which a machine of a cloud tells its secrets.
METADATA = (
    "169.254.169.254",
    "0xa9fea9fe",
    "2852039166",
    "0251.0376.0251.0376",
    "169.254.43518",
    "[::ffff:169.254.169.254]",
    "[::ffff:0:169.254.169.254]",
    "[::169.254.169.254]",
    "[64:ff9b::169.254.169.254]",
    "[64:ff9b:1::169.254.169.254]",
    "[64:ff9b:1:a9fe:a9:fe00::]",
    "[2002:a9fe:a9fe::]",
    "[2001::5601:5601]",
    "[fd00:ec2::254]",
    "[fd00:ec2::23]",
    "[fe80::a9fe:a9fe]",
    "100.100.100.200",
    "168.63.129.16",
    "169.254.170.2",
    "metadata.google.internal",
    "METADATA.GOOGLE.INTERNAL.",
)
# Refused is what must be, whether the job is or its attempt.
DENIED = "EgressDenied"


async def costly_certificates(stage: Stage) -> Result:
    """Send files that take seconds to open, in PUT and PATCH."""
    makers: dict[str, Callable[[], str]] = {
        "3,000,000 rounds": lambda: certificates.with_rounds(3_000_000),
        "a MAC of 20,000,000 rounds": lambda: certificates.with_mac_rounds(20_000_000),
        "a MAC of 100,000,000 rounds": lambda: certificates.with_mac_rounds(100_000_000),
        "an RSA key of 8192 bits": certificates.with_large_key,
        "20 certificates": lambda: certificates.with_certificates(20),
        "200 certificates": lambda: certificates.with_certificates(200),
    }
    files = {name: await asyncio.to_thread(make) for name, make in makers.items()}
    objections: list[str] = []
    async with stage.server() as server, Client(server.port) as client:
        await make_collection(server)
        other = attackers_job("other")
        await client.call("PUT", other, http_job("http://127.0.0.1:9/", soon(3600)))
        before = await calm(server.port, (other,))
        async with probing(server.port, (other,)) as seen:
            for name, file in files.items():
                for method in ("PUT", "PATCH"):
                    answer = await client.call(
                        method, attackers_job("other"), with_certificate(file)
                    )
                    if answer.status != 400:
                        objections.append(f"{name} by {method} was answered with {answer.status}")
        good = await client.call("PUT", other, with_certificate(certificates.usual()))
        if good.status != 200:
            objections.append(f"a usual file was refused with {good.status}")
    return Result(
        tried="PKCS#12 files with " + ", ".join(files),
        count=2 * len(files),
        happened=f"refused; {seen}, {before.longest:.2f} s before",
        objections=[*objections, *seen.objections(before)],
    )


async def sizes_and_letters(stage: Stage) -> Result:
    """Write locations, tags and groups that are too long, or have letters that mislead."""
    bodies = {
        "a location of 900 kB": {"location": "w" * 900_000},
        "a location with a line break": {"location": "west\nus"},
        "a location with a direction override": {"location": "west\u202eus"},
        "a tag of 900 kB": {"location": "westus", "tags": {"t": "v" * 900_000}},
        "a tag's name of 600 letters": {"location": "westus", "tags": {"t" * 600: "v"}},
        "a tag's value of 257 letters": {"location": "westus", "tags": {"t": "v" * 257}},
        "16 tags": {"location": "westus", "tags": {f"t{i}": "v" for i in range(16)}},
        "a tag with markup and escapes": {"location": "westus", "tags": {"<b>\x1b[2J": "v"}},
    }
    groups = {
        "20,000 letters": "g" * 20_000,
        "91 letters": "g" * 91,
        "a line break": "a%0Ab",
        "a direction override": "a%E2%80%AEb",
        "a zero-width space": "a%E2%80%8Bb",
        "markup": "%3Cscript%3E",
        "a terminal escape": "a%1B%5B2Jb",
        "a slash": "a%2Fb",
    }
    objections: list[str] = []
    plan = {"properties": {"sku": {"name": "P10Premium"}}}
    async with stage.server() as server, Client(server.port) as client:
        for number, (name, body) in enumerate(bodies.items()):
            answer = await client.call("PUT", collection_path(f"sizes-{number}"), {**plan, **body})
            objections += _unless_refused(name, answer)
        for name, group in groups.items():
            path = collection_path("sizes").replace(
                "/resourceGroups/g/", f"/resourceGroups/{group}/"
            )
            answer = await client.call("PUT", path, {"location": "westus", **plan})
            objections += _unless_refused(f"a group of {name}", answer)
        everything = await client.call(
            "GET", "/subscriptions/chaos/providers/Microsoft.Scheduler/jobCollections"
        )
        kept = len(everything.content["value"]) if everything.status == 200 else -1
    return Result(
        tried="locations, tags and groups that are too long or have misleading letters",
        count=len(bodies) + len(groups),
        happened=f"{kept} collections were created",
        objections=objections,
    )


async def properties_nobody_knows(stage: Stage) -> Result:
    """Misspell and misplace properties, and leave out what authentication needs."""
    good = http_job("http://127.0.0.1:9/", soon(3600))
    properties = good["properties"]
    bad: dict[str, Any] = {
        "starttTime": {"properties": {"starttTime": "2099-01-01T00:00:00Z", **properties}},
        "recurence": {"properties": {**properties, "recurence": {"frequency": "hour"}}},
        "state beside properties": {**good, "state": "disabled"},
        "no properties": {"state": "disabled"},
        "an unknown part of a request": http_with({"uri2": "http://127.0.0.1/"}),
        "an unknown part of a recurrence": {
            "properties": {**properties, "recurrence": {"frequency": "hour", "intervall": 5}}
        },
    }
    authentications: dict[str, Any] = {
        "Basic without a user": {"type": "Basic", "password": "p"},
        "OAuth without a tenant": {
            "type": "ActiveDirectoryOAuth",
            "clientId": "c",
            "audience": "a",
            "secret": "s",
        },
        "OAuth without a client": {
            "type": "ActiveDirectoryOAuth",
            "tenant": "t",
            "audience": "a",
            "secret": "s",
        },
        "OAuth without an audience": {
            "type": "ActiveDirectoryOAuth",
            "tenant": "t",
            "clientId": "c",
            "secret": "s",
        },
        "OAuth with the tenant ..": {
            "type": "ActiveDirectoryOAuth",
            "tenant": "..",
            "clientId": "c",
            "audience": "a",
        },
        "OAuth with the tenant .": {
            "type": "ActiveDirectoryOAuth",
            "tenant": ".",
            "clientId": "c",
            "audience": "a",
        },
        "a certificate without a file": {"type": "ClientCertificate", "password": "p"},
    }
    bad |= {name: http_with({"authentication": each}) for name, each in authentications.items()}
    objections: list[str] = []
    async with stage.server() as server, Client(server.port) as client:
        await make_collection(server)
        for number, (name, body) in enumerate(bad.items()):
            answer = await client.call("PUT", attackers_job(f"bad-{number}"), body)
            objections += _unless_refused(f"PUT of {name}", answer)
        await client.call("PUT", attackers_job("good"), good)
        for name in ("state beside properties", "no properties", "starttTime"):
            answer = await client.call("PATCH", attackers_job("good"), bad[name])
            objections += _unless_refused(f"PATCH of {name}", answer)
    return Result(
        tried="properties that are misspelt, misplaced or missing",
        count=len(bad) + 3,
        happened=f"{len(bad) + 3 - len(objections)} refused with 400",
        objections=objections,
    )


async def metadata_addresses(stage: Stage) -> Result:
    """Write the address of a cloud's metadata in every way there is."""
    async with stage.server() as server, Client(server.port) as client:
        await make_collection(server)
        jobs = {f"m-{i}": http_job(f"http://{host}/") for i, host in enumerate(METADATA)}
        answers = await put_all(client, jobs)
        objections = await _not_denied(server, jobs, answers)
    return Result(
        tried="addresses of metadata services, wrapped in IPv6, in other bases, and by name",
        count=len(METADATA),
        happened=f"{len(METADATA) - len(objections)} refused, none connected",
        objections=objections,
    )


async def tenants_that_climb(stage: Stage) -> Result:
    """Choose a tenant of OAuth that leads elsewhere below the login address."""
    asked: list[str] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append((await read_request(reader)).split()[1])
        writer.write(b"HTTP/1.1 404 No\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")

    tenants = ("..", ".", "a/../..", "%2e%2e", "..%2f..", "a?b", "a#b", "\\..\\", "a/b")
    async with listening(answer) as port:
        login = {"FOLIOT_LOGIN_URL": f"http://127.0.0.1:{port}/login"}
        async with stage.server(login) as server, Client(server.port) as client:
            await make_collection(server)
            jobs = {
                f"t-{i}": http_job("http://127.0.0.1:9/", authentication=_oauth(tenant))
                for i, tenant in enumerate(tenants)
            }
            made = accepted(await put_all(client, jobs))
            await comes_true(lambda: have_run(server, made), 15)
    strayed = [
        path
        for path in asked
        if not path.startswith("/login/") or {".", ".."} & set(path.split("/"))
    ]
    return Result(
        tried="tenants such as `..` that climb out of the login address",
        count=len(tenants),
        happened=f"{len(tenants) - len(made)} refused, {len(asked)} token requests below `/login/`",
        objections=[f"a token was asked for at {path}" for path in strayed],
    )


def http_with(parts: Mapping[str, Any]) -> Any:
    """Return a job whose request has these parts as well."""
    job = http_job("http://127.0.0.1:9/", soon(3600))
    job["properties"]["action"]["request"] |= parts
    return job


def _oauth(tenant: str) -> dict[str, str]:
    return {
        "type": "ActiveDirectoryOAuth",
        "tenant": tenant,
        "clientId": "c",
        "audience": "https://a/",
        "secret": "s",
    }


def with_certificate(file: str) -> Any:
    """Return a job that authenticates with this file."""
    parts = {"type": "ClientCertificate", "pfx": file, "password": certificates.PASSWORD}
    return http_with({"authentication": parts})


def _unless_refused(name: str, answer: Answer) -> list[str]:
    # Letters that no route can have are not found; a body may be too large to be read.
    if answer.status in (400, 404, 413) and "error" in json.loads(answer.text or "{}"):
        return []
    return [f"{name} was answered with {answer.status}"]


async def _not_denied(
    server: Server, jobs: Mapping[str, Any], answers: Mapping[str, Answer]
) -> list[str]:
    made = accepted(answers)
    await comes_true(lambda: have_run(server, made), 30)
    told = await messages(server, made)
    return [
        f"{jobs[name]['properties']['action']['request']['uri']} was tried: {said[0][:150]!r}"
        if (said := told.get(name))
        else f"{jobs[name]['properties']['action']['request']['uri']} left nothing in history"
        for name in made
        if not told.get(name) or DENIED not in told[name][0]
    ]


ATTACKS: dict[str, Attack] = {
    "costly-certificates": costly_certificates,
    "sizes-and-letters": sizes_and_letters,
    "unknown-properties": properties_nobody_knows,
    "metadata-addresses": metadata_addresses,
    "climbing-tenants": tenants_that_climb,
}
