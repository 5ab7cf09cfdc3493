"""The timeline: its counts, its addresses, and the jobs of a cell."""

from html import unescape
from typing import Any

import pytest

from foliot.core.ids import JobId
from foliot.core.instant import SECOND, parse_instant
from foliot.core.model.history import AttemptStatus, HistoryEntry, RunOutcome
from foliot.core.model.token import Role
from foliot.ports.store import Transaction
from tests.portal.browser import Browser, Shown
from tests.portal.jobs import change, stored, with_job
from tests.support.api_client import http_job
from tests.support.builders import NOW, an_entry

DAILY = {"frequency": "day", "schedule": {"hours": [5], "minutes": [0]}}


def titles(shown: Shown) -> str:
    """Return a page with hyphens between times."""
    return shown.text.replace("\N{EN DASH}", "-")


def entry_at(
    job_id: JobId, text: str, outcome: RunOutcome = RunOutcome.SUCCEEDED, **fields: Any
) -> HistoryEntry:
    second = (parse_instant(text) - NOW) // SECOND
    failed = outcome is RunOutcome.FAILED
    status = AttemptStatus.FAILED if failed else AttemptStatus.COMPLETED
    return an_entry(job_id, second=second, status=status, outcome=outcome, **fields)


def test_the_timeline_counts_past_and_coming_runs_and_lists_jobs_of_a_cell(
    billing: Browser,
) -> None:
    with_job(billing, "minutely", recurrence={"frequency": "minute", "interval": 10})
    with_job(billing, "daily", recurrence=DAILY)
    billing.set_time("2026-01-10T00:30:00Z")
    billing_id = stored(billing, "daily").id

    def happen(to: Transaction) -> None:
        to.add_history(
            entry_at(billing_id, "2026-01-09T05:00:00Z"),
            entry_at(billing_id, "2026-01-09T05:30:00Z", RunOutcome.FAILED),
            entry_at(billing_id, "2026-01-09T06:10:00Z", RunOutcome.RECOVERED),
        )

    change(billing, happen)

    shown = billing.get("/timeline?zoom=day&date=2026-01-10")
    past = billing.get("/timeline?zoom=day&date=2026-01-09")
    week = billing.get("/timeline")
    cell = billing.get("/timeline?zoom=day&date=2026-01-10&time=05:20")

    assert "Sat 10 Jan 05:00-06:00: 7 coming" in titles(shown)
    assert "Sat 10 Jan 06:00-07:00: 6 coming" in titles(shown)
    assert "Fri 09 Jan 05:00-06:00: 2 runs (1 succeeded, 1 failed)" in titles(past)
    assert "Fri 09 Jan 06:00-07:00: 1 run (1 recovered)" in titles(past)
    assert "Fri 09 Jan 03:00-06:00: 2 runs (1 succeeded, 1 failed)" in titles(week)
    assert "daily Billing 2026-01-10 05:00:00 UTC 1" in cell.words
    assert "minutely Billing 2026-01-10 05:00:00 UTC 6" in cell.words


def test_a_chosen_collection_has_a_lane_for_each_job(billing: Browser) -> None:
    with_job(billing, "minutely", recurrence={"frequency": "minute", "interval": 10})
    with_job(billing, "daily", recurrence=DAILY)

    shown = billing.get("/timeline?of=me/home/billing&zoom=day")

    assert 'value="me/home/Billing" selected' in shown.text
    assert "daily : 2 coming" in shown.words
    assert (
        "/collections/me/home/Billing/jobs/daily/explain?at=2026-01-10T04%3A30%3A00Z" in shown.text
    )


def test_past_cells_lead_to_their_runs(billing: Browser) -> None:
    with_job(billing, "daily", recurrence=DAILY)
    job_id = stored(billing, "daily").id
    change(billing, lambda to: to.add_history(entry_at(job_id, "2026-01-09T05:00:00Z")))

    shown = billing.get("/timeline?zoom=day&date=2026-01-09&of=me/home/Billing")

    address = (
        "/runs?since=2026-01-09T05%3A00%3A00Z&amp;until=2026-01-09T05%3A59%3A59.9999999Z"
        "&amp;collection=me%2Fhome%2FBilling"
    )
    assert f'href="{address}"' in shown.text
    assert f'href="{address}&amp;job=daily"' in shown.text


@pytest.mark.parametrize(
    ("zone", "words"),
    [
        pytest.param("Asia/Tokyo", "Sat 10 Jan 14:00-15:00: 1 coming", id="a zone"),
        pytest.param("Asia/Kolkata", "Sat 10 Jan 10:00-11:00: 1 coming", id="half an hour off"),
        pytest.param("Nowhere/At_all", "Sat 10 Jan 05:00-06:00: 1 coming", id="none there is"),
    ],
)
def test_the_timeline_is_cut_in_the_zone_of_the_viewer(
    billing: Browser, zone: str, words: str
) -> None:
    with_job(billing, recurrence=DAILY)
    billing.cookies["foliot-zone"] = zone

    assert words in titles(billing.get("/timeline?zoom=day&date=2026-01-10"))


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        pytest.param("date=31.01.2026", "date: '31.01.2026' is not a date", id="another format"),
        pytest.param("date=9999-12-31", "9999-12-31 is too far away", id="the end of time"),
        pytest.param("date=0001-01-01", "0001-01-01 is too far away", id="the beginning of time"),
        pytest.param("of=nope", 'of: "nope" is not valid; give subscription/', id="collection"),
        pytest.param("zoom=year", 'zoom: "year" is not valid; give one of day, week.', id="zoom"),
        pytest.param("at=yesterday", "is not a date-time", id="no instant"),
        pytest.param("date=2026-01-10&time=25:00", "is not a date-time", id="no time"),
    ],
)
def test_a_wrong_address_is_told_and_shows_today(
    billing: Browser, query: str, problem: str
) -> None:
    shown = billing.get(f"/timeline?{query}")

    assert shown.status == 400
    assert problem in shown.words
    assert "05 Jan to 11 Jan 2026" in shown.words


