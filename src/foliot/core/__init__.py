"""The pure core: values and decisions. No I/O, no clock, no randomness, no logging.

access       who may do what, where: a role says what, a scope says where
credentials  which parts of a request are credentials though they stand in the open: headers,
             addresses
errors       what can be wrong with a request, as one tree of exceptions
ids          how collections are named and found: in any letter case, shown as they were created
instant      points in time, to 100 nanoseconds
limits       how large things may be and how long they are kept: an operator may change each number
model/       collections, jobs, runs, attempts, history and tokens, as values
networks     internet networks, and which addresses are this machine's own
origin       the origin of an address in one spelling, so that requests to one place are counted
             together
recurrence/  when a job runs, as a pure function of its recurrence, its start and the moment it was
             accepted
rules/       decisions about jobs and collections, as pure functions
secret       A value that must never be shown: not in an answer, a log line, an error or a traceback
"""
