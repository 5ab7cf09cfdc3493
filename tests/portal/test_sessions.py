"""Sign-in, sessions, CSRF protection and security headers."""

import re
from html import unescape
from pathlib import Path

import pytest

from foliot.core.instant import HOUR, Instant
from foliot.core.model.token import Role
from foliot.portal.assets import asset_address
from foliot.portal.urls import with_query
from tests.portal.browser import COLLECTION, HOST, ORIGIN, OWNER, Browser


def test_a_page_is_shown_after_signing_in(stranger: Browser) -> None:
    asked = stranger.get("/collections", follow=False)
    then = stranger.get(asked.header("location"))
    shown = stranger.post("/sign-in", {"token": OWNER, "then": "/collections"}, csrf=None)

    assert (asked.status, asked.header("location")) == (303, "/sign-in?then=%2Fcollections")
    assert 'name="then" value="/collections"' in then.text
    assert "No collections yet" in shown.words


def test_signing_in_returns_to_the_page_with_its_query(stranger: Browser) -> None:
    asked = stranger.get("/collections/me/a%2Fb/C?q=a%26b&state=failed", follow=False)
    then = stranger.get(asked.header("location"))
    found = re.search(r'name="then" value="([^"]*)"', then.text)
    assert found
    fields = {"token": OWNER, "then": unescape(found[1])}
    shown = stranger.post("/sign-in", fields, csrf=None, follow=False)

    assert shown.header("location") == "/collections/me/a%2Fb/C?q=a%26b&state=failed"


@pytest.mark.parametrize(
    ("headers", "location"),
    [
        ({"referer": f"{ORIGIN}{COLLECTION}/new?from=x"}, f"{COLLECTION}/new?from=x"),
        ({"referer": f"{ORIGIN}//evil.test/"}, ""),
        ({"referer": "https://[evil"}, ""),
        ({}, ""),
    ],
    ids=["from a page", "two slashes", "no address", "from nowhere"],
)
def test_signing_in_after_an_expired_form_returns_to_its_page(
    stranger: Browser, headers: dict[str, str], location: str
) -> None:
    shown = stranger.post(f"{COLLECTION}/new", csrf=None, follow=False, **headers)

    assert shown.header("location") == with_query("/sign-in", then=location, ended="1")


def test_signing_in_after_an_expired_refresh_returns_to_the_page(stranger: Browser) -> None:
    headers = {"hx-request": "true", "hx-current-url": f"{ORIGIN}{COLLECTION}?q=x"}

    shown = stranger.call("GET", f"{COLLECTION}/jobs/x/live", headers=headers)

    assert shown.header("hx-redirect") == with_query(
        "/sign-in", then=f"{COLLECTION}?q=x", ended="1"
    )


def test_the_page_says_that_a_session_has_ended(stranger: Browser) -> None:
    words = "Your session has ended. Sign in again with the same token"

    ended = stranger.get("/sign-in?then=%2Fruns&ended=1")
    refused = stranger.post("/sign-in", {"token": "x", "ended": "1"}, csrf=None)

    assert words in ended.words
    assert words in refused.words
    assert words not in stranger.get("/sign-in?then=%2Fruns").words


@pytest.mark.parametrize(
    "then",
    [
        *("//evil.test/", "https://evil.test/", "/\\evil.test", "javascript:alert(1)", "/a\nb"),
        *("", "evil.test", "\\\\evil.test", "/\t/evil.test", " //evil.test", "/" + "x" * 4000),
        *("///evil.test", "https:evil.test", "data:text/html,x", "/\r\nx: y", "?x"),
    ],
)
def test_signing_in_never_redirects_to_another_site(stranger: Browser, then: str) -> None:
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


def test_the_session_cookie_is_http_only_and_same_site(stranger: Browser) -> None:
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


def test_a_copy_of_the_cookie_is_invalid_after_signing_out(
    browser: Browser, tmp_path: Path
) -> None:
    copy = dict(browser.cookies)
    browser.set_time("2026-01-10T01:00:00Z")
    browser.get("/about")
    renewed = dict(browser.cookies)
    browser.post("/sign-out", follow=False)

    for cookies in (copy, renewed):
        browser.cookies = dict(cookies)
        assert browser.get("/about", follow=False).status == 303
        assert browser.part("/live").status == 401
        assert browser.get("/docs", follow=False).status == 303
    with Browser(tmp_path, is_restarted=True) as another_node:
        another_node.cookies = copy
        another_node.set_time("2026-01-10T01:00:00Z")
        assert another_node.get("/about", follow=False).status == 303


def test_signing_out_keeps_other_sessions_of_the_token(browser: Browser) -> None:
    first = dict(browser.cookies)
    browser.cookies.clear()
    browser.sign_in()
    browser.post("/sign-out", follow=False)

    browser.cookies = first

    assert browser.get("/about", follow=False).status == 200


