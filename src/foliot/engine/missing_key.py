"""A node that lacks a key: what it then claims, and how it says so."""

import logging

from foliot.core.errors import UnknownKey
from foliot.core.instant import MINUTE, Instant
from foliot.health import Health

_PROBLEM = (
    "jobs are sealed with a key that this node was not given; it claims nothing until it has it"
)

_log = logging.getLogger("foliot.engine")


class MissingKey:
    """Remembers when something due did not open, and reports it until a minute went without it.

    Other nodes may have taken what did not open, so that a single round that goes well says little.
    """

    def __init__(self, health: Health) -> None:
        self._health = health
        self._missed_at = Instant(0)

    def missed(self, error: UnknownKey, now: Instant) -> None:
        """Hear that nothing was claimed because something due does not open."""
        _log.warning("Nothing is claimed: %s", error)
        self._missed_at = now
        self._health.report("secret key", _PROBLEM)

    def claimed(self, now: Instant) -> None:
        """Hear that all that was due could be opened."""
        if not self._is_missing(now):
            self._health.report("secret key", None)

    def limit(self, room: int, now: Instant) -> int:
        """Return how much to claim: while a key is missing one at a time, to see if it still is.

        What is looked at is locked meanwhile, and others must not wait for it.
        """
        return min(1, room) if self._is_missing(now) else room

    def _is_missing(self, now: Instant) -> bool:
        return abs(now - self._missed_at) < MINUTE
