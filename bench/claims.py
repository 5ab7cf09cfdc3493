"""How long it takes to claim and to settle 500 occurrences, through the store as a node does it."""

import asyncio
import statistics
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from itertools import count
from typing import Any

from cluster import Cluster, Database
from foliot.core.instant import DAY, SECOND, Instant
from foliot.core.model.attempt import Attempt, Outcome
from foliot.engine.claim import Claimant, claim
from foliot.engine.settle import EndedAttempt, settle_attempts
from foliot.ports import clock
from foliot.store.postgres import PostgresStore
from loading import KEYRING, crowd, fill, make_due
from scene import Sink, http_job

SIZES = (10_000, 1_000_000, 5_000_000)
BATCH = 500
CLAIMS = 40
_WELL = Outcome(succeeded=True, message="HTTP 200: ok")


class Node:
    """One node without its loop and without requests; takes the time of what it does."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._store = PostgresStore.open(database.url, KEYRING, clock.now)
        ids = count(1)
        self._claimant = Claimant("bench", lambda: f"{next(ids):032x}")
        self.claims: list[float] = []
        self.settlements: list[float] = []
        self.done = self.written = 0

    async def work(self) -> int:
        """Claim what is due, at most 500, and settle it; return how many there were."""
        written = self._database.written()
        now = clock.now()
        begin = time.perf_counter()
        taken = (await self._store.write(lambda to: claim(to, self._claimant, now, BATCH))).runs
        claimed = time.perf_counter()
        attempt = Attempt(outcome=_WELL, started_at=now, ended_at=now)
        ended = [EndedAttempt(due, attempt) for due in taken]
        settled = await self._store.write(lambda to: settle_attempts(to, ended))
        if settled.late:
            raise RuntimeError(f"{settled.late} results were refused")
        if len(taken) == BATCH:
            self.claims.append((claimed - begin) * 1000)
            self.settlements.append((time.perf_counter() - claimed) * 1000)
        self.written += self._database.written() - written
        self.done += len(taken)
        return len(taken)

    async def close(self) -> None:
        await self._store.close()


def measure_claims(cluster: Cluster, sink: Sink) -> dict[str, Any]:
    """Claim in stores of different sizes, in turns."""
    with ExitStack() as stack:
        found = {size: stack.enter_context(cluster.database()) for size in SIZES}
        for size, database in found.items():
            crowd(database.url, size, http_job(sink, 0, Instant(clock.now() + 30 * DAY)))
        report = {
            "added last": _claims(found, partial(_add_due, sink)),
            "all over the store": _claims(found, partial(_make_due, sink)),
        }
        return report | {"bytes per job": {f"{n}": d.bytes_per_job() for n, d in found.items()}}


def _add_due(sink: Sink, database: Database) -> None:
    due_at = Instant(clock.now() - SECOND)
    fill(database.url, BATCH * CLAIMS, lambda number: http_job(sink, number, due_at), "due")


def _make_due(sink: Sink, database: Database) -> None:
    due_at = Instant(clock.now() - SECOND)
    make_due(database.url, BATCH * CLAIMS // 4, lambda number: http_job(sink, number, due_at))


def _claims(found: dict[int, Database], prepare: Callable[[Database], None]) -> dict[str, Any]:
    async def steps() -> dict[int, Node]:
        nodes = {size: Node(database) for size, database in found.items()}
        # Full batches alone are counted: those that find less are over sooner.
        while any(len(node.claims) < CLAIMS for node in nodes.values()):
            for database in found.values():
                prepare(database)
            while sum([await node.work() for node in nodes.values()]):
                pass
        for node in nodes.values():
            await node.close()
        return nodes

    nodes = asyncio.run(steps())
    claims = {size: statistics.median(node.claims) for size, node in nodes.items()}
    settled = {size: statistics.median(node.settlements) for size, node in nodes.items()}
    return {
        "claims of each": len(nodes[SIZES[0]].claims),
        "claim_ms": {f"{size} jobs": round(each, 1) for size, each in claims.items()},
        "settle_ms": {f"{size} jobs": round(each, 1) for size, each in settled.items()},
        "log_bytes_per_job": {f"{n} jobs": node.written // node.done for n, node in nodes.items()},
        "longest of shortest": round(max(claims.values()) / min(claims.values()), 2),
    }
