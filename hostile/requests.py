"""Jobs as attackers write them, and what the server says of each."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from chaos.api import collection_path, job_path
from chaos.facts import written
from chaos.server import Server
from hostile.client import Answer, Client

COLLECTION = "attackers"


def http_job(
    uri: str,
    start: int | None = None,
    *,
    headers: Mapping[str, str] | None = None,
    authentication: Mapping[str, str] | None = None,
) -> Any:
    """Return a job with one request and no retries; it is due at once if no start is given."""
    request = {"uri": uri, "method": "POST", "body": "attack"}
    request |= {"headers": dict(headers)} if headers else {}
    request |= {"authentication": dict(authentication)} if authentication else {}
    action = {"type": "Http", "request": request, "retryPolicy": {"retryType": "none"}}
    properties: dict[str, Any] = {"action": action}
    return {"properties": properties | ({"startTime": written(start)} if start else {})}


def attackers_job(name: str) -> str:
    """Return where a job of the attackers' collection is."""
    return job_path(COLLECTION, name)


async def make_collection(server: Server, name: str = COLLECTION, plan: str = "P20Premium") -> None:
    """Create a collection of a plan."""
    body = {"location": "westus", "properties": {"sku": {"name": plan}}}
    status, answer = await server.api.call("PUT", collection_path(name), body)
    if status not in (200, 201):
        raise RuntimeError(f"the collection {name} was answered with {status}: {answer}")


async def put_all(client: Client, jobs: Mapping[str, Any]) -> dict[str, Answer]:
    """Create jobs, by name, many at a time; return the answers."""
    answers: dict[str, Answer] = {}
    waiting = iter(jobs.items())

    async def work() -> None:
        for name, body in waiting:
            answers[name] = await client.call("PUT", attackers_job(name), body)

    async with asyncio.TaskGroup() as group:
        for _ in range(16):
            group.create_task(work())
    return answers


async def messages(server: Server, names: Iterable[str]) -> dict[str, list[str]]:
    """Return what history says of jobs of the attackers' collection."""
    told = await server.api.tell([attackers_job(name) for name in names])
    return {name: [entry.message for entry in each.history] for name, each in told.items()}


async def have_run(server: Server, names: Sequence[str]) -> bool:
    """Tell whether all of them are in history."""
    found = await messages(server, names)
    return all(found.get(name) for name in names)


def accepted(answers: Mapping[str, Answer]) -> list[str]:
    """Return the names of those that were created."""
    return [name for name, answer in answers.items() if answer.status in (200, 201)]
