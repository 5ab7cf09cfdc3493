"""The job list and the pages of one job."""

from typing import Any

import pytest
from msgspec import structs

from foliot.core.instant import MINUTE, Instant, parse_instant
from foliot.core.model.history import AttemptStatus, RunOutcome
from foliot.core.model.run import Trigger
from foliot.core.model.token import Role
from foliot.ports.store import Transaction
from tests.portal.browser import COLLECTION, JOB, OWNER, Browser
from tests.portal.jobs import change, ended, names, stored, with_job
from tests.support.api_client import http_job
from tests.support.builders import a_lease, a_run, an_entry


def test_jobs_are_listed_with_their_schedule_and_outcomes(billing: Browser) -> None:
    rule = {"frequency": "day", "schedule": {"hours": [7], "minutes": [30]}}
    with_job(billing, recurrence=rule, startTime="2026-01-01T00:00:00Z")
    job = stored(billing)

    def history(to: Transaction) -> None:
        for second, status in ((1, AttemptStatus.COMPLETED), (2, AttemptStatus.FAILED)):
            to.add_history(an_entry(job.id, second=second, status=status))
        to.save_job(structs.replace(job, last_outcome=RunOutcome.FAILED))

    change(billing, history)

    shown = billing.get(COLLECTION)

    assert "Nightly Every day at 07:30 UTC enabled in 7 h failed" in shown.words
    assert 'aria-label="Last 2: 1 completed, 1 failed"' in shown.text


def test_jobs_are_searched_filtered_and_sorted(billing: Browser) -> None:
    with_job(billing, "alpha", startTime="2026-01-12T00:00:00Z")
    with_job(billing, "beta", startTime="2026-01-11T00:00:00Z")
    with_job(billing, "gamma", state="disabled")
    beta = stored(billing, "beta")
    failed = structs.replace(beta, last_outcome=RunOutcome.FAILED)
    change(billing, lambda to: to.save_job(failed))

    def listed(query: str) -> list[str]:
        text = billing.part(f"{COLLECTION}?{query}").text
        found = {name: text.find(f'value="{name}"') for name in ("alpha", "beta", "gamma")}
        return sorted((name for name in found if found[name] >= 0), key=lambda name: found[name])

    assert listed("") == ["alpha", "beta", "gamma"]
    assert listed("q=ET") == ["beta"]
    assert listed("state=disabled") == ["gamma"]
    assert listed("outcome=failed") == ["beta"]
    assert listed("outcome=succeeded") == []
    assert listed("sort=next") == ["beta", "alpha", "gamma"]
    assert listed("sort=last") == ["alpha", "beta", "gamma"]
    assert listed("sort=failures") == ["alpha", "beta", "gamma"]
    assert listed("outcome=nonsense&state=nonsense") == []
    assert listed("sort=nonsense&skip=x") == ["alpha", "beta", "gamma"]
    assert "No jobs match these filters" in billing.part(f"{COLLECTION}?q=zzz").words


def test_a_long_list_loads_in_parts(browser: Browser) -> None:
    browser.api("PUT", "Billing", {"properties": {"sku": {"name": "P20Premium"}}})
    for number in range(101):
        browser.api("PUT", f"Billing/jobs/j{number:03}", http_job())

    first = browser.get(COLLECTION)
    rest = browser.part(f"{COLLECTION}?sort=name&skip=100")

    assert 'value="j099"' in first.text
    assert 'value="j100"' not in first.text
    assert "?skip=100" in first.text
    assert 'value="j100"' in rest.text
    assert "<thead>" not in rest.text


