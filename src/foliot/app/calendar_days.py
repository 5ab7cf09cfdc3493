"""The days of the calendars that jobs name: found when a job is saved, changed with a calendar.

The engine reads no calendar: a job has the days of its calendars in its definition. So a change of
a calendar changes all jobs that use it, in its transaction. To compute them takes long for a
thousand jobs and thousands of days. It is prepared outside the transaction, which repeats it only
for jobs that changed in the meantime.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol, Self

from msgspec import Struct, structs

from foliot.core.errors import within
from foliot.core.ids import CollectionId, JobId
from foliot.core.instant import Instant
from foliot.core.model.calendar import Calendar, CalendarId
from foliot.core.model.collection import Collection
from foliot.core.model.job import Definition, Job, JobState
from foliot.core.recurrence import NO_CALENDAR_DAYS, CalendarDays
from foliot.core.rules.calendars import (
    MAX_CALENDARS_OF_COLLECTION,
    check_days,
    named_calendars,
    unknown_calendar,
    with_calendar_days,
)
from foliot.core.rules.schedule_changes import change_of_calendar
from foliot.ports.store import JobMark, Reading, Transaction

_PATH = ("properties", "recurrence", "exclude", "calendars")


class CalendarSource(Protocol):
    """Where calendars of a collection are found: a store, or those that were read before."""

    def calendar(self, collection_id: CollectionId, name: str) -> Calendar | None:
        """Return a calendar."""
        ...

    def calendar_names(self, collection_id: CollectionId) -> Sequence[str]:
        """Return the names of all calendars of a collection."""
        ...


class KnownCalendars(Struct, frozen=True):
    """The calendars of one collection, by folded name."""

    by_name: Mapping[str, Calendar] = {}

    @classmethod
    def of(cls, reading: Reading, collection: Collection) -> Self:
        """Read all calendars of a collection."""
        found = reading.calendars(collection.id, limit=MAX_CALENDARS_OF_COLLECTION)
        return cls({each.name.lower(): each for each in found})

    def calendar(self, collection_id: CollectionId, name: str) -> Calendar | None:  # noqa: ARG002  (all are of one)
        """Return a calendar."""
        return self.by_name.get(name.lower())

    def calendar_names(self, collection_id: CollectionId) -> Sequence[str]:  # noqa: ARG002  (all are of one)
        """Return the names of all calendars."""
        return [each.name for each in self.by_name.values()]


class CalendarLookup:
    """Finds calendars of one collection by name, and reads each of them once."""

    def __init__(
        self, reading: CalendarSource, collection_id: CollectionId, *known: Calendar
    ) -> None:
        self._reading = reading
        self._collection_id = collection_id
        self._found = {each.name.lower(): each for each in known}
        self._days: dict[tuple[str, ...], CalendarDays] = {}

    def ids(self, definition: Definition) -> Sequence[CalendarId]:
        """Return the ids of the calendars that a job names."""
        return [each.id for each in self._calendars(named_calendars(definition))]

    def days(self, definition: Definition) -> CalendarDays:
        """Return the days of all calendars that a job names."""
        names = named_calendars(definition)
        if names not in self._days:
            ranges = [dates for each in self._calendars(names) for dates in each.dates]
            self._days[names] = CalendarDays.of(ranges)
        return self._days[names]

    def _calendars(self, names: Sequence[str]) -> Sequence[Calendar]:
        return [self._calendar(index, name) for index, name in enumerate(names)]

    def _calendar(self, index: int, name: str) -> Calendar:
        folded = name.lower()
        if folded not in self._found:
            calendar = self._reading.calendar(self._collection_id, name)
            if calendar is None:
                known = self._reading.calendar_names(self._collection_id)
                raise unknown_calendar(name, (*_PATH, index), known)
            self._found[folded] = calendar
        return self._found[folded]


class PreparedJobs(Struct, frozen=True):
    """Jobs with the old and with the new days of a calendar, valid while their mark is the same.

    Jobs whose folded names are `moved` have the new days already.
    """

    marks: Mapping[JobId, JobMark] = {}
    jobs: Mapping[JobId, tuple[Job, Job]] = {}
    moved: frozenset[str] = frozenset()


def with_days(
    reading: CalendarSource, collection: Collection, definition: Definition
) -> Definition:
    """Return a definition with the days of the calendars that it names."""
    if not named_calendars(definition):
        return structs.replace(definition, calendar_days=NO_CALENDAR_DAYS)
    days = CalendarLookup(reading, collection.id).days(definition)
    check_days(_PATH, days)
    return structs.replace(definition, calendar_days=days)


def note_use(transaction: Transaction, job: Job, old: Job | None) -> None:
    """Store which calendars a saved job uses."""
    used = named_calendars(job.definition)
    if used or (old is not None and named_calendars(old.definition)):
        lookup = CalendarLookup(transaction, job.collection_id)
        transaction.use_calendars(job.id, lookup.ids(job.definition))


def prepare_jobs(
    reading: Reading, collection: Collection, changed: Calendar, now: Instant
) -> PreparedJobs:
    """Compute outside the transaction what a changed calendar does to the jobs that use it."""
    users = reading.jobs_using(changed.id)
    if not users:
        return PreparedJobs()
    marks = reading.job_marks(collection.id)
    lookup = CalendarLookup(reading, collection.id, changed)
    jobs = _with_new_days(reading, collection, list(users.values()), lookup, now)
    return PreparedJobs(marks, {old.id: (old, job) for old, job in jobs})


def change_jobs(
    transaction: Transaction,
    collection: Collection,
    changed: Calendar,
    prepared: PreparedJobs,
    now: Instant,
) -> int:
    """Give all jobs that use a changed calendar its days; return how many these are."""
    found = transaction.jobs_using(changed.id)
    users = {job_id: name for job_id, name in found.items() if name.lower() not in prepared.moved}
    if not users:
        return 0
    marks = transaction.job_marks(collection.id)
    known = prepared.jobs.keys() & prepared.marks.keys() & marks.keys() & users.keys()
    same = {job_id for job_id in known if prepared.marks[job_id] == marks[job_id]}
    others = [name for job_id, name in users.items() if job_id not in same]
    lookup = CalendarLookup(transaction, collection.id, changed)
    changes = [prepared.jobs[job_id] for job_id in same]
    changes += _with_new_days(transaction, collection, others, lookup, now)
    jobs = [job for _, job in changes]
    # Marks do not tell whether an attempt has just been counted, so that counters are not written.
    transaction.advance_jobs([job for job in jobs if job.state is JobState.ENABLED])
    for job in jobs:
        transaction.save_definition(job)
    transaction.add_schedule_changes(*(change_of_calendar(old, now) for old, _ in changes))
    return len(jobs)


def _with_new_days(
    reading: Reading,
    collection: Collection,
    names: Sequence[str],
    lookup: CalendarLookup,
    now: Instant,
) -> list[tuple[Job, Job]]:
    located = (reading.located_job(collection.key, name) for name in names)
    jobs = [found[1] for found in located if found is not None and found[1] is not None]
    with within("properties"):
        return [
            (job, with_calendar_days(collection, job, lookup.days(job.definition), now))
            for job in jobs
        ]
