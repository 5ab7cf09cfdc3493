"""The list of all jobs: search, filters, pages, scope."""

import gzip
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from foliot.core.model.token import Role
from tests.portal.browser import COLLECTION, Browser
from tests.portal.jobs import with_job
from tests.support.api_client import http_job

# Of a list, compressed: somebody opens it on a slow line.
MOST_BYTES = 60_000


def listed(browser: Browser, query: str = "") -> list[str]:
    return re.findall(r'class="main-name" href="[^"]+">([^<]+)</a>', browser.get(query).text)


@pytest.fixture
def filled(billing: Browser) -> Browser:
    """Return a browser with jobs in two collections."""
    with_job(billing, "beta", recurrence={"frequency": "day"})
    with_job(billing, "gamma", state="disabled")
    billing.api("PUT", "Archive", {"properties": {"sku": {"name": "Standard"}}})
    billing.api("PUT", "Archive/jobs/alpha", http_job(recurrence={"frequency": "week"}))
    return billing


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param("", ["alpha", "beta", "gamma"], id="all, by name"),
        pytest.param("q=AMM", ["gamma"], id="name"),
        pytest.param("q=schedule:week", ["alpha"], id="schedule"),
        pytest.param("q=host:example.com", ["alpha", "beta", "gamma"], id="host"),
        pytest.param("q=state:dis", ["gamma"], id="state in the search"),
        pytest.param("q=state:dis&state=enabled", [], id="two states"),
        pytest.param("state=disabled", ["gamma"], id="state"),
        pytest.param("outcome=failed", [], id="outcome of the last run"),
        pytest.param("of=me/home/archive", ["alpha"], id="collection"),
        pytest.param("after=nonsense", ["alpha", "beta", "gamma"], id="a position that is none"),
    ],
)
def test_all_jobs_are_searched_and_filtered(
    filled: Browser, query: str, expected: list[str]
) -> None:
    assert listed(filled, f"/jobs?{query}") == expected


def test_all_jobs_are_shown_with_collection_and_schedule(filled: Browser) -> None:
    shown = filled.get("/jobs")

    assert "alpha Archive Every week" in shown.words
    assert "Search 3 jobs" in shown.text
    assert 'name="job"' not in shown.text


def test_all_jobs_are_loaded_in_parts_that_keep_the_filter(browser: Browser) -> None:
    browser.api("PUT", "Billing", {"properties": {"sku": {"name": "P20Premium"}}})
    for number in range(103):
        body = http_job(recurrence={"frequency": "day"})
        browser.api("PUT", f"Billing/jobs/shard-{number:03}", body)
    browser.api("PUT", "Billing/jobs/other", http_job())

    first = browser.get("/jobs?q=name:shard")
    following = first.text.split('class="detail" hx-get="')[1].split('"')[0].replace("&amp;", "&")
    second = browser.part(following).text

    assert first.text.count('class="main-name"') == 100
    assert len(gzip.compress(first.text.encode())) < MOST_BYTES
    assert re.findall(r">(shard-\d+)</a>", second) == ["shard-100", "shard-101", "shard-102"]
    assert "detail" not in second
    assert browser.part("/jobs?q=name:shard&rows=200").text.count('class="main-name"') == 103


def test_refreshing_an_unchanged_list_of_all_jobs_returns_no_content(filled: Browser) -> None:
    shown = filled.get("/jobs?q=beta").text
    live = shown.split("data-list")[1].split('hx-get="')[1].split('"')[0].replace("&amp;", "&")

    same = filled.part(live)
    filled.post(f"{COLLECTION}/jobs/beta/disable")
    other = filled.part(live)

    assert same.status == 204
    assert (other.status, "disabled" in other.words) == (200, True)


def test_jobs_outside_the_scope_are_not_listed(filled: Browser) -> None:
    scope = {"subscription": "me", "group": "home", "collection": "archive"}
    filled.add_token("scoped", Role.READER, scope=scope)
    filled.sign_in("scoped")

    assert listed(filled, "/jobs") == ["alpha"]
    assert listed(filled, "/jobs?of=me/home/billing&q=beta") == []
    assert "Search 1 job" in filled.get("/jobs").text


def test_a_job_whose_definition_cannot_be_read_is_listed(filled: Browser, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "foliot.db")) as connection, connection:
        connection.execute(
            "UPDATE definition SET sealed = x'00'"
            " WHERE job_id = (SELECT id FROM job WHERE name = 'beta')"
        )

    shown = filled.get("/jobs")

    assert "beta Billing This node cannot read the definition of the job." in shown.words
    assert listed(filled, "/jobs") == ["alpha", "beta", "gamma"]


def test_an_empty_server_says_so(browser: Browser) -> None:
    assert "No jobs yet" in browser.get("/jobs").words


def test_a_collection_is_paused_from_its_page(filled: Browser) -> None:
    asked = filled.get(f"{COLLECTION}/disable")
    paused = filled.post(f"{COLLECTION}/disable")
    again = filled.get(f"{COLLECTION}/enable")

    assert "Pause Billing? Its 2 jobs do not run until you resume the collection." in asked.words
    assert "Collection paused" in paused.words
    assert "Resume Billing? Its jobs run again from the next planned time, except" in again.words
    assert "Pause Billing?" not in filled.get(f"{COLLECTION}/disable").words


@pytest.mark.parametrize("page", ["/jobs", COLLECTION], ids=["all jobs", "of the collection"])
def test_a_job_of_a_paused_collection_says_so(filled: Browser, page: str) -> None:
    assert "collection paused (disabled)" not in filled.get(page).words

    filled.post(f"{COLLECTION}/disable")

    assert "enabled collection paused (disabled)" in filled.get(page).words
    assert (
        filled.get(page).words.count("collection paused (disabled)") == 2
    )  # not the job of Archive


def test_a_list_of_jobs_is_refreshed_when_a_collection_is_paused(filled: Browser) -> None:
    shown = filled.get("/jobs").text
    live = shown.split("data-list")[1].split('hx-get="')[1].split('"')[0].replace("&amp;", "&")

    filled.post(f"{COLLECTION}/disable")

    assert "collection paused (disabled)" in filled.part(live).words


def test_a_reader_cannot_pause_a_collection(filled: Browser) -> None:
    filled.add_token("reader", Role.READER)
    filled.sign_in("reader")

    assert filled.get(f"{COLLECTION}/disable").status == 403
    assert filled.post(f"{COLLECTION}/disable").status == 403
    assert "Pause…" not in filled.get(COLLECTION).words


@pytest.mark.parametrize(
    ("query", "words"),
    [
        pytest.param("state=bogus", 'state: "bogus" is not valid; give one of enabled', id="state"),
        pytest.param("outcome=bogus", 'outcome: "bogus" is not valid; give one', id="outcome"),
        pytest.param("of=zzz", 'of: "zzz" is not valid; give subscription/', id="collection"),
    ],
)
def test_a_wrong_filter_is_explained_on_the_page(billing: Browser, query: str, words: str) -> None:
    with_job(billing, "alpha")

    shown, part = billing.get(f"/jobs?{query}&q=kept"), billing.part(f"/jobs?{query}&q=kept")

    assert (shown.status, part.status) == (400, 200)
    assert words in shown.words
    assert words in part.words
    assert 'name="q" value="kept"' in shown.text
