"""What the engine tells about itself while it works."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from foliot.core.instant import Instant
from foliot.core.model.attempt import Attempt, Expired
from foliot.core.model.run import DueRun


class Load(NamedTuple):
    """How many attempts are in flight, and how many of the runs held wait for a slot."""

    in_flight: int = 0
    waiting: int = 0


class SettledAttempt(Protocol):
    """An attempt that is on disk, and the run as it was claimed."""

    @property
    def due(self) -> DueRun:
        """The run before the attempt."""
        ...

    @property
    def attempt(self) -> Attempt | Expired:
        """How the attempt ended, or that it came too late to be made."""
        ...


class Meter:
    """Hears what the engine does, thousands of times a second: it must be quick and never raise.

    This one keeps nothing of it.
    """

    def looked(self, now: Instant) -> None:
        """Hear that the engine has made a round and looked for what is due."""

    def skipped(self, count: int) -> None:
        """Hear that occurrences were skipped."""

    def sent(self, due: DueRun, at: Instant) -> None:
        """Hear that an attempt begins."""

    def ended(self, due: DueRun, attempt: Attempt) -> None:
        """Hear that an attempt has ended."""

    def recorded(self, stored: int, late: int, took: int) -> None:
        """Hear that attempts are on disk, how many came too late, and the ticks that it took."""

    def settled(
        self, recorded: Sequence[SettledAttempt], given_up: Sequence[SettledAttempt]
    ) -> None:
        """Hear what is on disk, and which attempts were the last ones of runs that failed."""

    def put_back(self, count: int) -> None:
        """Hear that runs are put back, since they could not be sent for a reason on our side."""

    def notified(self, *, succeeded: bool) -> None:
        """Hear that a message of an alert was sent, or that a try failed."""


NO_METER = Meter()
