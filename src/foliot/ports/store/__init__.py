"""The store, as small protocols with their contracts: both databases satisfy all of them.

alerts            alerts of collections by name
audit             the audit log: entries of changes, by time
calendars         calendars of collections, and the jobs that use them
collections       collections by key, their plans and states
dashboard         bounded queries for the dashboard, within a scope
deployments       records of template deployments, by key
failures          failures by reason and host, and mutes of them
history           attempts that have ended, and their retention
incidents         incidents of alerts, and the jobs that alerts watch
job_figures       figures about the jobs of collections, read in pages
job_search        searches for jobs, hosts and alerts across collections
jobs              jobs by name, their definitions, state and counters
nodes             the processes that share one database
notifications     the outbox: notifications of alerts
resource_groups   resource groups, and subscriptions that have some
run_records       runs that have ended, and those that are open, across collections
runs              the queue: due jobs, due runs, claims and leases
schedule_changes  changes of when jobs run, and what became of their planned times
sessions          portal sessions that somebody signed out of
timeline          what the timeline counts: jobs that will run, and runs that have ended
tokens            API tokens by hash
transactions      all of these together: a view, a transaction, and the store that runs them
"""

from foliot.ports.store.audit import AuditPosition
from foliot.ports.store.history import Inspection
from foliot.ports.store.jobs import JobMark
from foliot.ports.store.transactions import Reading, Store, Transaction

__all__ = ["AuditPosition", "Inspection", "JobMark", "Reading", "Store", "Transaction"]
