"""Runs jobs on time: plan, claim, dispatch, settle. Nothing else carries a due job to its history.

alerts/          tells people about jobs: incidents, and the outbox of their messages
attempt_log      logs attempts that fail, runs that are given up, and at debug every attempt
attempts         makes the attempts at runs that have a slot
batch_jobs       the jobs of a batch as its earlier runs have left them
claim            plans and claims, in one transaction: due jobs become runs leased to this node
fair_queue       decides which run gets the next slot: fairly between collections and
                 destinations
janitor          removes expired jobs and history, in small steps
leases           renews the leases of this node's runs, and tells whether they may have expired
loop             the loop: claims runs, gives them slots, sleeps, shuts down
parts            the parts that an engine is made of
requeue          re-queues runs that could not be sent for a reason on this node's side
round_pause      how long a node pauses between rounds, so that several nodes take turns
search_words     stores what jobs of earlier versions are searched by
settings         the settings of an engine
settle           settles ended attempts in one transaction: history, retries, final states
settle_queue     settles ended attempts in batches
supervision      keeps background tasks running: logs why one has ended, and starts it again
unreadable_jobs  limits the claims of a node that cannot read a due job, and reports why
write_queue      stores items in batches, and keeps them until they are stored
"""
