"""All use cases over one store: what the API and the portal are given."""

from collections.abc import Callable
from typing import NamedTuple, Self

from foliot.app.collections import Collections
from foliot.app.dashboard import Dashboard
from foliot.app.history import History
from foliot.app.jobs import Jobs
from foliot.app.nodes import Nodes
from foliot.app.runs import Runs
from foliot.app.tokens import Tokens
from foliot.core.job_defaults import JobDefaults
from foliot.core.rules.planning import MAX_OPEN_RUNS
from foliot.ports.clock import Clock
from foliot.ports.store import Store

_DEFAULTS = JobDefaults()


def _no_engine() -> None:
    """Wake nobody: this process runs no jobs."""


class UseCases(NamedTuple):
    """The use cases by subject; each call names the caller, whose role and scope it checks."""

    collections: Collections
    jobs: Jobs
    runs: Runs
    history: History
    tokens: Tokens
    nodes: Nodes
    dashboard: Dashboard

    @classmethod
    def of(
        cls,
        store: Store,
        clock: Clock,
        *,
        wake_engine: Callable[[], None] = _no_engine,
        max_open_runs: int = MAX_OPEN_RUNS,
        defaults: JobDefaults = _DEFAULTS,
    ) -> Self:
        """Return the use cases over a store; `wake_engine` is called after each change of jobs."""
        return cls(
            collections=Collections(store, clock, wake_engine),
            jobs=Jobs(store, clock, wake_engine, defaults),
            runs=Runs(store, clock, wake_engine, max_open_runs),
            history=History(store),
            tokens=Tokens(store, clock),
            nodes=Nodes(store, clock),
            dashboard=Dashboard(store, clock),
        )