def test_ended_sessions_are_deleted_after_they_expire(browser: Browser) -> None:
    browser.post("/sign-out", follow=False)
    browser.set_time("2026-01-11T00:00:01Z")
    browser.sign_in()
    browser.post("/sign-out", follow=False)

    assert browser.rows("SELECT count(*) FROM ended_session") == [(1,)]


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


def test_revoking_your_own_token_warns_and_signs_out(
    browser: Browser,
) -> None:
    other = browser.add_token("other", Role.READER)
    [(own,)] = browser.rows("SELECT id FROM token WHERE name = 'owner-token'")
    page = browser.get("/tokens")
    dialogs = [
        page.text.split(f'<dialog id="revoke-{number}"')[1].split("</dialog>")[0]
        for number in (own, other.id)
    ]

    left = browser.post(f"/tokens/{own}/revoke", follow=False)
    shown = browser.get("/sign-in")

    assert ["You are signed in with this token." in each for each in dialogs] == [True, False]
    assert left.header("location") == "/sign-in"
    assert (
        f"Token {OWNER} revoked. You were signed in with it: sign in with another token."
        in shown.words
    )
    assert browser.cookies == {}
    assert "revoked" not in browser.get("/sign-in").words


def test_revoking_your_own_token_does_not_renew_the_session(browser: Browser) -> None:
    browser.set_time("2026-01-10T00:10:00Z")
    csrf = browser.get("/tokens").csrf
    browser.set_time("2026-01-10T00:20:00Z")
    [(own,)] = browser.rows("SELECT id FROM token WHERE name = 'owner-token'")

    left = browser.post(f"/tokens/{own}/revoke", csrf=csrf, follow=False)

    assert [each for each in left.cookies if "session" in each and "Max-Age=0" not in each] == []


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


def test_automatic_refreshes_do_not_prolong_a_session(browser: Browser) -> None:
    browser.set_time("2026-01-10T07:59:00Z")
    assert browser.part("/live").status == 200
    browser.set_time("2026-01-10T08:01:00Z")

    shown = browser.part("/live")

    assert (shown.status, shown.header("hx-redirect")) == (401, "/sign-in?ended=1")


def test_a_session_ends_a_day_after_signing_in(browser: Browser) -> None:
    for hour in range(1, 24):
        browser.set_time(f"2026-01-10T{hour:02}:00:00Z")
        assert browser.get("/about", follow=False).status == 200

    browser.set_time("2026-01-11T00:00:01Z")

    assert browser.get("/about", follow=False).status == 303


@pytest.mark.parametrize("value", ["", "x", "ä", "AAAA", "A" * 200])
def test_a_forged_cookie_is_no_session(stranger: Browser, value: str) -> None:
    stranger.cookies["foliot-session-8080"] = value

    assert stranger.get("/about", follow=False).status == 303


def test_an_encrypted_notice_is_no_session(browser: Browser) -> None:
    notice = browser.context.sessions.seal_notices([("good", "hello")])
    browser.cookies["foliot-session-8080"] = notice

    assert browser.get("/about", follow=False).status == 303


def test_the_one_time_code_signs_in_once(stranger: Browser) -> None:
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


def test_a_wrong_code_does_not_use_up_the_right_one(stranger: Browser) -> None:
    assert stranger.get("/sign-in?code=wrong").status == 401
    code = stranger.code.reveal()
    assert code is not None
    assert stranger.get(f"/sign-in?code={code.reveal()}", follow=False).status == 303


def test_the_one_time_code_works_only_on_this_machine(stranger: Browser) -> None:
    stranger.client = "192.0.2.7"
    code = stranger.code.reveal()
    assert code is not None

    assert stranger.get(f"/sign-in?code={code.reveal()}", follow=False).status == 401
    assert stranger.code.reveal() == code


