"""How long a node pauses between two rounds, so that several nodes take turns.

Nodes that share a database do not know of each other's rounds. But the oldest run that a claim
finds tells how long ago another node claimed. A node that comes right after another finds nothing,
or only what has just become due, and pauses for the whole time; one that finds older runs comes
back sooner. So the rounds of all nodes move apart until they are evenly spread, and a run waits for
the next round of any node, not of one.
"""

from collections.abc import Sequence

from foliot.core.instant import SECOND, Instant
from foliot.core.model.run import DueRun, planned_at


def round_seconds(longest: float, now: Instant, found: Sequence[DueRun]) -> float:
    """Return the seconds from a round to the next one: half of the longest time, or more.

    Old runs alone do not make rounds faster than that: a database that is slow has enough to do.
    Runs that were planned later than now, by a clock that was set back since, say nothing.
    """
    oldest = min((planned_at(due.run) for due in found), default=now)
    age = max(0, now - oldest) / SECOND
    return max(longest / 2, longest - age / 2)
