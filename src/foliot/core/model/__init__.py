"""Collections, jobs, runs, attempts, history and tokens, as values.

action           what a job does when it runs: an HTTP request or a message
alert            alerts of a collection: what is told about its jobs, and to whom
attempt          an attempt: the request to a dispatcher, and its outcome
audit            entries of the audit log: who changed what, before and after
calendar         calendars of a collection: named sets of days off
change           changes by callers: when, and by whom
collection       collections: their plan, state and quota
dashboard        the values of the dashboard: counts, coming jobs, samples of attempts
deployment       deployments of templates: what each one saved, deleted and returned
exchange         what the test of a job sent and received, as it is shown
failure          failures by reason and host, and mutes of them
history          history: one entry for each attempt
incident         incidents: what an alert tells about a job, from the event to its end
job              jobs: their definition, state and counters
job_figures      figures about the jobs of collections, for metrics
job_search       a search for jobs: its terms, and what jobs are searched by
ledger           the ledger of a job: one line for each planned time
node             nodes: the servers that share one store
notification     notifications: the messages of alerts, each to one destination
policy           the policy of a job: how its runs are made
reason           why an attempt failed, as a code that stays the same
resource_group   resource groups: they hold collections, and have a location and tags
run              runs: occurrences in progress, and their leases
run_outcome      how a run ended
run_record       runs as they are shown: open ones and ended ones, with their attempts
schedule_change  changes of when a job runs
timeline         the values of the timeline: how many runs ended when, and jobs that will run
token            bearer tokens: their text, hash, role, scope and expiry
"""
