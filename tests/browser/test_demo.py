"""The demo data: what its pages count is what its history has."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from foliot.core.ids import CollectionKey
from foliot.core.model.history import AttemptStatus, RunOutcome
from foliot.ports.store import Reading
from foliot.store.sealing.keyring import load_keyring
from foliot.store.sqlite.store import SqliteStore
from tests.browser.demo import fill
from tests.support.builders import NOW

BILLING = CollectionKey("acme", "shop", "billing")


def test_the_counters_of_a_job_follow_from_its_history(tmp_path: Path) -> None:
    def view(reading: Reading) -> Any:
        located = reading.located_job(BILLING, "payment-poll")
        assert located is not None
        job = located[1]
        return job, reading.history(job.id, limit=1000), reading.runs(job.id)

    async def read() -> Any:
        keyring = load_keyring(tmp_path, from_environment=None, database_exists=True)
        store = SqliteStore.open(tmp_path / "foliot.db", keyring)
        try:
            return await store.read(view)
        finally:
            await store.close()

    # In another thread, since playwright's event loop may run in this one.
    with ThreadPoolExecutor(1) as apart:
        apart.submit(fill, tmp_path, NOW).result()
        job, history, runs = apart.submit(lambda: asyncio.run(read())).result()
    ended = [each.outcome for each in history if each.outcome is not None]

    assert job.execution_count == len(ended) + len(runs)
    assert job.faulted_count == ended.count(RunOutcome.FAILED) > 0
    assert job.failure_count == [each.status for each in history].count(AttemptStatus.FAILED)
    assert job.failure_count > job.faulted_count
