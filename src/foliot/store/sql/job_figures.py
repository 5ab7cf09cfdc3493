"""Figures about jobs: the port's readings, as named statements."""

from collections.abc import Mapping

from foliot.core.ids import CollectionId, CollectionKey, JobId
from foliot.core.model.job import JobState
from foliot.core.model.job_figures import JobFigures, JobFiguresPage
from foliot.store.sql.access import SqlAccess


class SqlJobFigureReading(SqlAccess):
    """Satisfies `ports.store.job_figures.JobFigureReading`."""

    def oldest_collections(self, limit: int) -> Mapping[CollectionId, CollectionKey]:
        """Return the collections that were created first."""
        rows = self._run("oldest_collections", {"limit": limit})
        return {CollectionId(row[0]): CollectionKey(*row[1:]) for row in rows}

    def job_figures(self, after: JobId, *, limit: int) -> JobFiguresPage:
        """Return the figures of the next jobs in order of id, by collection and state."""
        rows = list(self._run("job_figures", {"after": after, "limit": limit}))
        figures = (
            JobFigures(collection_id, JobState(state), *rest)
            for collection_id, state, _, *rest in rows
            # Deleted jobs wait for the janitor in a collection of their own.
            if collection_id > 0
        )
        return JobFiguresPage(tuple(figures), max((row[2] for row in rows), default=None))
