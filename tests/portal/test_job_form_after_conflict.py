"""After a conflict the form has what it had before, and what the other user changed."""

import copy
from typing import Any

import pytest

from foliot.portal.forms.fields import Kind, input_names, read_values
from foliot.portal.forms.job import JOB_FORM
from foliot.portal.job_body import body_of
from tests.portal.browser import Browser, Shown
from tests.portal.every_field import FULL_JOBS, SCHEDULES, SMALL_JOB
from tests.portal.filling import Pairs, filled, read_form
from tests.portal.jobs import EDIT, RECURRENCE, stored
from tests.support.api_client import http_job

JOB = "Billing/jobs/Nightly"
OWN = "2026-11-01"
BOTH = "You both changed these fields"
SCHEDULE = f"{RECURRENCE}__schedule"
DAILY = SCHEDULES["daily"]
# What a conflict says about itself: what is stored now.
_OF_CONFLICT = frozenset({"was", "csrf", "take"})


@pytest.fixture
def calendars(billing: Browser) -> Browser:
    """Return a browser of an Owner whose collection has the calendar of these jobs."""
    days = {"properties": {"dates": ["2026-12-26"]}}
    billing.api("PUT", "Billing/calendars/de-holidays", days, version=OWN)
    return billing


def put(browser: Browser, body: dict[str, Any]) -> None:
    browser.api("PUT", JOB, body, version=OWN)


def described(body: dict[str, Any]) -> dict[str, Any]:
    """Return a job with another description."""
    changed = copy.deepcopy(body)
    changed["properties"]["description"] = "theirs"
    return changed


def by_name(pairs: Pairs) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        if name not in _OF_CONFLICT:
            found.setdefault(name, []).append(value)
    return found


def saved_again(browser: Browser, refused: Shown) -> Shown:
    assert refused.status == 409, refused.words
    saved = browser.send(EDIT, read_form(refused.text, EDIT))
    assert "Saved." in saved.words, saved.words
    return saved


def test_these_jobs_have_every_field_of_the_form(calendars: Browser) -> None:
    found = set[str]()
    for job in FULL_JOBS.values():
        put(calendars, job)
        values = read_values(body_of(stored(calendars)), JOB_FORM)
        found |= {
            each.name
            for each in JOB_FORM.fields
            if each.kind is Kind.SECRET or any(values[name] for name in input_names(each))
        }
        calendars.api("DELETE", JOB)

    assert found == {each.name for each in JOB_FORM.fields}


@pytest.mark.parametrize("job", FULL_JOBS.values(), ids=FULL_JOBS)
def test_the_form_keeps_every_field_of_the_job(calendars: Browser, job: dict[str, Any]) -> None:
    put(calendars, job)
    sent = read_form(calendars.get(EDIT).text, EDIT)
    put(calendars, described(job))
    theirs = stored(calendars).definition

    refused = calendars.send(EDIT, sent)

    assert by_name(read_form(refused.text, EDIT)) == {
        **by_name(sent),
        "properties.description": ["theirs"],
    }
    assert BOTH not in refused.words
    saved_again(calendars, refused)
    assert stored(calendars).definition == theirs


