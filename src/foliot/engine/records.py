"""Outcomes on their way to the store, where they arrive whatever happens."""

import asyncio
import logging
from collections.abc import Callable, Sequence

from foliot.core.errors import FoliotError, origin_of
from foliot.engine.recording import Result, record
from foliot.ports import Meter, Store

_log = logging.getLogger("foliot.engine")


class Records:
    """Stores results; those that come while the disk is busy make the next batch.

    `pause` tells how many seconds to wait after so many failures in a row.
    """

    def __init__(self, store: Store, meter: Meter, pause: Callable[[int], float]) -> None:
        self._store = store
        self._meter = meter
        self._pause = pause
        self._results: list[Result] = []
        self._task: asyncio.Task[None] | None = None

    @property
    def under_way(self) -> Sequence[asyncio.Task[None]]:
        """What to wait for until all is stored."""
        return [] if self._task is None else [self._task]

    def add(self, result: Result) -> None:
        """Have a result stored, soon."""
        self._results.append(result)
        if self._task is None:
            self._task = asyncio.create_task(self._record())

    async def _record(self) -> None:
        failures = 0
        try:
            while batch := self._results:
                self._results = []
                if await self._is_stored(batch):
                    failures = 0
                    continue
                # Nothing is forgotten: the results wait, and their leases are renewed.
                failures += 1
                self._results = [*batch, *self._results]
                await asyncio.sleep(self._pause(failures))
        finally:
            self._task = None

    async def _is_stored(self, batch: list[Result]) -> bool:
        try:
            late = await self._store.write(lambda transaction: record(transaction, batch))
        except FoliotError as error:
            _log.warning("The store does not answer, so outcomes wait: %s", error)
            return False
        except Exception as error:  # noqa: BLE001  (an outcome is kept, whatever happens)
            _log.error("Recording broke down, so outcomes wait, with %s", origin_of(error))
            return False
        self._meter.recorded(len(batch) - late, late)
        if late:
            _log.warning("%d attempts outlived their lease and were not recorded", late)
        return True
