"""Runs jobs on time: plan, claim, dispatch, settle. Nothing else carries a due job to its history.

claiming    what is due becomes runs that this node holds, in one transaction
recording   outcomes become history, retries and final states, in one transaction
batching    what is on its way to the store, in batches, whatever happens
records     outcomes on their way there
returns     runs that could not be sent, on their way back
job_book    jobs as they stand in the middle of a batch
lanes       which of the runs held goes next, so that no destination takes all the slots
unreadable_jobs what a node does that cannot read what is due
leases      of the runs held: renewed again and again, or in doubt
parts       what an engine works with, and its settings
loop        moves values between these and the dispatcher; decides nothing itself
supervision keeps background tasks running
janitor     removes what is kept no longer, beside all this
"""
