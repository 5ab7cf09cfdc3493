"""Transactions lock jobs in one order, so that no two nodes wait for each other."""

import asyncio
from collections.abc import Callable, Generator

import psycopg
import pytest
from msgspec.structs import replace

from foliot.app.calendar_days import PreparedJobs, change_jobs
from foliot.app.jobs import Saving
from foliot.app.template_changes import WantedJob, WantedTemplate, save_template
from foliot.core.access import Principal
from foliot.core.instant import MINUTE, Instant
from foliot.core.job_defaults import JobDefaults
from foliot.core.model.attempt import Attempt, Outcome
from foliot.core.model.calendar import Calendar
from foliot.core.model.change import Change
from foliot.core.model.collection import Collection, CollectionState
from foliot.core.model.deployment import DeploymentMode
from foliot.core.model.job import Job
from foliot.core.model.run import DueRun
from foliot.core.model.token import Role
from foliot.core.rules.lifecycle import Revision
from foliot.engine.settle import EndedAttempt, settle_attempts
from foliot.ports.store import Transaction
from foliot.store.sealing.keyring import Keyring
from tests.support import postgres
from tests.support.builders import (
    DEFINITION,
    LONG_AGO,
    NOW,
    SUBSCRIPTION,
    a_collection,
    a_deployment_key,
    a_job,
    a_lease,
    a_run,
)
from tests.support.store_harness import with_jobs

Step = Callable[[Transaction], object]

_LOCK = "SELECT id FROM job WHERE name = %s FOR NO KEY UPDATE"
_ARE_WAITING = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND wait_event_type = 'Lock'
"""


@pytest.fixture
def other(url: str) -> Generator[psycopg.Connection]:
    """Another node's connection, in a transaction."""
    with psycopg.connect(url) as connection:
        yield connection
        connection.rollback()


def watcher_of(url: str) -> Callable[[], None]:
    """Return a function that returns when a transaction waits for a lock."""

    def watch() -> None:
        with psycopg.connect(url, autocommit=True) as watching:
            while watching.execute(_ARE_WAITING).fetchone() == (0,):
                pass

    return watch


def free_while_it_waits(
    url: str, other: psycopg.Connection, make: Callable[[Transaction], Step]
) -> bool:
    """Let a change wait for job b, which was added first; tell whether job a is free meanwhile."""

    async def session() -> bool:
        store = postgres.open_store(url, Keyring([bytes(32)]))
        try:
            change = await store.write(make)
            other.execute(_LOCK, ("b",))
            changing = asyncio.create_task(store.write(change))
            async with asyncio.timeout(30):
                await asyncio.to_thread(watcher_of(url))
            try:
                other.execute(f"{_LOCK} NOWAIT", ("a",))
            except psycopg.errors.LockNotAvailable:
                return False
            finally:
                other.rollback()
                await changing
            return True
        finally:
            await store.close()

    return asyncio.run(session())


def test_outcomes_lock_the_jobs_of_successes_and_failures_together(
    url: str, other: psycopg.Connection
) -> None:
    def result(to: Transaction, collection: Collection, job: Job, *, well: bool) -> EndedAttempt:
        run = to.add_run(a_run(job, lease=a_lease()))
        outcome = Outcome(succeeded=well, message="")
        due = DueRun(run, job, collection, 1)
        return EndedAttempt(due, Attempt(outcome=outcome, started_at=NOW, ended_at=NOW))

    def make(to: Transaction) -> Step:
        collection, (first, second) = with_jobs(to, "b", "a")
        ended = [
            result(to, collection, first, well=False),
            result(to, collection, second, well=True),
        ]
        return lambda later: settle_attempts(later, ended)

    assert free_while_it_waits(url, other, make)


def test_a_collection_that_is_disabled_locks_its_jobs_in_the_order_of_their_ids(
    url: str, other: psycopg.Connection
) -> None:
    def make(to: Transaction) -> Step:
        collection, _ = with_jobs(to, "b", "a")
        disabled = replace(collection, state=CollectionState.DISABLED)
        return lambda later: later.save_collection(disabled)

    assert free_while_it_waits(url, other, make)


