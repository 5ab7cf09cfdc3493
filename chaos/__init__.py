"""Breaks a real server in every way that can be arranged on one machine, and judges what is left.

namespace   a network with nothing but loopback, and mounts that nobody else sees
server      `foliot serve` as a process that can be killed, paused, and given a wrong clock
api         what a client asks of it
sink        targets, good and bad, that write down what arrives
dns         a name server whose answers change
load        jobs, and the calendar they are expected to keep
judge       compares the calendar, the sink's log and the server's history
scenarios   one module for each way of breaking it
report      writes docs/proof/chaos.md

Nothing here imports Foliot: what is judged must not be the judge.
"""
