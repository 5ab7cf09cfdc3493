"""Parts of jobs that several sources write: retries, timeouts, calendars."""

from typing import Any

from foliot.core.limits import Limits
from foliot.importers.model import DraftJob

# A job without a start runs at once when it is created, which no cron does. With this start a
# calendar is in force already; and each import writes the same.
LONG_AGO = "2000-01-01T00:00:00Z"

MAX_RETRIES = 20
MIN_FIXED_SECONDS = 15
MAX_TIMEOUT_SECONDS = Limits().max_timeout_seconds

NO_RETRIES = {"retryType": "none"}


def seconds(number: float) -> str:
    """Write a length of time."""
    for size, unit in ((3600, "H"), (60, "M")):
        if number >= size and not number % size:
            return f"PT{number / size:g}{unit}"
    return f"PT{number:g}S"


def retries(count: int, every: float, *, notes: list[str], **more: Any) -> dict[str, Any]:
    """Return a policy of equal pauses; what a policy cannot say becomes a note."""
    if count < 1:
        return dict(NO_RETRIES)
    if every < MIN_FIXED_SECONDS:
        notes.append(
            f"retries come every {MIN_FIXED_SECONDS} seconds, the shortest pause, "
            f"and not every {every:g}"
        )
    return {
        "retryType": "fixed",
        "retryInterval": seconds(max(every, MIN_FIXED_SECONDS)),
        "retryCount": _bounded_count(count, notes),
        **more,
    }


def exponential_retries(
    count: int, first: float, longest: float, *, notes: list[str], **more: Any
) -> dict[str, Any]:
    """Return a policy of pauses that double."""
    if count < 1:
        return dict(NO_RETRIES)
    first = max(first, 1)
    return {
        "retryType": "exponential",
        "retryInterval": seconds(first),
        "maxRetryInterval": seconds(max(longest, first)),
        "retryCount": _bounded_count(count, notes),
        **more,
    }


def bounded_timeout(given: float, notes: list[str]) -> str:
    """Return the longest time of an attempt, within what a server allows unless it is told so."""
    if given > MAX_TIMEOUT_SECONDS:
        notes.append(
            f"an attempt may take {MAX_TIMEOUT_SECONDS} seconds and not {given:g}, unless the "
            "server allows more (FOLIOT_MAX_TIMEOUT_SECONDS)"
        )
    return seconds(min(max(given, 1), MAX_TIMEOUT_SECONDS))


def cron_calendar(
    cron: str, zone: str | None, *, dst: dict[str, str] | None = None
) -> dict[str, Any]:
    """Return start and recurrence of a job that runs by a cron expression."""
    recurrence: dict[str, Any] = {"cron": cron}
    if zone is not None:
        recurrence["timeZone"] = zone
        if dst:
            recurrence["dst"] = dst
    return {"startTime": LONG_AGO, "recurrence": recurrence}


def lacks_zone(draft: DraftJob) -> bool:
    """Tell whether the source of a job with a cron expression names no zone."""
    return "timeZone" not in draft.properties["recurrence"]


def is_utc(zone: str | None) -> bool:
    """Tell whether clocks in a zone show UTC."""
    return zone is None or zone.removeprefix("Etc/") in ("UTC", "UCT", "Zulu", "Universal", "GMT")


def _bounded_count(count: int, notes: list[str]) -> int:
    if count > MAX_RETRIES:
        notes.append(
            f"a failed run is retried {MAX_RETRIES} times, the most, and not {count} times"
        )
    return min(count, MAX_RETRIES)
