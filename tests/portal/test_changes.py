"""The tab Changes of jobs and collections, and the restoration of former versions."""

import re
from html import unescape

import pytest

from foliot.core.instant import format_instant
from foliot.core.model.history import AttemptStatus, RunOutcome
from foliot.core.model.run import Trigger
from foliot.core.model.token import Role
from tests.portal.browser import COLLECTION, OWNER, Browser, Shown
from tests.portal.filling import filled, read_form
from tests.portal.jobs import change, stored
from tests.support import bodies
from tests.support.builders import an_entry

JOB = f"{COLLECTION}/jobs/Nightly"
CHANGES = f"{JOB}/changes"
PASSWORD = "properties__action__request__authentication__password"  # noqa: S105  (a field)
SECRET = "m4rk-one"  # noqa: S105  (of a test)


def a_job(uri: str = "https://a.example/", **fields: object) -> dict[str, object]:
    signing = {"type": "Basic", "username": "u", "password": SECRET}
    request = {"uri": uri, "method": "POST", "body": "one", "authentication": signing, **fields}
    return {"properties": {"action": {"type": "Https", "request": request}, "state": "disabled"}}


def put(browser: Browser, body: dict[str, object]) -> None:
    browser.api("PUT", "Billing/jobs/Nightly", body)


def restore_links(shown: Shown) -> list[str]:
    return [
        unescape(each)
        for each in re.findall(rf'class="button small" href="({CHANGES}/\d+)"', shown.text)
    ]


def restore(browser: Browser, address: str) -> Shown:
    return browser.send(address, read_form(browser.get(address).text, address))


@pytest.fixture
def changed(billing: Browser) -> Browser:
    """Return a browser of an Owner, with a job that was created and changed."""
    put(billing, a_job())
    put(billing, a_job(body="two"))
    return billing


def test_a_job_shows_each_changed_field_before_and_after(changed: Browser) -> None:
    shown = changed.get(CHANGES)

    assert shown.status == 200
    assert f"{OWNER} updated the job" in shown.words
    assert "Field Before After Body one two" in shown.words
    assert f"{OWNER} created the job" in shown.words
    assert shown.words.index("updated the job") < shown.words.index("created the job")
    assert f'href="{CHANGES}"' in changed.get(JOB).text


def test_a_replaced_secret_is_shown_as_changed(changed: Browser) -> None:
    other = {"type": "Basic", "username": "u", "password": "m4rk-two"}
    put(changed, a_job(body="two", authentication=other, headers={"X-Api-Key": "m4rk-three"}))

    shown = changed.get(CHANGES)

    assert "Password (secret) changed" in shown.words
    assert "m4rk" not in shown.text


def test_a_former_version_is_restored_with_the_secrets_of_now(changed: Browser) -> None:
    (link,) = restore_links(changed.get(CHANGES))

    preview = changed.get(link)
    done = restore(changed, link)

    assert "Body two one" in preview.words
    assert "Not restored: the state, which stays disabled; passwords and keys" in preview.words
    assert "Version restored." in done.words
    part = stored(changed).definition.action.part
    assert (part.body, part.authentication.password.reveal()) == ("one", SECRET)
    assert changed.get(CHANGES).words.count("updated the job") == 2


def test_a_version_whose_secret_went_to_another_host_opens_in_the_form(changed: Browser) -> None:
    put(changed, a_job("https://b.example/"))
    link = restore_links(changed.get(CHANGES))[0]

    shown = changed.get(link)
    form = changed.get(f"{link}/form")

    assert "type the secret again in the form" in shown.words
    assert f'action="{link}"' not in shown.text
    assert 'value="https://a.example/"' in form.text
    assert "Nothing is saved yet." in form.words
    edit = f"{JOB}/edit"
    pairs = filled(
        read_form(form.text, edit),
        **{PASSWORD: "again"},
    )
    assert "Saved." in changed.send(edit, pairs).words
    part = stored(changed).definition.action.part
    assert (part.uri, part.authentication.password.reveal()) == ("https://a.example/", "again")


