"""python-dateutil's `rrule` as an oracle, where its meaning is the same."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from dateutil import rrule
from hypothesis import assume, given

from foliot.core.recurrence import WEEK_DAYS
from tests.property.judged import occurrences_until
from tests.property.rules import Job, jobs

FREQUENCIES = {
    "minute": rrule.MINUTELY,
    "hour": rrule.HOURLY,
    "day": rrule.DAILY,
    "week": rrule.WEEKLY,
    "month": rrule.MONTHLY,
    "year": rrule.MONTHLY,  # nth weekdays and month days are counted in months
}
DAYS_COMPARED = {"minute": 2, "hour": 20, "day": 300, "week": 600, "month": 2500, "year": 2500}


@given(jobs(zones=False, extended=False))
def test_occurrences_are_those_of_rrule(job: Job) -> None:
    assume(job.start is not None)
    assert job.start is not None
    # rrule goes through all periods from its start: begin near, and by whole seconds only.
    stretch = timedelta(days=DAYS_COMPARED[job.recurrence["frequency"]])
    start = max(job.start, job.created - stretch / 2).replace(microsecond=0)
    assume(_means_the_same(job.recurrence, start))
    horizon = max(start, job.created) + stretch
    rule = _rrule(job.recurrence, start, horizon)
    expected = islice((each for each in rule if each > job.created or start >= job.created), 200)

    found = islice(occurrences_until(job._replace(start=start), horizon), 200)

    assert list(found) == list(expected)


def _means_the_same(recurrence: dict[str, Any], start: datetime) -> bool:
    """Tell whether rrule leaves out no month for want of a day, and mixes no kinds of weekdays."""
    schedule = recurrence.get("schedule", {})
    kinds = {"occurrence" in each for each in schedule.get("monthlyOccurrences", ())}
    if len(kinds) > 1:
        return False
    names_days = "monthDays" in schedule or "monthlyOccurrences" in schedule
    return recurrence["frequency"] not in ("month", "year") or names_days or start.day <= 28


def _rrule(recurrence: dict[str, Any], start: datetime, until: datetime) -> Iterator[datetime]:
    frequency, schedule = recurrence["frequency"], recurrence.get("schedule", {})
    options: dict[str, Any] = {
        "bymonth": schedule.get("months"),
        "bymonthday": schedule.get("monthDays"),
        "byweekday": _week_days(schedule),
        "byhour": schedule.get("hours"),
        "byminute": schedule.get("minutes"),
        "bysecond": 0 if "minutes" in schedule else None,
    }
    if frequency == "year" and not {"months", "monthDays", "monthlyOccurrences"} & set(schedule):
        options["bymonth"] = start.month
    if frequency in ("month", "year") and not (options["bymonthday"] or options["byweekday"]):
        options["bymonthday"] = start.day
    if frequency not in ("minute", "hour") and "minutes" in schedule and "hours" not in schedule:
        options["byhour"] = range(24)
    options |= {"interval": recurrence["interval"], "wkst": rrule.MO}
    try:
        yield from rrule.rrule(FREQUENCIES[frequency], dtstart=start, until=until, **options)
    except ValueError as error:
        # That is how rrule says that its steps never meet the hours or minutes asked for.
        if "empty" not in str(error):
            raise


def _week_days(schedule: dict[str, Any]) -> list[Any] | None:
    if "weekDays" in schedule:
        return [WEEK_DAYS.index(day) for day in schedule["weekDays"]]
    if "monthlyOccurrences" in schedule:
        return [
            rrule.weekday(WEEK_DAYS.index(each["day"]), each.get("occurrence"))
            for each in schedule["monthlyOccurrences"]
        ]
    return None
