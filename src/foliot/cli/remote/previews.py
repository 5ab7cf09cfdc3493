"""The sentence of a job and its next runs.

The server tells them. One without previews is helped out: the calendar is computed here, from the
job that it has answered. That answer does not have the instant at which the calendar was accepted:
for a job without a start time its next run stands in for it.
"""

from collections.abc import Mapping
from itertools import chain, islice
from typing import NamedTuple

from foliot.api.wire.json_reader import Properties
from foliot.api.wire.schedule import decode_recurrence, decode_start
from foliot.cli.remote.command import ServerSession
from foliot.cli.remote.fields import job_name, second, text_at, value_at
from foliot.client.errors import NotThere
from foliot.client.job_files import JsonObject
from foliot.core.errors import Invalid
from foliot.core.instant import Instant, Moment, format_instant, parse_instant
from foliot.core.json_text import Json
from foliot.core.recurrence import Timetable, occurrences, sentence
from foliot.ports import clock

FIRST_RUNS = 3


class ComingRuns(NamedTuple):
    """When a job runs, in words, and its next planned times."""

    sentence: str
    times: list[str]


def coming_runs(session: ServerSession, job: JsonObject, count: int = FIRST_RUNS) -> ComingRuns:
    """Return the sentence of a job, and at most so many of its next runs."""
    try:
        told = session.client.preview_job(session.key, job_name(job), count)
    except NotThere:
        return computed_runs(job, clock.now(), count)
    times = told.get("times")
    found = [text_at(each, "at") for each in times] if isinstance(times, list) else []
    # A disabled job is told as if it were enabled.
    is_planned = text_at(job, "properties", "status", "nextExecutionTime")
    return ComingRuns(text_at(told, "sentence"), found if is_planned else [])


def computed_runs(job: JsonObject, now: Instant, count: int) -> ComingRuns:
    """Return the same, computed from the answer of a server."""
    try:
        return _computed(value_at(job, "properties"), now, count)
    except Invalid:
        # A server of a later version may have rules that this one does not know.
        following = text_at(job, "properties", "status", "nextExecutionTime")
        return ComingRuns("", [following] if following else [])


def _computed(properties: Json, now: Instant, count: int) -> ComingRuns:
    given = Properties(properties if isinstance(properties, Mapping) else {})
    recurrence, start = decode_recurrence(given), decode_start(given)
    following = text_at(properties, "status", "nextExecutionTime")
    at = parse_instant(following) if following else None
    if start is None and at is not None:
        start = Moment.at(at)
    timetable = Timetable.of(recurrence, start, now if at is None else min(at, now))
    if at is None:
        return ComingRuns(sentence(timetable), [])
    # The next run may be none of the rule: a job without a start time runs at once.
    later = chain([at], (each for each in occurrences(timetable) if each > at))
    limit = None if recurrence is None else recurrence.count
    wanted = count if limit is None else min(count, max(limit - _done(properties), 1))
    return ComingRuns(sentence(timetable), [format_instant(each) for each in islice(later, wanted)])


def _done(properties: Json) -> int:
    found = value_at(properties, "status", "executionCount")
    return found if isinstance(found, int) else 0


def preview_lines(preview: ComingRuns) -> list[str]:
    """Return the sentence and the next runs as lines for people."""
    lines = [preview.sentence] if preview.sentence else []
    if not preview.times:
        return [*lines, "No next run."]
    return [*lines, *(f"  next run  {second(each)}" for each in preview.times)]
