"""An engine in virtual time beside the API, on one store: runs are made, and told by calls."""

import asyncio
import itertools
from typing import Any

from foliot.app.engine_access import EngineAccess
from foliot.core.instant import Instant
from foliot.core.model.token import Role
from foliot.engine.claim import Claimant
from foliot.engine.loop import Engine
from foliot.engine.parts import Parts
from foliot.engine.settings import EngineSettings
from tests.support.api_client import COLLECTION, JOB, Client, Reply, http_job
from tests.support.builders import at
from tests.support.engine_world import Targets

OWN = "api-version=2026-11-01"


class ServedEngine:
    """The engine of a client's server, the targets of its jobs, and calls in the own version."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.targets = Targets(client.clock)
        self._ids = itertools.count(1)
        self.engine = self.another_engine()
        self.serve(self.engine)

    def serve(self, engine: Engine) -> None:
        """Let an engine be the one in the process of the server."""
        self.engine = engine
        self.client.with_engine(EngineAccess(engine.wake, engine.abort_runs))

    def another_engine(self, *, slots: int = 2000, slots_per_host: int = 2000) -> Engine:
        """Return the engine of another node."""
        client = self.client
        name, new_id = f"node {next(self._ids)}", lambda: f"{next(self._ids):032x}"
        parts = Parts(
            *(client.store, self.targets, client.clock, Claimant(name, new_id), client.health),
            meter=client.metrics,
        )

        async def make() -> Engine:
            return Engine(parts, EngineSettings(slots=slots, slots_per_host=slots_per_host))

        return client.run(make())

    def put(self, **properties: Any) -> None:
        """Save the job, which must be valid."""
        reply = self.client.put(JOB, http_job(**properties), query=OWN)
        assert reply.status in (200, 201), reply.content

    def post(self, path: str, body: Any = None, *, query: str = "") -> Reply:
        """Call something of the job."""
        return self.client.post(f"{JOB}/{path}", body, query=f"{OWN}&{query}" if query else OWN)

    def listed(self, path: str, query: str = "") -> list[dict[str, Any]]:
        """Return all values of a list of the job, over all its pages."""
        found: list[dict[str, Any]] = []
        asked = f"{OWN}&{query}" if query else OWN
        while True:
            reply = self.client.get(f"{JOB}/{path}", query=asked)
            assert reply.status == 200, reply.content
            found += reply.json["value"]
            if reply.json["nextLink"] is None:
                return found
            asked = reply.json["nextLink"].partition("?")[2]

    def occurrences(self, query: str) -> list[str]:
        """Return lines of the ledger in short: time, outcome and reason."""
        return [
            " ".join([line["plannedAt"][5:16], line["outcome"], line.get("reason", "")]).strip()
            for line in self.listed("occurrences", query)
        ]

    def runs(self, query: str = "") -> list[dict[str, Any]]:
        """Return the properties of the runs of the job."""
        return [each["properties"] for each in self.listed("runs", query)]

    def step(self) -> None:
        """Let the engine do what is due now, to its end."""
        self.client.run(self._step())
        # An outcome may be stored only after the engine has looked for what is due.
        while (due := self._due_at()) is not None and due <= self.client.clock.at:
            self.client.run(self._step())

    def _due_at(self) -> Instant | None:
        return self.client.run(self.client.store.read(lambda view: view.earliest_due_at()))

    async def _step(self) -> None:
        while await self.engine.tick():
            await self.engine.drain()
        await self.engine.drain()

    def begin(self, engine: Engine | None = None) -> None:
        """Let an engine send what is due now; with a gate at the targets, attempts stay there."""

        async def tick() -> None:
            await (engine or self.engine).tick()
            for _ in range(3):
                await asyncio.sleep(0)

        self.client.run(tick())

    def advance_to(self, text: str) -> None:
        """Go from one due time to the next up to a moment, as a punctual engine would."""
        clock, until = self.client.clock, at(text)
        while (due := self._due_at()) is not None and due <= until:
            clock.at = max(clock.at, due)
            self.step()
        clock.at = until

    def move(self, ticks: int) -> None:
        self.client.clock.at = Instant(self.client.clock.at + ticks)

    def as_(self, role: Role, **scope: str) -> None:
        self.client.principal(role, **scope)

    def set_collection(self, action: str) -> None:
        """Enable or disable the collection."""
        assert self.client.post(f"{COLLECTION}/{action}").status == 200
