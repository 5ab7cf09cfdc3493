"""Collections, jobs, runs, attempts, history and tokens, as values.

action      what a job does when it runs, as values
attempt     what is handed to whoever carries out an action, and what comes back
collection  collections as values: their plan, state and quota
dashboard   what goes on, as values for those who watch: where jobs are, without what they do
history     the history of a job: one entry for each attempt
job         jobs as values: what a client asked for, and where the job stands
node        nodes: the processes that share one schedule
run         runs: occurrences in flight, from their plan to their end
token       bearer tokens: how they are written, known and limited
"""
