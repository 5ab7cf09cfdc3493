"""Secrets in the job form: never shown, kept, replaced, entered again for a copy."""

from typing import Any

import pytest

from tests.portal.browser import JOB, Browser
from tests.portal.filling import filled, read_form
from tests.portal.jobs import ACTION, EDIT, NEW, SECRET, new_form, paragraph_at, problems_on, stored
from tests.support import bodies
from tests.support.certificates import a_pfx


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
    assert "send the secret again" in paragraph_at(refused.text, start)


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
