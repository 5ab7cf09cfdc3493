"""Waits for a run to end, and for new entries of history, by asking again."""

from collections.abc import Callable, Iterator
from itertools import islice
from threading import Event
from typing import TypeVar

from foliot.cli.remote.fields import field, second, text_at, value_at
from foliot.client.calls import FoliotClient
from foliot.client.errors import StillOpen, Unreachable
from foliot.client.job_files import JsonObject
from foliot.core.ids import CollectionKey
from foliot.core.instant import MINUTE, Instant, tell_length
from foliot.core.json_text import Json
from foliot.ports import clock

Found = TypeVar("Found")

_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 2.0
_BETWEEN_QUESTIONS = 1.0
_OVERLAP = 50
# A server that is restarted, or replaced by another node, is back by then.
_LONGEST_AWAY = 2 * MINUTE
_OPEN = {"running", "waiting"}
_MANUAL = {"trigger": "manual"}


def start_and_wait(
    client: FoliotClient,
    key: CollectionKey,
    job: str,
    at_most: int | None,
    told: Callable[[str], None],
) -> JsonObject:
    """Start a job and return its run when that has ended; each attempt that fails before is told.

    The answer to a start does not name the run: it is the first one that was not there before.
    """
    known, tag = 0, ""

    before = {_tag(each) for each in client.runs_of_job(key, job, _MANUAL)}
    client.start_job(key, job)

    def ended() -> JsonObject | None:
        new = [each for each in client.runs_of_job(key, job, _MANUAL) if _tag(each) not in before]
        own = min(new, key=field("properties", "plannedAt"), default=None)
        if own is None or text_at(own, "properties", "outcome") not in _OPEN:
            return own
        nonlocal known, tag
        tag = text_at(own, "properties", "tag")
        for line in _failures(own)[known:]:
            told(line)
            known += 1
        return None

    try:
        return _ask_until(ended, at_most)
    except KeyboardInterrupt:
        told(f"The run {_of(tag, job)} goes on: {_how_to_look(tag, job)}.")
        raise
    except Unreachable as lost:
        raise Unreachable(
            f"{lost} The run {_of(tag, job)} may go on: {_how_to_look(tag, job)}."
        ) from None
    except StillOpen as late:
        raise StillOpen(
            f"the run {_of(tag, job)} {late} and goes on: {_how_to_look(tag, job)}."
        ) from None


def _of(tag: str, job: str) -> str:
    return f"{tag} of {job}" if tag else f"of {job}"


def _how_to_look(tag: str, job: str) -> str:
    ends = f", `foliot job cancel {job} {tag}` ends it" if tag else ""
    return f"`foliot runs --job {job}` shows it{ends}"


def _failures(run: JsonObject) -> list[str]:
    """Return a line for each attempt of an open run that failed."""
    attempts = value_at(run, "properties", "attempts")
    ended = (
        [each for each in attempts if text_at(each, "endTime")]
        if isinstance(attempts, list)
        else []
    )
    again = second(text_at(run, "properties", "nextAttemptTime"))
    return [
        f"Attempt {number} failed: {_reason(each)}"
        + (f"; the next one is at {again}." if again and number == len(ended) else ".")
        for number, each in enumerate(ended, start=1)
    ]


def _reason(attempt: Json) -> str:
    """Tell why an attempt failed, with the status if the target answered."""
    words = [
        text_at(attempt, "reason") or text_at(attempt, "status"),
        text_at(attempt, "statusCode"),
    ]
    return " ".join(each for each in words if each)


class _Patience:
    """Asks again while a server is away: one that is restarted comes back."""

    def __init__(self) -> None:
        self._away_since: Instant | None = None

    def ask(self, question: Callable[[], Found | None]) -> Found | None:
        """Return an answer, or None if the server has not been away for long."""
        try:
            found = question()
        except Unreachable:
            now = clock.now()
            self._away_since = self._away_since or now
            if now - self._away_since >= _LONGEST_AWAY:
                raise
            return None
        self._away_since = None
        return found


def _ask_until(ask: Callable[[], Found | None], at_most: int | None) -> Found:
    end = None if at_most is None else Instant(clock.now() + at_most)
    pause, alarm, patience = _FIRST_PAUSE, Event(), _Patience()
    while (found := patience.ask(ask)) is None:
        if end is not None and clock.now() >= end:
            raise StillOpen(f"has not ended within {tell_length(at_most or 0)}")
        alarm.wait(pause)
        pause = min(pause * 1.5, _LONGEST_PAUSE)
    return found


def new_entries(
    read: Callable[[], Iterator[JsonObject]], first: int, *, follow: bool
) -> Iterator[JsonObject]:
    """Go through the latest entries of a history, the oldest first, and then through new ones."""
    latest = list(islice(read(), first + _OVERLAP))
    yield from reversed(latest[:first])
    seen = {_tag(each) for each in latest}
    alarm, patience = Event(), _Patience()

    def fresh_entries() -> list[JsonObject]:
        return list(_unseen(read(), seen))

    while follow:
        alarm.wait(_BETWEEN_QUESTIONS)
        fresh = patience.ask(fresh_entries) or []
        yield from reversed(fresh)
        seen.update(map(_tag, fresh))


def _unseen(entries: Iterator[JsonObject], seen: set[str]) -> Iterator[JsonObject]:
    """Go through new entries; one that took long stands behind some that ended before it."""
    known = 0
    for entry in entries:
        if _tag(entry) not in seen:
            yield entry
        elif (known := known + 1) >= _OVERLAP:
            return


def _tag(run: JsonObject) -> str:
    return str(run.get("name"))
