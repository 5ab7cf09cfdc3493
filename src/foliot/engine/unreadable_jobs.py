"""Limits the claims of a node that cannot read a due job, and reports the reason to health."""

from foliot.core.errors import NotReadableHere, UnknownKey
from foliot.core.instant import MINUTE, Instant
from foliot.ports.health import Health
from foliot.ports.logs import get_logger

# The part of the node and the problem that health shows for each reason.
_NO_KEY = (
    "secret key",
    "jobs are sealed with a key that this node was not given; it claims nothing until it has it",
)
_OTHER_VERSION = (
    "version",
    "jobs were saved by another version of Foliot; this node claims nothing until it knows them",
)

_log = get_logger("foliot.engine")


class UnreadableJobs:
    """Remembers when a due job could not be read, and reports it until a minute has gone without.

    Another node may have claimed that job meanwhile, so one good round proves nothing.
    """

    def __init__(self, health: Health) -> None:
        self._health = health
        self._missed_at = Instant(0)

    def missed(self, error: NotReadableHere, now: Instant) -> None:
        """Report that a claim failed because a due job cannot be read here."""
        if not self._is_recent(now):
            _log.warning("Nothing is claimed: a due job cannot be read", error=str(error))
        self._missed_at = now
        self._health.report(*(_NO_KEY if isinstance(error, UnknownKey) else _OTHER_VERSION))

    def claimed(self, now: Instant) -> None:
        """Report that a claim has read all its jobs."""
        if not self._is_recent(now):
            for part, _ in (_NO_KEY, _OTHER_VERSION):
                self._health.report(part, None)

    def limit(self, room: int, now: Instant) -> int:
        """Return how many runs to claim: one while jobs are unreadable, to see if they still are.

        A claim locks its rows until it fails: a large one would keep them from other nodes.
        """
        return min(1, room) if self._is_recent(now) else room

    def _is_recent(self, now: Instant) -> bool:
        return abs(now - self._missed_at) < MINUTE
