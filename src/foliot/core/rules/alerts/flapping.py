"""Decides which incidents are told, and which are held back because their job flaps.

Of one alert and one job, three incidents an hour are told. Further ones are held back; one message
summarizes them, an hour after the first of them. So an hour has at most three messages that an
incident was raised, three that it was resolved, and one summary.
"""

from foliot.core.instant import HOUR, Instant
from foliot.core.model.incident import Telling

TOLD_AN_HOUR = 3
PERIOD_TICKS = HOUR


def telling(told_in_period: int) -> Telling:
    """Decide about a new incident, by how many of the last hour are told without it."""
    return Telling.TOLD if told_in_period < TOLD_AN_HOUR else Telling.HELD


def begin_of_period(now: Instant) -> Instant:
    """Return the instant an hour ago."""
    return Instant(now - PERIOD_TICKS)