def test_a_credential_header_is_restored_only_for_the_same_host(billing: Browser) -> None:
    key = {"X-Api-Key": "m4rk-key"}
    put(billing, bodies.request_job(uri="http://a/", body="one", headers=key))
    put(billing, bodies.request_job(uri="http://a/", body="two", headers=key))
    put(billing, bodies.request_job(uri="http://b/", body="two", headers={}))
    to_a, same_host = restore_links(billing.get(CHANGES))

    assert "Headers" in billing.get(to_a).words.split("Open the form and enter them again:")[1]
    assert "no longer has these" in billing.get(same_host).words
    assert "m4rk" not in billing.get(to_a).text + billing.get(same_host).text

    put(billing, bodies.request_job(uri="http://a/", body="three", headers=key))
    assert "Version restored." in restore(billing, same_host).words
    part = stored(billing).definition.action.part
    assert (part.body, part.headers) == ("one", key)


def test_a_plain_header_of_stars_is_restored_as_it_was(billing: Browser) -> None:
    for stars in ("***", "other"):
        put(billing, bodies.request_job(uri="http://a/", headers={"X-Stars": stars}))

    (first,) = restore_links(billing.get(CHANGES))
    restore(billing, first)

    assert stored(billing).definition.action.part.headers == {"X-Stars": "***"}


def test_an_address_with_a_credential_is_restored_if_the_job_still_has_it(billing: Browser) -> None:
    uri = "http://a/?sig=m4rk-sig"
    put(billing, bodies.request_job(uri=uri, body="one"))
    put(billing, bodies.request_job(uri=uri, body="two"))
    (link,) = restore_links(billing.get(CHANGES))

    assert "Version restored." in restore(billing, link).words
    assert stored(billing).definition.action.part.uri == uri

    put(billing, bodies.request_job(uri="http://a/", body="two"))
    assert "Address" in billing.get(link).words.split("enter them again:")[1]


def test_a_restoration_does_not_overwrite_a_newer_change(changed: Browser) -> None:
    (link,) = restore_links(changed.get(CHANGES))
    pairs = read_form(changed.get(link).text, link)
    put(changed, a_job(body="three"))

    refused = changed.send(link, pairs)

    assert refused.status == 409
    assert "The job was changed meanwhile." in refused.words
    assert stored(changed).definition.action.part.body == "three"
    assert "Version restored." in changed.send(link, read_form(refused.text, link)).words


def test_a_version_that_the_job_has_now_needs_no_restoration(changed: Browser) -> None:
    (link,) = restore_links(changed.get(CHANGES))
    put(changed, a_job())

    shown = changed.get(link).words
    assert "except for its passwords and keys: former ones are not kept." in shown
    assert "There is nothing to restore." in shown


def test_a_deleted_job_is_created_again_from_its_last_version(changed: Browser) -> None:
    changed.api("DELETE", "Billing/jobs/Nightly")
    listed = changed.get(f"{COLLECTION}/changes?only=deleted")
    (link,) = restore_links(listed)

    form = changed.get(link)

    assert "deleted the job Nightly" in listed.words
    assert "does not exist any more" in changed.get(CHANGES).words
    assert "Its history of runs is not restored." in form.words
    assert SECRET not in form.text
    new = f"{COLLECTION}/new"
    pairs = read_form(form.text, new)
    assert "must be entered again" in changed.send(new, pairs).words
    typed = filled(pairs, **{PASSWORD: "again"})
    assert "Job created." in changed.send(new, typed).words
    part = stored(changed).definition.action.part
    assert (part.body, part.authentication.password.reveal()) == ("two", "again")


