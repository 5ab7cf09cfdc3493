"""Plans and quotas: each limit, what is said when it is passed, and races for the last place."""

from typing import Any

import pytest
from msgspec import structs

from foliot.core.model.collection import Sku
from tests.support import builders
from tests.support.api_client import (
    COLLECTION,
    COLLECTIONS,
    JOB,
    JOBS,
    Client,
    a_collection,
    http_job,
)
from tests.support.bodies import basic, bus, certificate, daily, in_error_action, oauth, request_job
from tests.support.certificates import a_pfx


def fill_with_jobs(client: Client, count: int) -> None:
    found = client.collection().id
    jobs = [builders.a_job(found, f"job{number:04}") for number in range(count)]
    client.run(client.store.write(lambda tx: [tx.add_job(job) for job in jobs]))


def fill_with_collections(client: Client, count: int, sku: Sku) -> None:
    new = [builders.a_collection(f"c{number}", sku=sku) for number in range(count)]
    client.run(client.store.write(lambda tx: [tx.add_collection(each) for each in new]))


def minutes(count: int, **fields: Any) -> dict[str, Any]:
    return {"frequency": "minute", "interval": count, **fields}


@pytest.mark.parametrize(
    ("sku", "quota", "most"),
    [
        ("Free", None, 5),
        ("Standard", None, 50),
        ("P10Premium", None, 50),
        ("P20Premium", None, 1000),
        ("P20Premium", {"maxJobCount": 7}, 7),
        ("Free", {"maxJobCount": 5}, 5),
        ("Standard", {"maxJobCount": 0}, 50),
        ("Standard", {"maxJobOccurrence": 7}, 50),
    ],
    ids=[
        "Free",
        "Standard",
        "P10Premium",
        "P20Premium",
        "quota",
        "a quota as the plan",
        "a quota of 0",
        "another quota",
    ],
)
def test_a_collection_takes_as_many_jobs_as_its_plan_or_quota_says(
    client: Client, sku: str, quota: Any, most: int
) -> None:
    client.put(COLLECTION, a_collection(sku, quota=quota))
    fill_with_jobs(client, most - 1)

    last = client.put(JOB, http_job()).status
    full = client.state()
    refused = [client.put(f"{JOBS}/OneMore", http_job()), client.post(JOBS, http_job())]

    assert last == 201
    for reply in refused:
        assert (reply.status, reply.code) == (409, "ConflictError")
        assert reply.message == (
            f"The collection 'Billing' has {most} jobs already and cannot take one more: "
            + ("its quota maxJobCount is 7." if most == 7 else f"the plan {sku} allows {most}.")
        )
    assert client.state() == full


def test_a_full_collection_still_takes_changes_and_places_that_become_free(client: Client) -> None:
    client.put(COLLECTION, a_collection(quota={"maxJobCount": 1}))
    client.put(JOB, http_job())

    assert client.put(JOB, http_job("http://other/")).status == 200
    assert client.delete(JOB).status == 200
    assert client.put(f"{JOBS}/Second", http_job()).status == 201


def test_many_at_once_do_not_get_past_a_quota(client: Client) -> None:
    client.put(COLLECTION, a_collection(quota={"maxJobCount": 12}))
    fill_with_jobs(client, 2)

    replies = client.gather(*(("PUT", f"{JOBS}/new{each}", http_job()) for each in range(50)))

    statuses = [reply.status for reply in replies]
    assert (statuses.count(201), statuses.count(409)) == (10, 40)
    assert len(client.get(JOBS).json["value"]) == 12


def test_many_at_once_do_not_get_past_the_collections_of_a_plan(client: Client) -> None:
    body = a_collection("Free")

    replies = client.gather(*(("PUT", f"{COLLECTIONS}/new{each}", body) for each in range(20)))

    assert sorted(reply.status for reply in replies) == [201] + [409] * 19


def test_many_at_once_create_one_job(billing: Client) -> None:
    replies = billing.gather(*(("PUT", JOB, http_job()) for _ in range(20)))

    assert sorted(reply.status for reply in replies) == [200] * 19 + [201]


