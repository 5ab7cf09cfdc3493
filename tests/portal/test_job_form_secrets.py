"""Secrets in the job form: never shown, kept, replaced, entered again for a copy."""

from typing import Any

import pytest

from tests.portal.browser import JOB, Browser
from tests.portal.filling import filled, read_form
from tests.portal.jobs import (
    ACTION,
    EDIT,
    NEW,
    NOT_KEPT,
    SECRET,
    new_form,
    paragraph_at,
    problems_on,
    stored,
)
from tests.support import bodies
from tests.support.certificates import a_pfx

_PASSWORD = "properties.action.request.authentication.password"  # noqa: S105  (a field)
_URI = "properties.action.request.uri"
_SET = "•••••• (set)"


def test_a_refused_form_does_not_show_the_secret_again(billing: Browser) -> None:
    fields = {
        f"{ACTION}__request__authentication__type": "Basic",
        f"{ACTION}__request__authentication__password": SECRET,
        f"{ACTION}__request__uri": "nowhere",
    }

    refused = billing.send(NEW, filled(new_form(billing), **fields))

    assert refused.status == 400
    assert SECRET not in refused.text


def test_a_secret_must_be_entered_again_for_a_new_target(billing: Browser) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", bodies.basic(password=SECRET))
    page = billing.get(EDIT)

    refused = billing.send(
        EDIT,
        filled(read_form(page.text, EDIT), **{f"{ACTION}__request__uri": "https://evil.test/"}),
    )

    assert refused.status == 400
    start = refused.text.index('id="properties.action.request.authentication.password-problem"')
    assert "type the secret again in the form" in paragraph_at(refused.text, start)


def test_a_new_secret_replaces_the_old_one(billing: Browser) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", bodies.basic(password=SECRET[::-1]))
    page = billing.get(EDIT)

    billing.send(
        EDIT,
        filled(
            read_form(page.text, EDIT), **{f"{ACTION}__request__authentication__password": SECRET}
        ),
    )

    assert stored(billing).definition.action.part.authentication.password.reveal() == SECRET


@pytest.mark.parametrize(
    ("body", "labels"),
    [
        pytest.param(bodies.basic(password=SECRET), ["Password"], id="basic"),
        pytest.param(bodies.queue_job(sasToken=SECRET), ["Shared access signature"], id="queue"),
        pytest.param(
            bodies.certificate(pfx=a_pfx("client", SECRET).text, password=SECRET),
            ["Password", "Certificate with its key"],
            id="certificate",
        ),
        pytest.param(
            bodies.in_error_action(bodies.topic(sasKey=SECRET)),
            ["Error action: Key"],
            id="topic",
        ),
    ],
)
def test_a_copy_asks_for_the_secrets_of_the_original(
    billing: Browser, body: dict[str, Any], labels: list[str]
) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", body)
    page = billing.get(f"{JOB}/duplicate")

    refused = billing.send(NEW, read_form(page.text, NEW))

    assert f"Enter these again: {' '.join(labels)} " in page.words
    assert page.words.count("enter again") == len(labels)
    assert refused.status == 400
    assert sorted(problems_on(refused).values()) == sorted(
        f"{label} must be entered again: a copy does not include the secrets of the original."
        for label in labels
    )
    assert [each["name"] for each in billing.api("GET", "Billing/jobs")["value"]] == [
        "Billing/Nightly"
    ]
    assert ("copied" in dict(read_form(refused.text, NEW))) is True


def test_a_copy_without_authentication_needs_no_secret(billing: Browser) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", bodies.basic(password=SECRET))
    copy = read_form(billing.get(f"{JOB}/duplicate").text, NEW)

    saved = billing.send(NEW, filled(copy, **{f"{ACTION}__request__authentication__type": ""}))

    assert "Job created." in saved.words


