"""Two users edit the same job."""

import json
from typing import Any

from msgspec import structs

from foliot.core.model.history import RunOutcome
from foliot.core.model.job import JobState
from tests.portal.browser import JOB, OWNER, Browser
from tests.portal.filling import filled, read_form
from tests.portal.jobs import ACTION, EDIT, RECURRENCE, change, stored, with_job
from tests.support import bodies
from tests.support.api_client import http_job


def test_a_save_does_not_overwrite_another_users_change(billing: Browser) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", http_job())
    pairs = read_form(billing.get(EDIT).text, EDIT)
    billing.api("PUT", "Billing/jobs/Nightly", http_job("http://other.test/"))

    refused = billing.send(EDIT, pairs)

    assert refused.status == 409
    assert f"{OWNER} changed this job while you were editing it" in refused.words
    assert "Last change: 2026-01-10 00:00:00 UTC" in refused.words
    assert stored(billing).definition.action.part.uri == "http://other.test/"


def test_conflicting_edits_of_a_job_can_be_merged(billing: Browser) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", bodies.request_job(uri="http://a/", body="one"))
    mine = filled(
        read_form(billing.get(EDIT).text, EDIT),
        **{f"{ACTION}__request__uri": "http://mine/", f"{ACTION}__request__headers:name": ["A"]},
        **{f"{ACTION}__request__headers:value": ["1"]},
    )
    theirs = bodies.request_job(uri="http://theirs/", body="two", headers={"A": "2"})
    billing.api("PUT", "Billing/jobs/Nightly", theirs)

    shown = billing.send(EDIT, mine)
    again = billing.send(
        EDIT,
        [*read_form(shown.text, EDIT), ("take", "properties.action.request.headers")],
    )

    assert shown.status == 409
    assert "which you did not change, now have the new values: Field Before Now Body one two" in (
        shown.words
    )
    assert "Address http://mine/ http://theirs/" in shown.words
    assert "Headers A: 1 A: 2" in shown.words
    assert "Saved." in again.words
    part = stored(billing).definition.action.part
    assert (part.uri, part.body, part.headers) == ("http://mine/", "two", {"A": "2"})


def test_conflicting_lists_are_shown_in_order(billing: Browser) -> None:
    def weekly(*days: str, hours: list[int]) -> dict[str, Any]:
        schedule = {"weekDays": [*days], "hours": hours}
        return http_job(recurrence={"frequency": "week", "schedule": schedule})

    billing.api("PUT", "Billing/jobs/Nightly", weekly("monday", hours=[1]))
    form = read_form(billing.get(EDIT).text, EDIT)
    billing.api("PUT", "Billing/jobs/Nightly", weekly("friday", hours=[3, 2]))

    shown = billing.send(
        EDIT,
        filled(
            form,
            **{
                f"{RECURRENCE}__schedule__weekDays": ["tuesday"],
                f"{RECURRENCE}__schedule__hours": ["2", "3"],
            },
        ),
    )

    assert "On these days Tuesday Friday" in shown.words
    assert "which you did not change" not in shown.words
    assert "At these hours 2" not in shown.words


def test_conflicting_json_is_shown_beside_the_stored_json(billing: Browser) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", http_job())
    path = f"{JOB}/json"
    form = read_form(billing.get(path).text, path)
    billing.api("PUT", "Billing/jobs/Nightly", http_job("http://theirs/"))

    mine = filled(form, json=json.dumps(http_job("http://mine/")))
    shown = billing.send(path, mine)
    again = billing.send(path, read_form(shown.text, path))

    assert shown.status == 409
    assert "http://theirs/" in shown.words
    assert "Saved." in again.words
    assert stored(billing).definition.action.part.uri == "http://mine/"


def test_json_changes_of_different_fields_are_merged(billing: Browser) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", bodies.request_job(uri="http://a/", body="one"))
    path = f"{JOB}/json"
    form = read_form(billing.get(path).text, path)
    written = json.loads(dict(form)["json"])
    written["properties"]["action"]["request"]["uri"] = "http://mine/"
    written["properties"]["description"] = "mine"
    theirs = bodies.request_job(uri="http://theirs/", body="two")
    billing.api("PUT", "Billing/jobs/Nightly", theirs)

    shown = billing.send(path, filled(form, json=json.dumps(written)))
    again = billing.send(path, read_form(shown.text, path))

    assert shown.status == 409
    assert f"{OWNER} changed this job while you were editing it" in shown.words
    assert "merged into the JSON below: Field Before Now Body one two" in shown.words
    assert "Yours Theirs Address http://mine/ http://theirs/" in shown.words
    assert "Saved." in again.words
    definition = stored(billing).definition
    part = definition.action.part
    assert (part.uri, part.body, definition.description) == ("http://mine/", "two", "mine")


