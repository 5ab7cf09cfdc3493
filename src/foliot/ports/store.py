"""The store, as small protocols with their contracts: both databases satisfy all of them."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeVar

from msgspec import Struct

from foliot.core.ids import CollectionId, CollectionKey, JobId
from foliot.core.instant import Instant
from foliot.core.model.collection import Collection, Sku
from foliot.core.model.dashboard import (
    AttemptSample,
    ComingJob,
    CountedCollection,
    FailingJob,
    FailurePage,
    OpenRun,
    Totals,
)
from foliot.core.model.history import AttemptStatus, HistoryEntry
from foliot.core.model.job import Job, JobState
from foliot.core.model.node import Node
from foliot.core.model.run import DueJob, DueRun, Run
from foliot.core.model.token import Scope, Token

Result = TypeVar("Result")


class Inspection(Struct, frozen=True):
    """How far a look at the jobs came, None at their end, and whose history is to be trimmed."""

    crowded: Sequence[JobId]
    reached: JobId | None


class JobMark(NamedTuple):
    """What tells whether a job has changed: its seal with its definition, all of it with the rest.

    Counters of failures are not in it.
    """

    name: str
    state: JobState
    open_runs: int
    seal: bytes
    standing: tuple[int | None, ...]


class Watching(Protocol):
    """What those who watch see, within a scope; no answer takes longer the more there is.

    None of these goes through a table that grows: what would is counted to a limit or sampled.
    """

    def collections_seen(
        self,
        scope: Scope,
        *,
        search: str = "",
        after: CollectionKey | None = None,
        limit: int = 100,
    ) -> Sequence[CountedCollection]:
        """Return the collections whose name holds a text, by folded key."""
        ...

    def runs(self, job_id: JobId) -> Sequence[Run]:
        """Return the open runs of a job, in the order they were made."""
        ...

    def held_runs(self, scope: Scope, *, limit: int) -> Sequence[OpenRun]:
        """Return runs that a node holds, the longest due first."""
        ...

    def failing_jobs(self, scope: Scope, since: Instant, page: FailurePage) -> Sequence[FailingJob]:
        """Return jobs with attempts that failed since then, the last to fail first.

        No more than the newest failures of the scope are looked at, as many as the sample has.
        Here as in all of these, an error action's attempts do not count: a job fails or goes well
        by its main action.
        """
        ...

    def coming_jobs(self, scope: Scope, until: Instant, *, limit: int) -> Sequence[ComingJob]:
        """Return enabled jobs of enabled collections that will run by then, the earliest first."""
        ...

    def tally(self, scope: Scope, since: Instant, until: Instant, *, limit: int) -> Totals:
        """Count runs, failures since a time and jobs that run until a time, each to a limit."""
        ...

    def outcomes(
        self, job_ids: Sequence[JobId], *, limit: int, with_postponed: bool = True
    ) -> Mapping[JobId, Sequence[AttemptStatus]]:
        """Return how the last attempts of each job's main action ended, the newest first."""
        ...

    def beats(self, since: Instant, *, points: int) -> Sequence[AttemptSample]:
        """Return attempts recorded since then, all or an even sample of them, the oldest first."""
        ...