def test_a_new_certificate_for_a_copy_needs_no_old_password(billing: Browser) -> None:
    body = bodies.certificate(pfx=a_pfx("client", SECRET).text, password=SECRET)
    billing.api("PUT", "Billing/jobs/Nightly", body)
    copy = read_form(billing.get(f"{JOB}/duplicate").text, NEW)
    pfx = "properties.action.request.authentication.pfx"

    refused = billing.send(NEW, filled(copy, **{pfx: a_pfx("client", SECRET).text}))

    assert problems_on(refused).keys() == {pfx}


@pytest.mark.parametrize(
    ("fields", "lost"),
    [
        pytest.param(
            {"request.authentication.type": "Basic", "request.authentication.password": SECRET},
            {"request.authentication.password": "Password"},
            id="basic",
        ),
        pytest.param(
            {
                "request.authentication.type": "StandardWebhooks",
                "request.authentication.secret": "whsec_" + "A" * 32,
            },
            {"request.authentication.secret": "Secret"},
            id="webhooks",
        ),
        pytest.param(
            {
                "request.authentication.type": "ClientCertificate",
                "request.authentication.pfx": a_pfx("client", SECRET).text,
                "request.authentication.password": SECRET,
            },
            {
                "request.authentication.pfx": "Certificate with its key",
                "request.authentication.password": "Password",
            },
            id="certificate",
        ),
        pytest.param(
            {"type": "StorageQueue", "queueMessage.sasToken": SECRET},
            {"queueMessage.sasToken": "Shared access signature"},
            id="queue",
        ),
        pytest.param(
            {
                "type": "ServiceBusQueue",
                "serviceBusQueueMessage.authentication.type": "sharedAccessKey",
                "serviceBusQueueMessage.authentication.sasKey": SECRET,
            },
            {"serviceBusQueueMessage.authentication.sasKey": "Key"},
            id="bus",
        ),
    ],
)
def test_a_refused_form_asks_for_the_secrets_that_were_typed(
    billing: Browser, fields: dict[str, str], lost: dict[str, str]
) -> None:
    typed = {f"properties.action.{name}": value for name, value in fields.items()}

    refused = billing.send(NEW, filled(new_form(billing), **typed, name="not a name"))

    asked = {field: words for field, words in problems_on(refused).items() if NOT_KEPT in words}
    assert asked == {
        f"properties.action.{name}": f"{label} {NOT_KEPT}" for name, label in lost.items()
    }
    assert all(f'id="{field}-problem"' in refused.text for field in asked)


def test_a_refused_change_does_not_show_the_typed_secret_as_set(billing: Browser) -> None:
    _with_password(billing, "old")
    form = read_form(billing.get(EDIT).text, EDIT)

    refused = billing.send(EDIT, filled(form, **{_PASSWORD: SECRET, "repeat": "cron"}))

    assert refused.status == 400
    assert problems_on(refused)[_PASSWORD] == f"Password {NOT_KEPT}"
    assert _SET not in refused.text
    assert SECRET not in refused.text


def test_a_secret_is_asked_for_until_the_form_is_saved(billing: Browser) -> None:
    _with_password(billing, "old")
    form = read_form(billing.get(EDIT).text, EDIT)
    wrong = {"properties.action.retryPolicy.retryType": "fixed"}
    wrong |= {"properties.action.retryPolicy.retryCount": "many"}
    refused = billing.send(EDIT, filled(form, **wrong, **{_PASSWORD: SECRET}))

    again = billing.send(EDIT, read_form(refused.text, EDIT))
    repaired = {"properties.action.retryPolicy.retryCount": "3", _PASSWORD: SECRET}
    saved = billing.send(EDIT, filled(read_form(again.text, EDIT), **repaired))

    assert problems_on(again)[_PASSWORD] == f"Password {NOT_KEPT}"
    assert "Saved." in saved.words
    assert stored(billing).definition.action.part.authentication.password.reveal() == SECRET


def test_a_secret_of_a_kind_that_is_no_longer_chosen_is_not_asked_for(billing: Browser) -> None:
    fields = {"properties.action.queueMessage.sasToken": SECRET, _URI: "nowhere"}

    refused = billing.send(NEW, filled(new_form(billing), **fields))

    assert problems_on(refused).keys() == {_URI}


