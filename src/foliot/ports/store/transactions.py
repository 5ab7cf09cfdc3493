"""All subjects together: a view, a transaction, and the store that runs them."""

from collections.abc import Callable
from typing import Protocol, TypeVar

from foliot.ports.store.alerts import AlertChanges, AlertReading
from foliot.ports.store.audit import AuditChanges, AuditReading
from foliot.ports.store.calendars import CalendarChanges, CalendarReading
from foliot.ports.store.collections import CollectionChanges, CollectionReading
from foliot.ports.store.dashboard import DashboardReading
from foliot.ports.store.deployments import DeploymentChanges, DeploymentReading
from foliot.ports.store.failures import FailureChanges, FailureReading
from foliot.ports.store.history import HistoryChanges, HistoryReading
from foliot.ports.store.incidents import IncidentChanges, IncidentReading, WatchReading
from foliot.ports.store.job_figures import JobFigureReading
from foliot.ports.store.job_search import JobSearchChanges, JobSearchReading
from foliot.ports.store.jobs import JobChanges, JobReading
from foliot.ports.store.nodes import NodeChanges, NodeReading
from foliot.ports.store.notifications import NotificationChanges, NotificationReading
from foliot.ports.store.resource_groups import ResourceGroupChanges, ResourceGroupReading
from foliot.ports.store.run_records import RunRecordReading
from foliot.ports.store.runs import DueChanges, RunChanges, RunReading
from foliot.ports.store.schedule_changes import ScheduleChanges, ScheduleReading
from foliot.ports.store.sessions import SessionChanges, SessionReading
from foliot.ports.store.timeline import TimelineReading
from foliot.ports.store.tokens import TokenChanges, TokenReading

Result = TypeVar("Result")


class Reading(
    ResourceGroupReading,
    CollectionReading,
    CalendarReading,
    AlertReading,
    WatchReading,
    IncidentReading,
    NotificationReading,
    JobReading,
    RunReading,
    HistoryReading,
    RunRecordReading,
    FailureReading,
    ScheduleReading,
    TokenReading,
    SessionReading,
    NodeReading,
    DeploymentReading,
    AuditReading,
    DashboardReading,
    JobFigureReading,
    TimelineReading,
    JobSearchReading,
    Protocol,
):
    """A consistent view of the store.

    Keys and names match in any letter case. Listings are sorted by key, history with the newest
    first; `after` is the key of the last row seen, so that a listing continues stably while rows
    are added; `skip` rows are passed over, at most `limit` are returned.
    """


class Transaction(
    Reading,
    ResourceGroupChanges,
    CollectionChanges,
    CalendarChanges,
    AlertChanges,
    IncidentChanges,
    NotificationChanges,
    JobChanges,
    JobSearchChanges,
    DueChanges,
    RunChanges,
    HistoryChanges,
    FailureChanges,
    ScheduleChanges,
    TokenChanges,
    SessionChanges,
    NodeChanges,
    DeploymentChanges,
    AuditChanges,
    Protocol,
):
    """A reading that can also change what it sees; all changes are kept, or none."""


class Store(Protocol):
    """Keeps everything, durably.

    What `write` returns is on disk: neither a crash of the process nor of the machine loses it.
    Writes of one store run one after the other; those that wait together share a flush. A change
    that raises is undone and raises to its caller; the others of its batch are kept. A change may
    run more than once before it is kept, so it must be a function of what it reads. `read` sees
    all that was written before it was called. A store that cannot be reached raises Unavailable.
    """

    async def read(self, view: Callable[[Reading], Result]) -> Result:
        """Run a function that reads a few rows on a consistent view."""
        ...

    async def browse(self, view: Callable[[Reading], Result]) -> Result:
        """Run a function that reads many rows on a consistent view; `read` does not wait for it."""
        ...

    async def write(
        self, change: Callable[[Transaction], Result], *, can_wait: bool = False
    ) -> Result:
        """Run a function in a transaction and return its result when it is durable.

        If it can wait a few milliseconds, it may share the transaction of the next change.
        """
        ...

    async def close(self) -> None:
        """Finish the requests that wait and release all connections."""
        ...
