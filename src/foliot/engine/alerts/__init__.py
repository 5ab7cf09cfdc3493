"""Tells people about jobs: incidents of alerts, and the outbox of their messages.

deliveries    sends the messages of the outbox
incidents     opens and closes incidents, each with its messages in one transaction
job_facts     reads what alerts ask about a job
job_checks    checks jobs and open incidents without a run that has ended
settled_runs  opens and closes incidents when runs have ended, in their transaction
watch         finds what no ended run tells: late, without success, expiring, enabled again
"""
