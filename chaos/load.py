"""Jobs, and the calendar they are expected to keep, worked out without asking the server."""

import asyncio
from typing import Any

from msgspec import Struct

from chaos.api import PER_COLLECTION, Api, job_path
from chaos.facts import MINUTE, SECOND, Calendar, now, written


class Load(Struct, frozen=True, kw_only=True):
    """Jobs that run each minute, spread over the minute that begins at `start`."""

    name: str
    url: str
    count: int
    start: int
    end: int
    spread: int = MINUTE
    retries: bool = False

    @property
    def calendar(self) -> Calendar:
        """When each job is expected, by name."""
        return {self._job(i): range(self._first(i), self.end + 1, MINUTE) for i in self._numbers}

    @property
    def collections(self) -> list[str]:
        """The collections that hold the jobs."""
        return [f"{self.name}-{number}" for number in range(-(-self.count // PER_COLLECTION))]

    @property
    def paths(self) -> list[str]:
        """Where the jobs are."""
        return [self._path(number) for number in self._numbers]

    async def create(self, *apis: Api) -> None:
        """Create the collections and the jobs; none may be due before the last is there.

        Of several servers each creates the jobs of some collections.
        """
        await apis[0].create_collections(self.collections)
        parts: list[dict[str, Any]] = [{} for _ in apis]
        for number in self._numbers:
            part = parts[number // PER_COLLECTION % len(apis)]
            part[self._path(number)] = self._definition(number)
        calls = [api.create_jobs(part) for api, part in zip(apis, parts, strict=True)]
        await asyncio.gather(*calls)
        if now() >= self.start:
            raise RuntimeError(f"the jobs of {self.name} were not created in time")

    @property
    def _numbers(self) -> range:
        return range(self.count)

    def _first(self, number: int) -> int:
        # A millisecond is what the server and we write down without a doubt.
        return self.start + self.spread * number // self.count // 1000 * 1000

    def _job(self, number: int) -> str:
        return f"{self.name}-{number}"

    def _path(self, number: int) -> str:
        return job_path(self.collections[number // PER_COLLECTION], self._job(number))

    def _definition(self, number: int) -> Any:
        recurrence = {"frequency": "minute", "interval": 1, "endTime": written(self.end)}
        return definition(self.url, self._first(number), recurrence, retries=self.retries)


def definition(
    url: str, start: int, recurrence: dict[str, Any] | None = None, *, retries: bool = False
) -> Any:
    """Return a job as a client writes it; with `retries` it has the policy every job has."""
    action = {"type": "Http", "request": {"uri": url, "method": "POST", "body": "tick"}}
    policy = {} if retries else {"retryPolicy": {"retryType": "none"}}
    properties = {"startTime": written(start), "action": action | policy}
    return {"properties": properties | ({"recurrence": recurrence} if recurrence else {})}


def soon(seconds: int) -> int:
    """Return a full second, so many seconds from now."""
    return (now() // SECOND + seconds) * SECOND
