"""What a client asks of the server, through its API."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from itertools import cycle
from typing import Any, TypeVar
from urllib.parse import urlsplit

import aiohttp

from chaos.facts import Recorded, Told, parse

TOKEN = "foliot_" + "c" * 43
CONNECTIONS = 32
PER_COLLECTION = 1000  # what the plan P20Premium allows

_COLLECTIONS = "/subscriptions/chaos/resourceGroups/g/providers/Microsoft.Scheduler/jobCollections"
_SECONDS = 30
_TRIES = 10

Item = TypeVar("Item")


class Api:
    """A client of a server, or of several in turn; it outlives their processes."""

    def __init__(self, *ports: int) -> None:
        self._servers = cycle([f"http://127.0.0.1:{port}" for port in ports])
        self._session = aiohttp.ClientSession(
            headers={"authorization": f"Bearer {TOKEN}"},
            timeout=aiohttp.ClientTimeout(total=_SECONDS),
            connector=aiohttp.TCPConnector(limit=CONNECTIONS),
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._session.close()

    async def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Make a call; return the status and the answer, or 0 if there was none."""
        status, answer, _ = await self.ask(method, path, body)
        return status, answer

    async def ask(
        self, method: str, path: str, body: Any = None
    ) -> tuple[int, Any, Mapping[str, str]]:
        """Make a call; return the headers too."""
        query = "" if "?" in path else "?api-version=2016-03-01"
        url = next(self._servers) + path + query
        try:
            async with self._session.request(method, url, json=body) as answer:
                is_json = answer.content_type == "application/json"
                content = await answer.json() if is_json else None
                return answer.status, content, answer.headers
        except (aiohttp.ClientError, TimeoutError):
            return 0, None, {}

    async def is_ready(self) -> bool:
        """Tell whether the server answers."""
        return (await self.call("GET", "/healthz"))[0] == 200

    async def create_collections(self, names: Iterable[str]) -> None:
        """Create collections that take as many jobs as there can be."""
        for name in names:
            properties = {"sku": {"name": "P20Premium"}}
            await self._put(collection_path(name), {"location": "westus", "properties": properties})

    async def create_jobs(self, jobs: Mapping[str, Any]) -> None:
        """Create jobs, by path."""
        await _spread(jobs.items(), lambda job: self._put(*job))

    async def tell(self, jobs: Iterable[str]) -> dict[str, Told]:
        """Return what the server tells of jobs, given by path, under their names."""
        told: dict[str, Told] = {}

        async def ask(path: str) -> None:
            status, job = await self.call("GET", path)
            if status == 200:
                told[path.rpartition("/")[2]] = _told(job, await self._history(path))

        await _spread(jobs, ask)
        return told

    async def count_open(self, collections: Iterable[str]) -> int:
        """Return how many collections have jobs that are not finished yet."""
        open_ones = 0
        for name in collections:
            query = "?api-version=2016-03-01&$top=1&$filter=state%20eq%20enabled"
            status, found = await self.call("GET", f"{collection_path(name)}/jobs{query}")
            open_ones += status != 200 or bool(found["value"])
        return open_ones

    async def _history(self, path: str) -> list[Recorded]:
        following: str | None = f"{path}/history?api-version=2016-03-01"
        entries: list[Recorded] = []
        while following:
            status, page = await self.call("GET", following)
            if status != 200:
                raise RuntimeError(f"the history of {path} was answered with {status}")
            entries += [_recorded(each["properties"]) for each in page["value"]]
            link = urlsplit(page["nextLink"] or "")
            following = f"{link.path}?{link.query}" if link.path else None
        return entries

    async def _put(self, path: str, body: Any) -> None:
        status, answer = await self.call("PUT", path, body)
        for _ in range(_TRIES):
            if status != 503:
                break
            await asyncio.sleep(1)
            status, answer = await self.call("PUT", path, body)
        if status not in (200, 201):
            raise RuntimeError(f"PUT {path} was answered with {status}: {answer}")


def collection_path(name: str) -> str:
    """Return where a collection is."""
    return f"{_COLLECTIONS}/{name}"


def job_path(collection: str, name: str) -> str:
    """Return where a job is."""
    return f"{_COLLECTIONS}/{collection}/jobs/{name}"


def _told(job: Any, history: list[Recorded]) -> Told:
    properties = job["properties"]
    # A disabled job that never ran has no status.
    status = properties.get("status", {"executionCount": 0})
    return Told(properties["state"], status["executionCount"], history)


def _recorded(entry: Any) -> Recorded:
    return Recorded(
        expected=parse(entry["expectedExecutionTime"]),
        started=parse(entry["startTime"]),
        ended=parse(entry["endTime"]),
        status=entry["status"],
        message=entry["message"],
    )


async def _spread(items: Iterable[Item], act: Callable[[Item], Awaitable[None]]) -> None:
    """Act on each item, over all the connections."""
    waiting = iter(items)

    async def work() -> None:
        for item in waiting:
            await act(item)

    async with asyncio.TaskGroup() as group:
        for _ in range(CONNECTIONS):
            group.create_task(work())
