"""Outcomes on their way to the store."""

import logging
from collections.abc import Callable, Sequence

from foliot.engine.settle import Result, record
from foliot.engine.write_queue import Batching
from foliot.ports.metrics import Meter
from foliot.ports.store import Store

_log = logging.getLogger("foliot.engine")


class Records(Batching[Result]):
    """Stores what became of attempts."""

    def __init__(self, store: Store, meter: Meter, pause: Callable[[int], float]) -> None:
        async def keep(batch: Sequence[Result]) -> None:
            late = await store.write(lambda transaction: record(transaction, batch))
            meter.recorded(len(batch) - late, late)
            if late:
                _log.warning(
                    "Outcomes that were not recorded, since another claim has the run or the job is"
                    " deleted: %d",
                    late,
                )

        super().__init__("outcomes", keep, pause)
