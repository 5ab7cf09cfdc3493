"""Azure's client and lengths of time: it reads ISO 8601 only, whoever wrote the job."""

import json
import ssl
from datetime import timedelta
from http.client import HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

import pytest
from azure.mgmt.scheduler.models import RetryPolicy

from tests.contract.sdk.clients import Azure
from tests.contract.sdk.models import GROUP, a_job, http_action
from tests.contract.sdk.server import Server

JOB = (GROUP, "ledger", "close-month")
PATH = (
    "/subscriptions/{}/resourceGroups/finance/providers/Microsoft.Scheduler"
    "/jobCollections/ledger/jobs/close-month?api-version=2016-03-01"
)


@pytest.mark.parametrize(
    "interval",
    [
        pytest.param(timedelta(seconds=15), id="the shortest"),
        pytest.param(timedelta(seconds=90), id="minutes and seconds"),
        pytest.param(timedelta(seconds=20, microseconds=500_000), id="half a second"),
        pytest.param(timedelta(hours=36), id="days and hours"),
        pytest.param(timedelta(days=30), id="a month"),
        pytest.param(timedelta(days=548), id="the longest"),
    ],
)
def test_a_retry_interval_comes_back_as_the_same_length(ledger: Azure, interval: timedelta) -> None:
    policy = RetryPolicy(retry_type="Fixed", retry_interval=interval, retry_count=20)

    created = ledger.jobs.create_or_update(*JOB, a_job(action=http_action(retry_policy=policy)))

    returned = created.properties.action.retry_policy
    assert (returned.retry_type, returned.retry_interval, returned.retry_count) == (
        "fixed",
        interval,
        20,
    )
    assert ledger.jobs.get(*JOB) == created


@pytest.mark.parametrize(
    ("text", "interval"),
    [
        pytest.param("00:01:30", timedelta(seconds=90), id="hours, minutes, seconds"),
        pytest.param("30.00:00:00", timedelta(days=30), id="days"),
        pytest.param("1.02:03:04.5", timedelta(1, 4, 500_000, 0, 3, 2), id="all of them"),
        pytest.param("PT1D", timedelta(days=1), id="days after the T"),
        pytest.param("P1M", timedelta(days=30), id="a month"),
    ],
)
def test_what_another_program_wrote_reads_as_a_length(
    ledger: Azure, server: Server, subscription: str, text: str, interval: timedelta
) -> None:
    request = {"uri": "https://ledger.invalid/", "method": "GET"}
    action = {"type": "Http", "request": request, "retryPolicy": {"retryInterval": text}}
    job = {"properties": {"action": action, "state": "Disabled"}}

    written = put(server, PATH.format(subscription), job)

    assert written["properties"]["action"]["retryPolicy"]["retryInterval"] == text
    read = ledger.jobs.get(*JOB)
    assert read.properties.action.retry_policy.retry_interval == interval


def put(server: Server, path: str, body: Any) -> Any:
    """Make a call as a program would that has no library of Azure's."""
    trust = ssl.create_default_context(cafile=server.authority)
    connection = HTTPSConnection(urlsplit(server.url).netloc, context=trust, timeout=60)
    headers = {"Authorization": f"Bearer {server.token}", "Content-Type": "application/json"}
    try:
        connection.request("PUT", path, json.dumps(body), headers)
        return json.loads(connection.getresponse().read())
    finally:
        connection.close()
