"""The one place that reads the machine's clock; everything else is told the time."""

import time

from foliot.core.instant import Instant, parse_instant

_UNIX_EPOCH = parse_instant("1970-01-01")
_NANOSECONDS_PER_TICK = 100


def now() -> Instant:
    """Return the present instant."""
    return Instant(_UNIX_EPOCH + time.time_ns() // _NANOSECONDS_PER_TICK)
