"""All use cases over one store: what the API and the portal are given."""

from typing import NamedTuple, Self

from foliot.app.alert_tests import AlertTests
from foliot.app.alerts import Alerts
from foliot.app.audit import AuditLog
from foliot.app.calendars import Calendars
from foliot.app.collections import Collections
from foliot.app.dashboard import Dashboard
from foliot.app.deployments import Deployments
from foliot.app.engine_access import NO_ENGINE, EngineAccess
from foliot.app.failure_reruns import FailureReruns
from foliot.app.failure_retries import FailureRetries
from foliot.app.failures import Failures
from foliot.app.history import History
from foliot.app.job_moves import JobMoves
from foliot.app.job_previews import JobPreviews
from foliot.app.job_tests import JobTests
from foliot.app.jobs import Jobs
from foliot.app.ledger import Ledger
from foliot.app.nodes import Nodes
from foliot.app.repeated_runs import RepeatedRuns
from foliot.app.resource_groups import ResourceGroups
from foliot.app.run_records import RunRecords
from foliot.app.run_retries import RunRetries
from foliot.app.runs import Runs
from foliot.app.search import Search
from foliot.app.timeline import Timeline
from foliot.app.tokens import Tokens
from foliot.app.whole_collections import WholeCollections
from foliot.core.job_defaults import JobDefaults
from foliot.core.rules.manual_runs import ManualRuns
from foliot.core.rules.turns import MAX_OPEN_RUNS
from foliot.ports.clock import Clock
from foliot.ports.store import Store

_DEFAULTS = JobDefaults()


class UseCases(NamedTuple):
    """The use cases by subject; each call names the caller, whose role and scope it checks."""

    resource_groups: ResourceGroups
    collections: Collections
    whole_collections: WholeCollections
    calendars: Calendars
    alerts: Alerts
    alert_tests: AlertTests
    jobs: Jobs
    job_moves: JobMoves
    job_previews: JobPreviews
    job_tests: JobTests
    runs: Runs
    run_retries: RunRetries
    repeated_runs: RepeatedRuns
    run_records: RunRecords
    failures: Failures
    failure_reruns: FailureReruns
    failure_retries: FailureRetries
    ledger: Ledger
    history: History
    tokens: Tokens
    nodes: Nodes
    dashboard: Dashboard
    timeline: Timeline
    deployments: Deployments
    audit: AuditLog
    search: Search

    @classmethod
    def of(
        cls,
        store: Store,
        clock: Clock,
        *,
        engine: EngineAccess = NO_ENGINE,
        max_open_runs: int = MAX_OPEN_RUNS,
        defaults: JobDefaults = _DEFAULTS,
    ) -> Self:
        """Return the use cases over a store; the engine is told of each change of jobs."""
        wake_engine, manual_runs = engine.wake, ManualRuns(max_open_runs)
        runs = Runs(store, clock, engine, manual_runs)
        run_retries, repeated_runs = RunRetries(store, clock, engine), RepeatedRuns(runs)
        previews = JobPreviews(store, clock, defaults)
        return cls(
            resource_groups=ResourceGroups(store, clock, wake_engine),
            collections=Collections(store, clock, wake_engine),
            whole_collections=WholeCollections(
                store,
                clock,
                wake_engine,
                defaults,
                max_open_runs,
                can_send_email=engine.can_send_email,
            ),
            calendars=Calendars(store, clock, wake_engine),
            alerts=Alerts(store, clock, wake_engine, can_send_email=engine.can_send_email),
            alert_tests=AlertTests(store, clock, engine.alert_sender),
            jobs=Jobs(store, clock, wake_engine, defaults, max_open_runs),
            job_moves=JobMoves(store, clock, wake_engine, defaults),
            job_previews=previews,
            job_tests=JobTests(store, previews, clock, manual_runs, engine.dispatcher),
            runs=runs,
            run_retries=run_retries,
            repeated_runs=repeated_runs,
            run_records=RunRecords(store),
            failures=Failures(store, clock),
            failure_reruns=FailureReruns(store, clock, repeated_runs),
            failure_retries=FailureRetries(store, clock, run_retries),
            ledger=Ledger(store, clock),
            history=History(store),
            tokens=Tokens(store, clock),
            nodes=Nodes(store, clock),
            dashboard=Dashboard(store, clock),
            timeline=Timeline(store, clock),
            deployments=Deployments(store, clock, wake_engine, defaults, max_open_runs),
            audit=AuditLog(store),
            search=Search(store),
        )