@pytest.mark.parametrize(
    ("wish", "words", "left"),
    [
        pytest.param("disable", "2 jobs disabled.", ["a", "b", "c"], id="disable"),
        pytest.param("enable", "2 jobs enabled.", ["a", "b", "c"], id="enable"),
        pytest.param("run", "2 runs started.", ["a", "b", "c"], id="run"),
        pytest.param("delete", "2 jobs deleted.", ["c"], id="delete"),
    ],
)
def test_many_jobs_are_changed_at_once(
    billing: Browser, wish: str, words: str, left: list[str]
) -> None:
    for name in ("a", "b", "c"):
        with_job(billing, name, recurrence={"frequency": "day"})

    shown = billing.post(COLLECTION, {"job": ["a", "b"], "do": wish})

    assert words in shown.words
    assert names(billing) == left
    if wish == "disable":
        states = [stored(billing, name).state.value for name in ("a", "b", "c")]
        assert states == ["disabled", "disabled", "enabled"]


def test_a_change_of_many_jobs_names_the_refused_ones(billing: Browser) -> None:
    with_job(billing, "a")

    shown = billing.post(COLLECTION, {"job": ["a", "b", "c", "d", "e"], "do": "disable"})

    assert "1 job disabled." in shown.words
    assert "4 failed. b: Job 'b' cannot be found. c:" in shown.words
    assert "And 1 more." in shown.words
    assert "Select at least one job." in billing.post(COLLECTION, {"do": "run"}).words
    assert billing.post(COLLECTION, {"job": "a", "do": "explode"}).status == 400


def test_the_overview_of_a_job_shows_target_and_attempts(billing: Browser) -> None:
    with_job(billing, recurrence={"frequency": "hour"})
    job = stored(billing)

    def happen(to: Transaction) -> None:
        to.add_history(an_entry(job.id, message="<i>OK</i>", retry_count=2, repeat_count=7))
        to.add_run(a_run(job, second=1, lease=a_lease()))
        to.add_run(a_run(job, second=2, attempt=3, due_at=Instant(job.calendar_at + MINUTE)))
        to.add_run(a_run(job, second=3, trigger=Trigger.MANUAL))

    change(billing, happen)

    shown = billing.get(JOB)

    assert "Schedule Every hour" in shown.words
    assert "GET http://example.com/" in shown.words
    assert "running attempt 1, planned for 2026-01-10 00:00:01 UTC" in shown.words
    retry = "waiting for retry attempt 3 in 1 min , planned for 2026-01-10 00:00:02 UTC"
    assert retry in shown.words
    assert "queued attempt 1 in 3 s , started manually 2026-01-10 00:00:03 UTC" in shown.words
    assert "<i>OK</i>" in shown.words
    assert "<i>OK</i>" not in shown.text


def test_the_overview_of_a_job_shows_what_is_in_progress_before_what_waits(
    billing: Browser,
) -> None:
    with_job(billing, recurrence={"frequency": "hour"}, policy={"overlap": "queue"})
    job = stored(billing)

    def happen(to: Transaction) -> None:
        for second in range(11):
            to.add_run(a_run(job, second=second, due_at=None, trigger=Trigger.BACKFILL))
        to.add_run(a_run(job, second=59, trigger=Trigger.REDRIVE, lease=a_lease()))

    change(billing, happen)

    shown = billing.get(JOB)

    assert (
        "running attempt 1, rerun of 2026-01-10 00:00:59 UTC Cancel run waits its turn"
        in shown.words
    )
    assert "backfill of 2026-01-10 00:00:01 UTC , until another run has ended" in shown.words
    assert f'href="{JOB}/runs">and 9 more wait</a>' in shown.text


@pytest.mark.parametrize(
    ("path", "body", "words"),
    [
        pytest.param("Billing", {"state": "Disabled"}, "collection", id="collection"),
        pytest.param("Billing/jobs/Nightly", {"state": "disabled"}, "job", id="job"),
    ],
)
def test_a_run_that_a_disabled_collection_or_job_holds_back_is_not_due(
    billing: Browser, path: str, body: dict[str, str], words: str
) -> None:
    with_job(billing, recurrence={"frequency": "hour"})
    job = stored(billing)
    change(billing, lambda to: to.add_run(a_run(job, second=-9, trigger=Trigger.REDRIVE)))

    billing.api("PATCH", path, {"properties": body})

    shown = billing.get(JOB).words
    waits = f"waits rerun of 2026-01-09 23:59:51 UTC , until the {words} is enabled"
    assert waits in shown
    assert "due now" not in shown