def test_json_that_another_user_removed_stays_removed(billing: Browser) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", bodies.request_job(uri="http://a/", body="one"))
    path = f"{JOB}/json"
    form = read_form(billing.get(path).text, path)
    written = json.loads(dict(form)["json"])
    written["properties"]["description"] = "mine"
    billing.api("PUT", "Billing/jobs/Nightly", bodies.request_job(uri="http://a/"))

    shown = billing.send(path, filled(form, json=json.dumps(written)))
    billing.send(path, read_form(shown.text, path))

    definition = stored(billing).definition
    assert (definition.action.part.body, definition.description) == (None, "mine")


def test_a_form_without_the_original_job_is_a_conflict(billing: Browser) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", http_job())

    shown = billing.send(EDIT, filled(read_form(billing.get(EDIT).text, EDIT), was="[]"))

    assert shown.status == 409


def opened_edit(billing: Browser, **properties: Any) -> list[tuple[str, str]]:
    """Return the form of a job with a description that was typed."""
    with_job(billing, **properties)
    return filled(read_form(billing.get(EDIT).text, EDIT), properties__description="mine")


def test_a_save_does_not_enable_a_job_that_somebody_disabled(billing: Browser) -> None:
    form = opened_edit(billing)
    billing.post(f"{JOB}/disable")

    shown = billing.send(EDIT, form)

    assert shown.status == 409
    assert f"{OWNER} changed this job while you were editing it" in shown.words
    assert "now have the new values: Field Before Now State enabled disabled" in shown.words
    assert stored(billing).state is JobState.DISABLED
    assert "Saved." in billing.send(EDIT, read_form(shown.text, EDIT)).words
    assert stored(billing).state is JobState.DISABLED
    assert stored(billing).definition.description == "mine"


def test_a_save_does_not_disable_a_job_that_somebody_enabled(billing: Browser) -> None:
    form = opened_edit(billing, state="disabled")
    billing.post(f"{JOB}/enable")

    shown = billing.send(EDIT, form)
    billing.send(EDIT, read_form(shown.text, EDIT))

    assert "State disabled enabled" in shown.words
    assert stored(billing).state is JobState.ENABLED


def test_the_json_of_a_job_that_somebody_disabled_is_a_conflict(billing: Browser) -> None:
    with_job(billing)
    path = f"{JOB}/json"
    form = read_form(billing.get(path).text, path)
    written = json.loads(dict(form)["json"])
    written["properties"]["description"] = "mine"
    billing.post(f"{JOB}/disable")

    shown = billing.send(path, filled(form, json=json.dumps(written)))
    billing.send(path, read_form(shown.text, path))

    assert "State enabled disabled" in shown.words
    job = stored(billing)
    assert (job.state, job.definition.description) == (JobState.DISABLED, "mine")


def test_a_save_does_not_enable_a_job_that_its_policy_disabled(billing: Browser) -> None:
    form = opened_edit(billing, recurrence={"frequency": "day"})
    job = structs.replace(stored(billing), consecutive_failures=5)
    why = "5 runs in a row were given up"
    paused = structs.replace(job, state=JobState.DISABLED, next_at=None, paused_because=why)
    change(billing, lambda to: to.advance_job(paused))

    shown = billing.send(EDIT, form)

    assert "Not saved yet: its policy changed this job while you were editing it." in shown.words
    assert "Last change" not in shown.words
    assert "The job was disabled by its policy: 5 runs in a row were given up." in shown.words
    assert "State enabled disabled" in shown.words
    assert stored(billing).paused_because == why


def test_a_job_that_ran_meanwhile_is_no_conflict(billing: Browser) -> None:
    form = opened_edit(billing, recurrence={"frequency": "day"})
    job = stored(billing)
    ran = structs.replace(
        job,
        occurrence=3,
        failure_count=1,
        consecutive_failures=1,
        last_execution_at=job.calendar_at,
        last_outcome=RunOutcome.FAILED,
    )
    change(billing, lambda to: to.advance_job(ran))

    saved = billing.send(EDIT, form)

    assert "Saved." in saved.words
    assert stored(billing).definition.description == "mine"
    assert stored(billing).occurrence == 3