TOO_FAST: dict[str, tuple[str, Any, Any, str, str]] = {
    "Free, a minute": ("Free", None, minutes(1), "1 hour", "1 minute"),
    "Free, 59 minutes": ("Free", None, minutes(59), "1 hour", "59 minutes"),
    "Free, dense schedule": (
        "Free",
        None,
        daily(schedule={"hours": [8], "minutes": [0, 45]}),
        "1 hour",
        "45 minutes",
    ),
    "Free, over midnight": (
        "Free",
        None,
        daily(schedule={"hours": [0, 23], "minutes": [10, 50]}),
        "1 hour",
        "20 minutes",
    ),
    "quota of a day": (
        "Standard",
        {"maxRecurrence": {"frequency": "day"}},
        {"frequency": "hour", "interval": 23},
        "1 day",
        "23 hours",
    ),
    "quota of a month": (
        "Standard",
        {"maxRecurrence": {"frequency": "month", "interval": 1}},
        daily(interval=27),
        "28 days",
        "27 days",
    ),
    "quota of two days, dense week": (
        "Standard",
        {"maxRecurrence": {"frequency": "day", "interval": 2}},
        {"frequency": "week", "schedule": {"weekDays": ["monday", "tuesday"]}},
        "2 days",
        "1 day",
    ),
}


@pytest.mark.parametrize("row", TOO_FAST.values(), ids=TOO_FAST.keys())
def test_a_job_may_not_recur_faster_than_its_collection_allows(
    client: Client, row: tuple[str, Any, Any, str, str]
) -> None:
    sku, quota, recurrence, fastest, asked = row
    client.put(COLLECTION, a_collection(sku, quota=quota))
    before = client.state()

    reply = client.put(JOB, http_job(recurrence=recurrence))

    limit = "its quota maxRecurrence" if quota else f"the plan {sku}"
    assert (reply.status, reply.code) == (409, "ConflictError")
    assert reply.message == (
        "The job goes over a limit of its collection: "
        f"{limit} allows one run in {fastest}, and two runs would be {asked} apart."
    )
    assert client.state() == before


@pytest.mark.parametrize(
    ("sku", "quota", "recurrence"),
    [
        ("Free", None, {"frequency": "hour"}),
        ("Free", None, minutes(60)),
        ("Free", None, None),
        ("Free", None, daily(schedule={"minutes": [30]})),
        ("Standard", None, minutes(1)),
        ("P10Premium", None, minutes(1)),
        ("P20Premium", None, minutes(1)),
        (
            "Standard",
            {"maxRecurrence": {"frequency": "month"}},
            {"frequency": "month", "schedule": {"monthDays": [1]}},
        ),
        ("Standard", {"maxRecurrence": {"frequency": "year"}}, {"frequency": "year"}),
    ],
    ids=["hour", "60 minutes", "once", "schedule", "minute", "P10", "P20", "month", "year"],
)
def test_a_job_may_recur_as_fast_as_its_collection_allows(
    client: Client, sku: str, quota: Any, recurrence: Any
) -> None:
    client.put(COLLECTION, a_collection(sku, quota=quota))

    assert client.put(JOB, http_job(recurrence=recurrence)).status == 201


@pytest.mark.parametrize(
    ("recurrence", "asked"),
    [(daily(), "no count"), (daily(count=11), "a count of 11"), (daily(count=0), "no count")],
    ids=["no count", "larger count", "count 0"],
)
def test_a_quota_caps_the_count_of_recurring_jobs(
    client: Client, recurrence: Any, asked: str
) -> None:
    client.put(COLLECTION, a_collection(quota={"maxJobOccurrence": 10}))

    reply = client.put(JOB, http_job(recurrence=recurrence))

    assert (reply.status, reply.message) == (
        409,
        "The job goes over a limit of its collection: "
        f"its quota maxJobOccurrence is 10, and the job has {asked}.",
    )
    assert client.put(JOB, http_job(recurrence=daily(count=10))).status == 201
    assert client.put(f"{JOBS}/Once", http_job()).status == 201


NOT_FOR_FREE: dict[str, tuple[Any, str]] = {
    "basic": (basic(), "the plan Free does not allow HTTP authentication"),
    "oauth": (
        oauth(),
        "the plan Free does not allow HTTP authentication",
    ),
    "certificate": (
        certificate(pfx=a_pfx().text),
        "the plan Free does not allow HTTP authentication",
    ),
    "in the error action": (
        in_error_action(basic()),
        "the plan Free does not allow HTTP authentication",
    ),
    "retries": (
        request_job(retryPolicy={"retryInterval": "PT59M"}),
        "the plan Free allows a retryInterval of 1 hour or more, not PT59M",
    ),
    "retries of the error action": (
        in_error_action(request_job(retryPolicy={"retryInterval": "00:01:00"})),
        "the plan Free allows a retryInterval of 1 hour or more, not 00:01:00",
    ),
}


