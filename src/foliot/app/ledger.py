"""The ledger of a job: what became of each planned time."""

import asyncio
from collections.abc import Iterator, Sequence
from itertools import islice

from foliot.app.lookup import find_job
from foliot.core.access import Principal
from foliot.core.errors import InvalidQuery
from foliot.core.ids import CollectionKey
from foliot.core.instant import DAY, LAST_TICK, Instant, tell_instant
from foliot.core.model.collection import Collection
from foliot.core.model.job import Job
from foliot.core.model.ledger import LedgerFacts, LedgerLine
from foliot.core.rules.explained_moment import ExplainedMoment, explain_moment
from foliot.core.rules.ledger import ledger
from foliot.core.rules.repeated_runs import TimeRange
from foliot.ports.clock import Clock
from foliot.ports.store import Reading, Store

# The runs until a time ahead are counted from one clock change to the next, once for lines and
# several times for an explanation. A thousand years would take minutes.
_FARTHEST_LINES = 100 * 366 * DAY
_FARTHEST_EXPLAINED = 5 * 366 * DAY


class Ledger:
    """What a caller can learn about planned times."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self.clock = clock
        self._one_at_a_time = asyncio.Lock()

    async def lines(
        self, who: Principal, key: CollectionKey, name: str, range_: TimeRange, limit: int
    ) -> Sequence[LedgerLine]:
        """Return a line for each planned time of a job in a range, in order, up to a limit."""
        self._check("from", range_.since, _FARTHEST_LINES)

        def view(reading: Reading) -> LedgerFacts:
            return self._facts(reading, *find_job(reading, who, key, name), range_)

        facts = await self._store.browse(view)
        # In a thread of its own, since many days off take a while: neither the event loop nor the
        # readings of others wait, and one ledger at a time leaves most of the processor to them.
        async with self._one_at_a_time:
            lines = islice(ledger(facts, range_.since, range_.before), limit)
            return await asyncio.to_thread(list, lines)

    def check_explained(self, at: Instant) -> None:
        """Refuse a moment that lies too far ahead to be explained."""
        self._check("time", at, _FARTHEST_EXPLAINED)

    async def explain(
        self, who: Principal, key: CollectionKey, name: str, at: Instant
    ) -> ExplainedMoment:
        """Return the planned times of a job around a moment, and the calendar at that moment."""
        self.check_explained(at)

        def view(reading: Reading) -> ExplainedMoment:
            found = find_job(reading, who, key, name)

            def lines(since: Instant, before: Instant) -> Iterator[LedgerLine]:
                facts = self._facts(reading, *found, TimeRange(since, before))
                return ledger(facts, since, before)

            facts = self._facts(reading, *found, TimeRange(at, Instant(at + 1)))
            return explain_moment(at, lines, facts)

        return await self._store.browse(view)

    def _check(self, name: str, at: Instant, farthest: int) -> None:
        last = Instant(self.clock.now() + farthest)
        if at > last:
            raise InvalidQuery(
                f"{name}: {tell_instant(Instant(min(at, LAST_TICK)))} is not valid;"
                f" give a time until {tell_instant(last)}."
            )

    def _facts(
        self, reading: Reading, collection: Collection, job: Job, range_: TimeRange
    ) -> LedgerFacts:
        return LedgerFacts(
            job=job,
            collection=collection,
            created_at=reading.job_record(job.id).created_at,
            changes=reading.schedule_changes(job.id),
            open_runs=reading.runs(job.id),
            entries=reading.planned_entries(job.id, range_.since, range_.before),
            now=self.clock.now(),
        )
