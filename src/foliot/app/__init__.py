"""The use cases: what can be done, by whom. The API, the portal and the commands go through here.

alert_changes         save and delete alerts inside a transaction
alert_tests           tests of alerts: a message to each destination, of which nothing is stored
alerts                alerts of a collection: list, show, save, enable or disable, delete
audit                 the audit log: all of it for Owners, of one collection for Contributors
background            work that a page waits for a moment, and that goes on when the page does not
calendar_changes      save and delete calendars inside a transaction, and move jobs that use them
calendar_days         the days of the calendars that jobs name, in the definitions of these jobs
calendars             calendars of a collection: list, show, save, delete
change_log            the log of changes: what was changed, by whom
collection_changes    change a collection together with all its jobs
collection_write      what changes inside a collection need
collections           job collections: list, show, save, enable or disable, delete
dashboard             what the portal shows of many jobs at once: overview, lists
deployments           deployments of templates: all of a template is saved, or nothing
ended_counts          counts of ended runs of collections by quarter of an hour, kept
ended_counts_of_jobs  the same of single jobs
engine_access         the engine of this process, as the use cases see it
failure_reruns        reruns of many failed runs at once
failure_retries       retries of many waiting runs at once
failures              failures by reason and host: count, mute, unmute
history               the history of a job: its attempts
job_batches           changes of many jobs: some at a time; one that is refused stops no other
job_moves             moves and copies jobs to other collections, with their secrets
job_previews          what a save of a job would find and refuse; nothing is stored
job_tests             tests of jobs: one attempt at once, of which nothing is stored
jobs                  jobs: list, show, save, enable or disable, delete
ledger                the ledger of a job: what became of each planned time
listing_page          which part of a listing a caller asks for
lookup                find what a caller names; what lies outside its scope does not exist for it
nodes                 nodes: their heartbeats, and the list of them
repeated_runs         runs of the past, made again: redrives and backfills
resource_groups       resource groups and subscriptions: list, show; of groups also save and delete
run_records           runs, open and ended: of a job, of a collection, of a subscription
run_retries           retries at once: of a run that waits for its retry, or of many of a job
runs                  runs that a caller asks for, outside the schedule, or cancels
search                searches for jobs, collections, hosts and alerts, within the caller's scope
series_cache          the coming runs of many jobs, of which each definition is opened once
sessions              portal sessions: sign out
template_changes      save all collections and jobs of a template in one transaction
timeline              runs that ended and runs that are coming, lane by lane
tokens                tokens: list, create and revoke; the Owner tokens that a server starts with;
                      their last use
use_cases             all use cases over one store: what the API and the portal are given
whole_collections     save a collection with all that is in it, or nothing
write_and_wake        writes that may give the engine work
"""