class Reading(Watching, Protocol):
    """A consistent view of the store.

    Keys and names match in any letter case. Listings are in order of their key, history with the
    newest first; `after` is the key of the last row seen, so that a listing goes on stably while
    rows are added; `skip` rows are passed over, at most `limit` are returned.
    """

    def collection(self, key: CollectionKey) -> Collection | None:
        """Return a collection."""
        ...

    def collections(
        self,
        subscription: str,
        group: str | None = None,
        *,
        after: tuple[str, str] | None = None,
        skip: int = 0,
        limit: int = 100,
    ) -> Sequence[Collection]:
        """Return collections by folded group and name."""
        ...

    def count_collections(self, subscription: str, sku: Sku) -> int:
        """Return how many collections of a subscription have a plan."""
        ...

    def located_job(self, key: CollectionKey, name: str) -> tuple[Collection, Job | None] | None:
        """Return a collection and, if it is there, its job of this name with its definition."""
        ...

    def jobs(
        self,
        collection_id: CollectionId,
        *,
        state: JobState | None = None,
        after: str | None = None,
        skip: int = 0,
        limit: int = 100,
    ) -> Sequence[Job]:
        """Return jobs by folded name."""
        ...

    def job_marks(self, collection_id: CollectionId) -> Mapping[JobId, JobMark]:
        """Return the marks of all jobs of a collection, by folded name; no definition is opened."""
        ...

    def count_jobs(self, collection_id: CollectionId) -> int:
        """Return how many jobs a collection has."""
        ...

    def history(
        self,
        job_id: JobId,
        *,
        status: AttemptStatus | None = None,
        after: tuple[Instant, int] | None = None,
        skip: int = 0,
        limit: int = 100,
    ) -> Sequence[HistoryEntry]:
        """Return history entries by start and number, the newest first."""
        ...

    def earliest_due_at(self) -> Instant | None:
        """Return when the engine has something to do next, if no lease runs out before.

        That is the earliest next time of an enabled job, or due time of a run nobody holds, in an
        enabled collection.
        """
        ...

    def count_due(self, now: Instant, limit: int) -> int:
        """Return how many jobs and runs are due and held by nobody, counted up to a limit."""
        ...

    def inspect_histories(
        self, after: JobId, *, since: Instant, kept: int, limit: int
    ) -> Inspection:
        """Look at so many jobs by id: who has history before a moment, or more than is kept."""
        ...

    def jobs_ended_before(self, at: Instant, limit: int) -> Sequence[JobId]:
        """Return jobs that came to a final state before a moment, the earliest first."""
        ...

    def tokens(self) -> Sequence[Token]:
        """Return all tokens."""
        ...

    def token(self, digest: bytes) -> Token | None:
        """Return the token whose secret has this hash."""
        ...

    def has_session_ended(self, digest: bytes) -> bool:
        """Tell whether somebody signed out of the session that has this hash."""
        ...

    def nodes(self) -> Sequence[Node]:
        """Return the nodes that were heard of, by name."""
        ...


