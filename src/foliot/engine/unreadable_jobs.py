"""A node that cannot read what is due: what it then claims, and how it says so."""

from foliot.core.errors import NotReadableHere, UnknownKey
from foliot.core.instant import MINUTE, Instant
from foliot.ports.health import Health
from foliot.ports.logs import get_logger

# What is said of each reason, by the part of the node that is at fault.
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
    """Remembers when something due could not be read, and reports it until a minute went without.

    Other nodes may have taken what could not be read: a single round that goes well says little.
    """

    def __init__(self, health: Health) -> None:
        self._health = health
        self._missed_at = Instant(0)

    def missed(self, error: NotReadableHere, now: Instant) -> None:
        """Hear that nothing was claimed because something due cannot be read here."""
        if not self._were_met(now):
            _log.warning("Nothing is claimed: a due job cannot be read", error=str(error))
        self._missed_at = now
        self._health.report(*(_NO_KEY if isinstance(error, UnknownKey) else _OTHER_VERSION))

    def claimed(self, now: Instant) -> None:
        """Hear that all that was due could be read."""
        if not self._were_met(now):
            for part, _ in (_NO_KEY, _OTHER_VERSION):
                self._health.report(part, None)

    def limit(self, room: int, now: Instant) -> int:
        """Return how much to claim: one at a time while there are such jobs, to see if there are.

        What is looked at is locked meanwhile, and others must not wait for it.
        """
        return min(1, room) if self._were_met(now) else room

    def _were_met(self, now: Instant) -> bool:
        return abs(now - self._missed_at) < MINUTE