def test_a_calendar_that_is_changed_locks_jobs_in_the_order_of_their_ids(
    url: str, other: psycopg.Connection
) -> None:
    def make(to: Transaction) -> Step:
        collection, jobs = with_jobs(to, "b", "a")
        new = Calendar(collection_id=collection.id, name="holidays", dates=(), changed_at=NOW)
        calendar = to.add_calendar(new)
        for job in jobs:
            to.use_calendars(job.id, [calendar.id])
        return lambda later: change_jobs(later, collection, calendar, PreparedJobs(), NOW)

    assert free_while_it_waits(url, other, make)


@pytest.mark.parametrize("mode", list(DeploymentMode))
def test_a_deployment_locks_jobs_in_the_order_of_their_ids(
    url: str, other: psycopg.Connection, mode: DeploymentMode
) -> None:
    """In complete mode it deletes both collections, and else it saves both jobs."""

    def make(to: Transaction) -> Step:
        first, second = (to.add_collection(a_collection(name)) for name in ("x", "y"))
        to.add_job(a_job(second.id, "b"))
        to.add_job(a_job(first.id, "a"))
        jobs = [
            WantedJob((), first.key, "a", lambda _: Revision(DEFINITION)),
            WantedJob((), second.key, "b", lambda _: Revision(DEFINITION)),
        ]
        is_complete = mode is DeploymentMode.COMPLETE
        wanted = WantedTemplate(
            key=a_deployment_key(), mode=mode, collections=[], jobs=[] if is_complete else jobs
        )
        return lambda later: save_template(
            later,
            who=Principal(Role.OWNER),
            wanted=wanted,
            prepared=[],
            saving=Saving(Change(NOW, ""), JobDefaults()),
        )

    assert free_while_it_waits(url, other, make)


def test_a_group_that_is_deleted_locks_the_jobs_of_its_collections_in_the_order_of_their_ids(
    url: str, other: psycopg.Connection
) -> None:
    def make(to: Transaction) -> Step:
        first, second = (to.add_collection(a_collection(name)) for name in ("x", "y"))
        to.add_job(a_job(second.id, "b"))
        to.add_job(a_job(first.id, "a"))
        return lambda later: later.delete_collections(SUBSCRIPTION, "prod")

    assert free_while_it_waits(url, other, make)


def test_a_group_that_is_deleted_locks_its_collections_in_the_order_of_their_names(
    url: str, other: psycopg.Connection
) -> None:
    """It waits for collection a, which was added last, and has not locked collection b."""
    lock = "SELECT id FROM collection WHERE folded_name = %s FOR NO KEY UPDATE"

    def fill(to: Transaction) -> None:
        for name in ("b", "a"):
            to.add_collection(a_collection(name))

    async def session() -> None:
        store = postgres.open_store(url, Keyring([bytes(32)]))
        try:
            await store.write(fill)
            other.execute(lock, ("a",))
            deleting = asyncio.create_task(
                store.write(lambda to: to.delete_collections(SUBSCRIPTION, "prod"))
            )
            async with asyncio.timeout(30):
                await asyncio.to_thread(watcher_of(url))
            try:
                other.execute(f"{lock} NOWAIT", ("b",))
            finally:
                other.rollback()
                await deleting
        finally:
            await store.close()

    asyncio.run(session())


def test_leases_are_renewed_without_waiting_for_a_run_that_somebody_removes(
    url: str, other: psycopg.Connection
) -> None:
    def hold(to: Transaction) -> None:
        _, jobs = with_jobs(to, "a", "b")
        for job in jobs:
            to.add_run(a_run(job, lease=a_lease(node="one")))

    def renew(to: Transaction) -> None:
        to.renew_leases("one", Instant(NOW + 5 * MINUTE), since=LONG_AGO)

    async def session() -> None:
        store = postgres.open_store(url, Keyring([bytes(32)]))
        try:
            await store.write(hold)
            other.execute("DELETE FROM run WHERE job_id = (SELECT id FROM job WHERE name = 'a')")
            await store.write(renew)
        finally:
            await store.close()

    asyncio.run(session())
    other.commit()

    renewed = other.execute("SELECT lease_until FROM run").fetchall()
    assert renewed == [(NOW + 5 * MINUTE,)]
