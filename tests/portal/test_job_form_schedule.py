"""The schedule in the job form, its first run and its preview."""

from typing import Any

import pytest

from tests.portal.browser import COLLECTION, Browser
from tests.portal.filling import filled, read_form
from tests.portal.jobs import EDIT, NEW, RECURRENCE, new_form
from tests.support.api_client import http_job


@pytest.mark.parametrize(
    ("fields", "recurrence"),
    [
        pytest.param({f"{RECURRENCE}__frequency": ""}, None, id="once"),
        pytest.param({}, {"frequency": "day", "interval": 1}, id="every day, the first offer"),
        pytest.param(
            {
                f"{RECURRENCE}__frequency": "week",
                f"{RECURRENCE}__interval": "2",
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
            WEEKLY
            | {f"{RECURRENCE}__schedule__hours": ["9"], f"{RECURRENCE}__schedule__minutes": ["30"]},
            "2026-01-16T09:30:00Z",
            id="the next scheduled time",
        ),
        pytest.param(WEEKLY, "2026-01-16T00:01:00Z", id="on the minute"),
        pytest.param(WEEKLY | {"first": "now"}, None, id="at once where that is asked for"),
        pytest.param(
            WEEKLY | {"properties__startTime": "2026-02-01T00:00:00Z"},
            "2026-02-01T00:00:00Z",
            id="a start that is given",
        ),
        pytest.param(
            {f"{RECURRENCE}__frequency": "week"}, None, id="no days and times: a grid from now"
        ),
        pytest.param({f"{RECURRENCE}__frequency": ""}, None, id="once"),
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


def test_the_preview_says_that_a_job_also_runs_at_once(billing: Browser) -> None:
    query = "properties.recurrence.frequency=week&properties.recurrence.schedule.weekDays=friday"
    path = f"{COLLECTION}/preview?{query}&properties.recurrence.schedule.hours=9"

    by_default, at_once = billing.part(path), billing.part(f"{path}&first=now")

    assert "Every week on Friday at 09:00 UTC Next 10 runs" in by_default.words
    assert "Every week on Friday at 09:00 UTC, and once when it is saved" in at_once.words


def test_a_new_schedule_of_a_job_does_not_make_it_run_at_once(billing: Browser) -> None:
    schedule = {"weekDays": ["friday"], "hours": [9], "minutes": [0]}
    weekly = http_job(recurrence={"frequency": "week", "schedule": schedule})
    billing.api("PUT", "Billing/jobs/Nightly", weekly)
    form = read_form(billing.get(EDIT).text, EDIT)

    billing.send(EDIT, filled(form, **{f"{RECURRENCE}__schedule__hours": ["10"]}))

    properties = billing.api("GET", "Billing/jobs/Nightly")["properties"]
    assert properties["startTime"].endswith("T10:00:00Z")
    assert properties["status"]["nextExecutionTime"] == properties["startTime"]


def test_the_preview_of_a_deleted_job_says_that_it_does_not_exist(billing: Browser) -> None:
    assert "Job 'gone' cannot be found." in billing.part(f"{COLLECTION}/preview?of=gone").words
