"""The tab Access of a collection: its tokens, who sees them, and who creates and revokes them."""

from pathlib import Path

import pytest

from foliot.core.model.token import Role
from tests.portal.browser import COLLECTION, ORIGIN, OWNER, Browser

ACCESS = f"{COLLECTION}/access"
GROUP = {"subscription": "me", "group": "home"}
OF_ONE = {**GROUP, "collection": "billing"}
FORM = {"name": "ci", "role": "Contributor", "expires": "9d"}


def sign_in(browser: Browser, name: str, role: Role, **scope: str) -> None:
    browser.add_token(name, role, scope=scope)
    browser.sign_in(name)


def test_the_tokens_that_reach_a_collection_are_listed_with_role_and_scope(
    billing: Browser,
) -> None:
    billing.add_token("one", Role.READER, scope=OF_ONE)
    billing.add_token("group", Role.CONTRIBUTOR, scope=GROUP, expires_at=billing.clock.now())
    billing.add_token("all-of-me", Role.READER, scope={"subscription": "me"})
    billing.add_token("elsewhere", Role.OWNER, scope={"subscription": "you"})
    billing.add_token("beside", Role.OWNER, scope={**GROUP, "collection": "billing2"})

    shown = billing.get(ACCESS)

    created = "created 2026-01-10 00:00:00 UTC"
    for row in (
        f"one ID 2, {created} Reader this collection never never Revoke…",
        f"group ID 3, {created} Contributor this resource group expired now never Revoke…",
        f"all-of-me ID 4, {created} Reader this subscription never never Revoke…",
        f"{OWNER} your token ID 1, {created} Owner whole server never now Revoke…",
    ):
        assert row in shown.words
    order = [shown.words.index(f"{name} ") for name in (" one", " group", " all-of-me")]
    assert order == sorted(order)
    for name in ("elsewhere", "beside"):
        assert name not in shown.words


def test_an_owner_creates_a_token_of_the_collection_which_is_shown_once(billing: Browser) -> None:
    sent = billing.post(ACCESS, FORM, follow=False)
    cookie = next(each for each in sent.cookies if "made-token" in each)
    made = billing.get(ACCESS)
    again = billing.get(ACCESS)

    text = made.text.split('id="made">')[1].split("<")[0]
    assert (sent.status, sent.header("location")) == (303, ACCESS)
    for attribute in ("HttpOnly", "Max-Age=60", f"Path={ACCESS};", "SameSite=strict"):
        assert attribute in cookie
    assert text not in sent.text + str(sent.headers)
    assert "Token ci created. Copy it now" in made.words
    assert text not in again.text
    assert billing.rows(
        "SELECT role, scope_subscription, scope_group, scope_collection FROM token"
        " WHERE name = 'ci'"
    ) == [("Contributor", "me", "home", "billing")]
    billing.sign_in(text)
    assert billing.get(COLLECTION).status == 200


def test_a_posted_scope_is_ignored(billing: Browser) -> None:
    billing.post(ACCESS, FORM | {"scope": "/"})

    [(scope,)] = billing.rows("SELECT scope_collection FROM token WHERE name = 'ci'")
    assert scope == "billing"


def test_an_owner_of_the_collection_sees_and_creates_only_tokens_of_it(billing: Browser) -> None:
    billing.add_token("group", Role.READER, scope=GROUP)
    sign_in(billing, "one", Role.OWNER, **OF_ONE)

    shown = billing.get(ACCESS)
    made = billing.post(ACCESS, FORM | {"role": "Owner"})

    assert "group" not in shown.words.split("New token")[0].split("Last used")[1]
    assert OWNER not in shown.words
    assert "Tokens with a wider scope than yours reach this collection too." in shown.words
    assert "Token ci created." in made.words
    assert "ci ID 4, created 2026-01-10 00:00:00 UTC Owner this collection" in made.words


def test_a_token_that_the_visitor_does_not_see_is_not_revoked(billing: Browser) -> None:
    billing.add_token("elsewhere", Role.READER, scope={"subscription": "you"})
    elsewhere = billing.post(f"{ACCESS}/2/revoke")
    sign_in(billing, "one", Role.OWNER, **OF_ONE)
    wider = billing.post(f"{ACCESS}/1/revoke")
    nonsense = billing.post(f"{ACCESS}/x/revoke")

    assert "Token 2 does not exist." in elsewhere.words
    assert "Token 1 does not exist." in wider.words
    assert "Token x does not exist." in nonsense.words
    assert len(billing.rows("SELECT id FROM token")) == 3


