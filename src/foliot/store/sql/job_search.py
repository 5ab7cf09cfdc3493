"""Searches: the port's readings and changes, as named statements."""

from collections.abc import Sequence
from typing import Final

from foliot.core.errors import NotReadableHere, Unreadable
from foliot.core.ids import CollectionKey, JobId
from foliot.core.model.job import Job, JobState
from foliot.core.model.job_search import (
    AlertName,
    FoundHost,
    FoundJob,
    JobPosition,
    JobSearch,
    SearchWords,
)
from foliot.core.model.run_outcome import RunOutcome
from foliot.core.model.token import Scope
from foliot.core.rules.job_search import name_alone, search_words
from foliot.store.sealing.keyring import Keyring
from foliot.store.sql.access import SqlAccess
from foliot.store.sql.columns import COLLECTION, JOB
from foliot.store.sql.dialect import Row
from foliot.store.sql.job_rows import JOB_STATES, job_of
from foliot.store.sql.rows import collection_of
from foliot.store.sql.scope_parameters import scope_parameters
from foliot.store.sql.search_rows import containing, row_of_words, term_parameters

_LAST_CHARACTER: Final = "\U0010ffff"
_JOB_SIZE, _END = len(JOB), len(JOB) + len(COLLECTION)
_ID, _COLLECTION, _NAME, _STATE = map(JOB.index, ("id", "collection_id", "name", "state"))


class SqlJobSearchReading(SqlAccess):
    """Satisfies `ports.store.job_search.JobSearchReading`."""

    def search_jobs(self, scope: Scope, search: JobSearch, *, limit: int) -> Sequence[FoundJob]:
        """Return the jobs that match, by folded name."""
        name, job_id = search.after or JobPosition(search.prefix.lower(), JobId(0))
        what = {
            **_scope(scope),
            **term_parameters(search.terms),
            **_rare(search),
            "state": "%" if search.state is None else search.state.value,
            "outcome": "" if search.outcome is None else search.outcome.value,
            "after_name": name,
            "before_name": search.prefix.lower() + _LAST_CHARACTER,
            "after_id": job_id,
            "limit": limit,
        }
        return [_found(row, self._keyring) for row in self._run("search_jobs", what)]

    def count_all_jobs(self, scope: Scope) -> int:
        """Return how many jobs there are."""
        return self._number("count_all_jobs", scope_parameters(scope))

    def search_hosts(self, scope: Scope, text: str, *, limit: int) -> Sequence[FoundHost]:
        """Return the hosts that contain a text, those of most jobs first."""
        what = {**_scope(scope), "pattern": containing(text), "limit": limit}
        return [FoundHost(*row) for row in self._run("search_hosts", what)]

    def search_alerts(self, scope: Scope, text: str, *, limit: int) -> Sequence[AlertName]:
        """Return the alerts whose name contains a text, by folded name."""
        what = {**scope_parameters(scope), "pattern": containing(text), "limit": limit}
        rows = self._run("search_alerts", what)
        return [AlertName(CollectionKey(*key), name) for *key, name in rows]

    def jobs_without_words(self, after: JobId, limit: int) -> Sequence[JobId]:
        """Return jobs of which only the name is searched, by id."""
        rows = self._run("jobs_without_words", {"after": after, "limit": limit})
        return [job_id for (job_id,) in rows]


class SqlJobSearchChanges(SqlAccess):
    """Satisfies `ports.store.job_search.JobSearchChanges`."""

    def fill_words(self, job_ids: Sequence[JobId]) -> None:
        """Store what these jobs are searched by; a definition of another node's key stays."""
        # Locked first: a job that is deleted meanwhile gets no row.
        self._dialect.lock_jobs(job_ids)
        span = {"first": min(job_ids), "last": max(job_ids)}
        for row in self._run("jobs_to_fill", span).fetchall():
            words = _words(row, self._keyring)
            if words is not None:
                self._change("fill_words", row_of_words(row[_ID], row[_COLLECTION], words))


def _scope(scope: Scope) -> dict[str, object]:
    return {**scope_parameters(scope), "is_part": int(scope != Scope())}


def _rare(search: JobSearch) -> dict[str, object]:
    """Return the state and the outcome if most jobs have another one."""
    state, outcome = search.state, search.outcome
    return {
        "rare_state": "" if state is None or state is JobState.ENABLED else state.value,
        "rare_outcome": "" if outcome is None or outcome is RunOutcome.SUCCEEDED else outcome.value,
    }


def _found(row: Row, keyring: Keyring) -> FoundJob:
    name = row[_NAME]
    return FoundJob(
        position=JobPosition(name.lower(), row[_ID]),
        collection=collection_of(row[_JOB_SIZE:_END]),
        name=name,
        state=JOB_STATES[row[_STATE]],
        host=row[_END] or "",
        job=_readable(row[:_JOB_SIZE], keyring),
    )


def _readable(row: Row, keyring: Keyring) -> Job | None:
    try:
        return job_of(row, keyring)
    except (NotReadableHere, Unreadable):
        return None


def _words(row: Row, keyring: Keyring) -> SearchWords | None:
    """Return what a job is searched by, None if another node may be able to read it."""
    try:
        return search_words(job_of(row, keyring))
    except NotReadableHere:
        return None
    except Unreadable:
        return name_alone(row[_NAME])
