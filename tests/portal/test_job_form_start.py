"""The start of a job in the form: set by the form, set again for another schedule, or chosen."""

from typing import Any
from urllib.parse import urlencode

import pytest

from tests.portal.browser import COLLECTION, JOB, Browser
from tests.portal.filling import filled, read_form
from tests.portal.jobs import (
    EDIT,
    NEW,
    RECURRENCE,
    names,
    new_form,
    problems_on,
    stored,
    with_job,
)

EVERY_MINUTE = {f"{RECURRENCE}__frequency": "minute"}
MORNING = "2026-01-12T03:00:30Z"


def with_daily_job(billing: Browser, **fields: Any) -> None:
    """Create a job with the form that runs at 09:00 every day."""
    billing.set_time(MORNING)
    billing.sign_in()
    billing.send(NEW, filled(new_form(billing), **fields))


def properties_of(billing: Browser, name: str = "Nightly") -> dict[str, Any]:
    return billing.api("GET", f"Billing/jobs/{name}")["properties"]


def test_a_start_that_the_form_set_is_set_again_for_a_changed_schedule(billing: Browser) -> None:
    with_daily_job(billing)
    form = read_form(billing.get(EDIT).text, EDIT)

    saved = billing.send(EDIT, filled(form, **EVERY_MINUTE))

    assert dict(form)["first"] == ""
    assert "Saved." in saved.words, saved.words
    assert properties_of(billing)["startTime"] == "2026-01-12T03:01:00Z"
    assert properties_of(billing)["status"]["nextExecutionTime"] == "2026-01-12T03:01:00Z"


def test_the_preview_shows_the_first_run_of_a_changed_schedule(billing: Browser) -> None:
    with_daily_job(billing)
    form = filled(read_form(billing.get(EDIT).text, EDIT), **EVERY_MINUTE)
    sent = urlencode([pair for pair in form if not pair[0].startswith(("was", "csrf"))])

    shown = billing.part(f"{COLLECTION}/preview?{sent}")

    assert "1 Mon 2026-01-12 03:01" in shown.words


def test_a_copy_gets_a_start_for_its_own_schedule(billing: Browser) -> None:
    with_daily_job(billing)
    form = read_form(billing.get(f"{JOB}/duplicate").text, NEW)

    billing.send(NEW, filled(form, **EVERY_MINUTE))

    assert dict(form)["first"] == ""
    assert properties_of(billing, "Nightly-copy")["startTime"] == "2026-01-12T03:01:00Z"


def test_a_schedule_that_has_begun_keeps_its_start(billing: Browser) -> None:
    with_daily_job(billing, **{f"{RECURRENCE}__interval": "2"})
    billing.set_time("2026-01-13T10:00:00Z")
    billing.sign_in()
    form = read_form(billing.get(EDIT).text, EDIT)

    billing.send(EDIT, filled(form, time="11:00"))

    # The next run stays on the 14th, two days after the first one.
    assert dict(form)["first"] == ""
    assert properties_of(billing)["status"]["nextExecutionTime"] == "2026-01-14T11:00:00Z"


def test_a_start_that_the_user_chose_stays(billing: Browser) -> None:
    with_daily_job(billing, first="at", properties__startTime="2026-02-01T08:00")
    form = read_form(billing.get(EDIT).text, EDIT)

    billing.send(EDIT, filled(form, **EVERY_MINUTE))

    assert dict(form)["first"] == "at"
    assert properties_of(billing)["startTime"] == "2026-02-01T08:00:00Z"


def test_a_user_can_give_up_a_start_that_was_chosen(billing: Browser) -> None:
    with_daily_job(billing, first="at", properties__startTime="2026-02-01T08:00")

    billing.send(EDIT, filled(read_form(billing.get(EDIT).text, EDIT), first=""))

    assert properties_of(billing)["startTime"] == "2026-01-12T09:00:00Z"


def test_a_save_without_changes_keeps_the_start_that_the_form_set(billing: Browser) -> None:
    with_daily_job(billing)
    before = stored(billing)

    billing.send(EDIT, read_form(billing.get(EDIT).text, EDIT))

    assert stored(billing).definition == before.definition
    assert stored(billing).next_at == before.next_at


def test_a_refused_form_still_leaves_the_start_to_the_form(billing: Browser) -> None:
    with_daily_job(billing)
    form = filled(read_form(billing.get(EDIT).text, EDIT), **EVERY_MINUTE)

    refused = billing.send(EDIT, filled(form, **{f"{RECURRENCE}__interval": "x"}))
    again = filled(read_form(refused.text, EDIT), **{f"{RECURRENCE}__interval": "1"})
    billing.send(EDIT, again)

    assert refused.status == 400
    assert properties_of(billing)["startTime"] == "2026-01-12T03:01:00Z"


def test_a_conflict_still_leaves_the_start_to_the_form(billing: Browser) -> None:
    with_daily_job(billing)
    form = filled(read_form(billing.get(EDIT).text, EDIT), **EVERY_MINUTE)
    billing.send(
        EDIT, filled(read_form(billing.get(EDIT).text, EDIT), properties__description="theirs")
    )

    conflict = billing.send(EDIT, form)
    saved = billing.send(EDIT, read_form(conflict.text, EDIT))

    assert conflict.status == 409
    assert "Saved." in saved.words, saved.words
    assert properties_of(billing)["description"] == "theirs"
    assert properties_of(billing)["startTime"] == "2026-01-12T03:01:00Z"