def test_steps_lead_to_the_days_before_and_after_and_keep_the_collection(billing: Browser) -> None:
    shown = billing.get("/timeline?of=me/home/Billing&zoom=day&date=2026-03-01").text

    for day in ("2026-02-28", "2026-03-02"):
        assert f"/timeline?of=me%2Fhome%2FBilling&amp;date={day}&amp;zoom=day" in shown
    assert "/timeline?of=me%2Fhome%2FBilling&amp;date=2026-03-01&amp;zoom=week" in shown


def test_the_old_address_of_the_calendar_leads_to_the_timeline(billing: Browser) -> None:
    at = parse_instant("2026-01-10T05:00:00Z")

    shown = billing.get(f"/calendar?of=me/home/billing&at={at}")

    assert "Sat 10 Jan 03:00-06:00" in titles(shown)
    assert billing.get("/calendar?at=x").status == 200


def test_unknown_collections_and_those_of_others_have_no_lanes(billing: Browser) -> None:
    with_job(billing, "mine", recurrence=DAILY)
    billing.api("PUT", "Other", {})
    billing.api("PUT", "Other/jobs/theirs", http_job(recurrence=DAILY))
    scope = {"subscription": "me", "group": "home", "collection": "billing"}
    billing.add_token("scoped", Role.READER, scope=scope)
    billing.sign_in("scoped")

    shown = billing.get("/timeline?of=me/home/Other&date=2026-01-11&time=05:00")

    assert "theirs" not in shown.words
    assert "Other" not in shown.words


def test_skipped_occurrences_count_one_by_one(billing: Browser) -> None:
    with_job(billing, "daily", recurrence=DAILY)
    skipped = entry_at(
        stored(billing, "daily").id,
        "2026-01-09T05:00:00Z",
        RunOutcome.SKIPPED,
        skipped_count=12,
        run_id=None,
    )
    change(billing, lambda to: to.add_history(skipped))

    shown = billing.get("/timeline?zoom=day&date=2026-01-09")

    assert "Fri 09 Jan 05:00-06:00: 12 runs (12 skipped)" in titles(shown)


def test_all_collections_can_be_chosen_while_one_is_shown(billing: Browser) -> None:
    billing.api("PUT", "Other", {})

    shown = billing.get("/timeline?of=me/home/Billing")

    assert '<option value="me/home/Other">' in shown.text
    assert '<option value="me/home/Billing" selected>' in shown.text


def test_a_time_that_is_entered_shows_its_hour(billing: Browser) -> None:
    with_job(billing, "daily", recurrence=DAILY)

    shown = billing.get("/timeline?zoom=week&date=2026-01-11&time=05:30")

    assert "Sun 11 Jan 05:00-06:00 1 coming" in shown.words.replace("\N{EN DASH}", "-")
    assert 'name="date" value="2026-01-11"' in shown.text


def test_lanes_after_the_last_one_are_told(billing: Browser) -> None:
    with_job(billing, "daily", recurrence=DAILY)

    shown = billing.get("/timeline?of=me/home/Billing&skip=999999")

    assert shown.status == 200
    assert "There are no more lanes." in shown.words


def test_many_lanes_are_shown_in_pages(billing: Browser) -> None:
    for number in range(21):
        with_job(billing, f"job-{number:02}", recurrence=DAILY)

    first = billing.get("/timeline?of=me/home/Billing")
    second = billing.get("/timeline?of=me/home/Billing&skip=20")

    assert "Lanes 1 to 20 of 21" in first.words
    assert "Lanes 21 to 21 of 21" in second.words
    assert "job-20" not in first.words
    assert "job-20" in second.words


def test_the_runs_of_a_past_cell_are_those_that_it_counts(billing: Browser) -> None:
    with_job(billing, "daily", recurrence=DAILY)
    job_id = stored(billing, "daily").id
    times = ("05:00:00", "05:59:58", "06:00:00")

    def happen(to: Transaction) -> None:
        for number, time in enumerate(times, start=1):
            entry = entry_at(job_id, f"2026-01-09T{time}Z", run_id=number, tag=f"tag-{number}")
            to.add_history(entry)

    change(billing, happen)
    shown = billing.get("/timeline?zoom=day&date=2026-01-09&of=me/home/Billing").text
    cell = "Fri 09 Jan 05:00\N{EN DASH}06:00: 2 runs"
    address = unescape(shown.split(cell)[0].rsplit('href="', 1)[1].split('"')[0])

    listed = billing.get(address)

    assert listed.status == 200
    assert "2026-01-09 05:00:00 UTC" in listed.words
    assert "2026-01-09 05:59:58 UTC" in listed.words
    assert "2026-01-09 06:00:00 UTC" not in listed.words
