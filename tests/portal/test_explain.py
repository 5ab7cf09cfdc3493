"""Explain a time: the planned times of a job around a moment, and why nothing ran."""

import re
from html import unescape

import pytest

from foliot.core.model.token import Role
from tests.portal.browser import COLLECTION, JOB, Browser
from tests.portal.jobs import with_job

DAILY = {"frequency": "day", "schedule": {"hours": [5], "minutes": [0]}}
EXPLAIN = f"{JOB}/explain"


@pytest.fixture
def nightly(billing: Browser) -> Browser:
    with_job(billing, recurrence=DAILY, startTime="2026-01-10T05:00:00Z")
    go_to(billing, "2026-01-12T12:00:00Z")
    return billing


def go_to(browser: Browser, time: str) -> None:
    """Set the time; a session that has ended meanwhile begins anew."""
    browser.set_time(time)
    browser.sign_in()


def test_a_planned_time_is_explained_with_the_calendar_of_then(nightly: Browser) -> None:
    shown = nightly.get(f"{EXPLAIN}?at=2026-01-13T05:00:00Z")

    assert "Planned at 2026-01-13 05:00:00 UTC" in shown.words
    assert "It will run, if nothing changes." in shown.words
    assert "The calendar at that time, still in force: Every day at 05:00" in shown.words


def test_a_planned_time_that_has_passed_without_a_run_is_not_said_to_come(nightly: Browser) -> None:
    shown = nightly.get(f"{EXPLAIN}?at=2026-01-12T05:00:00Z")

    answer = shown.words.split("Planned at 2026-01-12 05:00:00 UTC")[1].split("The calendar")[0]
    assert "due It is due and has not begun yet" in answer
    assert "It will run" not in answer


def test_a_time_without_a_run_names_the_nearest_ones(nightly: Browser) -> None:
    shown = nightly.get(f"{EXPLAIN}?date=2026-01-13&time=12:30")

    assert "Nothing is planned at 2026-01-13 12:30:00 UTC" in shown.words
    assert (
        "The calendar has no run between 2026-01-13 05:00:00 UTC and 2026-01-14 05:00:00 UTC"
        in shown.words
    )


def test_without_a_time_the_whole_day_is_explained(billing: Browser) -> None:
    hourly = {"frequency": "hour", "interval": 6, "schedule": {"minutes": [0]}}
    with_job(billing, recurrence=hourly, startTime="2026-01-10T05:00:00Z")
    go_to(billing, "2026-01-12T12:00:00Z")
    billing.cookies["foliot-zone"] = "Asia/Tokyo"

    shown = billing.get(f"{EXPLAIN}?date=2026-01-14&time=")

    answer = shown.words.split("Planned on Wednesday 2026-01-14")[1].split("Before")[0]
    # From midnight to midnight of the viewer.
    assert re.findall(r"2026-01-1\d \d\d:\d\d", answer) == [
        *("2026-01-13 17:00", "2026-01-13 23:00", "2026-01-14 05:00", "2026-01-14 11:00")
    ]
    assert answer.count("It will run, if nothing changes.") == 4
    assert "The calendar at the end of that day, still in force: Every 6 hours" in answer
    assert 'name="time" value=""' in shown.text


def test_a_day_without_a_planned_time_says_why_there_is_none(billing: Browser) -> None:
    weekly = {"frequency": "week", "schedule": {"weekDays": ["Monday"], "hours": [5]}}
    with_job(billing, recurrence=weekly, startTime="2026-01-10T05:00:00Z")
    go_to(billing, "2026-01-20T12:00:00Z")

    words = billing.get(f"{EXPLAIN}?date=2026-01-17").words

    assert "Nothing was planned on Saturday 2026-01-17" in words
    assert "no run between 2026-01-12 05:00:00 UTC and 2026-01-19 05:00:00 UTC" in words
    assert "Every week on Monday at 05:00 UTC" in words


def test_a_day_with_very_many_planned_times_shows_the_first_ones(billing: Browser) -> None:
    with_job(billing, recurrence={"frequency": "minute"}, startTime="2026-01-10T05:00:00Z")

    shown = billing.get(f"{EXPLAIN}?date=2026-01-14")

    assert "These are the first 48 of the day. Give a time to see the others." in shown.words
    assert "2026-01-14 00:47:00 UTC" in shown.words
    assert "2026-01-14 00:48:00 UTC" not in shown.words


@pytest.mark.parametrize("day", ["2032-01-13", "9999-12-31", "someday"])
def test_a_day_that_cannot_be_explained_is_told(nightly: Browser, day: str) -> None:
    assert nightly.get(f"{EXPLAIN}?date={day}").status == 400


def test_the_first_and_the_last_day_have_an_answer(nightly: Browser) -> None:
    assert nightly.get(f"{EXPLAIN}?date=0001-01-01").status == 200
    assert nightly.get(f"{EXPLAIN}?date=2031-01-10").status == 200


def test_choosing_a_job_and_a_day_leads_to_the_day(nightly: Browser) -> None:
    shown = nightly.get("/explain?of=me/home/Billing&job=nightly&date=2026-01-13&time=")

    assert "Planned on Tuesday 2026-01-13" in shown.words


