"""Views and transactions of the store: the readings and the changes of all subjects together."""

from foliot.store.sql.alerts import SqlAlertChanges, SqlAlertReading
from foliot.store.sql.audit import SqlAuditChanges, SqlAuditReading
from foliot.store.sql.calendars import SqlCalendarChanges, SqlCalendarReading
from foliot.store.sql.collections import SqlCollectionChanges, SqlCollectionReading
from foliot.store.sql.dashboard import SqlDashboardReading
from foliot.store.sql.deployments import SqlDeploymentChanges, SqlDeploymentReading
from foliot.store.sql.due import SqlDueChanges
from foliot.store.sql.failures import SqlFailureChanges, SqlFailureReading
from foliot.store.sql.history import SqlHistoryChanges
from foliot.store.sql.incidents import SqlIncidentChanges, SqlIncidentReading
from foliot.store.sql.job_figures import SqlJobFigureReading
from foliot.store.sql.job_search import SqlJobSearchChanges, SqlJobSearchReading
from foliot.store.sql.jobs import SqlJobChanges, SqlJobReading
from foliot.store.sql.nodes import SqlNodeChanges, SqlNodeReading
from foliot.store.sql.notifications import SqlNotificationChanges, SqlNotificationReading
from foliot.store.sql.resource_groups import SqlResourceGroupChanges, SqlResourceGroupReading
from foliot.store.sql.runs import SqlRunChanges, SqlRunReading
from foliot.store.sql.schedule_changes import SqlScheduleChanges, SqlScheduleReading
from foliot.store.sql.timeline import SqlTimelineReading
from foliot.store.sql.tokens import SqlTokenChanges, SqlTokenReading
from foliot.store.sql.watched_jobs import SqlWatchReading


class SqlReading(
    SqlResourceGroupReading,
    SqlCollectionReading,
    SqlCalendarReading,
    SqlAlertReading,
    SqlWatchReading,
    SqlIncidentReading,
    SqlNotificationReading,
    SqlJobReading,
    SqlRunReading,
    SqlFailureReading,
    SqlScheduleReading,
    SqlTokenReading,
    SqlNodeReading,
    SqlDeploymentReading,
    SqlAuditReading,
    SqlDashboardReading,
    SqlJobFigureReading,
    SqlTimelineReading,
    SqlJobSearchReading,
):
    """Satisfies `ports.store.Reading` on any dialect."""


class SqlTransaction(
    SqlReading,
    SqlResourceGroupChanges,
    SqlCollectionChanges,
    SqlCalendarChanges,
    SqlAlertChanges,
    SqlIncidentChanges,
    SqlNotificationChanges,
    SqlJobChanges,
    SqlJobSearchChanges,
    SqlRunChanges,
    SqlDueChanges,
    SqlHistoryChanges,
    SqlFailureChanges,
    SqlScheduleChanges,
    SqlTokenChanges,
    SqlNodeChanges,
    SqlDeploymentChanges,
    SqlAuditChanges,
):
    """Satisfies `ports.store.Transaction` on any dialect."""
