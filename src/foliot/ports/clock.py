"""The one place that reads the machine's clock; everything else is told the time."""

import time
from typing import Protocol

from foliot.core.instant import UNIX_EPOCH, Instant

_NANOSECONDS_PER_TICK = 100


def now() -> Instant:
    """Return the present instant."""
    return Instant(UNIX_EPOCH + time.time_ns() // _NANOSECONDS_PER_TICK)


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> Instant:
        """Return the present instant."""
        ...