def test_a_conflict_asks_for_the_secret_that_was_typed(billing: Browser) -> None:
    _with_password(billing, "old")
    form = read_form(billing.get(EDIT).text, EDIT)
    billing.api("PUT", "Billing/jobs/Nightly", bodies.basic(password="old", uri="https://b.test/"))  # noqa: S106

    shown = billing.send(EDIT, filled(form, **{_PASSWORD: SECRET}))

    start = shown.text.index(f'id="{_PASSWORD}-problem"')
    assert shown.status == 409
    assert NOT_KEPT in paragraph_at(shown.text, start)
    assert _SET not in shown.text
    assert shown.text.count('id="problems"') == 1


@pytest.mark.parametrize(
    ("body", "words"),
    [
        pytest.param(bodies.basic(password=None), "It has no password: its runs fail", id="basic"),
        pytest.param(bodies.oauth(secret=None), "It has no secret: its runs fail", id="oauth"),
        pytest.param(
            bodies.webhooks(secret=None), "It has no secret: its runs fail", id="webhooks"
        ),
        pytest.param(
            bodies.queue_job(sasToken=None),
            "It has no shared access signature: its runs fail",
            id="queue",
        ),
        pytest.param(bodies.bus(sasKey=None), "It has no key: its runs fail", id="bus"),
        pytest.param(
            bodies.in_error_action(bodies.topic(sasKey=None)),
            "Its error action has no key, and fails",
            id="error-action",
        ),
    ],
)
def test_saving_a_job_names_the_secret_that_it_lacks(
    billing: Browser, body: dict[str, Any], words: str
) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", body)

    saved = billing.send(EDIT, read_form(billing.get(EDIT).text, EDIT))

    assert "Saved." in saved.words
    assert f"{words} until one is set." in saved.words


@pytest.mark.parametrize(
    ("token", "words"),
    [
        pytest.param("hello", "This is not a SAS token: it has no signature (sig=).", id="no sig"),
        pytest.param(
            "?se=2020-01-01T00%3A00%3A00Z&sig=abc",
            "The SAS token has expired: it was good until 2020-01-01 00:00:00 UTC.",
            id="expired",
        ),
    ],
)
def test_a_storage_token_that_is_no_good_is_told_on_the_job_and_in_its_form(
    billing: Browser, token: str, words: str
) -> None:
    job = bodies.queue_job(sasToken=token)
    billing.api("PUT", "Billing/jobs/Nightly", job)
    billing.api("PUT", "Billing/jobs/Other", bodies.in_error_action(job))

    assert words in billing.get(JOB).words
    assert words in billing.get(EDIT).words
    assert f"Error action: {words}" in billing.get(JOB.replace("Nightly", "Other")).words


def test_a_storage_token_that_is_good_is_not_warned_of(billing: Browser) -> None:
    good = bodies.queue_job(sasToken="?sp=a&se=2099-01-01T00:00:00Z&sig=abc")
    billing.api("PUT", "Billing/jobs/Nightly", good)

    for page in (JOB, EDIT):
        assert "The SAS token" not in billing.get(page).words
        assert "not a SAS token" not in billing.get(page).words


def test_creating_a_job_names_the_secret_that_it_lacks(billing: Browser) -> None:
    fields = {"properties.action.request.authentication.type": "Basic"}
    fields |= {"properties.action.request.authentication.username": "me"}

    created = billing.send(NEW, filled(new_form(billing), **fields))

    assert "Job created." in created.words
    assert "It has no password: its runs fail until one is set." in created.words


def test_a_certificate_without_a_password_lacks_nothing(billing: Browser) -> None:
    body = bodies.certificate(pfx=a_pfx("client", "").text, password=None)
    billing.api("PUT", "Billing/jobs/Nightly", body)

    saved = billing.send(EDIT, read_form(billing.get(EDIT).text, EDIT))

    assert "Saved." in saved.words
    assert "It has no" not in saved.words


def _with_password(billing: Browser, password: str) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", bodies.basic(password=password))
