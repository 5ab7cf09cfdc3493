"""Tokens, rights of Readers, error pages, settings and assets."""

from pathlib import Path

import pytest

from foliot.core.errors import Unavailable
from foliot.core.limits import Limits
from foliot.core.model.token import Role
from tests.portal.browser import COLLECTION, JOB, OWNER, Browser
from tests.portal.jobs import names, with_job


def test_a_token_is_created_shown_once_and_revoked(billing: Browser) -> None:
    made = billing.post(
        "/tokens",
        {"name": "ci", "role": "contributor", "scope": "/subscriptions/me", "expires": "9d"},
    )
    text = made.text.split('id="made">')[1].split("<")[0]
    again = billing.get("/tokens")
    [(number,)] = billing.rows("SELECT id FROM token WHERE name = 'ci'")

    assert "Token ci created. Copy it now" in made.words
    assert text.startswith("foliot_")
    assert text not in again.text
    assert "Contributor /subscriptions/me in 9 d never" in again.words
    assert "Token ci revoked." in billing.post(f"/tokens/{number}/revoke").words
    assert "Token 99 does not exist." in billing.post("/tokens/99/revoke").words
    assert "Token x does not exist." in billing.post("/tokens/x/revoke").words


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        pytest.param({"name": ""}, "name", id="name"),
        pytest.param({"role": "king"}, "role", id="role"),
        pytest.param({"scope": "here"}, "scope", id="scope"),
        pytest.param({"expires": "2001-01-01"}, "expires", id="expiry"),
    ],
)
def test_a_bad_token_is_refused_beside_its_field(
    billing: Browser, fields: dict[str, str], field: str
) -> None:
    given = {"name": "ci", "role": "Reader", "scope": "/", "expires": ""} | fields

    refused = billing.post("/tokens", given)

    assert refused.status == 400
    assert f'id="{field}-problem"' in refused.text


@pytest.mark.parametrize(
    "path",
    [
        *("/", "/collections", COLLECTION, JOB, f"{JOB}/action", f"{JOB}/schedule"),
        *(f"{JOB}/runs", f"{JOB}/json", f"{JOB}/properties", f"{COLLECTION}/properties"),
        f"{COLLECTION}/alerts",
        *("/calendar", "/settings", "/about"),
    ],
)
def test_a_reader_sees_everything_and_no_buttons(billing: Browser, path: str) -> None:
    with_job(billing)
    billing.add_token("reader", Role.READER)
    billing.sign_in("reader")

    shown = billing.get(path)

    assert shown.status == 200
    for word in ("New collection", "New job", "Run now", "Delete", "Disable", "Edit", "Tokens"):
        assert word not in shown.words
    assert "/audit" not in shown.text


@pytest.mark.parametrize(
    ("method", "path"),
    [
        *[("GET", path) for path in ("/collections/new", f"{COLLECTION}/new", f"{JOB}/edit")],
        *[("GET", path) for path in (f"{JOB}/duplicate", f"{COLLECTION}/delete", "/tokens")],
        *[("GET", path) for path in ("/audit", "/audit/1", "/audit?since=x")],
        *[("POST", f"{JOB}/{wish}") for wish in ("run", "enable", "disable", "delete")],
        *[("POST", f"{COLLECTION}/{wish}") for wish in ("enable", "disable")],
        *[("POST", path) for path in ("/tokens", "/tokens/1/revoke")],
    ],
)
def test_a_post_of_a_reader_is_refused(billing: Browser, method: str, path: str) -> None:
    with_job(billing)
    billing.add_token("reader", Role.READER)
    billing.sign_in("reader")
    form = {"name": "x", "role": "Owner", "scope": "/"}

    csrf = billing.get("/about").csrf
    shown = billing.get(path) if method == "GET" else billing.post(path, form, csrf=csrf)

    assert shown.status == 403
    assert "does not allow this" in shown.words
    assert names(billing) == ["Nightly"]


def test_settings_and_about_pages_are_shown(browser: Browser) -> None:
    settings, about = browser.get("/settings"), browser.get("/about")

    assert "FOLIOT_PORT 1" in settings.words
    assert "FOLIOT_MAX_JOB_BYTES 16,384" in settings.words
    assert "P20Premium 1,000 at most one run per minute 10,000" in settings.words
    assert "Foliot 9.9" in about.words
    assert "SQLite, here" in about.words


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        pytest.param("GET", "/nowhere", 404, id="no page"),
        pytest.param("GET", "/collections/me/home/none", 404, id="no collection"),
        pytest.param("GET", f"{COLLECTION}/jobs/none", 404, id="no job"),
        pytest.param("POST", "/about", 405, id="no form"),
        pytest.param("GET", "/sign-out", 405, id="a form alone"),
        pytest.param("GET", f"/collections?{'a=1&' * 1001}", 400, id="too many parameters"),
    ],
)
def test_a_missing_page_returns_404_in_the_layout(
    billing: Browser, method: str, path: str, status: int
) -> None:
    shown = billing.get(path) if method == "GET" else billing.post(path)

    assert shown.status == status


def test_htmx_gets_an_error_as_text(billing: Browser) -> None:
    shown = billing.part(f"{COLLECTION}/jobs/none/live")

    assert (shown.status, shown.text) == (404, "Job 'none' cannot be found.")


def test_programs_reach_the_api_and_its_errors(billing: Browser) -> None:
    for path in ("/subscriptions/me", "/nowhere", "/healthz"):
        answer = billing.call("GET", path, headers={"accept": "application/json"})
        assert answer.header("content-type").startswith("application/json"), path


def test_a_form_that_is_too_large_is_refused(tmp_path: Path) -> None:
    with Browser(tmp_path, limits=Limits(max_request_bytes=100)) as browser:
        shown = browser.post("/sign-in", {"token": "x" * 200}, csrf=None)

    assert shown.status == 400
    assert "larger than 100 bytes" in shown.words


def test_an_internal_error_shows_no_details(
    billing: Browser, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError(OWNER)

    monkeypatch.setattr(billing.context.use_cases.dashboard, "overview", broken)

    shown = billing.get("/")

    assert shown.status == 500
    assert "The server's log has the details" in shown.words
    assert OWNER not in shown.text
    assert "RuntimeError" in caplog.text
    assert OWNER not in caplog.text


def test_an_unavailable_store_returns_503(
    billing: Browser, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def away(*_: object) -> None:
        raise Unavailable("The database is locked.")

    monkeypatch.setattr(billing.context.use_cases.dashboard, "overview", away)

    shown = billing.get("/")

    assert shown.status == 503
    assert "Service unavailable" in shown.words
    assert "The database is locked." in caplog.text


def test_the_address_of_an_asset_contains_its_hash(browser: Browser) -> None:
    page = browser.get("/about")
    address = page.text.split('rel="stylesheet" href="')[1].split('"')[0]

    sheet = browser.get(address)

    assert sheet.status == 200
    assert sheet.header("content-type").startswith("text/css")
    assert "immutable" in sheet.header("cache-control")
    assert browser.get("/assets/000000000000/portal.css").status == 404
    assert browser.get("/assets/../app.py").status == 404
