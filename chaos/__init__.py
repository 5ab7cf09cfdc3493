"""Breaks real servers in every way that can be arranged on one machine, and judges what is left.

namespace   a network with nothing but loopback, and mounts that nobody else sees
server      `foliot serve` as a process that can be killed, paused, and given a wrong clock
postgres    a database that is killed; pgbouncer and proxy stand between it and the nodes
cluster     three nodes on it that share a load
api         what a client asks of it
sink        targets, good and bad, that write down what arrives
inbox       where the messages of alerts arrive, and the judge of them
dns         a name server whose answers change
load        jobs, and the calendar they are expected to keep
judge       compares the calendar, the sink's log and the server's history
overlaps    whether runs of a job overlapped
attempts    whether what has begun went on to its end
injected    makes a server's own Python fail on demand
deadline    how soon what was interrupted went on
register    what the database itself holds in the end
scenarios   one module for each way of breaking a server on SQLite
nodes       one module for each way of breaking three of them on PostgreSQL
report      writes docs/proof/chaos.md and docs/proof/chaos-nodes.md

Nothing here imports Foliot: what is judged must not be the judge.
"""
