"""What Foliot says of a random job, in the terms of the oracles."""

from collections.abc import Iterator
from datetime import UTC, datetime

from foliot.api.wire.json_reader import Properties
from foliot.api.wire.schedule import decode_recurrence, decode_start
from foliot.core.instant import Instant, Wall, instant_of, reading_of
from foliot.core.recurrence import Timetable, occurrences
from tests.property.rules import Job


def timetable_of(job: Job) -> Timetable:
    start = None if job.start is None else job.start.isoformat()
    given = Properties({"recurrence": job.recurrence, "startTime": start})
    return Timetable.of(decode_recurrence(given), decode_start(given), instant_of(job.created))


def occurrences_until(job: Job, horizon: datetime) -> Iterator[datetime]:
    for each in occurrences(timetable_of(job)):
        moment = moment_of(each)
        if moment > horizon:
            return
        yield moment


def moment_of(instant: Instant) -> datetime:
    return reading_of(Wall(instant)).replace(tzinfo=UTC)
