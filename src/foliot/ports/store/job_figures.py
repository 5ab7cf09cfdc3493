"""Figures about the jobs of collections, read in pages."""

from collections.abc import Mapping
from typing import Protocol

from foliot.core.ids import CollectionId, CollectionKey, JobId
from foliot.core.model.job_figures import JobFiguresPage


class JobFigureReading(Protocol):
    """Reads what metrics say about jobs; each query reads a limited number of rows."""

    def oldest_collections(self, limit: int) -> Mapping[CollectionId, CollectionKey]:
        """Return the collections that were created first."""
        ...

    def job_figures(self, after: JobId, *, limit: int) -> JobFiguresPage:
        """Return the figures of the next jobs in order of id, by collection and state."""
        ...
