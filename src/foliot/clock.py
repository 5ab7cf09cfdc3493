"""The one place that reads the machine's clock; everything else is told the time."""

from datetime import UTC, datetime

from foliot.core.instant import Instant, instant_of


def now() -> Instant:
    """Return the present instant."""
    return instant_of(datetime.now(UTC))
