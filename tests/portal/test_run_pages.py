"""Runs: the list across collections and of a job, its filters, one run, rerun and cancel."""

import re
from typing import Any

import pytest
from msgspec import structs

from foliot.core.instant import MINUTE, SECOND, Instant, parse_instant
from foliot.core.model.history import AttemptStatus, HistoryEntry, RunOutcome
from foliot.core.model.run import Phase, Trigger
from foliot.core.model.token import Role
from foliot.core.recurrence.zone import find_zone
from foliot.portal.forms.posted import Form
from foliot.portal.run_filters import Viewer, last_night, read_query
from foliot.ports.store import Transaction
from tests.portal.browser import COLLECTION, JOB, ORIGIN, Browser
from tests.portal.jobs import change, stored, with_job
from tests.support.builders import NOW, a_lease, a_run, an_entry

OF_BILLING = "collection=me/home/Billing"


def a_run_of(job: Any, second: int, outcome: RunOutcome, **fields: Any) -> HistoryEntry:
    """Return the last attempt of a run that was planned at a second after NOW."""
    has_failed = outcome is RunOutcome.FAILED
    entry = an_entry(
        job.id,
        second=second,
        status=AttemptStatus.FAILED if has_failed else AttemptStatus.COMPLETED,
        outcome=outcome,
        run_id=1000 + second,
        trigger=Trigger.SCHEDULE,
        tag=f"tag{second}",
        host="api.example",
        reason="HttpStatus" if has_failed else None,
        status_code=503 if has_failed else 200,
        message=f"answer {second}.",
    )
    return structs.replace(entry, **fields)


def happened(browser: Browser, *runs: tuple[int, RunOutcome], name: str = "Nightly") -> Any:
    """Add a job whose runs have ended like this."""
    with_job(browser, name, recurrence={"frequency": "hour"})
    job = stored(browser, name)
    entries = [a_run_of(job, second, outcome) for second, outcome in runs]
    change(browser, lambda to: to.add_history(*entries))
    return job


