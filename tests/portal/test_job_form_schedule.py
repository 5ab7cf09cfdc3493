"""The schedule in the job form, its first run and its preview."""

from typing import Any

import pytest

from tests.portal.browser import COLLECTION, JOB, Browser
from tests.portal.filling import filled, read_form
from tests.portal.jobs import EDIT, NEW, RECURRENCE, new_form, problems_on
from tests.support.api_client import http_job


@pytest.mark.parametrize(
    ("fields", "recurrence"),
    [
        pytest.param({"repeat": "once", "first": "now"}, None, id="once"),
        pytest.param(
            {},
            {"frequency": "day", "interval": 1, "schedule": {"minutes": [0], "hours": [9]}},
            id="every day at 09:00, the first offer",
        ),
        pytest.param(
            {"time": ["17:30", "09:30", "", "09:30"]},
            {"frequency": "day", "interval": 1, "schedule": {"minutes": [30], "hours": [17, 9]}},
            id="several times",
        ),
        pytest.param(
            {"time": ["09:00", "17:00", "09:30", "17:30"]},
            {
                "frequency": "day",
                "interval": 1,
                "schedule": {"minutes": [0, 30], "hours": [9, 17]},
            },
            id="all pairs of two hours and two minutes",
        ),
        pytest.param(
            {"time": [""]}, {"frequency": "day", "interval": 1}, id="no time: a grid of days"
        ),
        pytest.param(
            {f"{RECURRENCE}__frequency": "hour", "minute": "15, 45"},
            {"frequency": "hour", "interval": 1, "schedule": {"minutes": [15, 45]}},
            id="minutes of each hour; the times of days do not count",
        ),
        pytest.param(
            {f"{RECURRENCE}__frequency": "minute", f"{RECURRENCE}__interval": "5"},
            {"frequency": "minute", "interval": 5},
            id="every five minutes",
        ),
        pytest.param(
            {"repeat": "cron", f"{RECURRENCE}__cron": "0 9 * * MON-FRI"},
            {"cron": "0 9 * * MON-FRI"},
            id="cron",
        ),
        pytest.param(
            {f"{RECURRENCE}__timeZone": "new york"},
            {
                "frequency": "day",
                "interval": 1,
                "schedule": {"minutes": [0], "hours": [9]},
                "timeZone": "America/New_York",
            },
            id="a zone by its city",
        ),
        pytest.param(
            {"times_by": "chips", f"{RECURRENCE}__schedule__hours": ["8", "17"]},
            {"frequency": "day", "interval": 1, "schedule": {"minutes": [0], "hours": [8, 17]}},
            id="hours without minutes are whole hours",
        ),
        pytest.param(
            {
                f"{RECURRENCE}__exclude__dates": "2026-12-25,\r\n2026-12-24/2027-01-01",
                f"{RECURRENCE}__exclude__then": "next",
            },
            {
                "frequency": "day",
                "interval": 1,
                "schedule": {"minutes": [0], "hours": [9]},
                "exclude": {"dates": ["2026-12-25", "2026-12-24/2027-01-01"], "then": "next"},
            },
            id="days off",
        ),
        pytest.param(
            {
                f"{RECURRENCE}__frequency": "week",
                f"{RECURRENCE}__interval": "2",
                "times_by": "chips",
                f"{RECURRENCE}__schedule__weekDays": ["monday", "friday"],
                f"{RECURRENCE}__schedule__hours": ["8", "17"],
                f"{RECURRENCE}__schedule__minutes:more": "7; 22 7",
            },
            {
                "frequency": "week",
                "interval": 2,
                "schedule": {
                    "weekDays": ["monday", "friday"],
                    "hours": [8, 17],
                    "minutes": [7, 22],
                },
            },
            id="weekly",
        ),
        pytest.param(
            {
                f"{RECURRENCE}__frequency": "month",
                "time": "",
                f"{RECURRENCE}__schedule__weekDays": ["monday"],
                f"{RECURRENCE}__schedule__monthlyOccurrences:day": ["monday", "friday"],
                f"{RECURRENCE}__schedule__monthlyOccurrences:nth": ["-1", ""],
            },
            {
                "frequency": "month",
                "interval": 1,
                "schedule": {
                    "monthlyOccurrences": [{"day": "monday", "occurrence": -1}, {"day": "friday"}]
                },
            },
            id="weekdays of the month; what belongs to weeks is left behind",
        ),
    ],
)
def test_the_form_builds_a_schedule(
    billing: Browser, fields: dict[str, Any], recurrence: dict[str, Any] | None
) -> None:
    saved = billing.send(NEW, filled(new_form(billing), **fields))

    assert "Job created." in saved.words, saved.words
    properties = billing.api("GET", "Billing/jobs/Nightly")["properties"]
    assert properties.get("recurrence") == recurrence


