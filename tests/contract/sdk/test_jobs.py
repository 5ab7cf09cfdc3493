"""Azure's client and jobs: what they do, when, and what can be done with them."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from azure.core.exceptions import ResourceNotFoundError
from azure.mgmt.scheduler.models import (
    HttpRequest,
    JobAction,
    JobDefinition,
    JobProperties,
    JobRecurrence,
    JobRecurrenceSchedule,
    JobRecurrenceScheduleMonthlyOccurrence,
)

from tests.contract.sdk.actions import ACTIONS, SERVICE_BUS_TOPIC
from tests.contract.sdk.clients import Azure
from tests.contract.sdk.models import GROUP, START, a_job

JOB = (GROUP, "ledger", "close-month")


def test_a_job_comes_back_with_its_identity_state_and_status(
    ledger: Azure, subscription: str
) -> None:
    created = ledger.jobs.create_or_update(*JOB, a_job())

    assert created.as_dict() == {
        "id": f"/subscriptions/{subscription}/resourceGroups/finance"
        "/providers/Microsoft.Scheduler/jobCollections/ledger/jobs/close-month",
        "type": "Microsoft.Scheduler/jobCollections/jobs",
        "name": "ledger/close-month",
        "properties": {
            "start_time": f"{START:%Y-%m-%dT%H:%M:%S}.000Z",
            "action": {
                "request": {"uri": "https://ledger.invalid/close", "method": "POST"},
                "type": "Http",
            },
            "state": "enabled",
            "status": {
                "next_execution_time": f"{START:%Y-%m-%dT%H:%M:%S}.000Z",
                "execution_count": 0,
                "failure_count": 0,
                "faulted_count": 0,
            },
        },
    }
    assert ledger.jobs.get(*JOB) == created


@pytest.mark.parametrize(("action", "expected"), ACTIONS.values(), ids=ACTIONS)
def test_an_action_comes_back_without_its_secrets(
    ledger: Azure, action: JobAction, expected: dict[str, Any]
) -> None:
    created = ledger.jobs.create_or_update(*JOB, a_job(action=action))

    assert created.properties.action.as_dict() == expected
    assert ledger.jobs.get(*JOB) == created


@pytest.mark.parametrize(("action", "expected"), ACTIONS.values(), ids=ACTIONS)
def test_a_job_that_was_read_can_be_sent_back(
    ledger: Azure, action: JobAction, expected: dict[str, Any]
) -> None:
    read = ledger.jobs.create_or_update(*JOB, a_job(action=action))

    updated = ledger.jobs.create_or_update(*JOB, read)

    assert updated.properties.action.as_dict() == expected
    assert updated == read


SCHEDULES = {
    "hours and minutes of days": (
        JobRecurrence(
            frequency="Day",
            interval=2,
            schedule=JobRecurrenceSchedule(hours=[20, 8], minutes=[45, 15]),
        ),
        START.replace(hour=8, minute=15),
    ),
    "days of a week": (
        JobRecurrence(
            frequency="Week",
            interval=1,
            count=10,
            schedule=JobRecurrenceSchedule(
                week_days=["Wednesday", "Sunday"], hours=[6], minutes=[0]
            ),
        ),
        START.replace(hour=6, minute=0) + timedelta(days=2),
    ),
    "days of a month, one from its end": (
        JobRecurrence(
            frequency="Month",
            interval=1,
            end_time=START + timedelta(days=365),
            schedule=JobRecurrenceSchedule(month_days=[15, -1], hours=[0], minutes=[0]),
        ),
        START.replace(day=15, hour=0, minute=0),
    ),
    "weekdays of a month by number": (
        JobRecurrence(
            frequency="Month",
            interval=1,
            schedule=JobRecurrenceSchedule(
                monthly_occurrences=[
                    JobRecurrenceScheduleMonthlyOccurrence(day="Monday", occurrence=2),
                    JobRecurrenceScheduleMonthlyOccurrence(day="Friday", occurrence=-1),
                ],
                hours=[12],
                minutes=[30],
            ),
        ),
        START.replace(hour=12) + timedelta(days=7),
    ),
    "every weekday of a kind in a month": (
        JobRecurrence(
            frequency="Month",
            interval=1,
            schedule=JobRecurrenceSchedule(
                monthly_occurrences=[JobRecurrenceScheduleMonthlyOccurrence(day="Saturday")],
                hours=[1],
                minutes=[0],
            ),
        ),
        START.replace(hour=1, minute=0) + timedelta(days=5),
    ),
    "no schedule": (JobRecurrence(frequency="Hour", interval=6), START),
}


@pytest.mark.parametrize(("recurrence", "first"), SCHEDULES.values(), ids=SCHEDULES)
def test_a_recurrence_comes_back_with_the_time_of_its_first_run(
    ledger: Azure, recurrence: JobRecurrence, first: datetime
) -> None:
    created = ledger.jobs.create_or_update(*JOB, a_job(recurrence=recurrence))

    assert created.properties.recurrence.as_dict() == _lower(recurrence.as_dict())
    assert created.properties.status.next_execution_time == first
    assert ledger.jobs.get(*JOB) == created
    assert ledger.jobs.create_or_update(*JOB, created) == created


def _lower(value: Any) -> Any:
    """Return what comes back of a recurrence: its words are in lower case."""
    match value:
        case dict():
            return {
                name: each if name.endswith("time") else _lower(each)
                for name, each in value.items()
            }
        case list():
            return [_lower(each) for each in value]
        case str():
            return value.lower()
        case _:
            return value


@pytest.mark.parametrize(
    "moment",
    [
        pytest.param(START.replace(second=59), id="whole seconds"),
        pytest.param(START.replace(microsecond=123456), id="microseconds"),
        pytest.param(START.replace(microsecond=120000), id="trailing zeros"),
    ],
)
def test_start_and_end_come_back_to_the_microsecond(ledger: Azure, moment: datetime) -> None:
    rule = JobRecurrence(frequency="Day", interval=1, end_time=moment + timedelta(days=30))

    ledger.jobs.create_or_update(*JOB, a_job(start_time=moment, recurrence=rule))

    read = ledger.jobs.get(*JOB).properties
    assert read.start_time == moment
    assert read.recurrence.end_time == moment + timedelta(days=30)
    assert read.status.next_execution_time == moment


def test_an_update_replaces_all_of_a_job(ledger: Azure) -> None:
    ledger.jobs.create_or_update(
        *JOB, a_job(recurrence=JobRecurrence(frequency="Day"), state="Disabled")
    )

    updated = ledger.jobs.create_or_update(*JOB, a_job(action=SERVICE_BUS_TOPIC, state="Enabled"))

    assert updated.properties.recurrence is None
    assert updated.properties.state == "enabled"
    assert updated.properties.action.request is None
    assert updated.properties.action.type == "ServiceBusTopic"


def test_a_patch_of_the_recurrence_keeps_the_action(ledger: Azure) -> None:
    old = ledger.jobs.create_or_update(*JOB, a_job())
    change = JobProperties(recurrence=JobRecurrence(frequency="Week", count=4))

    patched = ledger.jobs.patch(*JOB, JobDefinition(properties=change))

    assert patched.properties.action == old.properties.action
    assert patched.properties.start_time == START
    assert patched.properties.recurrence.as_dict() == {
        "frequency": "week",
        "count": 4,
        "interval": 1,
    }
    assert ledger.jobs.get(*JOB) == patched


def test_a_patch_reaches_into_the_request(ledger: Azure) -> None:
    ledger.jobs.create_or_update(*JOB, a_job())
    change = JobProperties(action=JobAction(request=HttpRequest(headers={"X-Month": "last"})))

    patched = ledger.jobs.patch(*JOB, JobDefinition(properties=change))

    assert patched.properties.action.as_dict() == {
        "request": {
            "uri": "https://ledger.invalid/close",
            "method": "POST",
            "headers": {"X-Month": "last"},
        },
        "type": "Http",
    }


def test_a_disabled_job_has_no_status_until_it_is_enabled(ledger: Azure) -> None:
    ledger.jobs.create_or_update(*JOB, a_job())

    disabled = ledger.jobs.patch(*JOB, JobDefinition(properties=JobProperties(state="Disabled")))
    enabled = ledger.jobs.patch(*JOB, JobDefinition(properties=JobProperties(state="Enabled")))

    assert (disabled.properties.state, disabled.properties.status) == ("disabled", None)
    assert enabled.properties.state == "enabled"
    assert enabled.properties.status.next_execution_time == START


def test_a_job_can_be_told_to_run(ledger: Azure) -> None:
    ledger.jobs.create_or_update(*JOB, a_job())

    assert ledger.jobs.run(*JOB) is None


def test_a_deleted_job_is_gone(ledger: Azure) -> None:
    ledger.jobs.create_or_update(*JOB, a_job())

    assert ledger.jobs.delete(*JOB) is None

    with pytest.raises(ResourceNotFoundError):
        ledger.jobs.get(*JOB)
    assert ledger.jobs.list(GROUP, "ledger") == []


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({}, id="all"),
        pytest.param({"top": 5, "skip": 5}, id="a part"),
        pytest.param({"filter": "status eq Failed"}, id="the failed"),
        pytest.param({"filter": "status eq 'completed'"}, id="the completed"),
    ],
)
def test_the_history_of_a_job_that_has_not_run_is_empty(
    ledger: Azure, options: dict[str, Any]
) -> None:
    ledger.jobs.create_or_update(*JOB, a_job())

    assert ledger.jobs.list_job_history(*JOB, **options) == []