def planned(shown: Any) -> list[int]:
    """Return the planned times of the runs in a list, in seconds after NOW."""
    rows = re.findall(r'id="run-[^"]+-page"[^>]*><time[^>]*datetime="([^"]+)"', shown.text)
    return [(parse_instant(each) - NOW) // SECOND for each in rows]


def test_open_runs_stand_before_ended_ones(billing: Browser) -> None:
    job = happened(billing, (1, RunOutcome.SUCCEEDED), (2, RunOutcome.FAILED))

    def begin(to: Transaction) -> None:
        to.add_run(a_run(job, second=3, lease=a_lease()))
        to.add_run(a_run(job, second=4, attempt=2, due_at=Instant(NOW + MINUTE)))

    change(billing, begin)

    shown = billing.get("/runs")

    assert planned(shown) == [4, 3, 2, 1]
    assert "waiting Nightly Billing" in shown.words
    assert "schedule HTTP 503 api.example" in shown.words
    assert "next attempt in 1 min" in shown.words


def test_a_run_shows_its_attempts_and_its_error_action_apart(billing: Browser) -> None:
    job = happened(billing)
    failed = a_run_of(job, 2, RunOutcome.FAILED, run_id=7, retry_count=1, message="second try.")
    first = structs.replace(failed, started_at=NOW, outcome=None, retry_count=0, message="first.")
    error = structs.replace(
        failed,
        outcome=None,
        is_error_action=True,
        started_at=Instant(NOW + 9 * SECOND),
        status=AttemptStatus.COMPLETED,
        message="told the team.",
    )
    change(billing, lambda to: to.add_history(first, failed, error))

    listed = billing.get("/runs")
    page = billing.get(listed.text.split('-page" href="')[1].split('"')[0])

    assert "failed error action completed" in listed.words
    assert "2 attempts and 1 attempt of the error action" in listed.words
    for shown in (listed, page):
        assert shown.status == 200
        words = shown.words
        assert words.index("first.") < words.index("Error action") < words.index("told the team.")
    assert "Execution tag tag2" in page.words
    assert "Trigger schedule" in page.words
    assert "Started 2026-01-10 00:00:00 UTC" in page.words


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param("", [5, 4, 3, 2, 1], id="none"),
        pytest.param("outcome=failed", [4, 2], id="outcome"),
        pytest.param("outcome=recovered", [3], id="recovered"),
        pytest.param("reason=Timeout", [4], id="reason"),
        pytest.param("reason=-&outcome=failed", [], id="without a reason"),
        pytest.param("host=OTHER.example", [4], id="host in any letter case"),
        pytest.param("host=-", [5], id="without a host"),
        pytest.param("trigger=manual", [3], id="trigger"),
        pytest.param("trigger=rerun", [], id="trigger as pages call it"),
        pytest.param("reason=timeout", [4], id="reason in any letter case"),
        pytest.param(OF_BILLING, [5, 4, 3, 2, 1], id="collection"),
        pytest.param(f"{OF_BILLING}&job=nightly", [5, 4, 3, 2, 1], id="job in any letter case"),
        pytest.param("since=2026-01-10T00:00:04Z", [5, 4, 3], id="since an instant"),
        pytest.param("since=2026-01-10 00:00:02&until=2026-01-10 00:00:04", [3, 2, 1], id="range"),
        pytest.param("since=1h", [5, 4, 3, 2, 1], id="the last hour"),
        pytest.param("since=1m&until=30m", None, id="an end before the beginning"),
    ],
)
def test_runs_are_filtered_by_the_address(
    billing: Browser, query: str, expected: list[int] | None
) -> None:
    job = happened(billing, (1, RunOutcome.SUCCEEDED), (2, RunOutcome.FAILED))
    change(
        billing,
        lambda to: to.add_history(
            a_run_of(job, 3, RunOutcome.RECOVERED, trigger=Trigger.MANUAL),
            a_run_of(job, 4, RunOutcome.FAILED, reason="Timeout", host="other.example"),
            a_run_of(job, 5, RunOutcome.SKIPPED, host=None, reason="missed", run_id=None),
        ),
    )
    billing.set_time("2026-01-10T00:10:00Z")

    shown = billing.get(f"/runs?{query.replace(' ', '%20')}")

    assert shown.status == (400 if expected is None else 200)
    assert planned(shown) == (expected or [])


@pytest.mark.parametrize(
    ("query", "words"),
    [
        pytest.param(
            "since=soon",
            'since: "soon" is not valid; give last-night, a period such as 30m, 24h or 7d, '
            "yesterday, saturday or 03:00, or",
            id="since",
        ),
        pytest.param("until=24x", 'until: "24x" is not valid', id="until"),
        pytest.param("outcome=bad", 'outcome: "bad" is not valid; give one of open', id="word"),
        pytest.param(
            "trigger=me",
            'trigger: "me" is not valid; give one of schedule, catch-up, manual, rerun, backfill.',
            id="trigger",
        ),
        pytest.param(
            "reason=bogus", 'reason: "bogus" is not valid; give one of HttpStatus', id="reason"
        ),
        pytest.param("collection=x", 'collection: "x" is not valid; give subscription/', id="key"),
        pytest.param("collection=a/b/c", "The collection 'c' in the resource group 'b'", id="none"),
        pytest.param("job=Nightly", "job: choose the collection of the job as well.", id="job"),
        pytest.param(f"{OF_BILLING}&job=x", "Job 'x' cannot be found.", id="no such job"),
        pytest.param("after=x", "The address of this page is not valid", id="page"),
    ],
)
def test_a_wrong_filter_is_explained_on_the_page(billing: Browser, query: str, words: str) -> None:
    happened(billing, (1, RunOutcome.FAILED))

    shown = billing.get(f"/runs?{query}")

    assert shown.status == 400
    assert words in shown.words
    assert planned(shown) == []


def test_all_wrong_filters_are_told_at_once(billing: Browser) -> None:
    shown = billing.get("/runs?since=soon&outcome=bad&host=kept.example")

    assert "since:" in shown.words
    assert "outcome:" in shown.words
    assert 'name="host" value="kept.example"' in shown.text


