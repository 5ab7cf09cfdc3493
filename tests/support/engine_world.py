"""A world in which time is what a test says: a real store, a clock to set, targets that obey."""

import asyncio
import itertools
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from foliot.api.wire.job import Address, decode_job
from foliot.app.use_cases import UseCases
from foliot.core.access import Principal
from foliot.core.ids import CollectionKey
from foliot.core.instant import Instant
from foliot.core.limits import Limits
from foliot.core.model.attempt import AttemptRequest, NotSent, Outcome
from foliot.core.model.collection import Collection, Sku
from foliot.core.model.history import HistoryEntry
from foliot.core.model.job import Job
from foliot.core.model.token import Role
from foliot.core.rules.turns import MAX_OPEN_RUNS
from foliot.engine.claim import Claimant
from foliot.engine.loop import Engine
from foliot.engine.parts import Parts
from foliot.engine.settings import EngineSettings
from foliot.ports.health import Health
from foliot.ports.metrics import NO_METER, Meter
from foliot.ports.store import Store
from foliot.ports.tracing import Tracer
from foliot.store.sealing.keyring import Keyring
from tests.support.api_client import ManualClock, http_job
from tests.support.builders import at
from tests.support.steps import Steps
from tests.support.stores import database

KEY = CollectionKey("s", "g", "c")
OWNER = Principal(Role.OWNER)


class Sent(NamedTuple):
    job: str
    tag: str
    expected_at: Instant
    sent_at: Instant


class Targets:
    """Whatever is sent arrives here; each attempt ends as the test's answers say."""

    def __init__(self, clock: ManualClock) -> None:
        self._clock = clock
        self.sent: list[Sent] = []
        self.are_silent = False
        self.gate: asyncio.Event | None = None
        self.reached = asyncio.Event()
        self.answer: Callable[[AttemptRequest], Outcome | NotSent] = lambda _: Outcome(
            succeeded=True, message="ok"
        )

    async def dispatch(self, request: AttemptRequest) -> Outcome | NotSent:
        sent = Sent(request.job, request.tag, request.expected_at, self._clock.now())
        self.sent.append(sent)
        self.reached.set()
        if self.are_silent:
            await asyncio.Event().wait()
        if self.gate is not None:
            await self.gate.wait()
        return self.answer(request)

    async def close(self) -> None:
        """Hold nothing."""


class World:
    """Everything that is not the engine, and engines that come and go."""

    def __init__(self, folder: Path, now: str = "2026-01-10T00:00:00Z") -> None:
        self.clock = ManualClock(now)
        self._things = ExitStack()
        opened = self._things.enter_context(database(folder))
        self.rows = opened.rows
        self.store = opened.open(Keyring([b"k" * 32]))
        self.targets = Targets(self.clock)
        self.use_cases = UseCases.of(self.store, self.clock)
        self.health = Health()
        self.can_send = True
        self.ask_whether_it_can_send = lambda: self.can_send
        self._ids = itertools.count(1)
        self._runner = Steps()
        self.engine = self.start_engine()
        self.run(self._add_collection())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.run(self.store.close())
        self._runner.close()
        self._things.close()

    def start_engine(
        self,
        store: Store | None = None,
        *,
        node: str | None = None,
        meter: Meter = NO_METER,
        max_open_runs: int = MAX_OPEN_RUNS,
        tracer: Tracer | None = None,
        **settings: Any,
    ) -> Engine:
        """Return a new engine, a node of its own unless it is named."""
        name = node or f"node {next(self._ids)}"
        claimant = Claimant(name, lambda: f"{next(self._ids):032x}", max_open_runs)
        parts = Parts(
            *(store or self.store, self.targets, self.clock, claimant, self.health),
            can_send=lambda: bool(self.ask_whether_it_can_send()),
            tracer=tracer,
            meter=meter,
        )

        async def make() -> Engine:
            return Engine(parts, EngineSettings(**settings))

        self.engine = self._runner.run(make())
        return self.engine

    def kill_engine(self) -> None:
        """End the engine as a crash would: whatever it has not stored is gone."""

        async def kill() -> None:
            for task in asyncio.all_tasks() - {asyncio.current_task()}:
                task.cancel()

        self._runner.run(kill())

    def run(self, coroutine: Any) -> Any:
        return self._runner.run(coroutine)

    def add_job(self, name: str = "job", **properties: Any) -> None:
        self.run(self.save_job(name, **properties))

    async def save_job(self, name: str = "job", **properties: Any) -> None:
        await self.save_job_in(KEY, name, **properties)

    async def save_job_in(self, key: CollectionKey, name: str, **properties: Any) -> None:
        revision = decode_job(http_job(**properties), Address(key, name), Limits())
        await self.use_cases.jobs.save_job(OWNER, key, name, lambda _: revision)

    def job(self, name: str = "job") -> Job:
        return self.run(self.use_cases.jobs.get_job(OWNER, KEY, name)).job

    def history(self, name: str = "job") -> list[HistoryEntry]:
        """Return all entries, the oldest first."""
        job = self.job(name)
        entries = self.run(self.store.read(lambda tx: tx.history(job.id, limit=100_000)))
        return list(reversed(entries))

    def step(self) -> None:
        """Let the engine do what is due now, to its end."""

        async def round_() -> None:
            while await self.engine.tick():
                await self.engine.drain()
            await self.engine.drain()

        self.run(round_())

    def due_at(self) -> Instant | None:
        return self.run(self.store.read(lambda tx: tx.earliest_due_at()))

    def advance_to(self, text: str) -> None:
        """Go from one due time to the next up to a moment, as a punctual engine would."""
        for moment in self._due_times(at(text)):
            self.clock.at = max(self.clock.at, moment)
            self.step()
        self.clock.at = at(text)

    def _due_times(self, until: Instant) -> Iterator[Instant]:
        while (due := self.due_at()) is not None and due <= until:
            yield due

    async def _add_collection(self) -> None:
        collection = Collection(key=KEY, sku=Sku.P20_PREMIUM, location="West US")
        await self.store.write(lambda tx: tx.add_collection(collection))


def failing(message: str = "no") -> Callable[[AttemptRequest], Outcome]:
    return lambda _: Outcome(succeeded=False, message=message)
