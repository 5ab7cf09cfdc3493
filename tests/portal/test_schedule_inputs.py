"""The inputs of the schedule in the job form: times, zones, local dates, problems, policies."""

from typing import Any
from urllib.parse import urlencode

import pytest

from tests.portal.browser import COLLECTION, Browser
from tests.portal.filling import filled, read_form
from tests.portal.jobs import EDIT, NEW, RECURRENCE, new_form, problems_on, stored, with_job

HOLIDAYS = "Billing/calendars/de-holidays"
OWN = "2026-11-01"
POLICY = "properties__policy"
IN_PRAGUE = {f"{RECURRENCE}__timeZone": "Europe/Prague"}


def preview_of(browser: Browser, form: list[tuple[str, str]], **values: Any) -> Any:
    """Show the preview of a form, as a script asks for it."""
    pairs = filled(form, **values)
    sent = [pair for pair in pairs if not pair[0].startswith(("properties.action", "was", "csrf"))]
    return browser.part(f"{COLLECTION}/preview?{urlencode(sent)}")


@pytest.mark.parametrize(
    ("fields", "field", "words"),
    [
        pytest.param(
            {"time": ["09:00", "17:30"]},
            "time",
            "it would also run at 09:30, 17:00. Add those times",
            id="times that are not all pairs of hours and minutes",
        ),
        pytest.param(
            {"time": ["9 am"]}, "time", '"9 am" is not a time; give', id="what is no time"
        ),
        pytest.param(
            {f"{RECURRENCE}__frequency": "hour", "minute": "5, 75"},
            "minute",
            '"75" is not a minute; give numbers from 0 to 59.',
            id="what is no minute",
        ),
        pytest.param(
            {"first": "at"},
            "properties.startTime",
            "Start is missing; give a date and time",
            id="a first run at no time",
        ),
        pytest.param(
            {"repeat": "once"},
            "first",
            "First run is missing; choose now, or give a date and time.",
            id="once, and not said when",
        ),
        pytest.param(
            {"repeat": "once", "first": "at", "properties__startTime": "2026-07-01T08:30"}
            | {f"{RECURRENCE}__timeZone": "Europe/Pragu"},
            "properties.recurrence.timeZone",
            'did you mean "Europe/Prague"?',
            id="once, in a zone that does not exist",
        ),
        pytest.param(
            IN_PRAGUE | {f"{RECURRENCE}__endTime": "2020-01-01T00:30"},
            "properties.recurrence.endTime",
            '"2020-01-01 00:30" is in the past; give 2026-01-10 01:00 or later',
            id="an end in the past",
        ),
        pytest.param(
            IN_PRAGUE
            | {"first": "at", "properties__startTime": "2026-07-02T00:00"}
            | {f"{RECURRENCE}__endTime": "2026-07-01T00:00"},
            "properties.recurrence.endTime",
            '"2026-07-01 00:00" lies before its first time, 2026-07-02 09:00;',
            id="an end before the start",
        ),
        pytest.param(
            IN_PRAGUE | {"first": "at", "properties__startTime": "2036-07-01T00:30"},
            "properties.startTime",
            '"2036-07-01 00:30" is more than 18 months',
            id="a start too far ahead",
        ),
        pytest.param(
            {f"{RECURRENCE}__exclude__dates": "2026-12-25 christmas"},
            "properties.recurrence.exclude.dates",
            '"christmas" is not a date; give one such as 2026-12-25',
            id="what is no date",
        ),
        pytest.param(
            {f"{POLICY}__jitter": "2h"},
            "properties.policy.jitter",
            "give 1 second to 1 hour",
            id="a policy",
        ),
    ],
)
def test_a_problem_of_an_input_is_told_on_its_field_by_the_form_and_the_preview(
    billing: Browser, fields: dict[str, Any], field: str, words: str
) -> None:
    form = new_form(billing)

    refused = billing.send(NEW, filled(form, **fields))
    previewed = preview_of(billing, form, **fields)

    assert refused.status == 400
    assert words in problems_on(refused)[field]
    assert f'data-field="{field}"' in previewed.text
    assert words in previewed.words


def test_a_missing_expression_is_told_when_the_form_is_saved(billing: Browser) -> None:
    form, fields = new_form(billing), {"repeat": "cron"}

    refused = billing.send(NEW, filled(form, **fields))
    previewed = preview_of(billing, form, **fields)
    other = preview_of(billing, form, **fields, **{f"{POLICY}__jitter": "2h"})

    words = "Cron expression is missing; give five fields such as 0 9 * * MON-FRI."
    assert words in problems_on(refused)["properties.recurrence.cron"]
    assert "The next runs appear here." in previewed.words
    assert "data-field" not in previewed.text
    assert "1 problem of the policies" in other.words