@pytest.mark.parametrize(
    ("now", "zone", "begin", "end"),
    [
        pytest.param("2026-01-10T09:30Z", None, "2026-01-09T20:00Z", "2026-01-10T08:00Z", id="UTC"),
        pytest.param(
            "2026-01-10T09:30Z",
            "Asia/Tokyo",
            "2026-01-09T11:00Z",
            "2026-01-09T23:00Z",
            id="the zone of the viewer",
        ),
        pytest.param(
            "2026-01-10T02:00Z", None, "2026-01-09T20:00Z", "2026-01-10T08:00Z", id="at night"
        ),
        pytest.param(
            "2026-03-29T12:00Z",
            "Europe/Prague",
            "2026-03-28T19:00Z",
            "2026-03-29T06:00Z",
            id="a night that is an hour shorter",
        ),
    ],
)
def test_last_night_is_from_20_to_8_in_the_zone_of_the_viewer(
    now: str, zone: str | None, begin: str, end: str
) -> None:
    viewer = Viewer(parse_instant(now), None if zone is None else find_zone(zone))

    assert last_night(viewer) == (parse_instant(begin), parse_instant(end))
    wanted = read_query(Form([("since", "last-night")]), viewer).wanted
    assert (wanted.since, wanted.until) == last_night(viewer)


def test_a_time_without_an_offset_is_that_of_the_viewer() -> None:
    viewer = Viewer(NOW, find_zone("Asia/Tokyo"))

    wanted = read_query(Form([("since", "2026-01-10 09:00")]), viewer).wanted

    assert wanted.since == parse_instant("2026-01-10T00:00Z")


def test_a_day_as_people_say_it_is_that_of_the_viewer() -> None:
    viewer = Viewer(NOW, find_zone("Asia/Tokyo"))

    wanted = read_query(Form([("since", "yesterday"), ("until", "08:00")]), viewer).wanted

    assert wanted.since == parse_instant("2026-01-08T15:00Z")
    assert wanted.until == parse_instant("2026-01-09T23:00Z")


def test_pages_of_runs_keep_the_filters(billing: Browser) -> None:
    happened(billing, *((second, RunOutcome.FAILED) for second in range(60)))

    first = billing.get("/runs?outcome=failed&host=api.example")
    address = first.text.split(">Older")[0].rsplit('href="', 1)[1].rstrip('"').replace("&amp;", "&")
    second = billing.get(address)

    assert planned(first) == list(range(59, 9, -1))
    assert planned(second) == list(range(9, -1, -1))
    assert "outcome=failed&host=api.example&after=" in address
    assert 'href="/runs?outcome=failed&amp;host=api.example">Newest' in second.text
    assert "hx-get" in first.text
    assert "hx-get" not in second.text


def test_a_refresh_of_unchanged_runs_returns_no_content(billing: Browser) -> None:
    job = happened(billing, (1, RunOutcome.FAILED))
    address = billing.get("/runs?outcome=failed").text.split('hx-get="')[1].split('"')[0]
    address = address.replace("&amp;", "&")

    unchanged = billing.part(address)
    change(billing, lambda to: to.add_history(a_run_of(job, 2, RunOutcome.FAILED)))
    changed = billing.part(address)

    assert unchanged.status == 204
    assert planned(changed) == [2, 1]
    assert "<html" not in changed.text


def test_the_runs_of_a_job_are_a_tab_of_it(billing: Browser) -> None:
    happened(billing, (1, RunOutcome.SUCCEEDED), (2, RunOutcome.FAILED))
    happened(billing, (3, RunOutcome.FAILED), name="other")

    shown = billing.get(f"{JOB}/runs")
    failed = billing.get(f"{JOB}/runs?outcome=failed")

    assert planned(shown) == [2, 1]
    assert "Durations and outcomes" in shown.words
    assert 'aria-current="page">Runs' in shown.text
    assert planned(failed) == [2]
    assert "Durations and outcomes" not in failed.words
    assert billing.get(f"{COLLECTION}/jobs/none/runs").status == 404


