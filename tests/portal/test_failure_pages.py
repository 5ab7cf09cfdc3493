"""Failures by reason and host: counts, mutes, reruns of many runs."""

import logging
import re
from typing import Any
from urllib.parse import urlencode

import pytest
from msgspec import structs

from foliot.core.instant import SECOND, Instant
from foliot.core.model.history import RunOutcome
from foliot.core.model.run import Trigger
from foliot.core.model.token import Role
from foliot.ports.store import Transaction
from tests.portal.browser import ORIGIN, Browser, Shown, fields_of
from tests.portal.jobs import change, stored, with_job
from tests.portal.test_run_pages import OF_BILLING, a_run_of, planned
from tests.support.builders import NOW, a_lease, a_run

FAILED = RunOutcome.FAILED
TIMEOUT = {"reason": "Timeout", "host": "api.example", "status_code": None}
RERUN = "/failures/rerun"
GROUP = {"reason": "Timeout", "host": "api.example", "since": "24h"}


def failing(browser: Browser, name: str, *seconds: int, **fields: Any) -> Any:
    """Add a job whose runs failed at these seconds after NOW."""
    with_job(browser, name, recurrence={"frequency": "hour"})
    job = stored(browser, name)
    entries = [a_run_of(job, second, FAILED, **(TIMEOUT | fields)) for second in seconds]
    change(browser, lambda to: to.add_history(*entries))
    return job


def mute(browser: Browser, **fields: str) -> Shown:
    return browser.post("/failures/mute", GROUP | fields, referer=f"{ORIGIN}/failures")


def confirmed(browser: Browser, group: dict[str, str]) -> Shown:
    """Ask for the rerun of a group, and press the button of the question."""
    return browser.post(RERUN, fields_of(browser.get(f"{RERUN}?{urlencode(group)}")))


def rerun_again(
    browser: Browser, job: Any, second: int, outcome: RunOutcome, **fields: Any
) -> None:
    """Add the end of a run that was made again for the planned time at a second after NOW."""
    again = a_run_of(job, second, outcome, run_id=2000 + second, **fields)
    later = Instant(again.ended_at + 60 * SECOND)
    entry = structs.replace(again, trigger=Trigger.REDRIVE, started_at=later, ended_at=later)
    change(browser, lambda to: to.add_history(entry))


def open_runs(browser: Browser, job: Any) -> list[tuple[int, Trigger]]:
    runs = browser.run(browser.store.read(lambda reading: reading.runs(job.id)))
    return [((run.expected_at - NOW) // SECOND, run.trigger) for run in runs]


@pytest.fixture
def failures(billing: Browser) -> Browser:
    """Return a browser of an Owner; the jobs a and b had timeouts, c had another failure."""
    failing(billing, "a", 1, 2, 3)
    failing(billing, "b", 4)
    failing(billing, "c", 5, reason="HttpStatus", host="two.example", status_code=503)
    billing.set_time("2026-01-10T00:10:00Z")
    return billing


def test_failures_are_grouped_by_reason_and_host(failures: Browser) -> None:
    shown = failures.get("/failures")

    assert "Failed for good: 5 runs" in shown.words
    assert "Timeout api.example 2 jobs · 4 runs 2026-01-10 00:00:02 UTC 9 min ago" in shown.words
    assert "HTTP 503 two.example c · 1 run" in shown.words
    assert shown.words.index("Timeout api") < shown.words.index("HTTP 503 two")


def test_a_group_opens_its_runs(failures: Browser) -> None:
    shown = failures.get("/failures?since=7d")
    address = re.findall(r'id="group-[^"]+" href="([^"]+)"', shown.text)[0].replace("&amp;", "&")

    assert address == "/runs?since=7d&outcome=failed&reason=Timeout&host=api.example"
    assert planned(failures.get(address)) == [4, 3, 2, 1]


def test_a_run_that_recovered_stands_apart(failures: Browser) -> None:
    job = stored(failures, "a")
    change(
        failures,
        lambda to: to.add_history(a_run_of(job, 6, RunOutcome.RECOVERED, host="three.example")),
    )

    shown = failures.get("/failures")
    address = re.findall(r'id="recovered-[^"]+" href="([^"]+)"', shown.text)[0]

    assert "Failed for good: 5 runs" in shown.words
    assert "Recovered by a retry: 1 run" in shown.words
    assert "three.example a · 1 run" in shown.words
    assert planned(failures.get(address.replace("&amp;", "&"))) == [6]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        pytest.param(OF_BILLING, "Failed for good: 5 runs", id="collection"),
        pytest.param(f"{OF_BILLING}&job=b", "Failed for good: 1 run", id="job"),
        pytest.param("reason=HttpStatus", "Failed for good: 1 run", id="reason"),
        pytest.param("host=api.example", "Failed for good: 4 runs", id="host"),
        pytest.param("trigger=manual", "No run failed in this period that matches", id="trigger"),
        pytest.param("since=1m", "No run failed in this period.", id="period"),
        pytest.param("until=2026-01-10T00:00:04Z", "Failed for good: 3 runs", id="until"),
        pytest.param(
            "since=last-night",
            "2026-01-09 20:00:00 UTC to 2026-01-10 08:00:00 UTC",
            id="last night, with its times",
        ),
    ],
)
def test_failures_are_filtered_by_the_address(failures: Browser, query: str, words: str) -> None:
    assert words in failures.get(f"/failures?{query}").words


