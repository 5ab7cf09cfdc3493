"""Searches for jobs, hosts and alerts across collections, within a scope."""

from collections.abc import Sequence
from typing import Protocol

from foliot.core.ids import JobId
from foliot.core.model.job_search import AlertName, FoundHost, FoundJob, JobSearch
from foliot.core.model.token import Scope


class JobSearchReading(Protocol):
    """Searches what is stored in clear: names, hosts, types, tags, schedules; no definition."""

    def search_jobs(self, scope: Scope, search: JobSearch, *, limit: int) -> Sequence[FoundJob]:
        """Return the jobs that match, by folded name."""
        ...

    def count_all_jobs(self, scope: Scope) -> int:
        """Return how many jobs there are."""
        ...

    def search_hosts(self, scope: Scope, text: str, *, limit: int) -> Sequence[FoundHost]:
        """Return the hosts that contain a text, those of most jobs first."""
        ...

    def search_alerts(self, scope: Scope, text: str, *, limit: int) -> Sequence[AlertName]:
        """Return the alerts whose name contains a text, by folded name."""
        ...

    def jobs_without_words(self, after: JobId, limit: int) -> Sequence[JobId]:
        """Return jobs of which only the name is searched, by id.

        An earlier version of Foliot has stored them.
        """
        ...


class JobSearchChanges(Protocol):
    """Stores what jobs are searched by; a job that is added or saved brings it itself."""

    def fill_words(self, job_ids: Sequence[JobId]) -> None:
        """Store what these jobs are searched by; a definition of another node's key stays."""
        ...