class Transaction(Reading, Protocol):
    """A reading that can also change what it sees; all of it or nothing is kept."""

    def add_collection(self, collection: Collection) -> Collection:
        """Store a new collection and return it with its id."""
        ...

    def save_collection(self, collection: Collection) -> None:
        """Store a changed collection."""
        ...

    def delete_collection(self, collection_id: CollectionId) -> None:
        """Remove a collection with its jobs and their runs.

        Their history is out of sight, and left to `purge_job`: there may be very much of it.
        """
        ...

    def add_job(self, job: Job) -> Job:
        """Store a new job and return it with its id."""
        ...

    def save_job(self, job: Job) -> None:
        """Store a changed job."""
        ...

    def delete_job(self, job_id: JobId) -> None:
        """Remove a job with its runs; its history is out of sight, and left to `purge_job`.

        The job is then among those that came to a final state before any moment.
        """
        ...

    def purge_job(self, job_id: JobId) -> None:
        """Remove all that is left of a job; whoever asks has removed most of its history."""
        ...

    def due_jobs(
        self, now: Instant, limit: int, *, crowding: Sequence[CollectionId] = ()
    ) -> Sequence[DueJob]:
        """Return enabled jobs of enabled collections whose time has come, the earliest first.

        Of collections that crowd none are returned. NotReadableHere if this node cannot read one.
        """
        ...

    def due_runs(
        self, now: Instant, limit: int, *, crowding: Sequence[CollectionId] = ()
    ) -> Sequence[DueRun]:
        """Return runs that are due and not held, or whose lease has run out, the earliest first.

        Of an enabled collection only; of a disabled job only those beside the calendar.
        Of collections that crowd none are returned. NotReadableHere if this node cannot read one.
        """
        ...

    def claimed_runs(self, claimed: Sequence[DueRun]) -> Sequence[DueRun]:
        """Return of these runs those that are still held under the claims they have.

        A job whose definition does not open has the one it was claimed with: no outcome is lost.
        """
        ...

    def standings(self, claimed: Sequence[DueRun]) -> Sequence[DueRun]:
        """Return of these runs those that are still held, and where their jobs stand now.

        What a job does is not read again: this is for attempts of which nothing more follows.
        """
        ...

    def add_run(self, run: Run) -> Run:
        """Store a new run and return it with its id; Conflict if its occurrence is planned."""
        ...

    def plan_runs(self, runs: Sequence[Run]) -> Sequence[Run]:
        """Store new runs of the calendar and return them with their ids.

        One whose occurrence is planned already is left out.
        """
        ...

    def save_runs(self, runs: Sequence[Run]) -> None:
        """Store changed runs; one that is gone stays gone."""
        ...

    def delete_runs(self, runs: Sequence[Run]) -> None:
        """Remove runs that have ended."""
        ...

    def count_open_runs(self, job_id: JobId) -> int:
        """Return how many runs of a job are open."""
        ...

    def make_runs_due(self, job_id: JobId, now: Instant) -> None:
        """Let the runs of a job that could have begun before now, but waited, be due now.

        Those are retries whose time has passed, and runs whose lease has run out.
        """
        ...

    def make_all_runs_due(self, collection_id: CollectionId, now: Instant) -> None:
        """Do the same for all jobs of a collection."""
        ...

    def renew_leases(self, node: str, until: Instant, *, since: Instant) -> None:
        """Hold all runs of a node longer whose leases end since a moment.

        There are none before the last time they were renewed, and to look there costs.
        """
        ...

    def end_leases(self, node: str, at: Instant) -> None:
        """Let all runs of a node be taken over: it has begun anew and does not know of them."""
        ...

    def advance_job(self, job: Job) -> None:
        """Store a job's state, place in the calendar and counters; its definition is as it was."""
        ...

    def advance_jobs(self, jobs: Sequence[Job]) -> None:
        """Store the state, the next time and the count of occurrences of jobs that are planned."""
        ...

    def settle_jobs(self, jobs: Sequence[Job]) -> None:
        """Store the state and the counters of jobs after attempts; not when they are due."""
        ...

    def add_history(self, *entries: HistoryEntry) -> None:
        """Store attempts, and give them numbers in this order."""
        ...

    def trim_history(self, job_id: JobId, *, since: Instant, kept: int, limit: int) -> int:
        """Remove history of a job from before a moment, or beyond the newest so many.

        At most `limit` entries go, the oldest first; returns how many.
        """
        ...

    def tend_history(self, *, now: Instant, since: Instant) -> None:
        """Make room for history to come, and drop what is old, where that is done in parts."""
        ...

    def add_token(self, token: Token) -> Token:
        """Store a new token and return it with its id."""
        ...

    def delete_token(self, token_id: int) -> bool:
        """Remove a token; tell whether there was one."""
        ...

    def touch_token(self, token_id: int, at: Instant) -> None:
        """Remember when a token was last used."""
        ...

    def end_session(self, digest: bytes, until: Instant, now: Instant) -> None:
        """Remember that somebody signed out, until the session would have ended by itself."""
        ...

    def save_node(self, node: Node) -> None:
        """Remember when a node was last heard of, and what it holds."""
        ...

    def delete_node(self, node_id: str) -> None:
        """Forget a node that has left."""
        ...

    def delete_silent_nodes(self, before: Instant) -> None:
        """Forget nodes that were not heard of since a moment."""
        ...


class Store(Protocol):
    """Keeps everything, durably.

    What `write` returns is on disk: neither a crash of the process nor of the machine loses it.
    Writes of one store happen one after the other; those that wait together share a flush. A change
    that raises is undone and raises to its caller; the others of its batch are kept. It may be run
    more than once before it is kept, and so must be a function of what it reads. `read` sees all
    that was written before it was called. A store that cannot be reached raises Unavailable.
    """

    async def read(self, view: Callable[[Reading], Result]) -> Result:
        """Run a function on a consistent view; it looks at a few rows."""
        ...

    async def browse(self, view: Callable[[Reading], Result]) -> Result:
        """Run a function on a consistent view; it looks at many rows, and `read` need not wait."""
        ...

    async def write(self, change: Callable[[Transaction], Result]) -> Result:
        """Run a function in a transaction and return its result when it is durable."""
        ...

    async def close(self) -> None:
        """Finish what was begun and release everything."""
        ...