@pytest.mark.parametrize(
    ("before", "typed"),
    [
        (DAILY, {"time": ["06:30", "18:30"]}),
        (DAILY, {"times_by": ["chips"], f"{SCHEDULE}__hours": ["8"]}),
        (
            DAILY,
            {
                "times_by": ["chips"],
                f"{SCHEDULE}__hours": ["8"],
                f"{SCHEDULE}__minutes:more": ["7, 9"],
            },
        ),
        (
            DAILY,
            {"times_by": ["chips"], f"{SCHEDULE}__hours": [], f"{SCHEDULE}__minutes:more": ["7"]},
        ),
        (SCHEDULES["hourly"], {"minute": ["5, 10"]}),
        (DAILY, {f"{RECURRENCE}__frequency": ["hour"], "minute": ["5"]}),
        (DAILY, {f"{RECURRENCE}__frequency": ["week"], f"{SCHEDULE}__weekDays": ["sunday"]}),
        (
            SCHEDULES["weekdays of months"],
            {
                f"{SCHEDULE}__monthlyOccurrences:day": ["monday", "friday"],
                f"{SCHEDULE}__monthlyOccurrences:nth": ["", "2"],
            },
        ),
        (SCHEDULES["monthly"], {f"{SCHEDULE}__monthDays:more": ["3, -2"]}),
        (DAILY, {f"{RECURRENCE}__timeZone": ["Asia/Tokyo"]}),
        (DAILY, {f"{RECURRENCE}__endTime": ["2027-06-01T10:00"]}),
        (DAILY, {f"{RECURRENCE}__exclude__dates": ["2026-12-24"]}),
        (DAILY, {"first": ["now"]}),
        (SCHEDULES["from a start"], {"first": ["now"]}),
        (SCHEDULES["from a start"], {"first": [""]}),
        (SCHEDULES["from a start"], {"properties__startTime": ["2027-02-01T10:00"]}),
        (DAILY, {"first": ["at"], "properties__startTime": ["2027-02-01T10:00"]}),
        (
            DAILY,
            {"repeat": ["once"], "first": ["at"], "properties__startTime": ["2027-02-01T10:00"]},
        ),
        (DAILY, {"repeat": ["once"], "first": ["now"]}),
        (DAILY, {"repeat": ["cron"], f"{RECURRENCE}__cron": ["30 7 * * *"]}),
        (SCHEDULES["cron"], {"repeat": ["schedule"], "time": ["07:15"]}),
        (SCHEDULES["once"], {"repeat": ["schedule"], "time": ["07:15"]}),
        (DAILY, {"properties__policy__jitter": ["30s"]}),
    ],
    ids=[
        "times",
        "fewer hours",
        "minutes without a box",
        "minutes alone",
        "minutes of an hour",
        "every hour",
        "a weekday",
        "weekdays of a month",
        "days of a month",
        "zone",
        "end",
        "days off",
        "run now",
        "run now in place of a start",
        "no start",
        "another start",
        "a start",
        "once at a time",
        "once now",
        "by cron",
        "schedule in place of cron",
        "schedule in place of once",
        "a period",
    ],
)
def test_the_form_keeps_what_one_typed(
    calendars: Browser, before: dict[str, Any], typed: dict[str, Any]
) -> None:
    job = copy.deepcopy(SMALL_JOB)
    job["properties"] |= before

    def definition(*, is_changed_meanwhile: bool) -> Any:
        put(calendars, job)
        sent = filled(read_form(calendars.get(EDIT).text, EDIT), **typed)
        if is_changed_meanwhile:
            put(calendars, described(job))
            saved_again(calendars, calendars.send(EDIT, sent))
        else:
            put(calendars, described(job))
            sent = filled(read_form(calendars.get(EDIT).text, EDIT), **typed)
            assert "Saved." in calendars.send(EDIT, sent).words
        saved = stored(calendars).definition
        calendars.api("DELETE", JOB)
        return saved

    assert definition(is_changed_meanwhile=True) == definition(is_changed_meanwhile=False)


@pytest.mark.parametrize("job", FULL_JOBS.values(), ids=FULL_JOBS)
@pytest.mark.parametrize("is_added", [True, False], ids=["added", "removed"])
def test_the_form_takes_every_field_of_the_other_user(
    calendars: Browser, job: dict[str, Any], *, is_added: bool
) -> None:
    first, second = (SMALL_JOB, job) if is_added else (job, SMALL_JOB)
    put(calendars, first)
    sent = read_form(calendars.get(EDIT).text, EDIT)
    put(calendars, second)
    theirs = stored(calendars).definition

    refused = calendars.send(EDIT, sent)

    assert BOTH not in refused.words
    saved_again(calendars, refused)
    assert stored(calendars).definition == theirs


def test_times_of_the_other_user_can_be_taken(calendars: Browser) -> None:
    def daily(*hours: int) -> dict[str, Any]:
        schedule = {"hours": [*hours], "minutes": [0]}
        return http_job(recurrence={"frequency": "day", "schedule": schedule})

    put(calendars, daily(8, 16))
    sent = filled(read_form(calendars.get(EDIT).text, EDIT), time=["09:00", "17:00"])
    put(calendars, daily(7))

    refused = calendars.send(EDIT, sent)
    again = read_form(refused.text, EDIT)
    calendars.send(EDIT, [*again, ("take", "properties.recurrence.schedule.hours")])

    assert "At these hours 9, 17 7" in refused.words
    assert by_name(again)["time"] == ["09:00", "17:00", ""]
    assert stored(calendars).definition.recurrence.schedule.hours == (7,)


def test_weekdays_of_months_that_differ_in_their_place_are_a_conflict(calendars: Browser) -> None:
    def monthly(*places: int | None) -> dict[str, Any]:
        rows = [
            {"day": day} if place is None else {"day": day, "occurrence": place}
            for day, place in zip(["monday", "friday"], places, strict=True)
        ]
        job = copy.deepcopy(SMALL_JOB)
        schedule = {"hours": [8], "minutes": [0], "monthlyOccurrences": rows}
        job["properties"]["recurrence"] = {"frequency": "month", "schedule": schedule}
        return job

    put(calendars, monthly(1, 1))
    days = f"{SCHEDULE}__monthlyOccurrences"
    sent = filled(
        read_form(calendars.get(EDIT).text, EDIT),
        **{f"{days}:day": ["monday", "friday"], f"{days}:nth": ["", "1"]},
    )
    put(calendars, monthly(1, None))

    refused = calendars.send(EDIT, sent)

    assert "monday: every, friday: 1 monday: 1, friday: every" in refused.words