def test_the_old_address_of_history_leads_to_the_runs(billing: Browser) -> None:
    happened(billing, (1, RunOutcome.SUCCEEDED), (2, RunOutcome.FAILED))

    assert planned(billing.get(f"{JOB}/history?status=failed")) == [2]
    assert planned(billing.get(f"{JOB}/history")) == [2, 1]


def test_the_address_of_an_open_run_leads_to_the_ended_one(billing: Browser) -> None:
    job = happened(billing)
    run = change(billing, lambda to: to.add_run(a_run(job, second=1, lease=a_lease())))
    address = f"{JOB}/runs/open-{run.id}"
    running = billing.get(address)

    def end(to: Transaction) -> None:
        to.delete_runs([run])
        to.add_history(a_run_of(job, 1, RunOutcome.SUCCEEDED, run_id=run.id))

    change(billing, end)
    ended = billing.get(address)

    assert "Outcome running" in running.words
    assert "Outcome succeeded" in ended.words


@pytest.mark.parametrize("name", ["0", "99999", "open-7", "x", "open-", "1" * 19, "-1", "open-²"])
def test_a_run_that_does_not_exist_is_not_found(billing: Browser, name: str) -> None:
    happened(billing, (1, RunOutcome.SUCCEEDED))

    assert billing.get(f"{JOB}/runs/{name}").status == 404


def test_a_failed_run_is_rerun_once(billing: Browser) -> None:
    job = happened(billing, (1, RunOutcome.FAILED), (2, RunOutcome.FAILED))
    form = {"planned": "2026-01-10T00:00:01Z"}
    referer = f"{ORIGIN}/runs?outcome=failed"

    again = billing.post(f"{JOB}/rerun", form, referer=referer)
    twice = billing.post(f"{JOB}/rerun", form, referer=referer)

    runs = billing.run(billing.store.read(lambda reading: reading.runs(job.id)))
    assert [(run.expected_at, run.trigger) for run in runs] == [
        (Instant(NOW + SECOND), Trigger.REDRIVE)
    ]
    assert "Run started." in again.words
    assert planned(again) == [2, 1]
    assert "No run was started: this run is being rerun already." in twice.words
    assert '"x" is not' in billing.post(f"{JOB}/rerun", {"planned": "x"}).words


def rerun_since(browser: Browser, job: Any, second: int, outcome: RunOutcome) -> None:
    """Add the end of a run that was made again for the planned time at a second after NOW."""
    again = a_run_of(job, second, outcome, run_id=2000 + second, trigger=Trigger.REDRIVE)
    later = Instant(again.ended_at + MINUTE)
    entry = structs.replace(again, started_at=later, ended_at=later)
    change(browser, lambda to: to.add_history(entry))


def test_a_run_that_was_rerun_says_so_and_links_to_its_rerun(billing: Browser) -> None:
    job = happened(billing, *((second, RunOutcome.FAILED) for second in (1, 2, 3, 4)))
    rerun_since(billing, job, 1, RunOutcome.SUCCEEDED)
    rerun_since(billing, job, 2, RunOutcome.FAILED)
    change(billing, lambda to: to.add_run(a_run(job, second=3, trigger=Trigger.REDRIVE)))

    shown = billing.get("/runs?outcome=failed")
    marks = re.findall(r'-later" href="([^"]+)">([^<]+)</a>', shown.text)
    page = billing.get(f"{JOB}/runs/1")

    assert planned(shown) == [2, 4, 3, 2, 1]
    assert [words for _, words in marks] == [
        "is being rerun",
        "rerun since: failed",
        "rerun since: succeeded",
    ]
    assert "Outcome succeeded" in billing.get(marks[-1][0]).words
    assert "Outcome running" in billing.get(marks[0][0]).words.replace("waiting", "running")
    assert shown.text.count(">Rerun</button>") == 2
    assert "Outcome failed rerun since: succeeded" in page.words
    assert ">Rerun</button>" not in page.text


