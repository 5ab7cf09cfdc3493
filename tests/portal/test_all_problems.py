"""The job form lists all its problems at once."""

from typing import Any

import pytest

from tests.portal.browser import JOB, Browser
from tests.portal.filling import filled, read_form
from tests.portal.jobs import NEW, new_form, problems_on, refused_on, stored, with_job
from tests.support import bodies
from tests.support.certificates import a_pfx

EDIT = f"{JOB}/edit"
REQUEST = "properties.action.request"
INTERVAL, COUNT = "properties.recurrence.interval", "properties.recurrence.count"
CRON = "properties.recurrence.cron"
METHOD, URI = f"{REQUEST}.method", f"{REQUEST}.uri"
SIGNING = f"{REQUEST}.authentication"
PASSWORD, PFX = f"{SIGNING}.password", f"{SIGNING}.pfx"

WRONG = {
    "letters for numbers": {INTERVAL: "x", COUNT: "x", METHOD: "G T"},
    "numbers out of range": {INTERVAL: "0", COUNT: "-1", METHOD: "@"},
    "nothing and nonsense": {METHOD: "", INTERVAL: "GET", URI: "x"},
    "a schedule and an action": {
        "first": "at",
        "properties.startTime": "2099-01-01T00:00:00Z",
        METHOD: "x y",
        f"{SIGNING}.type": "ActiveDirectoryOAuth",
        f"{SIGNING}.tenant": "..",
    },
}
TOLD = {name: set(fields) - {f"{SIGNING}.type", "first"} for name, fields in WRONG.items()}


@pytest.mark.parametrize("name", WRONG)
def test_a_new_job_form_lists_all_its_problems(billing: Browser, name: str) -> None:
    refused = billing.send(NEW, filled(new_form(billing), **WRONG[name]))

    assert refused.status == 400
    assert problems_on(refused).keys() >= TOLD[name]


@pytest.mark.parametrize("name", WRONG)
def test_an_edit_form_lists_all_its_problems(billing: Browser, name: str) -> None:
    with_job(billing, recurrence={"frequency": "day", "interval": 2})
    form = read_form(billing.get(EDIT).text, EDIT)

    refused = billing.send(EDIT, filled(form, **WRONG[name]))

    assert refused.status == 400
    assert problems_on(refused).keys() >= TOLD[name]


def test_an_invalid_cron_expression_is_the_only_problem_of_its_schedule(billing: Browser) -> None:
    with_job(billing, recurrence={"frequency": "day", "interval": 2})
    wrong = {"repeat": "cron", CRON: "0 25 * * *"}

    created = billing.send(NEW, filled(new_form(billing), **wrong))
    changed = billing.send(EDIT, filled(read_form(billing.get(EDIT).text, EDIT), **wrong))

    assert problems_on(created).keys() == {CRON}
    assert problems_on(changed).keys() == {CRON}


def test_an_invalid_address_causes_no_problem_of_the_stored_password(billing: Browser) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", bodies.basic(password="kept"))  # noqa: S106
    form = read_form(billing.get(EDIT).text, EDIT)

    refused = billing.send(EDIT, filled(form, **{URI: "nowhere"}))

    assert problems_on(refused).keys() == {URI}


def test_a_password_to_enter_again_is_listed_with_the_other_problems(
    billing: Browser,
) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", bodies.basic(password="kept"))  # noqa: S106
    form = read_form(billing.get(EDIT).text, EDIT)

    refused = billing.send(EDIT, filled(form, **{URI: "https://other.test/", METHOD: "@"}))

    assert problems_on(refused).keys() == {METHOD, PASSWORD}


def certificate(password: str = "right", **fields: Any) -> dict[str, Any]:  # noqa: S107
    return {
        f"{SIGNING}.type": "ClientCertificate",
        PFX: a_pfx("client", "right").text,
        PASSWORD: password,
        **fields,
    }


def test_the_form_creates_a_job_with_a_certificate(billing: Browser) -> None:
    created = billing.send(NEW, filled(new_form(billing), **certificate()))

    assert "Job created." in created.words, created.words
    assert stored(billing).definition.action.part.authentication.thumbprint


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        pytest.param({"password": "wrong", COUNT: "-1"}, {PFX, COUNT}, id="the certificate, too"),
        pytest.param({METHOD: "@", COUNT: "-1"}, {METHOD, COUNT}, id="the certificate is good"),
        pytest.param({PFX: "", COUNT: "-1"}, {PFX, COUNT}, id="no certificate"),
    ],
)
def test_a_certificate_hides_no_other_problem(
    billing: Browser, fields: dict[str, str], told: set[str]
) -> None:
    refused = billing.send(NEW, filled(new_form(billing), **certificate(**fields)))

    assert refused_on(refused) == told


def test_two_certificates_that_cannot_be_opened_are_both_listed(billing: Browser) -> None:
    fields = certificate("wrong")
    inner = {
        name.replace("properties.action", "properties.action.errorAction"): value
        for name, value in fields.items()
    }
    error_request = "properties.action.errorAction.request"
    inner |= {"properties.action.errorAction.type": "Https", f"{error_request}.method": "GET"}
    inner[f"{error_request}.uri"] = "https://127.0.0.1/"

    refused = billing.send(NEW, filled(new_form(billing), **fields, **inner))

    assert refused_on(refused) == {PFX, f"{error_request}.authentication.pfx"}
