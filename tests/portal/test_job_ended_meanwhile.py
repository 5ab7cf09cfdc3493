"""A job that is deleted or ends while a user edits it: no input is lost."""

import json
from typing import Any

import pytest

from tests.portal.browser import COLLECTION, JOB, Browser
from tests.portal.filling import filled, read_form
from tests.portal.jobs import change, ended, names, problems_on, stored, with_job
from tests.support import bodies
from tests.support.api_client import http_job

NEW = f"{COLLECTION}/new"
EDIT = f"{JOB}/edit"
JSON = f"{JOB}/json"
URI = "properties.action.request.uri"
PASSWORD = "properties.action.request.authentication.password"  # noqa: S105  (the name of a field)


def typed(browser: Browser, **fields: Any) -> list[tuple[str, str]]:
    return filled(read_form(browser.get(EDIT).text, EDIT), **fields)


def test_the_edits_of_a_deleted_job_can_create_it_again(
    billing: Browser,
) -> None:
    with_job(billing, recurrence={"frequency": "day", "interval": 3})
    form = typed(billing, **{URI: "http://typed.test/"})
    billing.api("DELETE", "Billing/jobs/Nightly")

    shown = billing.send(EDIT, form)
    created = billing.send(NEW, read_form(shown.text, NEW))

    assert shown.status == 409
    assert "Job 'Nightly' was deleted while you were editing it." in shown.words
    assert 'value="http://typed.test/"' in shown.text
    assert "Job created." in created.words
    properties = billing.api("GET", "Billing/jobs/Nightly")["properties"]
    assert properties["action"]["request"]["uri"] == "http://typed.test/"
    assert properties["recurrence"] == {"frequency": "day", "interval": 3}


def test_invalid_edits_of_a_deleted_job_are_problems_of_the_new_job_form(billing: Browser) -> None:
    with_job(billing)
    form = typed(billing, **{URI: "nowhere"})
    billing.api("DELETE", "Billing/jobs/Nightly")

    shown = billing.send(EDIT, form)
    refused = billing.send(NEW, read_form(shown.text, NEW))

    assert "was deleted while you were editing it" in shown.words
    assert problems_on(refused).keys() == {URI}


@pytest.mark.parametrize("given", ["", "another"])
def test_the_secrets_of_a_deleted_job_must_be_entered_again(billing: Browser, given: str) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", bodies.basic(password="first"))  # noqa: S106
    form = typed(billing, **{PASSWORD: given})
    billing.api("DELETE", "Billing/jobs/Nightly")

    shown = billing.send(EDIT, form)
    refused = billing.send(NEW, read_form(shown.text, NEW))

    assert "Enter its passwords and keys again." in shown.words
    assert problems_on(refused) == {
        PASSWORD: "Password must be entered again: it was deleted with the job."
    }
    created = billing.send(NEW, filled(read_form(refused.text, NEW), **{PASSWORD: "again"}))
    assert "Job created." in created.words


def test_the_json_of_a_deleted_job_can_create_it_again(billing: Browser) -> None:
    with_job(billing)
    body = json.dumps(http_job("http://typed.test/"))
    form = filled(read_form(billing.get(JSON).text, JSON), json=body)
    billing.api("DELETE", "Billing/jobs/Nightly")

    shown = billing.send(JSON, form)
    again = read_form(shown.text, f"{JOB}/create")
    refused = billing.send(f"{JOB}/create", filled(again, json="{"))
    created = billing.send(f"{JOB}/create", again)

    assert shown.status == 409
    assert "Job 'Nightly' was deleted while you were editing it." in shown.words
    assert dict(again)["json"] == body
    assert refused.status == 400
    assert "The text is not JSON" in refused.words
    assert "Job created." in created.words
    assert stored(billing).definition.action.part.uri == "http://typed.test/"


def test_the_json_of_a_deleted_job_does_not_replace_a_new_job_of_its_name(billing: Browser) -> None:
    with_job(billing)
    form = read_form(billing.get(JSON).text, JSON)
    billing.api("DELETE", "Billing/jobs/Nightly")
    again = read_form(billing.send(JSON, form).text, f"{JOB}/create")
    billing.api("PUT", "Billing/jobs/Nightly", http_job("http://theirs.test/"))

    refused = billing.send(f"{JOB}/create", again)

    assert refused.status == 409
    assert "Job 'Nightly' exists already; choose another name." in refused.words
    assert stored(billing).definition.action.part.uri == "http://theirs.test/"


def test_the_edits_of_a_job_that_ended_can_be_saved_as_a_copy(billing: Browser) -> None:
    with_job(billing)
    form = typed(billing, **{URI: "http://typed.test/"})
    job = stored(billing)
    change(billing, lambda to: to.save_job(ended(job)))

    shown = billing.send(EDIT, form)
    created = billing.send(NEW, read_form(shown.text, NEW))

    assert shown.status == 409
    assert "Job 'Nightly' is completed and can no longer be changed." in shown.words
    assert "Job created." in created.words
    assert stored(billing, "Nightly-copy").definition.action.part.uri == "http://typed.test/"
    assert stored(billing).definition == job.definition


def test_editing_a_job_that_has_ended_opens_the_form_for_a_copy(billing: Browser) -> None:
    with_job(billing)
    job = stored(billing)
    change(billing, lambda to: to.save_job(ended(job)))

    shown = billing.get(EDIT)
    created = billing.send(NEW, read_form(shown.text, NEW))

    assert "Job 'Nightly' is completed and can no longer be changed." in shown.words
    assert "Copy of Nightly" in shown.words
    assert "Job created." in created.words
    assert names(billing) == ["Nightly", "Nightly-copy"]


def test_the_name_of_a_copy_is_not_too_long(billing: Browser) -> None:
    name = "n" * 100
    with_job(billing, name)

    copy = read_form(billing.get(f"{COLLECTION}/jobs/{name}/duplicate").text, NEW)
    created = billing.send(NEW, copy)

    assert dict(copy)["name"] == "n" * 95 + "-copy"
    assert "Job created." in created.words
