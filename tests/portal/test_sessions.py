"""Getting in, staying in, and being shown out."""

from pathlib import Path

import pytest

from foliot.core.instant import HOUR, Instant
from foliot.core.model import Role
from tests.portal.browser import COLLECTION, HOST, ORIGIN, OWNER, Browser


def test_a_page_asks_a_stranger_to_sign_in_and_then_is_shown(stranger: Browser) -> None:
    asked = stranger.get("/collections", follow=False)
    then = stranger.get(asked.header("location"))
    shown = stranger.post("/sign-in", {"token": OWNER, "then": "/collections"}, csrf=None)

    assert (asked.status, asked.header("location")) == (303, "/sign-in?then=%2Fcollections")
    assert 'name="then" value="/collections"' in then.text
    assert "No collections yet" in shown.words


@pytest.mark.parametrize(
    "then",
    ["//evil.test/", "https://evil.test/", "/\\evil.test", "javascript:alert(1)", "/a\nb"],
)
def test_nobody_is_sent_to_another_site_after_signing_in(stranger: Browser, then: str) -> None:
    shown = stranger.post("/sign-in", {"token": OWNER, "then": then}, csrf=None, follow=False)

    assert shown.header("location") == "/"


@pytest.mark.parametrize(
    ("token", "words"),
    [
        pytest.param("wrong", "The token is not known here, or was revoked.", id="unknown"),
        pytest.param("", "Paste a token.", id="nothing"),
        pytest.param("old", "The token has expired.", id="expired"),
    ],
)
def test_a_bad_token_is_refused(stranger: Browser, token: str, words: str) -> None:
    stranger.add_token("old", Role.READER, expires_at=Instant(stranger.clock.now() - 1))

    shown = stranger.sign_in(token)

    assert shown.status == 401
    assert words in shown.words
    assert stranger.cookies == {}


def test_the_cookie_is_out_of_reach_for_scripts_and_other_sites(stranger: Browser) -> None:
    shown = stranger.post("/sign-in", {"token": OWNER}, csrf=None, follow=False)

    (cookie,) = shown.cookies
    assert cookie.startswith("foliot-session-8080=")
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))
    assert "Secure" not in cookie
    assert OWNER not in cookie


def test_under_tls_the_cookie_is_secure_and_bound_to_the_host(stranger: Browser) -> None:
    stranger.scheme = "https"

    shown = stranger.post("/sign-in", {"token": OWNER}, csrf=None, follow=False)

    (cookie,) = shown.cookies
    assert cookie.startswith("__Host-foliot-session=")
    assert "Secure" in cookie.split("; ")


def test_a_public_address_of_https_makes_the_cookie_secure(tmp_path: Path) -> None:
    with Browser(tmp_path, public_url="https://jobs.test") as browser:
        shown = browser.post(
            "/sign-in", {"token": OWNER}, csrf=None, follow=False, origin="https://jobs.test"
        )

    assert shown.status == 303
    assert shown.cookies[0].startswith("__Host-foliot-session=")


def test_signing_out_ends_the_session(browser: Browser) -> None:
    left = browser.post("/sign-out", follow=False)

    assert left.header("location") == "/sign-in"
    assert browser.cookies == {}
    assert browser.get("/about", follow=False).status == 303


def test_revoking_the_token_ends_the_session_at_once(browser: Browser) -> None:
    token = browser.add_token("other", Role.READER)
    browser.sign_in("other")
    assert browser.get("/about", follow=False).status == 200

    browser.run(browser.store.write(lambda to: to.delete_token(token.id)))
    browser.elapsed += 1

    assert browser.get("/about", follow=False).status == 303


def test_a_session_ends_with_the_expiry_of_its_token(browser: Browser) -> None:
    browser.add_token("short", Role.READER, expires_at=Instant(browser.clock.now() + HOUR))
    browser.sign_in("short")
    assert browser.get("/about", follow=False).status == 200

    browser.set_time("2026-01-10T01:00:00Z")

    assert browser.get("/about", follow=False).status == 303


def test_a_session_ends_eight_hours_after_its_last_use(browser: Browser) -> None:
    browser.set_time("2026-01-10T07:59:00Z")
    assert browser.get("/about", follow=False).status == 200
    browser.set_time("2026-01-10T15:58:00Z")
    assert browser.get("/about", follow=False).status == 200
    browser.set_time("2026-01-10T23:58:01Z")
    assert browser.get("/about", follow=False).status == 303


def test_a_page_that_looks_again_by_itself_does_not_prolong_a_session(browser: Browser) -> None:
    browser.set_time("2026-01-10T07:59:00Z")
    assert browser.part("/live").status == 200
    browser.set_time("2026-01-10T08:01:00Z")

    shown = browser.part("/live")

    assert (shown.status, shown.header("hx-redirect")) == (401, "/sign-in")


