"""The values of the timeline: how many runs ended when, and jobs that will run."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct

from foliot.core.ids import CollectionId, CollectionKey, JobId
from foliot.core.instant import MINUTE, Instant
from foliot.core.model.run_outcome import RunOutcome

# All time zones in use differ from UTC by whole quarters of an hour.
QUARTER = 15 * MINUTE


class ScheduledJob(NamedTuple):
    """A job that will run, without its definition; `seal` differs after every change of that."""

    job_id: JobId
    collection_id: CollectionId
    next_at: Instant
    occurrence: int
    seal: bytes


class JobName(NamedTuple):
    """A job by its name, and the key of its collection."""

    key: CollectionKey
    name: str


class EndedCount(NamedTuple):
    """How many runs of a collection or a job ended in a quarter of an hour, in one way.

    Quarters are counted as instants are. Skipped occurrences count one by one.
    """

    owner: int
    quarter: int
    outcome: RunOutcome
    number: int


class EntryNumbers(NamedTuple):
    """Numbers of history entries: the first one, and the one after the last."""

    first: int
    end: int


class CountedRuns(Struct, frozen=True):
    """Runs of a cell of time: those that ended, by outcome, and those that are coming."""

    succeeded: int = 0
    recovered: int = 0
    failed: int = 0
    skipped: int = 0
    canceled: int = 0
    coming: int = 0

    @property
    def ended(self) -> int:
        """How many ended, or were skipped."""
        return self.succeeded + self.recovered + self.failed + self.skipped + self.canceled

    @property
    def total(self) -> int:
        """How many there are in all."""
        return self.ended + self.coming


def added_up(cells: Sequence[CountedRuns]) -> CountedRuns:
    """Return the sum of some cells."""
    return CountedRuns(
        *(sum(getattr(cell, name) for cell in cells) for name in CountedRuns.__struct_fields__)
    )