WEEKLY = {f"{RECURRENCE}__frequency": "week", f"{RECURRENCE}__schedule__weekDays": ["friday"]}


@pytest.mark.parametrize(
    ("fields", "start"),
    [
        pytest.param(
            WEEKLY | {"time": "09:30"},
            "2026-01-16T09:30:00Z",
            id="the next scheduled time",
        ),
        pytest.param(WEEKLY | {"time": ""}, "2026-01-16T00:01:00Z", id="on the minute"),
        pytest.param(WEEKLY | {"first": "now"}, None, id="at once where that is asked for"),
        pytest.param(
            WEEKLY | {"first": "at", "properties__startTime": "2026-02-01T00:00"},
            "2026-02-01T00:00:00Z",
            id="a start that is given",
        ),
        pytest.param(
            WEEKLY
            | {"first": "at", "properties__startTime": "2026-07-01T08:30"}
            | {f"{RECURRENCE}__timeZone": "Europe/Prague"},
            "2026-07-01T06:30:00Z",
            id="a start in the zone of the job",
        ),
        pytest.param(
            WEEKLY | {"time": "09:30", "properties__startTime": "2026-02-01T00:00"},
            "2026-01-16T09:30:00Z",
            id="a start that is not chosen does not count",
        ),
        pytest.param(
            {f"{RECURRENCE}__frequency": "week", "time": ""},
            "2026-01-19T00:01:00Z",
            id="no days and times: a week from now, not at once",
        ),
        pytest.param(
            {f"{RECURRENCE}__frequency": "minute", f"{RECURRENCE}__interval": "15"},
            "2026-01-12T00:15:00Z",
            id="every 15 minutes, on the quarter",
        ),
        pytest.param(
            {f"{RECURRENCE}__frequency": "hour", f"{RECURRENCE}__interval": "5", "minute": ""},
            "2026-01-12T01:00:00Z",
            id="every 5 hours, from a whole hour",
        ),
        pytest.param(
            {f"{RECURRENCE}__frequency": "month", f"{RECURRENCE}__interval": "18", "time": ""},
            "2027-07-12T00:01:00Z",
            id="every 18 months, from 18 months from now",
        ),
        pytest.param({"repeat": "once", "first": "now"}, None, id="once, now"),
        pytest.param(
            {"repeat": "once", "first": "at", "properties__startTime": "2026-07-01T08:30"}
            | {f"{RECURRENCE}__timeZone": "Europe/Prague"},
            "2026-07-01T06:30:00Z",
            id="once, at a time in the zone of the form",
        ),
    ],
)
def test_a_job_with_a_schedule_starts_at_the_next_scheduled_time(
    billing: Browser, fields: dict[str, Any], start: str | None
) -> None:
    billing.set_time("2026-01-12T00:00:30Z")
    billing.sign_in()

    billing.send(NEW, filled(new_form(billing), **fields))

    properties = billing.api("GET", "Billing/jobs/Nightly")["properties"]
    assert properties.get("startTime") == start


