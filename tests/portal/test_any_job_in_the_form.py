"""Any job that the API accepts is shown by the form, and saving it unchanged changes nothing."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from foliot.core.instant import instant_of
from tests.portal.browser import OWNER, Browser
from tests.portal.filling import read_form
from tests.portal.jobs import EDIT, stored
from tests.property.rules import Job, jobs
from tests.support.api_client import http_job

PERIODS = st.sampled_from(["PT5M", "00:10:00", "P1D", "PT1.5S", "1.00:00:00"])
POLICIES = st.fixed_dictionaries(
    {},
    optional={
        "overlap": st.sampled_from(["allow", "skip", "queue"]),
        "catchUp": st.sampled_from(["latest", "all", "none"]),
        "catchUpWindow": PERIODS,
        "startWithin": PERIODS,
        "jitter": st.sampled_from(["PT1S", "00:00:59"]),
        "timeout": st.sampled_from(["PT5S", "00:00:30"]),
        "pauseAfter": st.integers(1, 1000),
    },
)
OLD_FREQUENCIES = {
    "minute": "minutely",
    "hour": "hourly",
    "day": "daily",
    "week": "weekly",
    "month": "monthly",
    "year": "yearly",
}


def in_old_shape(rule: dict[str, Any]) -> dict[str, Any]:
    """Write a recurrence as clients of the old service did."""
    old = {name.capitalize(): value for name, value in rule.items() if name != "schedule"}
    if "frequency" in rule:
        old["Frequency"] = OLD_FREQUENCIES[rule["frequency"]]
    if "schedule" in rule:
        old["Schedule"] = {
            {"hours": "hour", "minutes": "minute"}.get(name, name): (
                value[0] if len(value) == 1 and name != "monthlyOccurrences" else value
            )
            for name, value in rule["schedule"].items()
        }
    return old


def written(job: Job, *, is_old: bool) -> dict[str, Any]:
    rule = in_old_shape(job.recurrence) if is_old else job.recurrence
    start = {} if job.start is None else {"startTime": job.start.isoformat()}
    return {"recurrence": rule, **start}


@pytest.fixture(scope="module")
def visitor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Return a browser for all examples: they save and delete a job of the same name."""
    with Browser(tmp_path_factory.mktemp("any")) as browser:
        browser.sign_in()
        browser.api("PUT", "Billing", {"properties": {"sku": {"name": "Standard"}}})
        yield browser


def put(browser: Browser, body: dict[str, Any]) -> int:
    base = "/subscriptions/me/resourceGroups/home/providers/Microsoft.Scheduler/jobCollections"
    path = f"{base}/Billing/jobs/Nightly?api-version=2026-11-01"
    headers = {"authorization": f"Bearer {OWNER}"}
    return browser.call("PUT", path, json.dumps(body).encode(), headers=headers).status


def at(moment: datetime) -> str:
    return f"{moment.astimezone(UTC).replace(tzinfo=None).isoformat()}Z"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(
    job=jobs(),
    policy=st.none() | POLICIES,
    is_old=st.booleans(),
    viewer=st.sampled_from(["", "Asia/Tokyo"]),
)
def test_opening_and_saving_any_job_changes_nothing(
    visitor: Browser, job: Job, policy: dict[str, Any] | None, *, is_old: bool, viewer: str
) -> None:
    visitor.set_time(at(job.created))
    visitor.cookies["foliot-zone"] = viewer
    visitor.sign_in()
    more = {} if policy is None else {"policy": policy}
    assume(put(visitor, http_job(**written(job, is_old=is_old), **more)) < 300)
    before = stored(visitor)

    saved = visitor.send(EDIT, read_form(visitor.get(EDIT).text, EDIT))
    after = stored(visitor)
    visitor.api("DELETE", "Billing/jobs/Nightly")

    assert "Saved." in saved.words, saved.words
    assert after.definition == before.definition
    assert after.next_at == before.next_at
    assert before.calendar_at == instant_of(job.created)