@pytest.mark.parametrize(("body", "problem"), NOT_FOR_FREE.values(), ids=NOT_FOR_FREE.keys())
def test_what_the_free_plan_does_not_allow(client: Client, body: Any, problem: str) -> None:
    client.put(COLLECTION, a_collection("Free"))
    before = client.state()

    reply = client.put(JOB, body)

    assert (reply.status, reply.code) == (409, "ConflictError")
    assert reply.message == f"The job goes over a limit of its collection: {problem}."
    assert client.state() == before


@pytest.mark.parametrize(
    "body",
    [
        request_job(authentication={"type": "NotSpecified"}),
        request_job(retryPolicy={"retryInterval": "PT1H"}),
        request_job(retryPolicy={"retryCount": 1}),
        bus(sasKey="k"),
    ],
    ids=["no authentication", "an hour", "no interval", "service bus"],
)
def test_what_the_free_plan_allows(client: Client, body: Any) -> None:
    client.put(COLLECTION, a_collection("Free"))

    assert client.put(JOB, body).status == 201


def test_a_patch_may_not_go_over_a_limit_either(client: Client) -> None:
    client.put(COLLECTION, a_collection("Free"))
    client.put(JOB, http_job(recurrence=daily()))
    before = client.state()

    faster = client.patch(JOB, {"properties": {"recurrence": minutes(5)}})

    assert (faster.status, faster.code) == (409, "ConflictError")
    assert client.state() == before


RAISING: dict[str, tuple[str, Any, str]] = {
    sku: (
        sku,
        {"maxJobCount": most + 1},
        f"maxJobCount: {most + 1} is not valid; "
        f"give a whole number from 1 to {most}, the limit of the plan {sku}.",
    )
    for sku, most in {"Free": 5, "Standard": 50, "P10Premium": 50, "P20Premium": 1000}.items()
} | {
    "recurrence": (
        "Free",
        {"maxRecurrence": {"frequency": "minute", "interval": 59}},
        "maxRecurrence: every 59 minutes is faster than the plan Free allows; "
        "give 1 hour or slower.",
    ),
}


@pytest.mark.parametrize(("sku", "quota", "message"), RAISING.values(), ids=RAISING.keys())
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_a_quota_may_not_raise_a_limit_of_the_plan(
    client: Client, method: str, sku: str, quota: Any, message: str
) -> None:
    client.put(COLLECTION, a_collection(sku))
    before = client.state()

    reply = client.call(method, COLLECTION, {"properties": {"sku": {"name": sku}, "quota": quota}})

    assert (reply.status, reply.code) == (400, "BadRequest")
    assert reply.message == f"properties.quota.{message}"
    assert client.state() == before


def test_the_quota_that_is_there_may_not_raise_the_limit_of_a_new_plan(client: Client) -> None:
    client.put(COLLECTION, a_collection("P20Premium", quota={"maxJobCount": 60}))

    reply = client.patch(COLLECTION, {"properties": {"sku": {"name": "Standard"}}})

    assert (reply.status, reply.code) == (400, "BadRequest")
    assert reply.message.startswith("properties.quota.maxJobCount: 60 is not valid")


@pytest.mark.parametrize(
    ("sku", "most"),
    [("Free", 1), ("Standard", 100), ("P10Premium", 10_000), ("P20Premium", 10_000)],
)
def test_a_subscription_has_so_many_collections_of_a_plan(
    client: Client, sku: str, most: int
) -> None:
    fill_with_collections(client, most - 1, Sku(sku))

    last = client.put(COLLECTION, a_collection(sku))
    refused = client.put(f"{COLLECTIONS}/OneMore", a_collection(sku))
    other_group = client.put(f"{COLLECTIONS}/x".replace("/Prod/", "/Test/"), a_collection(sku))
    elsewhere = client.put(f"{COLLECTIONS}/x".replace("11111111", "2"), a_collection(sku))

    assert last.status == 201
    assert (refused.status, refused.code) == (409, "ConflictError")
    assert refused.message == (
        f"The plan {sku} allows {most} {'collection' if most == 1 else 'collections'} in a "
        f"subscription; it has {most} already."
    )
    assert other_group.status == 409
    assert elsewhere.status == 201
    assert client.put(COLLECTION, a_collection(sku)).status == 200