def test_the_first_run_of_a_grid_is_no_later_than_a_start_may_be(billing: Browser) -> None:
    billing.set_time("2026-03-01T00:00:30Z")
    billing.sign_in()
    fields = {f"{RECURRENCE}__frequency": "month", f"{RECURRENCE}__interval": "18", "time": ""}

    billing.send(NEW, filled(new_form(billing), **fields))

    properties = billing.api("GET", "Billing/jobs/Nightly")["properties"]
    assert properties["startTime"] == "2027-08-31T00:00:00Z"


def test_the_preview_says_that_a_job_also_runs_at_once(billing: Browser) -> None:
    query = "properties.recurrence.frequency=week&properties.recurrence.schedule.weekDays=friday"
    path = f"{COLLECTION}/preview?{query}&properties.recurrence.schedule.hours=9"

    by_default, at_once = billing.part(path), billing.part(f"{path}&first=now")

    assert "Every week on Friday at 09:00 UTC Next 10 runs" in by_default.words
    assert (
        "Every week on Friday at 09:00 UTC, and once now, since it has no start time"
        in at_once.words
    )


def test_a_new_schedule_of_a_job_does_not_make_it_run_at_once(billing: Browser) -> None:
    schedule = {"weekDays": ["friday"], "hours": [9], "minutes": [0]}
    weekly = http_job(recurrence={"frequency": "week", "schedule": schedule})
    billing.api("PUT", "Billing/jobs/Nightly", weekly)
    form = read_form(billing.get(EDIT).text, EDIT)

    billing.send(EDIT, filled(form, time="10:00"))

    properties = billing.api("GET", "Billing/jobs/Nightly")["properties"]
    assert properties["startTime"].endswith("T10:00:00Z")
    assert properties["status"]["nextExecutionTime"] == properties["startTime"]


OWN_RULES: dict[str, dict[str, Any]] = {
    "cron": {"cron": "0  9 * * MON-FRI"},
    "cron with all that goes with it": {
        "count": 5,
        "endTime": "2027-06-10T00:00:00Z",
        "timeZone": "Europe/Prague",
        "cron": "@daily",
        "dst": {"skipped": "skip", "repeated": "both"},
        "exclude": {"dates": ["2026-12-25", "2026-12-24/2027-01-01"], "then": "next"},
    },
    "clock changes and days off": {
        "frequency": "day",
        "interval": 1,
        "timeZone": "Europe/Prague",
        "dst": {"skipped": "before", "repeated": "second"},
        "exclude": {"dates": ["2026-12-25"], "then": "previous"},
    },
    "calendars": {
        "frequency": "day",
        "interval": 1,
        "exclude": {"calendars": ["de-holidays"], "then": "skip"},
    },
}
HOLIDAYS = "Billing/calendars/de-holidays"
OWN = "2026-11-01"


@pytest.mark.parametrize("rule", OWN_RULES.values(), ids=OWN_RULES)
def test_a_rule_without_form_fields_survives_an_edit(
    billing: Browser, rule: dict[str, Any]
) -> None:
    billing.api("PUT", HOLIDAYS, {"properties": {"dates": ["2026-01-10"]}}, version=OWN)
    billing.api("PUT", "Billing/jobs/Nightly", http_job(recurrence=rule))
    before = billing.api("GET", "Billing/jobs/Nightly")["properties"]
    form = read_form(billing.get(EDIT).text, EDIT)

    saved = billing.send(
        EDIT, filled(form, properties__action__request__uri="https://127.0.0.1/other")
    )

    assert "Saved." in saved.words, saved.words
    after = billing.api("GET", "Billing/jobs/Nightly")["properties"]
    assert after["action"]["request"]["uri"] == "https://127.0.0.1/other"
    assert {**after, "action": None} == {**before, "action": None}


