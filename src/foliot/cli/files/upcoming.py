"""The next runs of jobs: of new ones computed here, of changed ones told by the server."""

from collections.abc import Mapping, Sequence
from itertools import islice

from msgspec import Struct

from foliot.cli.files.decoded_files import FileJob, encoded
from foliot.cli.remote.fields import text_at
from foliot.client.calls import FoliotClient
from foliot.client.job_files import JsonObject
from foliot.core.errors import Invalid
from foliot.core.ids import CollectionKey
from foliot.core.instant import Instant, format_instant
from foliot.core.model.job import Definition, JobState
from foliot.core.recurrence import CalendarDays, DateRange, accept, occurrences, sentence
from foliot.core.rules.calendars import named_calendars, unknown_calendar

TOLD_RUNS = 3
_AT_ONCE = "its time has passed: it runs at once"

# The days of the calendars of a collection, by folded name.
DaysByName = Mapping[str, tuple[str, tuple[DateRange, ...]]]


class UpcomingRuns(Struct, frozen=True):
    """When a job runs: a sentence, the next times, and what should be known about them."""

    sentence: str = ""
    times: Sequence[str] = ()
    note: str = ""


def runs_of_new_job(job: FileJob, calendars: DaysByName, now: Instant) -> UpcomingRuns:
    """Compute when a new job will run; refuse a calendar that the server would refuse."""
    definition = job.definition
    days = _days(job, calendars)
    if job.state is JobState.DISABLED:
        return UpcomingRuns(note="it is disabled")
    try:
        timetable = accept(definition.recurrence, definition.start, now, now, days)
    except Invalid as refusal:
        refusal = job.places.refusal(refusal)
        raise Invalid((), f"{job.origin}, job {job.name}: {refusal}") from None
    is_late = _is_single(definition) and timetable.begin <= now
    times = [format_instant(each) for each in islice(occurrences(timetable), TOLD_RUNS)]
    return UpcomingRuns(sentence(timetable), times, _AT_ONCE if is_late else "")


def _is_single(definition: Definition) -> bool:
    return definition.recurrence is None and definition.start is not None


def _days(job: FileJob, calendars: DaysByName) -> CalendarDays:
    names = named_calendars(job.definition)
    for index, name in enumerate(names):
        if name.lower() not in calendars:
            known = [each for each, _ in calendars.values()]
            path = ("recurrence", "exclude", "calendars", index)
            refusal = unknown_calendar(name, path, known)
            raise Invalid((), f"{job.origin}, job {job.name}: {refusal}")
    return CalendarDays.of([each for name in names for each in calendars[name.lower()][1]])


def runs_on_server(client: FoliotClient, key: CollectionKey, name: str) -> UpcomingRuns:
    """Ask the server when a stored job runs."""
    return _told(client.preview_job(key, name, TOLD_RUNS))


def runs_after_change(
    client: FoliotClient, key: CollectionKey, name: str, definition: Definition
) -> UpcomingRuns:
    """Ask the server when a job would run with another definition; secrets are not sent for it."""
    body: JsonObject = {"properties": encoded(definition)}
    return _told(client.preview_change(key, name, body, TOLD_RUNS))


def _told(answer: JsonObject) -> UpcomingRuns:
    times = answer.get("times")
    found = [text_at(each, "at") for each in times] if isinstance(times, list) else []
    return UpcomingRuns(text_at(answer, "sentence"), found)
