"""Decides when a message is due: at once, or when the quiet hours of its alert end."""

from foliot.core.instant import DAY, MINUTE, Instant, Wall
from foliot.core.model.alert import QuietHours
from foliot.core.recurrence.zone import find_zone, to_instant, to_wall


def due_outside(quiet: QuietHours | None, now: Instant) -> Instant:
    """Return the first instant from now on that is not within quiet hours."""
    if quiet is None:
        return now
    zone = find_zone(quiet.time_zone)
    wall = to_wall(zone, now)
    midnight = wall - wall % DAY
    begin, end = quiet.begin * MINUTE, quiet.end * MINUTE
    time = wall - midnight
    if begin <= end:
        is_quiet, day = begin <= time < end, midnight
    else:
        is_quiet = time >= begin or time < end
        day = midnight + DAY if time >= begin else midnight
    return max(now, to_instant(zone, Wall(day + end))) if is_quiet else now