def test_an_expression_can_be_changed_in_the_form(billing: Browser) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", http_job(recurrence={"cron": "@daily", "count": 5}))
    form = read_form(billing.get(EDIT).text, EDIT)

    refused = billing.send(EDIT, filled(form, **{f"{RECURRENCE}__cron": "61 * * * *"}))
    billing.send(EDIT, filled(form, **{f"{RECURRENCE}__cron": "@hourly"}))

    assert 'Cron expression: "61" is not a valid minute' in refused.words
    found = billing.api("GET", "Billing/jobs/Nightly")["properties"]["recurrence"]
    assert found == {"cron": "@hourly", "count": 5}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"repeat": "once", "first": "now"}, None),
        (
            {"repeat": "schedule", f"{RECURRENCE}__frequency": "week", "time": ""},
            {"frequency": "week", "interval": 1, "count": 5},
        ),
    ],
    ids=["once", "weekly"],
)
def test_another_kind_of_schedule_replaces_an_expression(
    billing: Browser, fields: dict[str, Any], expected: dict[str, Any] | None
) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", http_job(recurrence={"cron": "@daily", "count": 5}))
    form = read_form(billing.get(EDIT).text, EDIT)

    billing.send(EDIT, filled(form, **fields))

    assert billing.api("GET", "Billing/jobs/Nightly")["properties"].get("recurrence") == expected


def test_a_first_run_on_a_day_off_does_not_move_the_schedule(billing: Browser) -> None:
    exclude = {"dates": ["2026-01-16"], "then": "next"}
    rule = {"frequency": "week", "schedule": {"hours": [9], "minutes": [0]}, "exclude": exclude}
    billing.set_time("2026-01-16T00:00:00Z")
    billing.sign_in()
    billing.api("PUT", "Billing/jobs/Nightly", http_job(recurrence=rule))
    form = read_form(billing.get(EDIT).text, EDIT)

    billing.send(EDIT, filled(form, time="10:00"))

    properties = billing.api("GET", "Billing/jobs/Nightly")["properties"]
    assert properties["startTime"] == "2026-01-16T10:00:00Z"
    assert properties["status"]["nextExecutionTime"] == "2026-01-17T10:00:00Z"


def test_the_schedule_page_tells_what_was_moved(billing: Browser) -> None:
    rule = {
        "cron": "30 2 * * *",
        "timeZone": "Europe/Prague",
        "exclude": {"dates": ["2026-03-28"]},
    }
    billing.set_time("2026-03-27T00:00:00Z")
    billing.sign_in()
    billing.api("PUT", "Billing/jobs/Nightly", http_job(recurrence=rule))

    page = billing.get(f"{JOB}/schedule")
    words = page.words

    assert "/schedule.css" in page.text, "the marks of the year have their colours there"
    assert "At 02:30 every day, Europe/Prague time (cron 30 2 * * *), except on 2026-03-28" in words
    assert "2026-03-28 is a day off: 02:30 is skipped" in words
    assert "02:30 does not exist on 2026-03-29: runs at 03:00" in words


def test_the_schedule_page_and_the_preview_know_the_days_of_calendars(billing: Browser) -> None:
    rule = {"cron": "30 2 * * *", "exclude": {"calendars": ["de-holidays"]}}
    billing.set_time("2026-03-27T00:00:00Z")
    billing.sign_in()
    billing.api("PUT", HOLIDAYS, {"properties": {"dates": ["2026-03-28"]}}, version=OWN)
    billing.api("PUT", "Billing/jobs/Nightly", http_job(recurrence=rule))

    page = billing.get(f"{JOB}/schedule").words
    query = (
        f"of=Nightly&{RECURRENCE}__frequency=cron&{RECURRENCE}__cron=40 2 * * *"
        f"&{RECURRENCE}__exclude__calendars=de-holidays&{RECURRENCE}__exclude__then=skip"
    )
    part = billing.part(f"{COLLECTION}/preview?{query.replace('__', '.').replace(' ', '+')}").words

    assert "At 02:30 every day, UTC (cron 30 2 * * *), except on the days of the calendar" in page
    assert "'de-holidays'" in page
    assert "2026-03-28 is a day off: 02:30 is skipped" in page
    assert "except on the days of the calendar 'de-holidays'" in part
    assert "2026-03-28 is a day off: 02:40 is skipped" in part