def test_a_token_is_revoked_in_the_tab(billing: Browser) -> None:
    billing.post(ACCESS, FORM)

    done = billing.post(f"{ACCESS}/2/revoke", follow=False)

    assert done.header("location") == ACCESS
    assert "Token ci revoked." in billing.get(ACCESS).words
    assert billing.rows("SELECT id FROM token WHERE name = 'ci'") == []


def test_revoking_a_wider_token_tells_that_it_is_valid_elsewhere_too(billing: Browser) -> None:
    billing.add_token("group", Role.READER, scope=GROUP)
    billing.add_token("one", Role.READER, scope=OF_ONE)

    shown = billing.get(ACCESS)

    for where in ("server", "resource group"):
        note = f"This token is valid in the whole {where}, not only in this collection."
        # In the dialog, and in its place where scripts do not run.
        assert shown.words.count(note) == 2
    assert "You are signed in with this token." in shown.words


def test_revoking_the_own_token_signs_out(billing: Browser) -> None:
    done = billing.post(f"{ACCESS}/1/revoke")

    assert "You were signed in with it: sign in with another token." in done.words


@pytest.mark.parametrize("role", [Role.READER, Role.CONTRIBUTOR])
def test_whoever_is_no_owner_is_told_so_and_changes_nothing(billing: Browser, role: Role) -> None:
    billing.add_token("hidden", Role.READER, scope=OF_ONE)
    sign_in(billing, "visitor", role)
    before = billing.rows("SELECT id FROM token")
    csrf = billing.get("/about").csrf

    shown = billing.get(ACCESS)
    made = billing.post(ACCESS, FORM, csrf=csrf)
    revoked = billing.post(f"{ACCESS}/2/revoke", csrf=csrf)

    assert shown.status == 200
    assert "Only Owners see who has access" in shown.words
    assert f"Your token has the role {role}." in shown.words
    assert "hidden" not in shown.words
    assert 'name="role"' not in shown.text
    assert (made.status, revoked.status) == (403, 403)
    assert billing.rows("SELECT id FROM token") == before


def test_the_tab_of_a_collection_outside_the_scope_is_not_found(billing: Browser) -> None:
    sign_in(billing, "other", Role.OWNER, subscription="me", group="office")

    assert billing.get(ACCESS).status == 404
    assert billing.post(ACCESS, FORM).status == 404
    assert billing.post(f"{ACCESS}/1/revoke").status == 404
    assert len(billing.rows("SELECT id FROM token")) == 2


def test_no_token_is_created_for_a_collection_that_does_not_exist(billing: Browser) -> None:
    assert billing.post("/collections/me/home/none/access", FORM).status == 404
    assert len(billing.rows("SELECT id FROM token")) == 1


def test_all_problems_of_a_new_token_are_listed(billing: Browser) -> None:
    refused = billing.post(ACCESS, {"name": " ", "role": "king", "expires": "never"})

    assert refused.status == 400
    assert "Token not created: 3 problems." in refused.words
    for field in ("name", "role", "expires"):
        assert f'href="#{field}"' in refused.text
    assert len(billing.rows("SELECT id FROM token")) == 1


def test_a_form_of_another_site_creates_nothing(billing: Browser) -> None:
    refused = billing.post(ACCESS, FORM, origin="https://evil.test")
    forged = billing.post(ACCESS, FORM, csrf="x", origin=ORIGIN)

    assert (refused.status, forged.status) == (403, 403)
    assert len(billing.rows("SELECT id FROM token")) == 1


def test_the_tab_says_that_authentication_is_off(tmp_path: Path) -> None:
    form = {"subscription": "me", "group": "home", "collection": "Billing", "was": "{}"}
    with Browser(tmp_path, is_open=True) as browser:
        browser.host = "localhost:8080"
        browser.post("/collections", form)
        shown = browser.get(ACCESS)

    assert "The server runs without authentication" in shown.words


def test_a_hostile_token_name_is_shown_as_text(billing: Browser) -> None:
    billing.post(ACCESS, FORM | {"name": "<script>alert(1)</script>"})

    shown = billing.get(ACCESS)

    assert "<script>alert" not in shown.text
    assert "<script>alert(1)</script>" in shown.words
