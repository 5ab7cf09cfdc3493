"""What is kept, and for how long; whatever is older or beyond it may go."""

from msgspec import Struct

from foliot.core.instant import DAY, Instant
from foliot.core.limits import Limits


class Retention(Struct, frozen=True, kw_only=True):
    """What is kept at one moment.

    Of a job's history the newest entries, as long as they began at `history_since` or later; of the
    jobs in a final state those that ended at `ended_since` or later.
    """

    history_since: Instant
    history_entries: int
    ended_since: Instant


def retention(limits: Limits, now: Instant) -> Retention:
    """Return what is kept now."""
    return Retention(
        history_since=_days_before(now, limits.history_days),
        history_entries=limits.history_entries,
        ended_since=_days_before(now, limits.finished_job_days),
    )


def _days_before(now: Instant, days: int) -> Instant:
    # An operator who wants to keep everything may name more days than the calendar has.
    return Instant(max(0, now - days * DAY))
