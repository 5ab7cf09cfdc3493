"""Azure's client and refusals: they come out as its typed errors, with code and message."""

from collections.abc import Callable
from typing import Any

import certifi
import pytest
from azure.core.exceptions import (
    ClientAuthenticationError,
    HttpResponseError,
    ResourceExistsError,
    ResourceNotFoundError,
    ServiceRequestError,
)
from azure.mgmt.scheduler.models import (
    HttpRequest,
    JobCollectionDefinition,
    JobCollectionQuota,
    JobRecurrence,
    JobRecurrenceSchedule,
    RetryPolicy,
)

from tests.contract.sdk.clients import CLIENTS, Azure
from tests.contract.sdk.models import GROUP, a_collection, a_job, http_action
from tests.contract.sdk.server import Server

JOB = (GROUP, "ledger", "close-month")
NO_COLLECTION = (
    "The Resource 'Microsoft.Scheduler/jobcollections/nowhere' "
    "under resource group 'finance' was not found."
)
NO_JOB = "Job 'close-month' cannot be found."


def fill(azure: Azure) -> None:
    """Ask for one job more than the quota of the collection allows."""
    quota = JobCollectionQuota(max_job_count=1)
    azure.job_collections.create_or_update(GROUP, "ledger", a_collection(quota=quota))
    azure.jobs.create_or_update(GROUP, "ledger", "first", a_job())
    azure.jobs.create_or_update(GROUP, "ledger", "second", a_job())


def run_while_disabled(azure: Azure) -> None:
    """Have a job of a disabled collection run."""
    azure.jobs.create_or_update(*JOB, a_job())
    azure.job_collections.begin_disable(GROUP, "ledger")
    azure.jobs.run(*JOB)


def put(**properties: Any) -> Callable[[Azure], object]:
    return lambda azure: azure.jobs.create_or_update(*JOB, a_job(**properties))


def listed(**options: Any) -> Callable[[Azure], object]:
    return lambda azure: azure.jobs.list(GROUP, "ledger", **options)


NOT_FOUND = {
    "get a collection": (lambda a: a.job_collections.get(GROUP, "nowhere"), NO_COLLECTION),
    "patch a collection": (
        lambda a: a.job_collections.patch(GROUP, "nowhere", JobCollectionDefinition()),
        NO_COLLECTION,
    ),
    "delete a collection": (
        lambda a: a.job_collections.begin_delete(GROUP, "nowhere"),
        NO_COLLECTION,
    ),
    "enable a collection": (
        lambda a: a.job_collections.begin_enable(GROUP, "nowhere"),
        NO_COLLECTION,
    ),
    "disable a collection": (
        lambda a: a.job_collections.begin_disable(GROUP, "nowhere"),
        NO_COLLECTION,
    ),
    "list jobs": (lambda a: a.jobs.list(GROUP, "nowhere"), NO_COLLECTION),
    "put a job": (lambda a: a.jobs.create_or_update(GROUP, "nowhere", "j", a_job()), NO_COLLECTION),
    "get a job": (lambda a: a.jobs.get(*JOB), NO_JOB),
    "patch a job": (lambda a: a.jobs.patch(*JOB, a_job()), NO_JOB),
    "run a job": (lambda a: a.jobs.run(*JOB), NO_JOB),
    "delete a job": (lambda a: a.jobs.delete(*JOB), NO_JOB),
    "list the history of a job": (lambda a: a.jobs.list_job_history(*JOB), NO_JOB),
}


@pytest.mark.parametrize(("call", "message"), NOT_FOUND.values(), ids=NOT_FOUND)
def test_what_is_not_there_is_not_found(
    ledger: Azure, call: Callable[[Azure], object], message: str
) -> None:
    with pytest.raises(ResourceNotFoundError) as refused:
        call(ledger)

    expected = "ResourceNotFound" if message == NO_COLLECTION else "NotFound"
    assert (refused.value.error.code, refused.value.error.message) == (expected, message)


CONFLICTS = {
    "another location": (
        lambda a: a.job_collections.create_or_update(
            GROUP, "ledger", JobCollectionDefinition(location="eastus")
        ),
        "location",
    ),
    "a job too many": (fill, "maxJobCount"),
    "faster than the plan": (
        lambda a: (
            a.job_collections.create_or_update(GROUP, "ledger", a_collection("Free")),
            a.jobs.create_or_update(
                *JOB, a_job(recurrence=JobRecurrence(frequency="Minute", interval=59))
            ),
        ),
        "the plan Free",
    ),
    "run in a disabled collection": (run_while_disabled, "Disabled"),
}


