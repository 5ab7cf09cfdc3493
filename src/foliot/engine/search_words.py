"""Stores what jobs of earlier versions are searched by: their hosts, types, tags and schedules.

Each step is one small transaction, and a job that is done is not found again: a task that was
interrupted continues where it stopped. It starts anew every hour, because nodes of an older version
add such jobs while nodes are upgraded one after the other.
"""

import asyncio

from msgspec import Struct

from foliot.core.errors import FoliotError, origin_of
from foliot.core.ids import JobId
from foliot.ports.logs import get_logger
from foliot.ports.store import Store

_log = get_logger("foliot.search_words")


class StepPace(Struct, frozen=True, kw_only=True):
    """How many jobs one step reads, and how long the task rests after it."""

    jobs: int = 100
    seconds_between_steps: float = 0.05
    seconds_between_rounds: float = 3600.0
    seconds_after_failure: float = 60.0


class SearchWordsTask:
    """Goes through jobs by id. `step` takes one step, for tests; `run` goes on until cancelled."""

    def __init__(self, store: Store, pace: StepPace | None = None) -> None:
        self._store = store
        self._pace = pace or StepPace()
        self._reached = JobId(0)

    async def run(self) -> None:
        """Take steps until cancelled; one that fails is tried again later."""
        while True:
            rest = await self._rest_after_step()
            await asyncio.sleep(rest)

    async def step(self) -> bool:
        """Take one step; tell whether jobs are left."""
        found = await self._store.browse(
            lambda reading: reading.jobs_without_words(self._reached, self._pace.jobs)
        )
        if not found:
            self._reached = JobId(0)
            return False
        await self._store.write(lambda to: to.fill_words(found))
        self._reached = found[-1]
        return True

    async def _rest_after_step(self) -> float:
        try:
            goes_on = await self.step()
        except FoliotError as error:
            _log.warning("Jobs cannot be made searchable", error=str(error))
            return self._pace.seconds_after_failure
        except Exception as error:  # noqa: BLE001  (the task must go on)
            _log.error("Making jobs searchable broke down", error=origin_of(error))
            return self._pace.seconds_after_failure
        return self._pace.seconds_between_steps if goes_on else self._pace.seconds_between_rounds
