"""Decisions about jobs and collections, as pure functions.

alert_destinations  numbers the destinations of an alert, so that messages stay with theirs
alert_limits        checks what an alert says, and how many a collection has
alert_test_limits   limits how often alerts are tested
alerts/             decides what alerts tell about jobs
attempt_request     makes the request of an attempt: the action with its placeholders filled in
audit_entries       makes the entries of the audit log
audit_snapshots     what the audit log keeps of a change: without secrets, within limits of size
calendar_periods    cuts time into periods with one calendar, in which a job ran or did not
calendars           which jobs use a calendar, and what a change of it does to them
changed_fields      checks the fields that a request changes in a job
coming_by_lane      counts the coming runs of many jobs in cells of time, lane by lane
coming_runs         the coming runs of a job, with notes on clock changes and days off
due_occurrences     finds the occurrences of a job that are due, and those missed before them
expectations        decides whether a response is a success
explained_moment    explains a moment of a job: planned times around it, and the calendar then
jitter              spreads the runs of jobs that are due together
job_moves           where a job was moved to, as an audit entry tells it
job_search          reads what a user searches for, and decides which jobs match
job_sentence        describes in plain English when a job runs
kept_alert_secrets  keeps secrets of an alert that an update leaves out
kept_secrets        keeps secrets that an update leaves out, if they go to the same target
key_rotation        which round of a change of secret keys is next
ledger              computes what became of each planned time of a job
ledger_lines        writes the lines of the ledger, each with a sentence that explains it
lifecycle           creates, updates, disables and resumes a job
manual_runs         limits how often jobs are run by hand
pausing             disables a job after too many runs in a row were given up
planning            decides which due occurrences run, wait or are skipped, and when the next one is
policy_limits       checks a policy against the calendar of its job
queue_message_text  the text of a storage queue's message, plain or in the old service's envelope
quota               checks the limits of plans and quotas
repeated_runs       decides which runs a redrive or a backfill plans
resource_groups     checks a resource group that somebody saves or deletes
request_windows     counts requests in windows of time
retention           how long history, ended jobs and the audit log are kept
retries             decides whether an attempt is retried, and after how long
run_counts          counts how often a job will run, without listing its occurrences
run_series          the coming runs of a job as a small value, equal for jobs that run alike
schedule_changes    tells which changes of when a job runs follow from a change of the job
settling            decides what follows from an outcome: an end, a retry, the error action
shown_values        decides which values of a deployment's parameters and outputs are shown
signing_secrets     reads the secrets that sign webhooks
skipping            writes the history entry of occurrences that were skipped together
tags_and_location   checks the location and tags of collections and resource groups
text_templates      fills in the placeholders of an action's texts
time_formats        writes an instant in a time zone and a format
timeline_cells      puts counts of runs into the cells of a timeline
timings_text        writes the timings of an attempt as history keeps them, and reads them
turns               decides which runs of a job wait their turn, and how many are in progress
"""