def test_a_session_ends_a_day_after_it_began_however_often_it_is_used(browser: Browser) -> None:
    for hour in range(1, 24):
        browser.set_time(f"2026-01-10T{hour:02}:00:00Z")
        assert browser.get("/about", follow=False).status == 200

    browser.set_time("2026-01-11T00:00:01Z")

    assert browser.get("/about", follow=False).status == 303


@pytest.mark.parametrize("value", ["", "x", "ä", "AAAA", "A" * 200])
def test_a_made_up_cookie_is_no_session(stranger: Browser, value: str) -> None:
    stranger.cookies["foliot-session-8080"] = value

    assert stranger.get("/about", follow=False).status == 303


def test_what_was_sealed_for_another_purpose_is_no_session(browser: Browser) -> None:
    notice = browser.desk.sessions.seal_notices([("good", "hello")])
    browser.cookies["foliot-session-8080"] = notice

    assert browser.get("/about", follow=False).status == 303


def test_the_code_of_the_link_signs_in_once(stranger: Browser) -> None:
    code = stranger.code.reveal()
    assert code is not None
    link = f"/sign-in?code={code.reveal()}"

    first = stranger.get(link, follow=False)
    stranger.cookies.clear()
    second = stranger.get(link, follow=False)

    assert (first.status, first.header("location")) == (303, "/")
    assert second.status == 401
    assert "This link was used before" in second.words
    assert stranger.code.reveal() is None


def test_a_wrong_code_uses_nothing_up(stranger: Browser) -> None:
    assert stranger.get("/sign-in?code=wrong").status == 401
    code = stranger.code.reveal()
    assert code is not None
    assert stranger.get(f"/sign-in?code={code.reveal()}", follow=False).status == 303


def test_the_code_is_good_on_this_machine_alone(stranger: Browser) -> None:
    stranger.client = "192.0.2.7"
    code = stranger.code.reveal()
    assert code is not None

    assert stranger.get(f"/sign-in?code={code.reveal()}", follow=False).status == 401
    assert stranger.code.reveal() == code


@pytest.mark.parametrize(
    ("headers", "csrf"),
    [
        pytest.param({}, "wrong", id="another session's form"),
        pytest.param({}, None, id="no token against forgery"),
        pytest.param({"origin": "https://evil.test"}, "", id="another site"),
        pytest.param({"origin": "null"}, "", id="no site"),
        pytest.param({"origin": f"https://{HOST}"}, "", id="another scheme"),
    ],
)
def test_a_forged_form_changes_nothing(
    browser: Browser, headers: dict[str, str], csrf: str | None
) -> None:
    shown = browser.post("/sign-out", csrf=csrf, follow=False, **headers)

    assert shown.status == 403
    assert browser.get("/about", follow=False).status == 200


@pytest.mark.parametrize(("site", "status"), [("same-origin", 303), ("cross-site", 403)])
def test_without_an_origin_a_browser_must_say_that_the_form_is_ours(
    browser: Browser, site: str, status: int
) -> None:
    body = f"csrf={browser.get('/about').csrf}".encode()

    shown = browser.call("POST", "/sign-out", body, headers={"sec-fetch-site": site})

    assert shown.status == status


def test_signing_in_from_another_site_is_refused(stranger: Browser) -> None:
    shown = stranger.post("/sign-in", {"token": OWNER}, csrf=None, origin="https://evil.test")

    assert shown.status == 403
    assert "FOLIOT_PUBLIC_URL" in shown.words


def test_without_a_gate_everyone_here_is_owner(tmp_path: Path) -> None:
    with Browser(tmp_path, is_open=True) as browser:
        browser.host = "localhost:8080"
        shown = browser.get("/tokens")
        made = browser.post("/tokens", {"name": "ci", "role": "reader", "scope": "/"})
        turned = browser.post("/sign-in", {"token": "x"}, csrf=None, follow=False)

    assert shown.status == 200
    assert "Sign out" not in shown.words
    assert "Token ci created" in made.words
    assert turned.header("location") == "/"


def test_without_a_gate_a_foreign_name_for_this_machine_is_refused(tmp_path: Path) -> None:
    with Browser(tmp_path, is_open=True) as browser:
        shown = browser.get("/")

    assert shown.status == 403
    assert "localhost" in shown.words


@pytest.mark.parametrize("path", ["/about", "/sign-in", "/nowhere", COLLECTION])
def test_every_page_forbids_what_it_does_not_need(browser: Browser, path: str) -> None:
    shown = browser.get(path)

    policy = shown.header("content-security-policy")
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "frame-ancestors 'none'" in policy
    assert shown.header("x-content-type-options") == "nosniff"
    assert shown.header("referrer-policy") == "same-origin"
    assert shown.header("cache-control") == "no-store"
    assert "style=" not in shown.text
    assert ORIGIN not in shown.text
