"""Collections, jobs, runs, attempts, history and tokens, as values.

action      what a job does when it runs: an HTTP request or a message
attempt     an attempt: the request to a dispatcher, and its outcome
collection  collections: their plan, state and quota
dashboard   the values of the dashboard: runs, failures and coming jobs
history     history: one entry for each attempt
job         jobs: their definition, state and counters
node        nodes: the servers that share one store
policy      the policy of a job: how its runs are made
reason      why an attempt failed, as a code that stays the same
run         runs: occurrences in progress, and their leases
token       bearer tokens: their text, hash, role, scope and expiry
"""