@pytest.mark.parametrize(
    ("second", "words"),
    [
        pytest.param(1, "this run has been rerun since.", id="rerun"),
        pytest.param(2, "this run did not fail.", id="succeeded"),
        pytest.param(3, "the error action of this run has not ended yet.", id="error action"),
        pytest.param(4, "history no longer has a run of this planned time.", id="none"),
    ],
)
def test_a_refused_rerun_says_the_one_reason(billing: Browser, second: int, words: str) -> None:
    job = happened(billing, (1, RunOutcome.FAILED), (2, RunOutcome.SUCCEEDED))
    rerun_since(billing, job, 1, RunOutcome.SUCCEEDED)

    def at_the_error_action(to: Transaction) -> None:
        to.add_history(a_run_of(job, 3, RunOutcome.FAILED))
        to.add_run(a_run(job, second=3, phase=Phase.ERROR))

    change(billing, at_the_error_action)

    shown = billing.post(f"{JOB}/rerun", {"planned": f"2026-01-10T00:00:0{second}Z"})

    assert f"No run was started: {words}" in shown.words


def test_a_rerun_of_a_disabled_job_is_said_to_wait(billing: Browser) -> None:
    happened(billing, (1, RunOutcome.FAILED))
    billing.post(f"{JOB}/disable")

    shown = billing.post(f"{JOB}/rerun", {"planned": "2026-01-10T00:00:01Z"})

    assert "The run is planned. It begins when the job is enabled." in shown.words


def test_an_open_run_is_canceled(billing: Browser) -> None:
    job = happened(billing)
    change(billing, lambda to: to.add_run(a_run(job, second=1, tag="mine", lease=a_lease())))

    canceled = billing.post(f"{JOB}/cancel-run", {"tag": "mine"}, referer=f"{ORIGIN}/runs")
    twice = billing.post(f"{JOB}/cancel-run", {"tag": "mine"}, referer=f"{ORIGIN}/runs")

    assert "Run canceled." in canceled.words
    assert "canceled Nightly Billing" in canceled.words
    assert "The run has ended already." in twice.words


def test_a_reader_sees_runs_and_changes_none(billing: Browser) -> None:
    job = happened(billing, (1, RunOutcome.FAILED))
    change(billing, lambda to: to.add_run(a_run(job, second=2, tag="mine")))
    billing.add_token("reader", Role.READER)
    billing.sign_in("reader")

    shown = billing.get("/runs")

    assert planned(shown) == [2, 1]
    assert "Rerun" not in shown.words
    assert "Cancel run" not in shown.words
    csrf = billing.get("/").csrf
    form = {"planned": "2026-01-10T00:00:01Z", "tag": "mine"}
    for action in ("rerun", "cancel-run"):
        assert billing.post(f"{JOB}/{action}", form, csrf=csrf).status == 403


def test_runs_outside_the_scope_are_not_shown(billing: Browser) -> None:
    happened(billing, (1, RunOutcome.FAILED))
    billing.api("PUT", "Other", {})
    scope = {"subscription": "me", "group": "home", "collection": "other"}
    billing.add_token("scoped", Role.CONTRIBUTOR, scope=scope)
    billing.sign_in("scoped")

    assert planned(billing.get("/runs")) == []
    assert billing.get(f"/runs?{OF_BILLING}").status == 400
    assert billing.get(f"{JOB}/runs").status == 404
    assert billing.get(f"{JOB}/runs/1").status == 404


def test_a_run_that_failed_is_the_health_of_its_job_though_its_error_action_succeeded(
    billing: Browser,
) -> None:
    job = happened(billing, (1, RunOutcome.FAILED))

    def end(to: Transaction) -> None:
        to.advance_job(structs.replace(job, last_outcome=RunOutcome.FAILED))
        to.add_history(an_entry(job.id, second=2, is_error_action=True))

    change(billing, end)

    listed, page = billing.get(f"{COLLECTION}?outcome=failed"), billing.get(JOB)

    assert '<span class="badge failed">failed</span>' in listed.text
    assert '<span class="badge failed">failed</span>' in page.text


LOCKED = (
    "Http Action - Response from host 'api.example': 'ServiceUnavailable' Response Headers: "
    + "".join(f"X-Trace-{number}: {'y' * 90}\r\n" for number in range(4))
    + ' Body: {"error": "The ledger is locked."}'
)