def test_the_begin_of_a_schedule_is_told_in_the_zone_of_the_schedule(billing: Browser) -> None:
    billing.cookies["foliot-zone"] = "America/New_York"
    daily = {"frequency": "day", "schedule": {"hours": [9], "minutes": [0]}}
    with_job(billing, recurrence=daily, startTime="2026-02-01T09:00:00Z")
    with_job(
        billing, "Prague", recurrence=daily | {"timeZone": "Europe/Prague"}, startTime="2026-02-01"
    )

    for name, words in (
        ("Nightly", "Every day at 09:00 UTC, from 2026-02-01 09:00 UTC"),
        ("Prague", "Every day at 09:00 Europe/Prague time, from 2026-02-01 00:00 Europe/Prague"),
    ):
        page = billing.get(JOB.replace("Nightly", name))
        assert words in page.words
        assert f">{words}" in page.text, "no script writes it in another zone"


def test_the_page_of_a_job_says_when_its_schedule_begins(billing: Browser) -> None:
    with_daily_job(billing, first="at", properties__startTime="2026-02-01T09:00")
    before = billing.get(JOB)
    billing.set_time("2026-02-01T09:00:00Z")
    billing.sign_in()

    assert "Every day at 09:00 UTC, from 2026-02-01 09:00" in before.words
    assert ", from " not in billing.get(JOB).words


ONCE_IN_THE_PAST = {"repeat": "once", "first": "at", "properties__startTime": "2020-01-01T03:00"}
IN_THE_PAST = '"2020-01-01 03:00" is in the past; choose now to run the job at once.'


def test_a_one_time_job_in_the_past_is_refused_on_its_field(billing: Browser) -> None:
    billing.set_time(MORNING)
    billing.sign_in()

    refused = billing.send(NEW, filled(new_form(billing), **ONCE_IN_THE_PAST))

    assert refused.status == 400
    assert problems_on(refused) == {"properties.startTime": f"Start: {IN_THE_PAST}"}
    assert names(billing) == []


def test_the_preview_says_that_a_one_time_job_is_in_the_past(billing: Browser) -> None:
    billing.set_time(MORNING)
    billing.sign_in()
    form = filled(new_form(billing), **ONCE_IN_THE_PAST)
    sent = urlencode([pair for pair in form if not pair[0].startswith(("was", "csrf"))])

    shown = billing.part(f"{COLLECTION}/preview?{sent}")

    assert IN_THE_PAST in shown.words
    assert 'data-field="properties.startTime"' in shown.text


@pytest.mark.parametrize(
    ("start", "zone"),
    [
        pytest.param("2026-01-12T03:00", "UTC", id="the minute that passes"),
        pytest.param("2026-01-12T03:30", "UTC", id="later"),
        pytest.param("2026-01-11T22:30", "America/New_York", id="later, in another zone"),
    ],
)
def test_a_one_time_job_may_start_now_or_later(billing: Browser, start: str, zone: str) -> None:
    with_daily_job(
        billing,
        repeat="once",
        first="at",
        properties__startTime=start,
        **{f"{RECURRENCE}__timeZone": zone},
    )

    assert names(billing) == ["Nightly"]


def test_a_schedule_may_begin_in_the_past(billing: Browser) -> None:
    with_daily_job(billing, first="at", properties__startTime="2020-01-01T03:00")

    assert names(billing) == ["Nightly"]


def with_past_job(billing: Browser) -> list[tuple[str, str]]:
    """Create a disabled job whose only start has passed, and return its form."""
    with_job(billing, state="disabled", startTime="2020-01-01T03:00:00Z")
    billing.set_time(MORNING)
    billing.sign_in()
    return read_form(billing.get(EDIT).text, EDIT)


def test_a_job_whose_start_has_passed_can_still_be_changed(billing: Browser) -> None:
    form = with_past_job(billing)

    saved = billing.send(EDIT, filled(form, properties__description="kept"))

    assert "Saved." in saved.words
    assert properties_of(billing)["startTime"] == "2020-01-01T03:00:00Z"


def test_a_start_cannot_be_changed_to_another_one_in_the_past(billing: Browser) -> None:
    form = with_past_job(billing)

    refused = billing.send(EDIT, filled(form, properties__startTime="2021-01-01T03:00"))

    assert list(problems_on(refused)) == ["properties.startTime"]


def test_a_schedule_in_the_past_cannot_become_a_single_run(billing: Browser) -> None:
    with_daily_job(billing, first="at", properties__startTime="2020-01-01T03:00")
    form = read_form(billing.get(EDIT).text, EDIT)

    refused = billing.send(EDIT, filled(form, repeat="once"))

    assert list(problems_on(refused)) == ["properties.startTime"]


def test_a_copy_needs_a_start_of_its_own(billing: Browser) -> None:
    with_past_job(billing)
    form = read_form(billing.get(f"{JOB}/duplicate").text, NEW)

    assert list(problems_on(billing.send(NEW, form))) == ["properties.startTime"]
