"""Decisions about jobs and collections, as pure functions.

changed_fields      rules for what a request changes in a job
kept_secrets        secrets that an update leaves out: kept if they still go to the same place for
                    the same user
lifecycle           how a job changes: pure decisions about its state and its place in the calendar
manual_runs         how often jobs may be run by hand: generous to whoever tests a job, and no way
                    around a plan
planning            what becomes of an occurrence whose time has come: it is run, or skipped and
                    said so
queue_message_text  the text of a storage queue's message: what a job says, or that in an envelope
                    with its facts
quota               what plans and quotas allow
retention           what is kept, and for how long; whatever is older or beyond it may go
run_counts          how often a job will run: counted, so that a job with a million runs costs as
                    much as another
settling            what follows from the outcome of an attempt: an end, a retry, the error action,
                    a final state
tags_and_location   what may be written on a collection: its location and tags, by the rules of the
                    old service
"""