@pytest.mark.parametrize(
    ("query", "words"),
    [
        pytest.param("since=soon", 'since: "soon" is not valid; give last-night, a', id="since"),
        pytest.param("until=soon", 'until: "soon" is not valid; give a period', id="until"),
        pytest.param("collection=a/b/c", "The collection 'c' in the resource group", id="none"),
        pytest.param("reason=bogus", 'reason: "bogus" is not valid; give one of', id="reason"),
        pytest.param("reason=%FF", "is not valid; give one of HttpStatus", id="no text"),
        pytest.param("job=a", "job: choose the collection of the job", id="job alone"),
    ],
)
def test_a_wrong_filter_is_explained_on_the_page(failures: Browser, query: str, words: str) -> None:
    shown = failures.get(f"/failures?{query}")

    assert shown.status == 400
    assert words in shown.words


def test_the_page_says_what_it_covers_when_there_are_too_many(
    failures: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foliot.app.failures.MOST_COUNTED", 3)
    monkeypatch.setattr("foliot.portal.routes.failures.MOST_COUNTED", 3)

    shown = failures.get("/failures")

    assert "More than 3 runs failed in this period." in shown.words
    assert "Failed for good: the newest 3 runs" in shown.words
    assert "cover the newest 3, those that ended since 2026-01-10 00:00:04 UTC" in shown.words
    assert 'href="/failures">3+</a>' in failures.get("/").text


def test_many_groups_are_shown_in_pages(billing: Browser) -> None:
    with_job(billing, "a", recurrence={"frequency": "hour"})
    job = stored(billing, "a")
    entries = [a_run_of(job, second, FAILED, host=f"h{second:02}.example") for second in range(52)]
    change(billing, lambda to: to.add_history(*entries))
    billing.set_time("2026-01-10T00:10:00Z")

    first, second = billing.get("/failures"), billing.get("/failures?skip=50")

    assert ("h02.example" in first.words, "h01.example" in first.words) == (True, False)
    assert ("h02.example" in second.words, "h01.example" in second.words) == (False, True)
    assert "52 groups in all" in first.words
    assert billing.get("/").text.count('id="failing-') == 10


def test_a_muted_group_stands_at_the_end_and_is_not_counted(failures: Browser) -> None:
    muted = mute(failures)
    overview = failures.get("/")

    assert "Timeout api.example is muted for a day, for everybody." in muted.words
    assert "Failed for good: 1 run 4 muted" in muted.words
    assert "1 muted group, 4 runs" in muted.words
    assert "by owner-token until 2026-01-11 00:10:00 UTC" in muted.words
    assert "Failed runs, last 24 hours 1 4 muted" in overview.words
    assert "Timeout" not in overview.words


def test_the_page_says_when_all_that_failed_is_muted(billing: Browser) -> None:
    failing(billing, "first", 1)

    assert "All runs that failed are muted: no other run failed" in mute(billing).words


def test_the_mutes_of_one_scope_do_not_use_up_those_of_another(failures: Browser) -> None:
    scope = {"subscription": "me", "group": "home", "collection": "billing"}
    failures.add_token("narrow", Role.CONTRIBUTOR, scope=scope)
    failures.sign_in("narrow")
    for number in range(101):
        last = mute(failures, host=f"h{number}.example")
    again = mute(failures, host="h0.example")
    failures.sign_in()

    assert "100 kinds of failures are muted here; unmute one first." in last.words
    assert "is muted for a day" in again.words
    assert "is muted for a day" in mute(failures).words


def test_the_button_says_that_a_mute_holds_for_everybody(failures: Browser) -> None:
    assert "Mute for all, 1 day" in failures.get("/failures").words


def test_a_mute_is_shared_ends_after_a_day_and_is_in_the_audit_log(failures: Browser) -> None:
    mute(failures)
    entry = failures.get("/audit")
    failures.add_token("other", Role.READER)
    failures.sign_in("other")

    shared = failures.get("/failures")
    failures.set_time("2026-01-11T00:10:00Z")
    failures.sign_in("other")
    ended = failures.get("/failures?since=7d")

    assert "owner-token" in entry.words
    assert "muted Timeout api.example failures" in entry.words
    assert "1 muted group, 4 runs" in shared.words
    assert "Failed for good: 5 runs" in ended.words


def test_a_group_is_unmuted(failures: Browser, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "foliot.changes")
    mute(failures)
    form = {"reason": "Timeout", "host": "api.example"}

    shown = failures.post("/failures/unmute", form, referer=f"{ORIGIN}/failures")
    twice = failures.post("/failures/unmute", form, referer=f"{ORIGIN}/failures")

    assert "Timeout api.example is no longer muted." in shown.words
    assert "Failed for good: 5 runs" in shown.words
    assert "Timeout api.example was not muted." in twice.words
    assert "unmuted Timeout api.example" in failures.get("/audit").words
    assert caplog.text.count("Failures unmuted") == 1


def test_a_mute_of_a_scope_holds_within_it(failures: Browser) -> None:
    scope = {"subscription": "me", "group": "home", "collection": "billing"}
    failures.add_token("scoped", Role.CONTRIBUTOR, scope=scope)
    failures.sign_in("scoped")
    csrf = failures.get("/failures").csrf
    failures.post("/failures/mute", GROUP, csrf=csrf)

    within = failures.get("/failures")
    failures.sign_in()

    assert "1 muted group, 4 runs" in within.words
    assert "Failed for good: 5 runs" in failures.get("/failures").words
    assert "1 muted group, 4 runs" in failures.get(f"/failures?{OF_BILLING}").words


def test_a_mute_beyond_the_scope_of_a_token_cannot_be_ended_with_it(failures: Browser) -> None:
    mute(failures)
    scope = {"subscription": "me", "group": "home", "collection": "billing"}
    failures.add_token("scoped", Role.CONTRIBUTOR, scope=scope)
    failures.sign_in("scoped")
    csrf = failures.get("/failures").csrf

    refused = failures.post(
        "/failures/unmute", {"reason": "Timeout", "host": "api.example"}, csrf=csrf
    )

    assert refused.status == 403


def test_a_reader_sees_failures_and_changes_none(failures: Browser) -> None:
    failures.add_token("reader", Role.READER)
    failures.sign_in("reader")
    shown = failures.get("/failures")

    assert "Timeout api.example 2 jobs · 4 runs" in shown.words
    assert "Mute" not in shown.words
    assert "Rerun" not in shown.words
    assert failures.get(RERUN).status == 403
    for path in ("mute", "unmute", "rerun"):
        assert failures.post(f"/failures/{path}", GROUP, csrf=shown.csrf).status == 403


def test_a_mute_without_a_group_is_refused(failures: Browser) -> None:
    shown = failures.post("/failures/mute", {}, referer=f"{ORIGIN}/failures")

    assert "group is not known any more" in shown.words


def test_all_failures_of_a_group_are_rerun_after_a_question(failures: Browser) -> None:
    a, b, c = (stored(failures, name) for name in "abc")

    asked = failures.get("/failures/rerun?reason=Timeout&host=api.example&since=24h")
    done = confirmed(failures, GROUP)

    assert "Rerun 4 failed runs of 2 jobs?" in asked.words
    assert "a Billing 3 b Billing 1" in asked.words
    assert "4 runs started." in done.words
    redrive = Trigger.REDRIVE
    assert open_runs(failures, a) == [(1, redrive), (2, redrive), (3, redrive)]
    assert open_runs(failures, b) == [(4, redrive)]
    assert open_runs(failures, c) == []


def test_the_notice_and_the_count_of_reruns_lead_to_the_reruns(failures: Browser) -> None:
    done = confirmed(failures, GROUP)
    told = re.findall(r'started\. <a href="([^"]+)">Show these runs', done.text)
    counted = re.findall(r'href="([^"]+)">4 rerun since', done.text)
    addresses = [each.replace("&amp;", "&") for each in (*told, *counted)]

    assert [planned(failures.get(each)) for each in addresses] == [[4, 3, 2, 1]] * 3
    assert addresses == [
        "/runs?since=2026-01-10T00%3A10%3A00Z&trigger=redrive",
        *["/runs?since=2026-01-10T00%3A00%3A02Z&trigger=redrive"] * 2,
    ]


def test_runs_that_were_rerun_are_left_out(failures: Browser) -> None:
    confirmed(failures, GROUP)

    asked = failures.get(RERUN)

    assert "Rerun 1 failed run of 1 job?" in asked.words
    assert "4 more runs of these failed, and were rerun or are being rerun." in asked.words


def test_buttons_count_only_runs_that_were_not_rerun(failures: Browser) -> None:
    a = stored(failures, "a")
    rerun_again(failures, a, 1, FAILED, **TIMEOUT)
    rerun_again(failures, a, 2, RunOutcome.SUCCEEDED)

    shown = failures.get("/failures")
    asked = failures.get("/failures/rerun?reason=Timeout&host=api.example&since=24h")

    assert "Failed for good: 6 runs 2 rerun since Rerun all 4…" in shown.words
    assert "2 jobs · 5 runs 2 rerun since" in shown.words
    assert "Rerun 3…" in shown.words
    assert "Rerun 3 failed runs of 2 jobs?" in asked.words
    assert "two.example · c 1" in failures.get("/").words
    assert "5 2 rerun since" in failures.get("/").words


def test_a_group_with_nothing_to_rerun_has_no_button(failures: Browser) -> None:
    confirmed(failures, {"host": "two.example", "since": "24h"})

    open_again = failures.get("/failures?host=two.example")
    rerun_again(failures, stored(failures, "b"), 4, RunOutcome.SUCCEEDED)
    ended_well = failures.get(f"/failures?{OF_BILLING}&job=b")

    assert "c · 1 run 1 rerun since" in open_again.words
    assert "b · 1 run 1 rerun since" in ended_well.words
    assert not [each for each in (open_again, ended_well) if 'id="rerun-' in each.text]


def test_a_run_that_failed_again_for_another_reason_is_rerun_with_the_newer_failure(
    failures: Browser,
) -> None:
    rerun_again(failures, stored(failures, "b"), 4, FAILED, host="two.example")

    older = failures.get(f"/failures/rerun?{OF_BILLING}&job=b&reason=Timeout")
    newer = failures.get(f"/failures/rerun?{OF_BILLING}&job=b&reason=HttpStatus")

    assert "Nothing to rerun" in older.words
    assert "1 more run of these failed, and was rerun" in older.words
    assert "Rerun 1 failed run of 1 job?" in newer.words


def test_the_only_job_of_a_group_is_named_and_linked(failures: Browser) -> None:
    link = re.compile(r'<a id="job-(?:of-failing-)?[^"]+" href="([^"]+)">c</a>')

    for path in ("/failures", "/"):
        (address,) = link.findall(failures.get(path).text)
        assert failures.get(address).status == 200


def test_a_group_with_different_statuses_has_its_reason(failures: Browser) -> None:
    failing(failures, "d", 6, reason="HttpStatus", host="two.example", status_code=500)

    assert "HttpStatus two.example 2 jobs · 2 runs" in failures.get("/failures").words


def test_only_runs_that_were_shown_are_rerun(failures: Browser) -> None:
    a, b = stored(failures, "a"), stored(failures, "b")
    asked = failures.get(f"{RERUN}?{urlencode(GROUP)}")
    rerun_again(failures, b, 4, RunOutcome.SUCCEEDED)
    failing(failures, "d", 6, **TIMEOUT)

    done = failures.post(RERUN, fields_of(asked))

    assert "3 runs started." in done.words
    assert "1 run had been rerun since you looked." in done.words
    assert [each for each, _ in open_runs(failures, a)] == [1, 2, 3]
    assert open_runs(failures, stored(failures, "d")) == []


def test_failures_since_the_question_do_not_take_the_place_of_those_shown(
    failures: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foliot.app.failure_reruns.MOST_RERUN", 4)
    asked = failures.get(f"{RERUN}?{urlencode(GROUP)}")
    failing(failures, "d", 6, **TIMEOUT)

    assert "4 runs started." in failures.post(RERUN, fields_of(asked)).words


def test_muted_failures_do_not_hide_others(
    failures: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foliot.app.failure_reruns.MOST_RERUN", 1)
    failing(failures, "d", 6, **TIMEOUT)
    mute(failures)

    assert "Rerun 1 failed run of 1 job?" in failures.get(RERUN).words


@pytest.mark.parametrize("runs", ["1", "1:2:3", "1:2,", "one:2", "1: 2", "9:" * 99])
def test_a_list_that_no_page_has_made_reruns_nothing(failures: Browser, runs: str) -> None:
    refused = failures.post(RERUN, GROUP | {"runs": runs})

    assert refused.status == 400
    assert "is not what the page has made; open it again." in refused.words
    assert open_runs(failures, stored(failures, "a")) == []


def test_a_rerun_of_all_leaves_out_muted_groups(failures: Browser) -> None:
    mute(failures)

    assert "Rerun 1 failed run of 1 job?" in failures.get(RERUN).words


def test_a_rerun_tells_which_jobs_were_refused_and_why(failures: Browser) -> None:
    failures.api("PATCH", "Billing", {"properties": {"state": "Disabled"}})

    done = confirmed(failures, GROUP)

    assert "4 runs of 2 jobs not started." in done.words
    assert "a: The collection 'Billing' is Disabled; enable it to run a job." in done.words


def test_a_rerun_says_when_there_are_too_many_at_once(
    failures: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foliot.app.failure_reruns.MOST_RERUN", 2)
    monkeypatch.setattr("foliot.portal.routes.failures.MOST_RERUN", 2)

    asked = failures.get(RERUN)

    assert "Rerun 2 failed runs of 2 jobs?" in asked.words
    assert "Only the newest 2 are rerun at once." in asked.words


def test_nothing_to_rerun_is_said(failures: Browser) -> None:
    asked = failures.get("/failures/rerun?host=none.example")

    assert "Nothing to rerun" in asked.words
    assert "started" not in failures.post(RERUN, {"host": "none.example"}).words
    assert failures.get("/failures/rerun?since=soon").status == 400


def test_failures_outside_the_scope_are_neither_seen_nor_rerun(failures: Browser) -> None:
    failures.api("PUT", "Other", {})
    scope = {"subscription": "me", "group": "home", "collection": "other"}
    failures.add_token("scoped", Role.CONTRIBUTOR, scope=scope)
    failures.sign_in("scoped")

    assert "No run failed in this period." in failures.get("/failures").words
    assert "Nothing to rerun" in failures.get(RERUN).words
    assert failures.get(f"/failures/rerun?{OF_BILLING}").status == 404


def test_a_refresh_of_unchanged_failures_returns_no_content(failures: Browser) -> None:
    address = failures.get("/failures").text.split('hx-get="')[1].split('"')[0]
    address = address.replace("&amp;", "&")
    job = stored(failures, "a")

    unchanged = failures.part(address)
    change(failures, lambda to: _fail_again(to, job))
    changed = failures.part(address)

    assert unchanged.status == 204
    assert "Failed for good: 6 runs" in changed.words


def _fail_again(to: Transaction, job: Any) -> None:
    again = a_run_of(job, 9, FAILED)
    to.add_history(structs.replace(again, ended_at=Instant(NOW + 10 * SECOND)))


def retrying(browser: Browser, name: str, *seconds: int, **fields: Any) -> Any:
    """Add a job whose runs failed at these seconds after NOW, and wait an hour for a retry."""
    with_job(browser, name, recurrence={"frequency": "hour"})
    job = stored(browser, name)

    def happen(to: Transaction) -> None:
        for second in seconds:
            due_at = Instant(NOW + (3600 + second) * SECOND)
            waits = a_run(job, second=second, attempt=2, due_at=due_at, tag=f"tag{second}")
            run = to.add_run(waits)
            failed = a_run_of(job, second, FAILED, run_id=run.id, **(TIMEOUT | fields))
            to.add_history(structs.replace(failed, outcome=None))

    change(browser, happen)
    browser.set_time("2026-01-10T00:10:00Z")
    return job


def test_runs_that_wait_for_a_retry_are_told_in_failures_and_in_the_overview(
    billing: Browser,
) -> None:
    retrying(billing, "a", 1, 2)
    retrying(billing, "b", 3, host="two.example", reason="HttpStatus", status_code=503)

    failures, overview = billing.get("/failures"), billing.get("/")

    assert "Failed, waiting for a retry: 3 runs" in failures.words
    assert "Timeout api.example a · 2 runs 9 min ago in 50 min" in failures.words
    assert "HTTP 503 two.example b · 1 run 9 min ago in 50 min" in failures.words
    assert "3 runs failed and wait for a retry" in overview.words
    assert "Timeout api.example · a 2 9 min ago" in overview.words
    assert "3 waiting for retry" in overview.words


def test_a_group_of_retries_opens_exactly_its_runs(billing: Browser) -> None:
    job = retrying(billing, "a", 1, 2)
    retrying(billing, "b", 3, host="two.example")
    change(billing, lambda to: to.add_run(a_run(job, second=9)))

    group = r'id="retrying-[0-9a-f]+" href="([^"]+)"'
    for path in ("/failures", f"/failures?{OF_BILLING}&since=1h", "/"):
        addresses = re.findall(group, billing.get(path).text)
        listed = [planned(billing.get(each.replace("&amp;", "&"))) for each in addresses]
        assert sorted(listed) == [[2, 1], [3]]
    for path in ("/failures", "/"):
        every = re.findall(r'id="(?:all-retrying|waiting)" href="([^"]+)"', billing.get(path).text)
        assert [planned(billing.get(each)) for each in every] == [[3, 2, 1]] * len(every)
        assert every


def test_the_filters_of_failures_hold_for_retries_too(billing: Browser) -> None:
    retrying(billing, "a", 1, 2)
    retrying(billing, "b", 3, host="two.example")

    assert "waiting for a retry: 1 run" in billing.get("/failures?host=two.example").words
    assert "waiting for a retry: 2 runs" in billing.get(f"/failures?{OF_BILLING}&job=a").words
    assert "waiting for a retry" not in billing.get("/failures?reason=HttpStatus").words
    # They are open now, whenever they began.
    assert "waiting for a retry: 3 runs" in billing.get("/failures?since=1m").words


def test_retries_of_a_muted_group_are_not_counted(billing: Browser) -> None:
    retrying(billing, "a", 1, 2)
    mute(billing)

    assert "waiting for a retry: 0 runs 2 muted" in billing.get("/failures").words
    assert "failed and wait for a retry" not in billing.get("/").words


def test_the_page_says_when_there_are_more_retries_than_it_looks_at(
    billing: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foliot.app.failures.MOST_RETRIES_COUNTED", 2)
    retrying(billing, "a", 1, 2, 3)

    assert "waiting for a retry: the newest 2 runs" in billing.get("/failures").words
    assert "2+ runs failed and wait for a retry" in billing.get("/").words


def test_all_open_runs_are_those_that_wait_too(billing: Browser) -> None:
    job = retrying(billing, "a", 1, 2)
    change(billing, lambda to: to.add_run(a_run(job, second=4, lease=a_lease())))
    change(billing, lambda to: to.add_history(a_run_of(job, 5, RunOutcome.SUCCEEDED)))

    address = re.findall(r'id="all-open" href="([^"]+)"', billing.get("/").text)[0]

    assert planned(billing.get(address)) == [4, 2, 1]
