"""Decides when a message that did not arrive is tried again, and when it is given up."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec import structs

from foliot.core.instant import DAY, HOUR, SECOND, Instant
from foliot.core.model.alert import QuietHours
from foliot.core.model.notification import Delivery, Notification, NotificationState
from foliot.core.rules.alerts.quiet_hours import due_outside

# 10 s, 30 s, 90 s and so on up to four hours: 13 tries in a day.
_FIRST_PAUSE = 10 * SECOND
_GROWTH = 3
_LONGEST_PAUSE = 4 * HOUR
_LONGEST_EXPONENT = 10
GIVE_UP_AFTER = DAY


def settled(
    notification: Notification, delivery: Delivery, now: Instant, quiet: QuietHours | None = None
) -> Notification:
    """Return a notification as it is after a try; it is not tried again in quiet hours."""
    if delivery.error is None:
        return structs.replace(notification, state=NotificationState.SENT, error=None)
    if delivery.is_ours:
        again = Instant(now + _FIRST_PAUSE)
        attempt = notification.attempt - 1
        notification = structs.replace(notification, attempt=attempt, error=delivery.error)
        return _due(notification, again, quiet)
    pause = max(pause_after(notification.attempt), delivery.retry_after or 0)
    again = Instant(now + min(pause, _LONGEST_PAUSE))
    if again > notification.give_up_at:
        return structs.replace(notification, state=NotificationState.FAILED, error=delivery.error)
    return _due(structs.replace(notification, error=delivery.error), again, quiet)


def put_back(notification: Notification, quiet: QuietHours | None, now: Instant) -> Notification:
    """Return a claimed notification as it was before, due after the quiet hours."""
    unclaimed = structs.replace(notification, attempt=notification.attempt - 1)
    return _due(unclaimed, now, quiet)


class MovedNotification(NamedTuple):
    """A notification that a change of quiet hours has moved to another time."""

    before: Notification
    after: Notification


def moved_by_change(
    waiting: Iterable[Notification],
    old: QuietHours | None,
    new: QuietHours | None,
    now: Instant,
) -> Iterator[MovedNotification]:
    """Find notifications that are due at another time since the quiet hours have changed."""
    for each in waiting:
        moved = _moved(each, old, new, now)
        if moved.due_at != each.due_at:
            yield MovedNotification(each, moved)


def _moved(
    waiting: Notification, old: QuietHours | None, new: QuietHours | None, now: Instant
) -> Notification:
    if _is_held_back(waiting, old, now):
        give_up_at = Instant(waiting.give_up_at - (waiting.due_at - now))
        freed = structs.replace(waiting, due_at=now, give_up_at=give_up_at)
        return _due(freed, now, new)
    again = max(waiting.due_at, now)
    return waiting if due_outside(new, again) == again else _due(waiting, again, new)


def _is_held_back(waiting: Notification, quiet: QuietHours | None, now: Instant) -> bool:
    """Tell whether a message waits for the end of quiet hours, and not for its next try."""
    if waiting.due_at <= now:
        return False
    # The first try of a message waits for nothing else.
    return waiting.attempt == 0 or due_outside(quiet, Instant(waiting.due_at - 1)) == waiting.due_at


def pause_after(attempt: int) -> int:
    """Return the ticks between a try, counted from 1, and the next one."""
    exponent = min(attempt - 1, _LONGEST_EXPONENT)
    return min(_FIRST_PAUSE * _GROWTH**exponent, _LONGEST_PAUSE)


def _due(notification: Notification, again: Instant, quiet: QuietHours | None) -> Notification:
    """Put the next try after quiet hours, which do not count as time in which it was tried."""
    due_at = due_outside(quiet, again)
    give_up_at = Instant(notification.give_up_at + due_at - again)
    return structs.replace(notification, due_at=due_at, give_up_at=give_up_at)
