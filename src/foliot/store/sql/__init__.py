"""What both databases share: readings and changes by subject, written once, on a dialect.

access            named statements through a dialect: what all readings and changes share
alerts            alerts of collections, definitions sealed
audit             the audit log, its contents sealed
calendars         calendars of collections, and the jobs that use them
collections       collections
columns           the columns of each table, and the SQL written from them
dashboard         bounded queries for the dashboard
deployments       records of template deployments
dialect           what the readings and the changes need of a database
due               due jobs and runs, and claimed runs
failures          failures by reason and host, and mutes of them
history           history entries and their retention
incidents         incidents of alerts, and duties
job_figures       figures about jobs, read in pages
job_rows          rows to jobs and back, definitions sealed
job_search        what all jobs are searched by, and searches
jobs              jobs
nodes             nodes
notifications     the outbox: notifications of alerts
record_runs       gives entries from before runs were recorded their outcomes
resource_groups   resource groups, and subscriptions that have some
rows              rows to groups, collections, history entries, tokens and nodes, and back
run_conditions    the parts of statements about runs: filters, and figures of failures
run_records       runs that have ended, and open ones, across collections
run_rows          rows to runs and back, and to due jobs and runs
runs              runs and their leases
schedule_changes  changes of when jobs run, and what became of planned times
scope_parameters  the parameters of statements that are limited to a scope
search_rows       what a job is searched by to a row, and terms to patterns
statements        the statements by name
timeline          the timeline: jobs that will run and counts of ended runs
tokens            tokens and ended sessions
transaction       views and transactions: the readings and the changes of all subjects together
watched_jobs      jobs that alerts watch
"""