@pytest.mark.parametrize(("call", "part"), CONFLICTS.values(), ids=CONFLICTS)
def test_what_conflicts_exists(ledger: Azure, call: Callable[[Azure], object], part: str) -> None:
    with pytest.raises(ResourceExistsError) as refused:
        call(ledger)

    assert refused.value.status_code == 409
    assert refused.value.error.code == "ConflictError"
    assert part in refused.value.error.message


BAD_REQUESTS = {
    "a part that belongs to another frequency": (
        put(
            recurrence=JobRecurrence(
                frequency="Week", schedule=JobRecurrenceSchedule(month_days=[1])
            )
        ),
        "Cannot set days of month with recurrence unit 'Week'.",
    ),
    "no address": (put(action=http_action(request=HttpRequest(method="GET"))), "uri"),
    "too many retries": (
        put(action=http_action(retry_policy=RetryPolicy(retry_type="Fixed", retry_count=21))),
        "properties.action.retryPolicy.retryCount",
    ),
    "an unknown state": (put(state="Sleeping"), "properties.state"),
    "a name that is none": (
        lambda a: a.jobs.create_or_update(GROUP, "ledger", "1st", a_job()),
        "1st",
    ),
}


@pytest.mark.parametrize(("call", "part"), BAD_REQUESTS.values(), ids=BAD_REQUESTS)
def test_a_bad_request_says_what_is_wrong(
    ledger: Azure, call: Callable[[Azure], object], part: str
) -> None:
    with pytest.raises(HttpResponseError) as refused:
        call(ledger)

    assert type(refused.value) is HttpResponseError
    assert refused.value.status_code == 400
    assert refused.value.error.code == "BadRequest"
    assert part in refused.value.error.message
    assert ledger.jobs.list(GROUP, "ledger") == []


BAD_QUERIES = {
    "a field that cannot be filtered": (listed(filter="name eq x"), "state eq enabled"),
    "a state that there is not": (listed(filter="state eq Sleeping"), "state eq enabled"),
    "less than nothing": (listed(skip=-1), "$skip"),
    "more than a page": (listed(top=101), "$top"),
}


@pytest.mark.parametrize(("call", "part"), BAD_QUERIES.values(), ids=BAD_QUERIES)
def test_a_bad_query_says_what_is_understood(
    ledger: Azure, call: Callable[[Azure], object], part: str
) -> None:
    with pytest.raises(HttpResponseError) as refused:
        call(ledger)

    assert refused.value.status_code == 400
    assert refused.value.error.code == "MissingOrInvalidRequiredQueryParameter"
    assert part in refused.value.error.message


@pytest.mark.parametrize("client", CLIENTS)
def test_an_unknown_token_is_an_authentication_error(
    server: Server, subscription: str, client: str
) -> None:
    stranger = server._replace(token="foliot_stranger")  # noqa: S106  (known to nobody)

    with (
        CLIENTS[client](stranger, subscription) as azure,
        pytest.raises(ClientAuthenticationError) as refused,
    ):
        azure.job_collections.get(GROUP, "ledger")

    assert refused.value.error.code == "AuthenticationFailed"
    assert refused.value.response.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("client", CLIENTS)
def test_the_client_sends_no_token_over_plain_http(
    server: Server, subscription: str, client: str
) -> None:
    """The reason for `--tls auto`: without TLS Azure's client does not even call."""
    plain = server._replace(url=server.url.replace("https:", "http:"))

    with (
        CLIENTS[client](plain, subscription) as azure,
        pytest.raises(ServiceRequestError, match="not permitted for non-TLS protected"),
    ):
        azure.job_collections.get(GROUP, "ledger")


@pytest.mark.parametrize("client", CLIENTS)
def test_the_client_does_not_call_whom_it_has_not_been_told_to_trust(
    server: Server, subscription: str, client: str
) -> None:
    distrusting = server._replace(authority=certifi.where())

    with (
        CLIENTS[client](distrusting, subscription) as azure,
        pytest.raises(ServiceRequestError, match=r"(?i)certificate.verify.failed"),
    ):
        azure.job_collections.get(GROUP, "ledger")