def test_refreshing_an_unchanged_job_returns_no_content(billing: Browser) -> None:
    with_job(billing, recurrence={"frequency": "hour"})
    page = billing.get(JOB)
    mark, job_id = page.text.split("live?seen=")[1].split('"')[0], stored(billing).id

    same = billing.part(f"{JOB}/live?seen={mark}")
    change(billing, lambda to: to.add_history(an_entry(job_id, message="done")))
    other = billing.part(f"{JOB}/live?seen={mark}")

    assert same.status == 204
    assert (other.status, "done" in other.words) == (200, True)


def test_the_page_that_deletes_a_job_asks_first(billing: Browser) -> None:
    with_job(billing)

    asked = billing.get(f"{JOB}/delete")

    assert asked.status == 200
    assert "Delete Nightly? This deletes the job and its history." in asked.words
    assert f'href="{JOB}/delete" data-opens="delete-job"' in billing.get(JOB).text
    assert names(billing) == ["Nightly"]


def test_a_reader_is_not_asked_whether_to_delete_a_job(billing: Browser) -> None:
    with_job(billing)
    billing.add_token("reader", Role.READER)
    billing.sign_in("reader")

    assert billing.get(f"{JOB}/delete").status == 403


def test_a_job_runs_now_and_is_disabled_enabled_and_deleted(billing: Browser) -> None:
    with_job(billing, recurrence={"frequency": "day"})
    job = stored(billing)

    ran = billing.post(f"{JOB}/run")
    runs = billing.run(billing.store.read(lambda reading: reading.runs(job.id)))
    off = billing.post(f"{JOB}/disable")
    on = billing.post(f"{JOB}/enable")
    gone = billing.post(f"{JOB}/delete")

    assert "Run started." in ran.words
    assert [run.trigger for run in runs] == [Trigger.MANUAL]
    assert "Job disabled." in off.words
    assert "Job enabled." in on.words
    assert "Job Nightly deleted." in gone.words
    assert names(billing) == []


@pytest.mark.parametrize(
    ("action", "words"),
    [
        pytest.param(
            {"type": "StorageQueue"}
            | {"queueMessage": {"storageAccount": "acme", "queueName": "q", "message": "m"}},
            "Storage queue q of account acme",
            id="storage queue",
        ),
        pytest.param(
            {"type": "ServiceBusQueue"}
            | {"serviceBusQueueMessage": {"namespace": "n", "queueName": "q", "message": "m"}},
            "Service Bus queue q of namespace n",
            id="service bus queue",
        ),
        pytest.param(
            {"type": "ServiceBusTopic"}
            | {"serviceBusTopicMessage": {"namespace": "n", "topicPath": "t", "message": "m"}},
            "Service Bus topic t of namespace n",
            id="service bus topic",
        ),
    ],
)
def test_the_overview_shows_the_target_of_each_kind_of_action(
    billing: Browser, action: dict[str, Any], words: str
) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", {"properties": {"action": action}})

    assert words in billing.get(JOB).words


def test_the_action_is_shown_with_its_secret_as_set(billing: Browser) -> None:
    body = http_job()
    request = body["properties"]["action"]["request"]
    request["authentication"] = {"type": "Basic", "username": "ann", "password": OWNER[::-1]}
    request["headers"] = {"X-A": "1"}
    billing.api("PUT", "Billing/jobs/Nightly", body)

    shown = billing.get(f"{JOB}/action")

    assert "request.headers.X-A 1" in shown.words
    assert "request.authentication.password •••••• (set)" in shown.words
    assert OWNER[::-1] not in shown.text


