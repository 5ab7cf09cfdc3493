from typing import Any

import pytest
from msgspec.structs import replace

from foliot.core.errors import Conflict
from foliot.core.ids import JobId
from foliot.core.instant import Instant
from foliot.core.model.calendar import Calendar
from foliot.core.model.change import Change
from foliot.core.model.job import Job
from foliot.core.recurrence import CalendarDays, DateRange, parse_dates
from foliot.ports.store import Transaction
from tests.support.builders import DEFINITION, NOW, SUBSCRIPTION, a_collection, a_job
from tests.support.store_harness import Open, stored_job, with_jobs, written

CHRISTMAS = (parse_dates("2026-12-25"), parse_dates("2026-12-26/2027-01-01"))
MANY = tuple(DateRange(739_000 + 2 * number, 739_000 + 2 * number) for number in range(2000))


def a_calendar(to: Transaction, name: str = "Holidays", collection: str = "Billing") -> Calendar:
    found = to.collection(a_collection(collection).key)
    owner = found or to.add_collection(a_collection(collection))
    new = Calendar(
        collection_id=owner.id, name=name, dates=CHRISTMAS, changed_at=NOW, changed_by="ops"
    )
    return to.add_calendar(new)


@pytest.mark.parametrize("dates", [CHRISTMAS, (), MANY], ids=["some", "none", "2000"])
def test_a_calendar_comes_back_as_it_was_stored(store: Open, dates: tuple[DateRange, ...]) -> None:
    added = written(store, a_calendar)
    changed = replace(added, dates=dates, changed_at=Instant(NOW + 5), changed_by=None)

    written(store, lambda to: to.save_calendar(changed))

    assert added.id > 0
    assert written(store, lambda to: to.calendar(added.collection_id, "hOLIDAYS")) == changed
    assert written(store, lambda to: to.calendars(added.collection_id)) == [changed]


def test_a_name_is_taken_once_in_a_collection(store: Open) -> None:
    added = written(store, a_calendar)
    other = written(store, lambda to: a_calendar(to, collection="Other"))

    with pytest.raises(Conflict, match="Calendar 'HOLIDAYS' exists already"):
        written(store, lambda to: a_calendar(to, "HOLIDAYS"))
    assert other.id != added.id
    assert written(store, lambda to: to.calendar(other.collection_id, "none")) is None


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        pytest.param({}, ["a", "B", "c"], id="all, by name"),
        pytest.param({"limit": 2}, ["a", "B"], id="limit"),
        pytest.param({"skip": 1, "limit": 1}, ["B"], id="skip and limit"),
        pytest.param({"after": "A"}, ["B", "c"], id="after"),
    ],
)
def test_calendars_of_a_collection_are_listed(
    store: Open, page: dict[str, Any], expected: list[str]
) -> None:
    def add(to: Transaction) -> Calendar:
        a_calendar(to, "z", collection="Other")
        for name in ("c", "a"):
            a_calendar(to, name)
        return a_calendar(to, "B")

    owner = written(store, add).collection_id

    listed = written(store, lambda to: to.calendars(owner, **page))

    assert [each.name for each in listed] == expected
    assert written(store, lambda to: to.calendar_names(owner)) == ["a", "B", "c"]


def test_the_jobs_that_use_a_calendar_are_known(store: Open) -> None:
    def add(to: Transaction) -> tuple[list[Calendar], list[Job]]:
        _, jobs = with_jobs(to, "b", "A", "c")
        calendars = [a_calendar(to, name) for name in ("one", "two")]
        one, two = (each.id for each in calendars)
        to.use_calendars(jobs[0].id, [one, two])
        to.use_calendars(jobs[1].id, [one, one])
        to.use_calendars(jobs[2].id, [two])
        to.use_calendars(jobs[2].id, [])
        return calendars, jobs

    (one, two), jobs = written(store, add)

    def used(to: Transaction) -> list[list[tuple[JobId, str]]]:
        return [list(to.jobs_using(each.id).items()) for each in (one, two)]

    both = [(jobs[1].id, "A"), (jobs[0].id, "b")]
    assert written(store, used) == [both, both[1:]]
    written(store, lambda to: to.delete_job(jobs[0].id))
    assert written(store, used) == [both[:1], []]
    written(store, lambda to: to.delete_calendar(two.id))
    assert written(store, lambda to: to.calendars(one.collection_id)) == [one]


@pytest.mark.parametrize("whole", ["collection", "group"])
def test_calendars_go_with_their_collection(store: Open, whole: str) -> None:
    def add(to: Transaction) -> Calendar:
        _, (job,) = with_jobs(to, "job")
        calendar = a_calendar(to)
        to.use_calendars(job.id, [calendar.id])
        return calendar

    calendar = written(store, add)

    def delete(to: Transaction) -> None:
        if whole == "group":
            to.delete_collections(SUBSCRIPTION, "Prod")
        else:
            to.delete_collection(calendar.collection_id)

    written(store, delete)

    assert written(store, lambda to: to.calendars(calendar.collection_id)) == []
    assert written(store, lambda to: to.jobs_using(calendar.id)) == {}


def test_a_definition_is_saved_alone(store: Open) -> None:
    def add(to: Transaction) -> Job:
        collection = to.add_collection(a_collection())
        return to.add_job(a_job(collection.id, next_at=NOW, failure_count=3), Change(NOW, "ops"))

    job = written(store, add)
    definition = replace(DEFINITION, calendar_days=CalendarDays.of(MANY))

    written(store, lambda to: to.save_definition(replace(job, definition=definition, next_at=None)))

    found = written(store, lambda to: stored_job(to, "Nightly"))
    record = written(store, lambda to: to.job_record(job.id))
    assert found == replace(job, definition=definition)
    assert (record.changed_at, record.changed_by) == (NOW, "ops")
