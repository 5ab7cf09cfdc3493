"""From which moment on the database looks for what is due.

A row that changes leaves its old entry in the index of what is due, in front of all others, until
no transaction can see it. One that somebody leaves open for half an hour keeps millions of them,
and each look would pass them all. So most looks begin a minute ago; every few seconds one goes back
to the beginning.
"""

from typing import NamedTuple

from foliot.core.instant import MINUTE, SECOND, Instant

_MARGIN = MINUTE
_BETWEEN_LOOKS_AT_ALL = 10 * SECOND
BEGINNING = Instant(0)


class Floor:
    """The moment for one kind of what is due."""

    def __init__(self) -> None:
        self._all_seen_at: Instant | None = None

    def at(self, now: Instant) -> Instant:
        """Return from when to look; from the beginning if that was not done lately."""
        seen_at = self._all_seen_at
        if seen_at is None or not 0 <= now - seen_at < _BETWEEN_LOOKS_AT_ALL:
            return BEGINNING
        return Instant(max(BEGINNING, seen_at - _MARGIN))

    def looked(self, now: Instant, floor: Instant, *, is_all: bool) -> None:
        """Remember a look from the beginning that found all there was."""
        if floor == BEGINNING:
            self._all_seen_at = now if is_all else None

    @property
    def known(self) -> Instant:
        """The moment before which there was nothing when all was seen last."""
        return BEGINNING if self._all_seen_at is None else Instant(self._all_seen_at - _MARGIN)


class Floors(NamedTuple):
    """The moments for jobs and for runs, shared by those who claim and those who only look."""

    jobs: Floor
    runs: Floor

    @property
    def known(self) -> Instant:
        """The earlier of both."""
        return min(self.jobs.known, self.runs.known)
