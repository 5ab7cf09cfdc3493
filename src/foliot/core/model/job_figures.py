"""Figures about the jobs of collections, for metrics."""

from typing import NamedTuple

from msgspec import Struct

from foliot.core.ids import CollectionId, JobId
from foliot.core.instant import Instant
from foliot.core.model.job import JobState


class JobFigures(Struct, frozen=True):
    """The jobs of a collection in one state: their number, and what became of their last runs.

    `failing` counts the jobs whose last run failed; `most_failures` is the largest number of runs
    of one job that failed in a row. `succeeded_at` is the planned time of the latest occurrence
    that succeeded, of jobs whose last occurrence did.
    """

    collection_id: CollectionId
    state: JobState
    count: int
    failing: int
    most_failures: int
    succeeded_at: Instant | None


class JobFiguresPage(NamedTuple):
    """The figures of some jobs, by collection and state; the next page comes after `last`.

    A page without a last job has no jobs: all have been read.
    """

    figures: tuple[JobFigures, ...]
    last: JobId | None