def test_a_collection_shows_changes_of_itself_and_its_jobs(changed: Browser) -> None:
    changed.api("PATCH", "Billing", {"tags": {"team": "pay"}})

    words = changed.get(f"{COLLECTION}/changes").words

    assert "updated the collection Billing" in words
    assert "Tags team: pay" in words or "team" in words
    assert "updated the job Nightly" in words
    assert f'href="{COLLECTION}/changes"' in changed.get(COLLECTION).text


def test_a_contributor_sees_names_but_no_addresses_and_tokens(changed: Browser) -> None:
    changed.post(
        f"{COLLECTION}/access",
        {"name": "reader-of-billing", "role": "Reader"},
    )
    owner = changed.get(f"{COLLECTION}/changes").words
    changed.add_token("ann", Role.CONTRIBUTOR)
    changed.sign_in("ann")

    job, collection = changed.get(CHANGES).words, changed.get(f"{COLLECTION}/changes").words

    assert "From 127.0.0.1, token 1." in owner
    assert "reader-of-billing" in owner
    assert f"{OWNER} updated the job" in job
    assert "127.0.0.1" not in job + collection
    assert "reader-of-billing" not in collection


def test_a_reader_sees_no_changes(changed: Browser) -> None:
    (link,) = restore_links(changed.get(CHANGES))
    changed.add_token("rita", Role.READER)
    changed.sign_in("rita")

    assert ">Changes<" not in changed.get(JOB).text
    for path in (CHANGES, f"{COLLECTION}/changes", link, f"{link}/form"):
        assert changed.get(path).status == 403
    assert changed.post(link, csrf=changed.get("/about").csrf).status == 403


def test_a_caller_of_another_scope_sees_no_changes(changed: Browser) -> None:
    (link,) = restore_links(changed.get(CHANGES))
    scope = {"subscription": "me", "group": "home", "collection": "other"}
    changed.add_token("theirs", Role.OWNER, scope=scope)
    changed.sign_in("theirs")

    for path in (CHANGES, f"{COLLECTION}/changes", link, f"{link}/form"):
        assert changed.get(path).status == 404


def test_a_change_of_another_job_is_not_found_at_this_one(changed: Browser) -> None:
    changed.api("PUT", "Billing/jobs/Other", a_job())
    (link,) = restore_links(changed.get(CHANGES))
    number = link.rpartition("/")[2]

    for path in (f"{COLLECTION}/jobs/Other/changes/{number}", f"{CHANGES}/x", f"{CHANGES}/0"):
        assert changed.get(path).status == 404
    assert changed.get(f"{COLLECTION}/jobs/Nobody/changes").status == 404


def test_older_changes_are_on_further_pages(changed: Browser) -> None:
    for number in range(30):
        put(changed, a_job(body=str(number)))

    first = changed.get(CHANGES)
    pages = first.text.partition('aria-label="Pages"')[2]
    link = unescape(pages.partition('href="')[2].partition('"')[0])
    second = changed.get(link)

    assert first.words.count("updated the job") == 25
    assert second.words.count("updated the job") == 6
    assert "Newest" in second.words


def test_changes_say_in_the_past_what_somebody_did_with_runs(changed: Browser) -> None:
    failed = an_entry(
        stored(changed).id,
        second=-5,
        status=AttemptStatus.FAILED,
        trigger=Trigger.SCHEDULE,
        outcome=RunOutcome.FAILED,
    )
    change(changed, lambda to: to.add_history(failed))

    changed.post(f"{JOB}/run")
    tag = changed.get(f"{JOB}/runs").text.split('name="tag" value="')[1].split('"')[0]
    changed.post(f"{JOB}/cancel-run", {"tag": tag})
    changed.post(f"{JOB}/rerun", {"planned": format_instant(failed.expected_at)})

    words = changed.get(CHANGES).words
    assert f"{OWNER} ran the job" in words
    assert f"{OWNER} canceled runs of the job" in words
    assert f"{OWNER} started reruns of the job" in words