def test_lists_say_the_status_and_the_body_before_the_headers(billing: Browser) -> None:
    job = happened(billing)
    entry = a_run_of(job, 1, RunOutcome.FAILED, message=LOCKED)
    change(billing, lambda to: to.add_history(entry))

    shown = billing.get("/runs")
    pages = [shown, billing.get(JOB), billing.get(f"{JOB}/runs/1")]

    told = 'ServiceUnavailable: {"error": "The ledger is locked."} (headers: X-Trace-0: yyy'
    assert [told in page.words for page in pages] == [True] * 3
    assert "Http Action - Response from host" not in shown.words
    assert "Http Action - Response from host 'api.example': " in pages[2].words


def test_a_long_run_shows_its_last_attempts_and_links_to_the_others(billing: Browser) -> None:
    job = happened(billing)
    last = a_run_of(job, 600, RunOutcome.FAILED, run_id=7, retry_count=8)
    earlier = [
        structs.replace(
            last,
            started_at=Instant(NOW + number * MINUTE),
            outcome=None,
            retry_count=number,
            message=f"try {number}.",
        )
        for number in range(8)
    ]
    change(billing, lambda to: to.add_history(*earlier, last))

    shown = billing.get("/runs")

    assert "9 attempts" in shown.words
    assert "4 earlier attempts" in shown.words
    assert "try 3." not in shown.words
    assert "try 4." in shown.words


def test_a_message_of_a_target_cannot_make_a_list_large(billing: Browser) -> None:
    job = happened(billing)
    entries = [
        a_run_of(job, second, RunOutcome.FAILED, message="<b>" + "x" * 20_000)
        for second in range(50)
    ]
    change(billing, lambda to: to.add_history(*entries))
    billing.set_time("2026-01-10T01:00:00Z")

    shown = billing.get("/runs")

    assert len(shown.text) < 400_000
    assert "<b>x" not in shown.text


def test_a_run_that_waits_for_its_retry_is_retried_now(billing: Browser) -> None:
    job = happened(billing)
    later = Instant(NOW + 60 * MINUTE)

    def begin(to: Transaction) -> None:
        run = to.add_run(a_run(job, second=1, attempt=2, due_at=later, tag="mine"))
        failed = a_run_of(job, 1, RunOutcome.FAILED, run_id=run.id)
        to.add_history(structs.replace(failed, outcome=None))
        to.add_run(a_run(job, second=2, lease=a_lease(), tag="running"))
        to.add_run(a_run(job, second=3, due_at=None, tag="behind"))

    change(billing, begin)
    listed, page = billing.get("/runs"), billing.get(f"{JOB}/runs/open-1")
    attempt = billing.get(f"{JOB}/attempts/1")
    form, referer = {"tag": "mine"}, f"{ORIGIN}/runs"

    done = billing.post(f"{JOB}/retry-run", form, referer=referer)
    refused = billing.post(f"{JOB}/retry-run", {"tag": "behind"}, referer=referer)
    gone = billing.post(f"{JOB}/retry-run", {"tag": "gone"}, referer=referer)

    assert [each.text.count(">Retry now</button>") for each in (listed, page, attempt)] == [1, 1, 1]
    assert "The run is retried now." in done.words
    assert "it waits for another run of the job to end" in refused.words
    assert "The run has ended already." in gone.words
    runs = billing.run(billing.store.read(lambda reading: reading.runs(job.id)))
    assert [run.due_at for run in runs] == [billing.clock.now(), runs[1].due_at, None]


def test_a_reader_cannot_retry_a_run(billing: Browser) -> None:
    job = happened(billing)
    change(billing, lambda to: to.add_run(a_run(job, second=2, attempt=2, tag="mine")))
    billing.add_token("reader", Role.READER)
    billing.sign_in("reader")

    shown = billing.get("/runs")

    assert "Retry now" not in shown.words
    csrf = billing.get("/").csrf
    assert billing.post(f"{JOB}/retry-run", {"tag": "mine"}, csrf=csrf).status == 403
