"""Decisions about jobs and collections, as pure functions.

changed_fields      checks the fields that a request changes in a job
expectations        decides whether a response is a success
kept_secrets        keeps secrets that an update leaves out, if they go to the same target
lifecycle           creates, updates, disables and resumes a job
manual_runs         limits how often jobs are run by hand
planning            decides whether a due occurrence runs or is skipped, and when the next one is
queue_message_text  the text of a storage queue's message, plain or in the old service's envelope
quota               checks the limits of plans and quotas
resource_groups     checks a resource group that somebody saves or deletes
retention           how long history and ended jobs are kept
retries             decides whether an attempt is retried, and after how long
run_counts          counts how often a job will run, without listing its occurrences
settling            decides what follows from an outcome: an end, a retry, the error action
shown_values        decides which values of a deployment's parameters and outputs are shown
signing_secrets     reads the secrets that sign webhooks
tags_and_location   checks the location and tags of collections and resource groups
text_templates      fills in the placeholders of an action's texts
time_formats        writes an instant in a time zone and a format
"""