def test_the_preview_tells_all_problems_at_once(billing: Browser) -> None:
    fields = {
        f"{RECURRENCE}__interval": "x",
        f"{RECURRENCE}__timeZone": "Europe/Pragu",
        f"{RECURRENCE}__exclude__dates": "never",
        "time": ["09:00", "17:30"],
        f"{POLICY}__overlap": "maybe",
        f"{POLICY}__pauseAfter": "0",
    }

    shown = preview_of(billing, new_form(billing), **fields)

    assert "6 problems of the schedule" in shown.words
    for name in fields:
        assert f'data-field="{name.replace("__", ".")}"' in shown.text


@pytest.mark.parametrize(
    ("plan", "schedule", "words"),
    [
        pytest.param(
            "Free",
            {f"{RECURRENCE}__frequency": "minute"},
            "the plan Free allows one run in 1 hour, and two runs would be 1 minute apart",
            id="too often",
        ),
        pytest.param("Free", {}, "", id="not too often"),
    ],
)
def test_the_preview_tells_what_the_plan_would_refuse(
    billing: Browser, plan: str, schedule: dict[str, Any], words: str
) -> None:
    billing.api("PUT", "Billing", {"properties": {"sku": {"name": plan}}})

    shown = preview_of(billing, new_form(billing), **schedule)

    assert ("This job would be refused." in shown.words) is bool(words)
    assert words in shown.words


def test_the_preview_without_a_collection_uses_the_plan_of_the_new_one(browser: Browser) -> None:
    query = "into=new&properties.sku.name=Free&repeat=schedule"
    query += "&properties.recurrence.frequency=minute&properties.recurrence.interval=1"

    shown = browser.part(f"/jobs/preview?{query}")

    assert "the plan Free allows one run in 1 hour" in shown.words


def test_a_new_job_is_in_the_zone_of_the_viewer(billing: Browser) -> None:
    billing.cookies["foliot-zone"] = "Europe/Prague"

    page = billing.get(NEW).text
    options = page.split('id="zones"')[1].split("</datalist>")[0]

    assert dict(read_form(page, NEW))["properties.recurrence.timeZone"] == "Europe/Prague"
    assert options.index("Europe/Prague") < options.index('value="UTC"') < options.index("Africa/")
    assert options.count("Europe/Prague") == 1


def test_the_preview_shows_times_of_the_job_and_of_the_viewer(billing: Browser) -> None:
    billing.cookies["foliot-zone"] = "Asia/Tokyo"
    form = new_form(billing)

    here = preview_of(billing, form)
    there = preview_of(billing, form, **{f"{RECURRENCE}__timeZone": "Europe/Prague"})

    assert "(Asia/Tokyo) 1 Sat 2026-01-10 09:30" not in here.words
    assert "your time below" not in here.words
    assert "(Europe/Prague; your time below) 1 Sat 2026-01-10 09:00" in there.words
    assert "2026-01-10 08:00:00 UTC your time" in there.words


def test_the_preview_does_not_repeat_times_that_are_the_same_in_both_zones(
    billing: Browser,
) -> None:
    billing.cookies["foliot-zone"] = "Europe/Berlin"
    form = new_form(billing)

    same = preview_of(billing, form, **{f"{RECURRENCE}__timeZone": "Europe/Prague"})
    other = preview_of(billing, form, **{f"{RECURRENCE}__timeZone": "Europe/London"})

    assert "(Europe/Prague) 1 Sat 2026-01-10 09:00" in same.words
    assert "(Europe/London; your time below) 1 Sat 2026-01-10 09:00" in other.words


def test_the_preview_marks_clock_changes_and_days_off(billing: Browser) -> None:
    billing.set_time("2026-03-27T12:00:00Z")
    billing.sign_in()
    billing.api("PUT", HOLIDAYS, {"properties": {"dates": ["2026-03-31"]}}, version=OWN)

    shown = preview_of(
        billing,
        new_form(billing),
        time="02:30",
        **{f"{RECURRENCE}__timeZone": "Europe/Prague"},
        **{f"{RECURRENCE}__exclude__calendars": "de-holidays"},
    )

    assert "Sun 2026-03-29 03:00 clock change" in shown.words
    assert "02:30 does not exist on 2026-03-29: runs at 03:00" in shown.words
    assert "Wed 2026-04-01 02:30 day off" in shown.words
    assert "2026-03-31 is a day off: 02:30 is skipped" in shown.words
    assert "1 day off ○ clock change 2026-03-29: forward 1 hour" in shown.words
    assert "○ clock change 2026-10-25: back 1 hour" in shown.words


