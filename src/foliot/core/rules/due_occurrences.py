"""Finds the occurrences of a job that are due: the latest one, and those missed before it."""

from msgspec import Struct

from foliot.core.instant import MINUTE, SECOND, Instant
from foliot.core.model.job import Job
from foliot.core.recurrence import Timetable, previous_before
from foliot.core.rules.lifecycle import timetable_of

# Missed occurrences are counted one by one up to this number: there may be millions.
COUNTED = 1000
_MISSED_AFTER = MINUTE


class Stretch(Struct, frozen=True):
    """Occurrences in a row: how many (at least), the first and the last."""

    count: int
    first: Instant
    last: Instant
    is_more: bool = False


class Due(Struct, frozen=True):
    """The latest occurrence that is due, those missed before it, and the one that follows."""

    latest: Instant
    missed: Stretch | None
    following: Instant | None

    @property
    def all(self) -> Stretch:
        """The missed ones and the latest together."""
        missed = self.missed
        if missed is None:
            return Stretch(1, self.latest, self.latest)
        return Stretch(missed.count + 1, missed.first, self.latest, missed.is_more)


def is_missed(planned_at: Instant, now: Instant) -> bool:
    """Tell whether the latest due occurrence is so late that the service must have been down."""
    return now - planned_at > _MISSED_AFTER


def find_due(job: Job, now: Instant) -> Due:
    """Return the due occurrences of a job whose next one has come."""
    assert job.next_at is not None  # noqa: S101  (or it would not be due)
    timetable, first = timetable_of(job), job.next_at
    latest = previous = first
    count, following = 0, timetable.next_after(first)
    while following is not None and following <= now:
        if count == COUNTED:
            return _latest_of_many(timetable, first, following, now)
        previous, latest, count = latest, following, count + 1
        following = timetable.next_after(latest)
    return Due(latest, Stretch(count, first, previous) if count else None, following)


def last_of(job: Job, found: Due, most: int) -> list[Instant]:
    """Return the due occurrences, at most so many of the latest, the oldest first."""
    timetable = timetable_of(job)
    if not found.all.is_more:
        times, at = [found.all.first], timetable.next_after(found.all.first)
        while at is not None and at <= found.latest:
            times.append(at)
            at = timetable.next_after(at)
        return times[-most:]
    times, before = [found.latest], previous_before(timetable, found.latest)
    while before is not None and len(times) < most:
        times.append(before)
        before = previous_before(timetable, before)
    return times[::-1]


def _latest_of_many(timetable: Timetable, first: Instant, reached: Instant, now: Instant) -> Due:
    """Find the latest occurrence without going through all before it.

    The period before now is doubled until it holds two occurrences, the latest and its previous.
    """
    period = SECOND
    while (begin := now - period) > reached:
        one = timetable.next_after(Instant(begin))
        other = None if one is None else timetable.next_after(one)
        if one is not None and other is not None and other <= now:
            return _last_two(timetable, first, (one, other), now)
        period *= 2
    return _last_two(timetable, first, (reached, reached), now)


def _last_two(
    timetable: Timetable, first: Instant, two: tuple[Instant, Instant], now: Instant
) -> Due:
    previous, latest = two
    while (following := timetable.next_after(latest)) is not None and following <= now:
        previous, latest = latest, following
    return Due(latest, Stretch(COUNTED, first, previous, is_more=True), following)