@pytest.mark.parametrize(
    ("headers", "csrf"),
    [
        pytest.param({}, "wrong", id="another session's form"),
        pytest.param({}, "A" * 86, id="odd"),
        pytest.param({}, "A" * 88, id="of the right length"),
        pytest.param({}, "\u00e4", id="not ASCII"),
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
def test_a_form_without_origin_needs_sec_fetch_site(
    browser: Browser, site: str, status: int
) -> None:
    body = f"csrf={browser.get('/about').csrf}".encode()

    shown = browser.call("POST", "/sign-out", body, headers={"sec-fetch-site": site})

    assert shown.status == status


def test_signing_in_from_another_site_is_refused(stranger: Browser) -> None:
    shown = stranger.post("/sign-in", {"token": OWNER}, csrf=None, origin="https://evil.test")

    assert shown.status == 403
    assert "FOLIOT_PUBLIC_URL" in shown.words


def test_without_tokens_every_visitor_is_owner(tmp_path: Path) -> None:
    with Browser(tmp_path, is_open=True) as browser:
        browser.host = "localhost:8080"
        shown = browser.get("/tokens")
        made = browser.post("/tokens", {"name": "ci", "role": "reader", "scope": "/"})
        turned = browser.post("/sign-in", {"token": "x"}, csrf=None, follow=False)

    assert shown.status == 200
    assert "Sign out" not in shown.words
    assert "Token ci created" in made.words
    assert turned.header("location") == "/"


def test_without_tokens_a_foreign_host_name_is_refused(tmp_path: Path) -> None:
    with Browser(tmp_path, is_open=True) as browser:
        shown = browser.get("/")

    assert shown.status == 403
    assert "localhost" in shown.words


@pytest.mark.parametrize("path", ["/about", "/sign-in", "/nowhere", COLLECTION])
def test_every_page_has_security_headers(browser: Browser, path: str) -> None:
    shown = browser.get(path)

    policy = shown.header("content-security-policy")
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "frame-ancestors 'none'" in policy
    assert shown.header("x-content-type-options") == "nosniff"
    assert shown.header("referrer-policy") == "same-origin"
    assert shown.header("cache-control") == "no-store"
    assert "style=" not in shown.text
    assert ORIGIN not in shown.text


def test_a_large_sign_in_form_is_refused(stranger: Browser) -> None:
    small = stranger.post("/sign-in", {"token": "x", "then": "/" + "ä" * 2500}, csrf=None)
    large = stranger.post("/sign-in", {"token": "x", "then": "/" + "ä" * 3000}, csrf=None)

    assert small.status == 401
    assert large.status == 400
    assert "larger than 16384 bytes" in large.words


def test_a_form_without_a_session_is_not_read(stranger: Browser) -> None:
    origin = f"http://{stranger.host}"
    # The body has one part; reading a second part fails.
    stranger.call("POST", "/tokens", b"x" * 100, headers={"origin": origin})
    unread = stranger.call("POST", "/tokens", b"%", headers={"origin": origin})

    assert unread.status == 303


@pytest.mark.parametrize("path", ["/docs", "/openapi.json"])
def test_a_session_opens_the_api_documents(browser: Browser, path: str) -> None:
    shown = browser.get(path, follow=False)

    assert shown.status == 200
    assert "Microsoft.Scheduler" in shown.text


@pytest.mark.parametrize("path", ["/docs", "/openapi.json"])
def test_api_documents_redirect_browsers_and_refuse_programs(stranger: Browser, path: str) -> None:
    browser = stranger.get(path, follow=False)
    program = stranger.get(path, accept="*/*", follow=False)
    bearer = stranger.get(path, authorization=f"Bearer {OWNER}")
    wrong = stranger.get(path, authorization="Bearer wrong", follow=False)

    assert browser.header("location") == with_query("/sign-in", then=path)
    assert (program.status, program.header("content-type")[:16]) == (401, "application/json")
    assert bearer.status == 200
    assert wrong.status == 401


def test_a_session_does_not_authenticate_api_calls(browser: Browser) -> None:
    path = "/subscriptions/me/providers/Microsoft.Scheduler/jobCollections?api-version=2016-03-01"

    assert browser.get(path, follow=False).status == 401
    assert browser.get("/metrics", follow=False).status == 401
    assert browser.post("/docs", follow=False).status in (401, 404, 405)


def test_each_page_has_a_different_valid_csrf_token(browser: Browser) -> None:
    first, second = browser.get("/about").csrf, browser.get("/about").csrf

    assert first != second
    assert browser.post("/sign-out", csrf=first, follow=False).status == 303


def test_the_csrf_token_of_another_session_is_refused(browser: Browser) -> None:
    other = browser.get("/about").csrf
    browser.cookies.clear()
    browser.sign_in()

    assert browser.post("/sign-out", csrf=other, follow=False).status == 403


@pytest.mark.parametrize("path", ["/about", "/openapi.json", "/docs", asset_address("portal.css")])
def test_pages_documents_and_assets_are_compressed_on_request(browser: Browser, path: str) -> None:
    plain = browser.get(path)
    small = browser.get(path, **{"accept-encoding": "gzip, br"})

    assert plain.header("content-encoding") == ""
    assert small.header("content-encoding") == "gzip"
    assert {plain.header("vary"), small.header("vary")} == {"accept-encoding"}
    assert int(small.header("content-length")) < int(plain.header("content-length")) / 2
    assert plain.text[:200] == small.text[:200]
    assert plain.text.count("\n") == small.text.count("\n")


def test_a_response_without_a_body_is_not_compressed(stranger: Browser) -> None:
    shown = stranger.get("/about", follow=False, **{"accept-encoding": "gzip"})

    assert shown.header("content-encoding") == ""


def test_the_sign_in_page_says_where_the_first_token_is(browser: Browser) -> None:
    words = browser.get("/sign-in").words

    assert "in the file admin-token in the server's data directory" in words
    assert "or is the one that the server was given in FOLIOT_ADMIN_TOKEN" in words