def test_the_form_offers_the_calendars_of_the_collection(billing: Browser) -> None:
    billing.api("PUT", HOLIDAYS, {"properties": {"dates": ["2026-03-31"]}}, version=OWN)
    fields = {f"{RECURRENCE}__exclude__calendars": "de-holidays"}

    saved = billing.send(NEW, filled(new_form(billing), **fields))

    assert "Job created." in saved.words, saved.words
    rule = billing.api("GET", "Billing/jobs/Nightly")["properties"]["recurrence"]
    assert rule["exclude"] == {"calendars": ["de-holidays"], "then": "skip"}


def test_days_off_are_removed_with_their_last_date(billing: Browser) -> None:
    exclude = {"dates": ["2026-12-25"], "then": "next"}
    with_job(billing, recurrence={"frequency": "day", "exclude": exclude})
    form = read_form(billing.get(EDIT).text, EDIT)

    saved = billing.send(EDIT, filled(form, **{f"{RECURRENCE}__exclude__dates": " "}))

    assert "Saved." in saved.words, saved.words
    assert "exclude" not in billing.api("GET", "Billing/jobs/Nightly")["properties"]["recurrence"]


def test_policies_are_written_and_removed(billing: Browser) -> None:
    with_job(billing, recurrence={"frequency": "hour"})
    given = {
        f"{POLICY}__overlap": "skip",
        f"{POLICY}__catchUp": "all",
        f"{POLICY}__catchUpWindow": "6h",
        f"{POLICY}__startWithin": "00:10:00",
        f"{POLICY}__jitter": "PT5M",
        f"{POLICY}__timeout": "30s",
        f"{POLICY}__pauseAfter": "5",
    }

    billing.send(EDIT, filled(read_form(billing.get(EDIT).text, EDIT), **given))
    written = billing.api("GET", "Billing/jobs/Nightly")["properties"].get("policy")
    form = read_form(billing.get(EDIT).text, EDIT)
    billing.send(EDIT, filled(form, **dict.fromkeys(given, "")))

    assert written == {
        "overlap": "skip",
        "catchUp": "all",
        "catchUpWindow": "PT6H",
        "startWithin": "00:10:00",
        "jitter": "PT5M",
        "timeout": "PT30S",
        "pauseAfter": 5,
    }
    assert "policy" not in billing.api("GET", "Billing/jobs/Nightly")["properties"]


def test_another_zone_keeps_the_times_on_the_clock(billing: Browser) -> None:
    rule = {"frequency": "day", "timeZone": "Europe/Prague", "endTime": "2026-07-01T06:00:00Z"}
    with_job(billing, startTime="2026-02-01T08:00:00+01:00", recurrence=rule)
    form = read_form(billing.get(EDIT).text, EDIT)

    billing.send(EDIT, filled(form, **{f"{RECURRENCE}__timeZone": "America/New_York"}))

    assert dict(form)["properties.startTime"] == "2026-02-01T08:00"
    properties = billing.api("GET", "Billing/jobs/Nightly")["properties"]
    assert properties["startTime"] == "2026-02-01T13:00:00Z"
    assert properties["recurrence"]["endTime"] == "2026-07-01T12:00:00Z"


def test_a_start_in_the_repeated_hour_keeps_its_offset(billing: Browser) -> None:
    rule = {"frequency": "day", "timeZone": "Europe/Prague"}
    with_job(billing, startTime="2026-10-25T02:30:00.5+01:00", recurrence=rule)
    before = stored(billing).definition
    form = read_form(billing.get(EDIT).text, EDIT)

    billing.send(EDIT, filled(form, properties__description="changed"))

    assert stored(billing).definition.start == before.start
    assert stored(billing).definition.recurrence == before.recurrence


@pytest.mark.parametrize(
    "value", ["\u202e", "9" * 5000, "0 0 31 2 *", "<script>", "2026-02-30T25:61", "-1"]
)
@pytest.mark.parametrize(
    "field",
    [
        *("repeat", "time", "minute", "times_by", "first", "properties__startTime"),
        *(f"{RECURRENCE}__{name}" for name in ("timeZone", "endTime", "cron", "interval")),
        *(f"{RECURRENCE}__{name}" for name in ("exclude__dates", "exclude__then", "dst__skipped")),
    ],
)
def test_no_value_of_an_input_breaks_the_form(billing: Browser, field: str, value: str) -> None:
    fields, form = {"first": "at", field: value}, new_form(billing)

    answers = [
        billing.send(NEW, filled(form, **fields)),
        preview_of(billing, form, **fields),
        preview_of(billing, form, **{**fields, "repeat": "cron"}),
    ]

    assert all(each.status in (200, 400) for each in answers)
    assert not any("<script>" in each.text.split("<main")[-1] for each in answers)
