"""Runs that a caller asks for, outside the schedule."""

from collections.abc import Callable

from foliot.app.change_log import log_change
from foliot.app.lookup import check_may_change, find_job
from foliot.app.write_and_wake import write_and_wake
from foliot.core.access import Principal
from foliot.core.errors import Conflict
from foliot.core.ids import CollectionKey
from foliot.core.model.collection import CollectionState
from foliot.core.rules import lifecycle
from foliot.core.rules.manual_runs import ManualRuns
from foliot.ports.clock import Clock
from foliot.ports.store import Store, Transaction


class Runs:
    """What a caller can do with runs: start one."""

    def __init__(
        self, store: Store, clock: Clock, wake_engine: Callable[[], None], max_open_runs: int
    ) -> None:
        self._store = store
        self._clock = clock
        self._wake_engine = wake_engine
        self._manual_runs = ManualRuns(max_open_runs)

    async def run_job(self, who: Principal, key: CollectionKey, name: str, tag: str) -> None:
        """Run a job now, as often as its collection's plan allows."""
        now = self._clock.now()

        # Check and count stand together in the transaction, so that concurrent requests count
        # each other. The store may run a change more than once: only the first one counts.
        is_counted = False

        def change(transaction: Transaction) -> None:
            nonlocal is_counted
            found, job = find_job(transaction, who, key, name)
            if found.state is not CollectionState.ENABLED:
                raise Conflict(
                    f"The collection '{found.key.name}' is {found.state}; enable it to run a job."
                )
            if not is_counted:
                self._manual_runs.check(found, job, transaction.count_open_runs(job.id), now)
                self._manual_runs.add(found, job, now)
                is_counted = True
            transaction.add_run(lifecycle.run_now(job, now, tag))

        check_may_change(who, key)
        await write_and_wake(self._store, change, self._wake_engine)
        log_change("Run requested", key, name, tag=tag)