def test_times_of_one_sentence_are_in_one_zone_or_say_theirs(nightly: Browser) -> None:
    nightly.post(f"{JOB}/disable", {})

    text = nightly.get(f"{EXPLAIN}?at=2026-01-17T05:00").text

    # A script writes both in the zone of the viewer, the first one with its name.
    assert re.search(r'Planned at <time class="at zoned"[^>]*>2026-01-17 05:00:00 UTC<', text)
    assert re.search(r'disabled since <time class="at"[^>]*>2026-01-12 12:00:00 UTC<', text)


def test_a_day_on_which_the_job_was_disabled_is_explained(nightly: Browser) -> None:
    nightly.post(f"{JOB}/disable", {})
    go_to(nightly, "2026-01-20T12:00:00Z")

    shown = nightly.get(f"{EXPLAIN}?at=2026-01-17T05:00")

    assert "It was skipped: the job or its collection was not enabled." in shown.words
    assert "; the job or its collection was not enabled." in shown.words


def test_a_coming_day_of_a_disabled_job_will_be_skipped(nightly: Browser) -> None:
    nightly.post(f"{JOB}/disable", {})

    shown = nightly.get(f"{EXPLAIN}?at=2026-01-17T05:00")

    why = "the job is disabled since 2026-01-12 12:00:00 UTC"
    assert f"It will be skipped: {why}" in shown.words
    assert f"; {why}" in shown.words
    assert "It was skipped" not in shown.words.split("Before")[0]


def test_a_coming_day_of_a_disabled_collection_will_be_skipped(nightly: Browser) -> None:
    nightly.api("PATCH", "Billing", {"properties": {"state": "Disabled"}})

    shown = nightly.get(f"{EXPLAIN}?at=2026-01-17T05:00")

    why = "the collection is disabled since 2026-01-12 12:00:00 UTC"
    assert f"will be skipped It will be skipped: {why}" in shown.words


def test_a_job_that_was_created_disabled_tells_no_time_since_when(billing: Browser) -> None:
    with_job(billing, recurrence=DAILY, startTime="2026-01-10T05:00:00Z", state="disabled")

    shown = billing.get(f"{EXPLAIN}?at=2026-01-17T05:00")

    assert "It will be skipped: the job is disabled. " in shown.words


def test_a_coming_day_off_will_be_skipped(billing: Browser) -> None:
    daily = {**DAILY, "exclude": {"dates": ["2026-01-17"]}}
    with_job(billing, recurrence=daily, startTime="2026-01-10T05:00:00Z")

    coming = billing.get(f"{EXPLAIN}?at=2026-01-17T05:00")
    go_to(billing, "2026-01-18T05:00:00Z")
    past = billing.get(f"{EXPLAIN}?at=2026-01-17T05:00")

    assert "It will be skipped: the day is a day off." in coming.words
    assert "It was skipped: the day is a day off." in past.words


def test_a_replaced_calendar_is_told(nightly: Browser) -> None:
    later = {"frequency": "day", "schedule": {"hours": [9], "minutes": [0]}}
    go_to(nightly, "2026-01-12T12:00:00Z")
    with_job(nightly, recurrence=later, startTime="2026-01-13T09:00:00Z")
    go_to(nightly, "2026-01-15T12:00:00Z")

    shown = nightly.get(f"{EXPLAIN}?at=2026-01-11T07:00:00Z")

    assert "The calendar at that time, since replaced: Every day at 05:00" in shown.words


def test_a_time_before_the_job_existed_is_told(nightly: Browser) -> None:
    shown = nightly.get(f"{EXPLAIN}?at=2025-06-01T05:00:00Z")

    answer = "The job did not exist at that time; it was created at 2026-01-10 00:00:00 UTC"
    assert 0 < shown.words.index(answer) < shown.words.index("The calendar now: Every day at 05:00")
    assert "Nothing was planned" not in shown.words


def test_a_planned_time_before_the_job_existed_is_answered_first(nightly: Browser) -> None:
    words = nightly.get(f"{EXPLAIN}?at=2026-01-09T05:00:00Z").words

    assert "The job did not exist at 2026-01-09 05:00:00 UTC" in words


def test_the_begin_of_time_has_an_answer(nightly: Browser) -> None:
    assert nightly.get(f"{EXPLAIN}?at=0001-01-01T00:00:00Z").status == 200


@pytest.mark.parametrize("at", ["2032-01-13T00:00:00Z", "9999-12-31T23:59:59Z"])
def test_a_time_too_far_ahead_is_refused(nightly: Browser, at: str) -> None:
    shown = nightly.get(f"{EXPLAIN}?at={at}")

    assert shown.status == 400
    assert "is not valid; give a time until 2031-01-" in shown.words


def test_a_moment_that_cannot_be_read_is_told(nightly: Browser) -> None:
    shown = nightly.get(f"{EXPLAIN}?at=last+saturday")

    assert shown.status == 400
    assert "'last saturday' is not a date-time" in shown.words.replace('"', "'")