@pytest.mark.parametrize(
    ("properties", "words"),
    [
        pytest.param(
            {"recurrence": {"frequency": "day", "count": 3}, "startTime": "2026-01-11T05:00:00Z"},
            "Every day at 05:00 UTC, 3 times Next 3 runs (UTC; your time below) "
            "1 Sun 2026-01-11 05:00 in 1 d",
            id="ends",
        ),
        pytest.param({"state": "disabled"}, "If you enable it now, it runs", id="disabled"),
    ],
)
def test_the_schedule_is_shown(billing: Browser, properties: dict[str, Any], words: str) -> None:
    with_job(billing, **properties)

    assert words in billing.get(f"{JOB}/schedule").words


def test_a_job_that_has_ended_does_not_offer_to_change_it(billing: Browser) -> None:
    with_job(billing)
    job = stored(billing)
    change(billing, lambda to: to.save_job(ended(job)))

    shown = billing.get(JOB)
    schedule = billing.get(f"{JOB}/schedule")

    assert f'href="{JOB}/edit"' not in shown.text
    assert "is completed and will not run again" in schedule.words


@pytest.mark.parametrize(
    ("query", "words"),
    [
        pytest.param("", "Once, at 2026-01-10 00:00 UTC Next 1 run (UTC)", id="once"),
        pytest.param(
            "properties.recurrence.frequency=week&properties.recurrence.schedule.weekDays=monday"
            "&properties.recurrence.schedule.hours=9&properties.recurrence.schedule.minutes=0",
            "Every week on Monday at 09:00 UTC Next 10 runs (UTC) 1 Mon 2026-01-12 09:00 in 2 d",
            id="weekly",
        ),
        pytest.param(
            "properties.recurrence.frequency=day&properties.recurrence.interval=999",
            "Repeat every: 999 is not valid",
            id="refused",
        ),
        pytest.param(
            "properties.recurrence.frequency=month&properties.recurrence.schedule.months=2"
            "&properties.recurrence.schedule.monthDays=30",
            "This schedule never occurs",
            id="never",
        ),
    ],
)
def test_a_schedule_is_previewed(billing: Browser, query: str, words: str) -> None:
    assert words in billing.part(f"{COLLECTION}/preview?{query}").words


def test_the_preview_of_a_stored_job_counts_its_past_runs(billing: Browser) -> None:
    with_job(billing, recurrence={"frequency": "day", "count": 5})
    job = stored(billing)
    later = structs.replace(job, occurrence=3, next_at=parse_instant("2026-01-13T00:00:00Z"))
    change(billing, lambda to: to.save_job(later))
    billing.set_time("2026-01-12T12:00:00Z")
    billing.sign_in()
    query = "of=Nightly&properties.recurrence.frequency=day&properties.recurrence.interval=1"

    same = billing.part(f"{COLLECTION}/preview?{query}&properties.recurrence.count=5")
    other = billing.part(f"{COLLECTION}/preview?{query}&properties.recurrence.count=6")

    assert "Next 2 runs (UTC) 1 Tue 2026-01-13 00:00" in same.words
    assert "Next 6 runs (UTC) 1 Tue 2026-01-13 12:00" in other.words


@pytest.mark.parametrize("page", ["", "/schedule"], ids=["overview", "schedule"])
def test_a_page_tells_of_a_run_at_once_that_is_over(billing: Browser, page: str) -> None:
    with_job(billing, recurrence={"cron": "0 9 * * MON"})
    billing.set_time("2026-01-12T12:00:00Z")
    billing.sign_in()

    shown = billing.get(f"{JOB}{page}")

    assert "(cron 0 9 * * MON), and once when it was saved, since it has no start" in shown.words


def test_a_job_shows_its_description_and_tags(billing: Browser) -> None:
    with_job(billing, description="<b>Closes</b>\nthe books", tags={"team": "<i>ledger</i>"})
    with_job(billing, "plain")

    shown, plain = billing.get(JOB), billing.get(f"{COLLECTION}/jobs/plain")

    assert "Description <b>Closes</b> the books" in shown.words
    assert "Tags team: <i>ledger</i>" in shown.words
    assert "&lt;b&gt;Closes" in shown.text
    assert "Description" not in plain.words
    assert "Tags" not in plain.words
