"""Tests of jobs: one attempt at once, of which only the audit log tells."""

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from msgspec import Struct, structs

from foliot.app.change_log import log_change
from foliot.app.job_previews import JobPreviews, SaveContext
from foliot.app.jobs import ReviseJob
from foliot.app.lookup import check_enabled, check_may_change
from foliot.core.access import Principal
from foliot.core.errors import Conflict, Unavailable, origin_of
from foliot.core.ids import CollectionId, CollectionKey, check_name
from foliot.core.limits import Limits
from foliot.core.model.attempt import Attempt, AttemptRequest, NotSent, Outcome
from foliot.core.model.audit import AuditAction, AuditDetails
from foliot.core.model.change import Change
from foliot.core.model.job import Job, JobState
from foliot.core.model.run import DueRun
from foliot.core.rules import lifecycle
from foliot.core.rules.attempt_request import attempt_request
from foliot.core.rules.audit_entries import runs_entry
from foliot.core.rules.manual_runs import ManualRuns
from foliot.core.rules.policy_limits import check_policy
from foliot.core.rules.quota import check_job
from foliot.ports.clock import Clock
from foliot.ports.dispatch import Dispatcher
from foliot.ports.logs import get_logger
from foliot.ports.random_ids import new_id
from foliot.ports.store import Store

# A test needs none of the slots of the engine, so their number has limits of its own.
TESTS_OF_A_NODE: Final = 16
TESTS_OF_A_COLLECTION: Final = 4
_UNNAMED: Final = "test"
_UNSAVED: Final = "with values that were not saved"
_NEW: Final = "of a job that was not saved"

_log = get_logger("foliot.app")


class EndedTest(Struct, frozen=True):
    """The attempt of a test, its execution tag, and its request unless that could not be made."""

    attempt: Attempt
    tag: str
    request: AttemptRequest | None = None


class JobTests:
    """What a caller can try out: one attempt at a job, stored or not. Without a dispatcher, none.

    It goes through the dispatcher of the engine, so its limits and egress rules are the same.
    """

    def __init__(
        self,
        store: Store,
        previews: JobPreviews,
        clock: Clock,
        manual_runs: ManualRuns,
        dispatcher: Dispatcher | None,
    ) -> None:
        self._store = store
        self._previews = previews
        self._clock = clock
        self._manual_runs = manual_runs
        self._dispatcher = dispatcher
        self._in_progress: Counter[CollectionId] = Counter()

    async def test_job(
        self,
        who: Principal,
        key: CollectionKey,
        name: str | None,
        revise: ReviseJob | None,
        limits: Limits,
    ) -> EndedTest:
        """Make one attempt at a job as a save would make it, or without `revise` as it is."""
        check_may_change(who, key)
        if self._dispatcher is None:
            raise Conflict(
                "This node runs no jobs (FOLIOT_NO_ENGINE), so it cannot test one: "
                "the addresses that jobs may call are those of nodes that run them; ask one."
            )
        found = await self._previews.context(who, key, name, must_exist=revise is None)
        check_enabled(found.collection, "test")
        job = _job(found, revise)
        with self._counted(found, job):
            due = DueRun(lifecycle.run_now(job, found.at, new_id()), job, found.collection)
            request = attempt_request(due, new_id(), limits)
            if not isinstance(request, Outcome):
                await self._record(who.changing_at(found.at), found, due.run.tag, revise)
            outcome = await self._outcome(self._dispatcher, request)
        log_change("Job tested", key, name, tag=due.run.tag, succeeded=outcome.succeeded)
        attempt = Attempt(outcome=outcome, started_at=found.at, ended_at=self._clock.now())
        sent = None if isinstance(request, Outcome) else request
        return EndedTest(attempt, due.run.tag, sent)

    async def _record(
        self, change: Change, found: SaveContext, tag: str, revise: ReviseJob | None
    ) -> None:
        """Keep who sends a test of what, before it is sent: nothing is sent without an entry."""
        stored = found.job
        unsaved = None if revise is None else _UNSAVED if stored else _NEW
        details = AuditDetails(tag=tag, reason=unsaved)
        name = None if stored is None else stored.name
        key = found.collection.key
        entry = runs_entry(change, key, name, AuditAction.TESTED, details)
        await self._store.write(lambda transaction: transaction.add_audit_entries(entry))

    async def _outcome(self, dispatcher: Dispatcher, request: AttemptRequest | Outcome) -> Outcome:
        if isinstance(request, Outcome):
            return request
        try:
            outcome = await dispatcher.dispatch(structs.replace(request, is_test=True))
        except Exception as error:
            _log.error("Attempt broke down", job=request.job, error=origin_of(error))
            raise Unavailable("The test ended unexpectedly; the log has more.") from error
        if isinstance(outcome, NotSent):
            raise Unavailable(f"No attempt was made: {outcome.reason}.")
        return outcome

    @contextmanager
    def _counted(self, found: SaveContext, job: Job) -> Generator[None]:
        """Count a test among the runs by hand, and among those in progress; refuse too many."""
        of = found.collection.id
        self._manual_runs.check(found.collection, job, found.active_runs, found.at)
        if self._in_progress[of] >= TESTS_OF_A_COLLECTION:
            raise _busy(f"the collection '{found.collection.key.name}'", TESTS_OF_A_COLLECTION)
        if self._in_progress.total() >= TESTS_OF_A_NODE:
            raise _busy("this server", TESTS_OF_A_NODE)
        self._manual_runs.add(found.collection, job, found.at)
        self._in_progress[of] += 1
        try:
            yield
        finally:
            self._in_progress[of] -= 1
            self._in_progress += Counter()  # drops those that are 0


def _job(found: SaveContext, revise: ReviseJob | None) -> Job:
    """Return the job to test; a new one may be refused as it would be when it is saved."""
    old, now = found.job, found.at
    if revise is None:
        assert old is not None  # noqa: S101  (it must exist)
        return old
    if old is None and found.name is not None:
        check_name(("name",), found.name)
    # As if it were disabled: a test needs no end that lies ahead.
    wanted = revise(old)
    definition = found.with_days(wanted.definition)
    revision = structs.replace(wanted, definition=definition, state=JobState.DISABLED)
    name = found.name or _UNNAMED
    new = lifecycle.create(found.collection.id, name, revision, now, found.defaults)
    check_policy(new, None if old is None else old.definition)
    check_job(found.collection, new, old)
    return new if old is None else structs.replace(new, id=old.id, occurrence=old.occurrence)


def _busy(what: str, most: int) -> Conflict:
    return Conflict(f"{most} tests of {what} are in progress; try again when one has ended.")
