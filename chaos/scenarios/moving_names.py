"""Names whose address changes: to one that is denied, and then to another that is not.

Foliot keeps an answer for half a minute, whatever the name server says; jobs are due later than
that after each change, so that each resolves its name anew.
"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from msgspec import Struct

from chaos.api import Api, job_path
from chaos.dns import ADDRESS, SILENCE, UNKNOWN, open_name_server
from chaos.facts import SECOND, Calendar, Delivery, Told, now
from chaos.load import definition
from chaos.scenarios.bad_targets import DENIED
from chaos.sink import Sink, answers_and_closes

MOVES = ("127.0.0.2", DENIED, "127.0.0.3")
NAMES = 10
EVERY = 65 * SECOND
COLLECTION = "moving"

_REFUSED = f"EgressDenied The request is not allowed: the address {DENIED}"


class MovingNames(Struct, frozen=True):
    """Jobs that call moving names, one job for each name and move."""

    start: int
    port: int
    log: list[Delivery]

    @property
    def calendar(self) -> Calendar:
        """When each job is expected."""
        return {
            _job(move, number): [self.start + move * EVERY]
            for move in range(len(MOVES))
            for number in range(NAMES)
        }

    @property
    def collections(self) -> list[str]:
        """The collection that holds the jobs."""
        return [COLLECTION]

    @property
    def paths(self) -> list[str]:
        """Where the jobs are."""
        return [job_path(COLLECTION, job) for job in self.calendar]

    async def create(self, api: Api) -> None:
        """Create the jobs."""
        await api.create_collections([COLLECTION])
        await api.create_jobs(
            {job_path(COLLECTION, job): self._definition(job) for job in self.calendar}
        )

    @property
    def observation(self) -> str:
        """Say what was done."""
        return (
            f"{NAMES} names of a name server on {ADDRESS} led to {', then to '.join(MOVES)}, "
            f"of which {DENIED} is denied; there was a job for each name and each move"
        )

    def objections(self, told: Mapping[str, Told]) -> list[str]:
        """Say which jobs did not end as the address of their name demanded."""
        arrived = {each.job: each.sink for each in self.log}
        return [
            f"{job}, whose name led to {MOVES[move]}, arrived at {arrived.get(job)}: "
            f"{entry.message[:150]!r}"
            for move in range(len(MOVES))
            for job in (_job(move, number) for number in range(NAMES))
            for entry in (told[job].history if job in told else ())
            if not _is_right(MOVES[move], entry.message, arrived.get(job))
        ]

    def _definition(self, job: str) -> Any:
        name = f"{job.rpartition('-')[2]}.moving.chaos.test"
        return definition(f"http://{name}:{self.port}/", self.calendar[job][0])


@asynccontextmanager
async def moving_names(start: int, forbidden: list[Delivery]) -> AsyncGenerator[MovingNames]:
    """Serve the names, and targets at each address they lead to."""
    log: list[Delivery] = []

    def address(name: str) -> str:
        if not name.endswith(".moving.chaos.test"):
            return SILENCE if name.startswith("silent") else UNKNOWN
        # A name moves half a minute before the jobs of the next move are due.
        move = (now() - start + 30 * SECOND) // EVERY
        return MOVES[min(max(move, 0), len(MOVES) - 1)]

    server = await open_name_server(address)
    first, denied, last = (
        Sink(answers_and_closes, forbidden if host == DENIED else log, host) for host in MOVES
    )
    async with first:
        denied.port = last.port = first.port
        async with denied, last:
            yield MovingNames(start, first.port, log)
    server.close()


def _job(move: int, number: int) -> str:
    return f"moving-{move}-{number}"


def _is_right(address: str, message: str, arrived: str | None) -> bool:
    if address == DENIED:
        return arrived is None and _REFUSED in message
    return arrived == address and "'OK'" in message
