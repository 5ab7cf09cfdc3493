"""The ledger of a job: what became of each planned time."""

from collections.abc import Sequence
from itertools import islice

from foliot.app.lookup import find_job
from foliot.core.access import Principal
from foliot.core.ids import CollectionKey
from foliot.core.model.ledger import LedgerFacts, LedgerLine
from foliot.core.rules.ledger import ledger
from foliot.core.rules.repeated_runs import TimeRange
from foliot.ports.clock import Clock
from foliot.ports.store import Reading, Store


class Ledger:
    """What a caller can learn about planned times."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self.clock = clock

    async def lines(
        self, who: Principal, key: CollectionKey, name: str, range_: TimeRange, limit: int
    ) -> Sequence[LedgerLine]:
        """Return a line for each planned time of a job in a range, in order, up to a limit."""

        def view(reading: Reading) -> Sequence[LedgerLine]:
            collection, job = find_job(reading, who, key, name)
            facts = LedgerFacts(
                job=job,
                collection=collection,
                created_at=reading.job_record(job.id).created_at,
                changes=reading.schedule_changes(job.id),
                open_runs=reading.runs(job.id),
                entries=reading.planned_entries(job.id, range_.since, range_.before),
                now=self.clock.now(),
            )

            # Here and not on the event loop: many calendars with many days off take a while.
            return list(islice(ledger(facts, range_.since, range_.before), limit))

        return await self._store.browse(view)
