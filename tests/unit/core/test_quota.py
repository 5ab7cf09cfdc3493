"""Limits of plans and quotas; how they are answered is tested with the API."""

from datetime import timedelta
from typing import Any

import pytest
from msgspec import structs

from foliot.core.errors import Conflict, Invalid
from foliot.core.model.collection import MaxRecurrence, Quota, Sku
from foliot.core.model.job import JobState
from foliot.core.recurrence import Frequency, Recurrence
from foliot.core.rules.quota import (
    PLANS,
    check_collection_count,
    check_job,
    check_job_count,
    check_jobs,
    check_quota,
    check_recurrence,
    max_jobs,
)
from tests.support.builders import DEFINITION, a_collection, a_job


def test_the_plans_are_those_of_the_table() -> None:
    hour, minute = timedelta(hours=1), timedelta(minutes=1)

    rows = {
        sku: (plan.max_jobs, plan.fastest, plan.max_collections, plan.allows_authentication)
        for sku, plan in PLANS.items()
    }

    assert rows == {
        Sku.FREE: (5, hour, 1, False),
        Sku.STANDARD: (50, minute, 100, True),
        Sku.P10_PREMIUM: (50, minute, 10_000, True),
        Sku.P20_PREMIUM: (1000, minute, 10_000, True),
    }


@pytest.mark.parametrize(
    ("quota", "most"),
    [(None, 50), (Quota(), 50), (Quota(max_job_count=7), 7), (Quota(max_job_count=0), 0)],
    ids=["none", "empty", "lower", "zero"],
)
def test_a_quota_lowers_the_number_of_jobs(quota: Quota | None, most: int) -> None:
    collection = a_collection(quota=quota)

    assert max_jobs(collection) == most
    check_job_count(collection, most - 1)
    with pytest.raises(Conflict):
        check_job_count(collection, most)


@pytest.mark.parametrize("sku", list(Sku))
def test_a_quota_may_be_as_wide_as_the_plan_and_no_wider(sku: Sku) -> None:
    most = PLANS[sku].max_jobs

    check_quota(sku, None)
    check_quota(sku, Quota(max_job_count=most))
    with pytest.raises(Invalid, match="maxJobCount"):
        check_quota(sku, Quota(max_job_count=most + 1))


@pytest.mark.parametrize(
    ("sku", "frequency", "interval"),
    [
        (Sku.FREE, Frequency.MINUTE, 60),
        (Sku.FREE, Frequency.HOUR, None),
        (Sku.STANDARD, Frequency.MINUTE, None),
        (Sku.STANDARD, Frequency.YEAR, 1),
    ],
)
def test_a_quota_may_be_as_fast_as_the_plan(
    sku: Sku, frequency: Frequency, interval: int | None
) -> None:
    check_quota(sku, Quota(max_recurrence=MaxRecurrence(frequency, interval)))


@pytest.mark.parametrize("interval", [0, -1, 79])
def test_the_interval_of_a_quota_is_that_of_a_recurrence(interval: int) -> None:
    check_recurrence(MaxRecurrence(Frequency.WEEK, 78))
    with pytest.raises(Invalid, match=r"interval: .* give a whole number from 1 to 78"):
        check_recurrence(MaxRecurrence(Frequency.WEEK, interval))


def test_a_plan_takes_so_many_collections() -> None:
    check_collection_count(Sku.STANDARD, 99, tells=True)
    with pytest.raises(Conflict, match=r"The plan Standard allows 100 collections .* it has 100"):
        check_collection_count(Sku.STANDARD, 100, tells=True)


def test_the_refusal_names_the_first_limit_that_a_job_exceeds() -> None:
    rule = Recurrence(frequency=Frequency.MINUTE)
    definition = type(DEFINITION)(action=DEFINITION.action, recurrence=rule)
    collection = a_collection(sku=Sku.FREE, quota=Quota(max_job_occurrence=2))

    with pytest.raises(Conflict, match="the plan Free allows one run in 1 hour"):
        check_job(collection, structs.replace(a_job(collection.id), definition=definition))


def test_a_limit_that_a_job_exceeded_before_does_not_block_other_changes() -> None:
    rule = Recurrence(frequency=Frequency.MINUTE)
    definition = type(DEFINITION)(action=DEFINITION.action, recurrence=rule)
    collection = a_collection(sku=Sku.FREE)
    fast = structs.replace(a_job(collection.id), definition=definition)
    faster = structs.replace(rule, schedule=None, interval=2)

    check_job(collection, structs.replace(fast, state=JobState.DISABLED), fast)
    with pytest.raises(Conflict, match="two runs would be 2 minutes apart"):
        check_job(
            collection,
            structs.replace(fast, definition=structs.replace(definition, recurrence=faster)),
            fast,
        )


def test_jobs_within_the_limits_are_not_named() -> None:
    collection: Any = a_collection(sku=Sku.FREE)
    jobs = [a_job(collection.id, f"job{number}") for number in range(5)]

    check_jobs(collection, jobs)
    check_jobs(collection, [])
