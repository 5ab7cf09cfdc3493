"""Retries of all waiting runs of a list or a group, after a question with their number."""

import re
from html import unescape
from typing import Any

import pytest
from msgspec import structs

from foliot.app.failure_retries import FailureRetries, RetryPlan
from foliot.core.instant import SECOND
from foliot.core.model.collection import CollectionState
from foliot.core.model.history import RunOutcome
from foliot.core.model.run import Run
from foliot.core.model.token import Role
from tests.portal.browser import COLLECTION, Browser, Shown, fields_of
from tests.portal.jobs import change, stored
from tests.portal.test_failure_pages import mute, retrying
from tests.portal.test_run_pages import OF_BILLING, a_run_of, planned
from tests.support.builders import NOW, a_lease, a_run

RETRY = "/runs/retry"


@pytest.fixture
def waiting(billing: Browser) -> Browser:
    """Return a browser of an Owner; two runs of the job a and one of b wait for a retry."""
    retrying(billing, "a", 1, 2)
    retrying(billing, "b", 3, host="two.example")
    return billing


def runs_of(browser: Browser, name: str) -> list[Run]:
    job = stored(browser, name)
    return list(browser.run(browser.store.read(lambda reading: reading.runs(job.id))))


def due(browser: Browser, name: str) -> list[int]:
    """Return when the runs of a job are due, in seconds after NOW."""
    return sorted((run.due_at - NOW) // SECOND for run in runs_of(browser, name) if run.due_at)


def link(shown: Shown, id_: str) -> str:
    """Return the address of a link; `id_` is a pattern."""
    (address,) = re.findall(rf'id="{id_}" href="([^"]+)"', shown.text)
    return address.replace("&amp;", "&")


def confirmed(browser: Browser, asked: Shown) -> Shown:
    """Press the button of a question."""
    return browser.post(RETRY, fields_of(asked))


@pytest.mark.parametrize(
    ("path", "runs", "back"),
    [
        pytest.param("/runs", 3, "/runs", id="all runs"),
        pytest.param("/runs?outcome=retrying&host=two.example", 1, None, id="filtered runs"),
        pytest.param(
            "/runs?outcome=open&collection=me%2Fhome%2FBilling&job=a", 2, None, id="runs of a job"
        ),
        pytest.param(f"{COLLECTION}/jobs/a/runs?outcome=waiting", 2, None, id="tab of a job"),
        pytest.param("/failures", 3, "/failures?since=24h", id="failures"),
        pytest.param("/failures?since=1m&host=api.example", 2, None, id="filtered failures"),
    ],
)
def test_all_that_wait_are_retried_after_a_question(
    waiting: Browser, path: str, runs: int, back: str | None
) -> None:
    asked = waiting.get(link(waiting.get(path), "retry-all"))
    done = confirmed(waiting, asked)

    assert re.search(rf"Retry {runs} waiting runs? of \d jobs? now\?", asked.words)
    retried = [at for name in "ab" for at in due(waiting, name) if at == 600]
    assert len(retried) == runs
    assert f"{runs} run{'s are' if runs > 1 else ' is'} retried now." in done.words
    assert unescape(f'href="{back or path}">Cancel</a>') in unescape(asked.text)


def test_a_group_of_failures_is_retried(waiting: Browser) -> None:
    shown = waiting.get("/failures")
    links = re.findall(r'id="retry-[0-9a-f]+" href="([^"]+)"[^>]*>(Retry \d now…)', shown.text)

    asked = waiting.get(links[0][0].replace("&amp;", "&"))
    confirmed(waiting, asked)

    assert [words for _, words in links] == ["Retry 2 now…", "Retry 1 now…"]
    assert "Retry all 3 now…" in shown.words
    assert "a Billing 2" in asked.words
    assert (due(waiting, "a"), due(waiting, "b")) == ([600, 600], [3603])


def test_the_notice_leads_to_the_runs_that_were_retried(waiting: Browser) -> None:
    done = confirmed(waiting, waiting.get(f"{RETRY}?{OF_BILLING}&job=a"))

    (address,) = re.findall(r'retried now\. <a href="([^"]+)">Show runs since then', done.text)
    assert planned(waiting.get(address.replace("&amp;", "&"))) == [2, 1]


def test_lists_without_waiting_runs_have_no_button(waiting: Browser) -> None:
    job = stored(waiting, "a")
    change(waiting, lambda to: to.add_run(a_run(job, second=9, lease=a_lease())))
    change(waiting, lambda to: to.add_history(a_run_of(job, 8, RunOutcome.FAILED)))

    for path in ("/runs?outcome=failed", "/runs?outcome=running", "/failures?reason=HttpStatus"):
        assert "retry-all" not in waiting.get(path).text


def test_muted_failures_are_left_out_unless_chosen(waiting: Browser) -> None:
    mute(waiting)

    asked = waiting.get(RETRY)
    chosen = waiting.get(f"{RETRY}?reason=Timeout&host=api.example")
    failures = waiting.get("/failures")

    assert "Retry 1 waiting run of 1 job now?" in asked.words
    assert "2 more runs of muted failures wait too, and are not retried" in asked.words
    assert "Retry 2 waiting runs of 1 job now?" in chosen.words
    assert "Retry 1 now…" in failures.words


def test_runs_that_wait_since_the_question_are_not_retried(waiting: Browser) -> None:
    asked = waiting.get(RETRY)
    (first, _) = runs_of(waiting, "a")
    change(waiting, lambda to: to.delete_runs([first]))
    retrying(waiting, "b", 4)

    done = confirmed(waiting, asked)

    assert "2 runs are retried now." in done.words
    assert "1 run had begun, ended, or been retried since you looked." in done.words
    assert (due(waiting, "a"), due(waiting, "b")) == ([600], [600, 3604])


def test_a_retry_that_is_sent_twice_says_that_the_runs_have_begun(waiting: Browser) -> None:
    asked = waiting.get(RETRY)
    confirmed(waiting, asked)

    done = confirmed(waiting, asked)

    assert "3 runs had begun, ended, or been retried since you looked." in done.words
    assert "retried now" not in done.words
    assert (due(waiting, "a"), due(waiting, "b")) == ([600, 600], [600])


def test_runs_that_are_due_already_are_left_out(waiting: Browser) -> None:
    confirmed(waiting, waiting.get(f"{RETRY}?{OF_BILLING}&job=a"))

    assert "Retry 1 waiting run of 1 job now?" in waiting.get(RETRY).words


def test_runs_of_a_disabled_collection_are_left_out(waiting: Browser) -> None:
    waiting.api("PATCH", "Billing", {"properties": {"state": "Disabled"}})

    shown = waiting.get(RETRY)

    assert "Nothing to retry" in shown.words
    assert "those of disabled collections when these are enabled" in shown.words


@pytest.mark.parametrize("value", ["1", "1:2:3", "a:1", "1:-1", "1:" + "9" * 40, "1:1 " * 1001])
def test_runs_that_no_page_has_made_are_refused(waiting: Browser, value: str) -> None:
    shown = waiting.post(RETRY, {"runs": value})

    assert shown.status == 400
    assert "open it again" in shown.words
    assert due(waiting, "a") == [3601, 3602]


@pytest.mark.parametrize(("of", "name"), [("x", "Failures"), ("runs", "Runs"), ("job", "Runs")])
def test_the_way_back_leads_where_it_says(waiting: Browser, of: str, name: str) -> None:
    asked = waiting.get(f"{RETRY}?list={of}&{OF_BILLING}&job=a")

    (address, words) = re.findall(r'class="crumbs"><li><a href="([^"]+)">(\w+)<', asked.text)[0]
    assert words == name
    assert f"<h1>{name}" in waiting.get(unescape(address)).text or name == "Runs"


def test_nothing_to_retry_is_said(waiting: Browser) -> None:
    asked = waiting.get(f"{RETRY}?host=none.example")

    assert "Nothing to retry" in asked.words
    assert "retried" not in waiting.post(RETRY, {"host": "none.example"}).words


@pytest.mark.parametrize(
    ("query", "words"),
    [
        pytest.param("since=soon", 'since: "soon" is not valid', id="filter"),
        pytest.param("collection=a/b/c", "The collection 'c' in the resource", id="collection"),
    ],
)
@pytest.mark.parametrize("of_list", ["", "runs"])
def test_a_wrong_filter_is_told_on_the_list(
    waiting: Browser, query: str, words: str, of_list: str
) -> None:
    shown = waiting.get(f"{RETRY}?{query}&list={of_list}")

    assert shown.status == 400
    assert words in shown.words


def test_refused_retries_are_told_with_their_job_and_reason(
    waiting: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = FailureRetries.plan

    async def plan(retries: FailureRetries, *arguments: Any) -> RetryPlan:
        """Disable the collection after the plan was made."""
        found = await find(retries, *arguments)
        collection = await waiting.store.read(lambda to: to.collection(found.jobs[0].key))
        assert collection is not None
        off = structs.replace(collection, state=CollectionState.DISABLED)
        await waiting.store.write(lambda to: to.save_collection(off))
        return found

    asked = waiting.get(RETRY)
    monkeypatch.setattr(FailureRetries, "plan", plan)

    done = confirmed(waiting, asked)

    assert "3 runs of 2 jobs not retried." in done.words
    assert "a: The collection 'Billing' is Disabled; enable it to run a job." in done.words
    assert "retried now" not in done.words


def test_a_job_that_is_deleted_after_the_plan_stops_no_other(
    waiting: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = FailureRetries.plan

    async def plan(retries: FailureRetries, *arguments: Any) -> RetryPlan:
        found = await find(retries, *arguments)
        gone = structs.replace(found.jobs[0], job="gone")
        return structs.replace(found, jobs=[gone, *found.jobs[1:]])

    asked = waiting.get(RETRY)
    monkeypatch.setattr(FailureRetries, "plan", plan)

    done = confirmed(waiting, asked)

    assert "1 run is retried now." in done.words
    assert "2 runs had begun, ended, or been retried since you looked." in done.words


def test_runs_of_a_disabled_job_are_said_to_wait(waiting: Browser) -> None:
    waiting.api("PATCH", "Billing/jobs/a", {"properties": {"state": "Disabled"}})

    done = confirmed(waiting, waiting.get(RETRY))

    assert "1 run is retried now." in done.words
    assert "2 runs are retried when the job is enabled." in done.words


def test_retries_of_a_job_stand_once_in_the_audit_log(waiting: Browser) -> None:
    confirmed(waiting, waiting.get(RETRY))

    assert "2 runs" in waiting.get("/audit?action=retried").words


def test_at_most_a_number_is_retried_at_once(
    waiting: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foliot.app.failure_retries.MOST_RETRIED", 2)
    monkeypatch.setattr("foliot.portal.pages.retries.MOST_RETRIED", 2)

    asked = waiting.get(RETRY)

    assert "Retry 2 waiting runs of 1 job now?" in asked.words
    assert "at most 2 are retried at once, those that are due first." in asked.words


def test_runs_that_wait_since_the_question_do_not_take_the_place_of_those_shown(
    waiting: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foliot.app.failure_retries.MOST_RETRIED", 3)
    asked = waiting.get(RETRY)
    retrying(waiting, "c", 0)

    done = confirmed(waiting, asked)

    assert "3 runs are retried now." in done.words
    assert "since you looked" not in done.words
    assert due(waiting, "c") == [3600]


@pytest.mark.parametrize("runs", ["1:23:4", "1:" + ("1" * 20 + ":") * 6 + "x", "1:1 " * 1001])
def test_a_list_that_no_page_has_made_retries_nothing(waiting: Browser, runs: str) -> None:
    refused = waiting.post(RETRY, {"runs": runs})

    assert refused.status == 400
    assert "is not what the page has made; open it again." in refused.words
    assert due(waiting, "a") == [3601, 3602]


def test_a_reader_retries_nothing(waiting: Browser) -> None:
    waiting.add_token("reader", Role.READER)
    waiting.sign_in("reader")
    csrf = waiting.get("/").csrf

    for path in ("/runs", "/failures"):
        assert "retry-all" not in waiting.get(path).text
    assert waiting.get(RETRY).status == 403
    assert waiting.post(RETRY, {"runs": ""}, csrf=csrf).status == 403


@pytest.mark.parametrize(("name", "runs"), [("retry", [600]), ("cancel", [])])
def test_a_waiting_run_is_retried_or_canceled_on_the_page_of_its_job(
    billing: Browser, name: str, runs: list[int]
) -> None:
    retrying(billing, "a", 1)
    shown = billing.get(f"{COLLECTION}/jobs/a")
    (line,) = re.findall(r'<div class="notice open-run">.*?</div></div>', shown.text, re.DOTALL)
    (page,) = re.findall(r'<a id="[\w-]+" href="([^"]+)"', line)
    forms = re.findall(r'action="([^"]+/(\w+)-run)">.*?name="tag" value="(\w+)"', line)
    ((address, tag),) = [(path, tag) for path, of, tag in forms if of == name]

    billing.post(address, {"tag": tag}, referer="http://testserver/")

    assert billing.get(page).status == 200
    assert due(billing, "a") == runs


def test_a_reader_has_no_buttons_at_the_open_runs_of_a_job(billing: Browser) -> None:
    retrying(billing, "a", 1)
    billing.add_token("reader", Role.READER)
    billing.sign_in("reader")

    shown = billing.get(f"{COLLECTION}/jobs/a")

    assert "waiting for retry attempt 2 in 50 min" in shown.words
    assert "Cancel run" not in shown.words
    assert "Retry now" not in shown.words
