"""The port's changes, as named queries on a connection."""

from msgspec.structs import asdict, replace

from foliot.core.errors import Conflict
from foliot.core.ids import CollectionId, JobId
from foliot.core.instant import Instant
from foliot.core.model.collection import Collection, CollectionState
from foliot.core.model.job import Job
from foliot.core.model.node import Node
from foliot.core.model.token import Token
from foliot.store.sql.engine_changes import SqlEngineChanges
from foliot.store.sql.queries import QUERIES
from foliot.store.sql.rows import row_of_collection, row_of_definition, row_of_job, row_of_token


class SqlTransaction(SqlEngineChanges):
    """What can be done through a connection; satisfies `ports.Transaction`."""

    def add_collection(self, collection: Collection) -> Collection:
        """Store a new collection and return it with its id."""
        taken = f"The job collection '{collection.key.name}' exists already."
        number = self._add(QUERIES.add_collection, row_of_collection(collection), taken=taken)
        return replace(collection, id=CollectionId(number))

    def save_collection(self, collection: Collection) -> None:
        """Store a changed collection."""
        former = self._row(QUERIES.collection_state, {"id": collection.id})
        if former is None:
            raise Conflict(f"The job collection '{collection.key.name}' no longer exists.")
        self._change(QUERIES.save_collection, row_of_collection(collection))
        is_halted = collection.state is not CollectionState.ENABLED
        if is_halted is not (former[0] != CollectionState.ENABLED):
            self._halt_jobs(collection.id, is_halted=is_halted)

    def _halt_jobs(self, collection_id: CollectionId, *, is_halted: bool) -> None:
        what = {"collection_id": collection_id, "is_halted": is_halted}
        self._change(QUERIES.halt_jobs, what)

    def delete_collection(self, collection_id: CollectionId) -> None:
        """Remove a collection, and take its jobs with their history out of sight."""
        what = {"collection_id": collection_id}
        self._change(QUERIES.add_hidden_collection, ())
        self._change(QUERIES.drop_all_runs, what)
        self._change(QUERIES.drop_definitions, what)
        self._change(QUERIES.hide_jobs, what)
        self._change(QUERIES.delete_collection, {"id": collection_id})

    def add_job(self, job: Job) -> Job:
        """Store a new job and return it with its id."""
        taken = f"Job '{job.name}' exists already."
        number = self._add(QUERIES.add_job, row_of_job(job), taken=taken)
        added = replace(job, id=JobId(number))
        self._change(QUERIES.add_definition, row_of_definition(added, self._keyring))
        self._change(QUERIES.count_added_job, {"collection_id": job.collection_id})
        return added

    def save_job(self, job: Job) -> None:
        """Store a changed job."""
        if not self._change(QUERIES.save_job, row_of_job(job)):
            raise Conflict(f"Job '{job.name}' no longer exists.")
        self._change(QUERIES.save_definition, row_of_definition(job, self._keyring))

    def delete_job(self, job_id: JobId) -> None:
        """Take a job with its history out of sight; its definition and its runs are gone."""
        what = {"job_id": job_id}
        self._change(QUERIES.add_hidden_collection, ())
        self._change(QUERIES.count_deleted_job, {"id": job_id})
        self._change(QUERIES.hide_job, what)
        self._change(QUERIES.drop_runs, what)
        self._change(QUERIES.drop_definition, what)

    def purge_job(self, job_id: JobId) -> None:
        """Remove a job with all that is left of it."""
        self._change(QUERIES.count_deleted_job, {"id": job_id})
        self._change(QUERIES.delete_job, {"id": job_id})

    def trim_history(self, job_id: JobId, *, since: Instant, kept: int, limit: int) -> int:
        """Remove history of a job from before a moment, or beyond the newest so many."""
        surplus = self._row(QUERIES.newest_surplus, {"job_id": job_id, "kept": kept})
        started_at, number = max((since, 0), surplus or (0, 0))
        what = {"job_id": job_id, "started_at": started_at, "number": number, "limit": limit}
        return self._change(QUERIES.trim_history, what)

    def tend_history(self, *, now: Instant, since: Instant) -> None:
        """Do nothing: SQLite keeps history in one part."""

    def add_token(self, token: Token) -> Token:
        """Store a new token and return it with its id."""
        taken = "A token with this secret exists already."
        return replace(token, id=self._add(QUERIES.add_token, row_of_token(token), taken=taken))

    def delete_token(self, token_id: int) -> bool:
        """Remove a token; tell whether there was one."""
        return self._change(QUERIES.delete_token, {"id": token_id}) > 0

    def touch_token(self, token_id: int, at: Instant) -> None:
        """Remember when a token was last used."""
        self._change(QUERIES.touch_token, {"id": token_id, "at": at})

    def end_session(self, digest: bytes, until: Instant, now: Instant) -> None:
        """Remember that somebody signed out, until the session would have ended by itself."""
        self._change(QUERIES.delete_ended_sessions, {"now": now})
        self._change(QUERIES.add_ended_session, {"digest": digest, "until_at": until})

    def save_node(self, node: Node) -> None:
        """Remember when a node was last heard of, and what it holds."""
        self._change(QUERIES.save_node, asdict(node))

    def delete_node(self, node_id: str) -> None:
        """Forget a node that has left."""
        self._change(QUERIES.delete_node, {"id": node_id})

    def delete_silent_nodes(self, before: Instant) -> None:
        """Forget nodes that were not heard of since a moment."""
        self._change(QUERIES.delete_silent_nodes, {"before": before})