def test_a_change_of_plan_needs_room_for_the_collection(client: Client) -> None:
    client.put(COLLECTION, a_collection("Free"))
    client.put(f"{COLLECTIONS}/Second", a_collection())

    reply = client.patch(f"{COLLECTIONS}/Second", {"properties": {"sku": {"name": "free"}}})

    assert (reply.status, reply.code) == (409, "ConflictError")
    assert client.get(f"{COLLECTIONS}/Second").json["properties"]["sku"] == {"name": "Standard"}


BREAKING: dict[str, tuple[dict[str, Any], Any, str]] = {
    "plan, number of jobs": (
        {f"job{each}": http_job() for each in range(7)},
        {"sku": {"name": "Free"}},
        "The collection has 7 jobs, but the plan Free allows 5; "
        "delete 2 of them first, such as 'job5', 'job6'.",
    ),
    "quota, number of jobs": (
        {f"job{each}": http_job() for each in range(8)},
        {"quota": {"maxJobCount": 1}},
        "The collection has 8 jobs, but its quota maxJobCount is 1; "
        "delete 7 of them first, such as 'job1', 'job2', 'job3', 'job4', 'job5' and 2 more.",
    ),
    "plan, recurrence": (
        {"slow": http_job(recurrence=daily()), "Fast": http_job(recurrence=minutes(5))},
        {"sku": {"name": "Free"}},
        "Jobs of the collection would go over its limits: 'Fast'; for 'Fast': "
        "the plan Free allows one run in 1 hour, and two runs would be 5 minutes apart.",
    ),
    "plan, authentication": (
        {"a": basic(), "b": http_job(), "c": basic()},
        {"sku": {"name": "Free"}},
        "Jobs of the collection would go over its limits: 'a', 'c'; "
        "for 'a': the plan Free does not allow HTTP authentication.",
    ),
    "plan, retries": (
        {"a": request_job(retryPolicy={"retryInterval": "PT1M"})},
        {"sku": {"name": "Free"}},
        "Jobs of the collection would go over its limits: 'a'; "
        "for 'a': the plan Free allows a retryInterval of 1 hour or more, not PT1M.",
    ),
    "quota, recurrence": (
        {"a": http_job(recurrence=daily())},
        {"quota": {"maxRecurrence": {"frequency": "week"}}},
        "Jobs of the collection would go over its limits: 'a'; for 'a': its quota maxRecurrence "
        "allows one run in 7 days, and two runs would be 1 day apart.",
    ),
    "quota, occurrences": (
        {"a": http_job(recurrence=daily(count=5)), "b": http_job(recurrence=daily(count=6))},
        {"quota": {"maxJobOccurrence": 5}},
        "Jobs of the collection would go over its limits: 'b'; "
        "for 'b': its quota maxJobOccurrence is 5, and the job has a count of 6.",
    ),
}


@pytest.mark.parametrize(("jobs", "change", "message"), BREAKING.values(), ids=BREAKING.keys())
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_a_plan_or_quota_that_jobs_would_break_is_refused_with_their_names(
    billing: Client, method: str, jobs: dict[str, Any], change: Any, message: str
) -> None:
    for name, body in jobs.items():
        assert billing.put(f"{JOBS}/{name}", body).status == 201
    before = billing.state()

    reply = billing.call(method, COLLECTION, {"properties": change})

    assert (reply.status, reply.code) == (409, "ConflictError")
    assert reply.message == message
    assert billing.state() == before


def test_a_plan_can_change_when_nothing_stands_against_it(billing: Client) -> None:
    billing.put(JOB, http_job(recurrence=daily()))

    for sku in ("Free", "P20Premium", "P10Premium", "Standard"):
        reply = billing.patch(COLLECTION, {"properties": {"sku": {"name": sku}}})

        assert reply.json["properties"]["sku"] == {"name": sku}


def test_jobs_that_break_a_new_limit_do_not_stand_in_the_way_of_other_changes(
    billing: Client,
) -> None:
    billing.put(JOB, http_job(recurrence=minutes(1)))
    found = structs.replace(billing.collection(), sku=Sku.FREE)
    billing.run(billing.store.write(lambda tx: tx.save_collection(found)))

    assert billing.post(f"{COLLECTION}/disable").status == 200
    assert billing.patch(COLLECTION, {"tags": {"a": "b"}}).status == 200