def test_a_copy_whose_calendar_is_gone_is_refused_in_the_form(billing: Browser) -> None:
    rule = {"cron": "30 2 * * *", "exclude": {"calendars": ["de-holidays"]}}
    billing.api("PUT", HOLIDAYS, {"properties": {"dates": []}}, version=OWN)
    billing.api("PUT", "Billing/jobs/Nightly", http_job(recurrence=rule))
    copy = read_form(billing.get(f"{JOB}/duplicate").text, NEW)

    saved = billing.send(NEW, filled(copy, name="Twin"))
    for path in ("Billing/jobs/Nightly", "Billing/jobs/Twin"):
        billing.api("DELETE", path)
    billing.api("DELETE", HOLIDAYS, version=OWN)
    refused = billing.send(NEW, filled(copy, name="Third"))

    assert "Job created." in saved.words, saved.words
    assert refused.status == 400
    assert "is not a calendar of the collection; it has none" in refused.words


def test_an_unknown_calendar_in_the_json_of_a_job_is_told(billing: Browser) -> None:
    rule = {"cron": "30 2 * * *", "exclude": {"calendars": ["de-holidays"]}}
    billing.api("PUT", HOLIDAYS, {"properties": {"dates": ["2026-03-28"]}}, version=OWN)
    billing.api("PUT", "Billing/jobs/Nightly", http_job(recurrence=rule))
    path = f"{JOB}/json"
    form = read_form(billing.get(path).text, path)

    text = dict(form)["json"].replace("de-holidays", "de-holidayz")
    refused = billing.send(path, filled(form, json=text))

    assert refused.status == 400
    assert "is not a calendar of the collection; did you mean 'de-holidays'?" in refused.words


def test_the_preview_of_a_deleted_job_says_that_it_does_not_exist(billing: Browser) -> None:
    assert "Job 'gone' cannot be found." in billing.part(f"{COLLECTION}/preview?of=gone").words


def test_a_cron_expression_that_never_occurs_is_a_problem_of_its_field(billing: Browser) -> None:
    form = filled(new_form(billing), repeat="cron", properties__recurrence__cron="0 0 30 2 *")

    refused = billing.send(NEW, form)

    assert list(problems_on(refused)) == ["properties.recurrence.cron"]


def test_an_empty_cron_expression_is_the_only_problem_of_a_new_job(billing: Browser) -> None:
    zone = {f"{RECURRENCE}__timeZone": "Europe/Berlin"}

    refused = billing.send(NEW, filled(new_form(billing), repeat="cron", **zone))

    assert list(problems_on(refused)) == ["properties.recurrence.cron"]


def test_the_preview_waits_for_a_cron_expression(billing: Browser) -> None:
    rule = "repeat=cron&properties.recurrence.cron=&properties.recurrence.timeZone=Europe/Berlin"

    assert "The next runs appear here." in billing.part(f"{COLLECTION}/preview?{rule}").words


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        pytest.param("properties.policy.timeout=banana", "1 problem of the policies:", id="policy"),
        pytest.param("properties.recurrence.interval=x", "1 problem of the schedule:", id="rule"),
        pytest.param(
            "properties.recurrence.interval=x&properties.policy.pauseAfter=0",
            "2 problems of the schedule and the policies:",
            id="both",
        ),
    ],
)
def test_the_preview_says_where_the_problems_are(billing: Browser, fields: str, words: str) -> None:
    rule = "repeat=schedule&properties.recurrence.frequency=minute"

    assert words in billing.part(f"{COLLECTION}/preview?{rule}&{fields}").words