def test_a_moment_is_read_in_the_zone_of_the_viewer(nightly: Browser) -> None:
    nightly.cookies["foliot-zone"] = "Asia/Tokyo"

    shown = nightly.get(f"{EXPLAIN}?date=2026-01-13&time=14:00")

    assert "Planned at 2026-01-13 05:00:00 UTC" in shown.words


def test_choosing_a_job_and_a_moment_leads_to_the_answer(nightly: Browser) -> None:
    shown = nightly.get("/explain?of=me/home/Billing&job=nightly&date=2026-01-13&time=05:00")

    assert "Planned at 2026-01-13 05:00:00 UTC" in shown.words


def test_a_choice_without_a_job_or_collection_says_what_is_missing(nightly: Browser) -> None:
    first = nightly.get("/explain?of=me/home/billing")
    missing = nightly.get("/explain?of=&job=&date=2026-01-13&time=05:00")

    assert first.status == 200
    assert '<option value="me/home/Billing" selected>' in first.text
    assert missing.status == 400
    assert "collection: choose the collection of the job." in missing.words
    assert "job: give the name of a job." in missing.words


def test_the_form_suggests_the_jobs_of_the_chosen_collection(nightly: Browser) -> None:
    nightly.api("PUT", "Other", {})

    chosen = nightly.get("/explain?of=me/home/billing")
    other = nightly.get("/explain?of=me/home/other")
    nothing = nightly.get("/explain")

    assert '<option value="Nightly"></option>' in chosen.text
    assert "Nightly" not in other.text
    assert "Nightly" not in nothing.text


def test_the_only_collection_is_chosen_already(nightly: Browser) -> None:
    shown = nightly.get("/explain")

    assert '<option value="me/home/Billing" selected>' in shown.text
    assert '<option value="Nightly">' in shown.text


def test_a_misspelt_job_keeps_the_form_and_is_told_with_the_nearest_name(nightly: Browser) -> None:
    typed = "of=me/home/Billing&job=NIGHLY%3Cb%3E&date=2026-01-13&time=05:17"

    shown = nightly.get(f"/explain?{typed}")

    assert shown.status == 400
    assert "job: no job has the name 'NIGHLY<b>'; did you mean 'Nightly'?" in shown.words
    assert 'name="job" value="NIGHLY&lt;b&gt;"' in shown.text
    assert '<option value="me/home/Billing" selected>' in shown.text
    assert 'value="2026-01-13"' in shown.text
    assert 'value="05:17"' in shown.text


def test_a_job_with_a_name_like_no_other_is_told(nightly: Browser) -> None:
    shown = nightly.get(f"/explain?of=me/home/Billing&job={'x' * 300}")

    assert shown.status == 400
    assert f"no job has the name '{'x' * 60}...'; choose one from the list." in shown.words


def test_a_collection_that_does_not_exist_is_told_in_the_form(nightly: Browser) -> None:
    shown = nightly.get("/explain?of=me/home/none&job=Nightly")

    assert shown.status == 400
    assert "collection: The collection 'none' in the resource group 'home'" in shown.words
    assert 'name="job" value="Nightly"' in shown.text


def test_names_of_jobs_outside_the_scope_are_not_suggested(nightly: Browser) -> None:
    nightly.api("PUT", "Other", {})
    scope = {"subscription": "me", "group": "home", "collection": "other"}
    nightly.add_token("scoped", Role.READER, scope=scope)
    nightly.sign_in("scoped")

    first = nightly.get("/explain?of=me/home/billing")
    asked = nightly.get("/explain?of=me/home/billing&job=nighly")

    assert "Nightly" not in first.text + asked.text
    assert "collection: The collection 'billing'" in asked.words


@pytest.mark.parametrize(
    ("timeline", "day", "clock"),
    [
        ("of=me/home/Billing&zoom=day&date=2026-01-15&time=05:17", "2026-01-15", "05:17"),
        ("of=me/home/Billing&at=2026-01-14T05:00:00Z", "2026-01-14", "05:00"),
        ("of=me/home/Billing&zoom=day&date=2026-01-16", "2026-01-16", ""),
        ("of=me/home/Billing", "2026-01-12", "12:00"),
    ],
)
def test_the_form_opens_with_the_time_chosen_on_the_timeline(
    nightly: Browser, timeline: str, day: str, clock: str
) -> None:
    found = re.search(r'href="(/explain[^"]*)"', nightly.get(f"/timeline?{timeline}").text)
    assert found

    shown = nightly.get(unescape(found[1]))

    assert '<option value="me/home/Billing" selected>' in shown.text
    assert f'name="date" value="{day}"' in shown.text
    assert f'name="time" value="{clock}"' in shown.text


def test_a_job_outside_the_scope_is_not_found(nightly: Browser) -> None:
    nightly.api("PUT", "Other", {})
    scope = {"subscription": "me", "group": "home", "collection": "other"}
    nightly.add_token("scoped", Role.READER, scope=scope)
    nightly.sign_in("scoped")

    assert nightly.get(EXPLAIN).status == 404
    assert nightly.get(f"{COLLECTION}/jobs/none/explain").status == 404
