"""An occurrence changes a job twice and none of its indexes: new versions fit on the same page."""

import itertools
from collections.abc import Callable, Generator, Sequence
from typing import Any, cast

import pytest
from msgspec.structs import replace

from foliot.core.model.attempt import Attempt, Outcome
from foliot.core.model.run import DueRun
from foliot.core.recurrence import Frequency, Recurrence
from foliot.engine.claim import Claimant, claim
from foliot.engine.settle import EndedAttempt, settle_attempts
from foliot.ports.store import Store, Transaction
from foliot.store.sealing.keyring import Keyring
from tests.support import postgres
from tests.support.builders import DEFINITION, NOW, a_collection, a_job
from tests.support.store_harness import run

_PAGES = b"SELECT id, (ctid::text::point)[0]::int FROM job ORDER BY id"
_JOBS = 200


@pytest.fixture
def url() -> Generator[str]:
    """A server of this test's own: a transaction in another database keeps old versions here."""
    with postgres.private_server() as server:
        postgres.prepare_database(server.url)
        yield server.url


def add_jobs(to: Transaction) -> None:
    collection = to.add_collection(a_collection())
    hourly = replace(DEFINITION, recurrence=Recurrence(frequency=Frequency.HOUR))
    for number in range(_JOBS):
        to.add_job(a_job(collection.id, f"j{number}", next_at=NOW, definition=hourly))


def claimed(to: Transaction) -> Sequence[DueRun]:
    ids = itertools.count(1)
    return claim(to, Claimant("node", lambda: f"{next(ids):032x}"), NOW, _JOBS).runs


def settled(due: Sequence[DueRun]) -> Callable[[Transaction], int]:
    attempt = Attempt(outcome=Outcome(succeeded=True, message="ok"), started_at=NOW, ended_at=NOW)
    ended = [EndedAttempt(each, attempt) for each in due]
    return lambda to: len(settle_attempts(to, ended).recorded)


def pages(to: Transaction) -> list[tuple[int, int]]:
    return cast("Any", to)._dialect.connection.run(_PAGES).fetchall()  # noqa: SLF001


def test_an_occurrence_leaves_each_job_on_its_page(url: str) -> None:
    async def steps(store: Store) -> None:
        await store.write(add_jobs)
        before = await store.write(pages)

        assert await store.write(settled(await store.write(claimed))) == _JOBS

        assert await store.write(pages) == before
        assert len({page for _, page in before}) > 1

    run(lambda: postgres.open_store(url, Keyring([bytes(32)])), steps)
