"""Runs jobs on time: plan, claim, dispatch, settle. Nothing else carries a due job to its history.

attempt_log      log lines about attempts: each that fails, each run that is given up, at debug all
batch_jobs       jobs as they stand in the middle of a batch: several runs of one job may be in it
claim            plan and claim, in one transaction: what is due becomes runs that this node holds
fair_queue       which run goes next: slots are shared between collections, and in each between
                 destinations
janitor          removes what is kept no longer, in steps so small that nobody waits for them
leases           the leases of the runs that this node holds, and whether they may have run out
loop             the loop that moves values: it claims, dispatches, settles, sleeps and shuts down
parts            what an engine works with, how much at a time, and how often
requeue          runs that could not be sent, for a reason on our side, on their way back to the
                 store
settle           settle, in one transaction: outcomes become history, retries and final states
settle_queue     outcomes on their way to the store
supervision      keeps background tasks running: whatever ends one is logged, and it begins again
unreadable_jobs  A node that cannot read what is due: what it then claims, and how it says so
write_queue      items on their way to the store, where they arrive whatever happens
"""
