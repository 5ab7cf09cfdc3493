"""Azure's own client for Node, its every operation, against a real server over TLS."""

from typing import Any

import pytest

from tests.contract.sdk.models import START

STARTS_AT = f"{START:%Y-%m-%dT%H:%M:%S}.000Z"
STATUS = {
    "nextExecutionTime": STARTS_AT,
    "executionCount": 0,
    "failureCount": 0,
    "faultedCount": 0,
}


def collection(subscription: str, *, most_jobs: int, state: str = "Enabled") -> dict[str, Any]:
    quota = {"maxJobCount": most_jobs, "maxRecurrence": {"frequency": "minute", "interval": 1}}
    return {
        "id": f"/subscriptions/{subscription}/resourceGroups/finance"
        "/providers/Microsoft.Scheduler/jobCollections/ledger",
        "type": "Microsoft.Scheduler/jobCollections",
        "name": "ledger",
        "location": "West Europe",
        "tags": {"team": "ledger"},
        "properties": {"sku": {"name": "P20Premium"}, "state": state, "quota": quota},
    }


def test_collections_are_created_changed_and_listed(
    returned: dict[str, Any], subscription: str
) -> None:
    created = collection(subscription, most_jobs=500)
    patched = collection(subscription, most_jobs=400)

    assert returned["collection created"] == created
    assert returned["collection"] == created
    assert returned["collection patched"] == patched
    assert returned["collections of the subscription"]["items"] == [patched]
    assert returned["collections of the group"]["items"] == [patched]


def test_a_collection_is_disabled_and_enabled(returned: dict[str, Any], subscription: str) -> None:
    disabled = collection(subscription, most_jobs=400, state="Disabled")

    assert returned["collection disabled"] == disabled
    assert returned["collection enabled"] == collection(subscription, most_jobs=400)


HTTP_ACTION = {
    "type": "Http",
    "request": {
        "uri": "https://ledger.invalid/close",
        "method": "POST",
        "headers": {"Content-Type": "text/plain"},
        "body": "grüße",
        "authentication": {"username": "clerk", "type": "Basic"},
    },
    "retryPolicy": {"retryType": "fixed", "retryInterval": "PT1M30S", "retryCount": 3},
    "errorAction": {
        "type": "StorageQueue",
        "queueMessage": {
            "storageAccount": "ledgers",
            "queueName": "failed",
            "message": "<failed/>",
        },
        "retryPolicy": {"retryType": "none"},
    },
}
LAST_FRIDAYS = {
    "frequency": "month",
    "interval": 1,
    "count": 12,
    "schedule": {
        "hours": [6],
        "minutes": [30],
        "monthlyOccurrences": [
            {"day": "friday", "occurrence": -1},
            {"day": "monday", "occurrence": 2},
        ],
    },
}
BUS = {
    "namespace": "ledger-bus",
    "authentication": {"sasKeyName": "send", "type": "sharedAccessKey"},
    "message": "close",
}
ACTIONS = {
    "storage": {
        "type": "StorageQueue",
        "queueMessage": {
            "storageAccount": "ledgers",
            "queueName": "closing",
            "message": "<m/>",
        },
    },
    "queue": {
        "type": "ServiceBusQueue",
        "serviceBusQueueMessage": {
            **BUS,
            "transportType": "netMessaging",
            "queueName": "closing",
            "brokeredMessageProperties": {
                "label": "month",
                "timeToLive": "P1DT10M",
                "forcePersistence": True,
            },
            "customMessageProperties": {"Tenant": "north"},
        },
    },
    "topic": {
        "type": "ServiceBusTopic",
        "serviceBusTopicMessage": {
            **BUS,
            "transportType": "amqp",
            "topicPath": "ledger/closing",
        },
    },
}


def test_a_job_comes_back_with_its_schedule_and_retry_policy(returned: dict[str, Any]) -> None:
    job = returned["http job created"]

    assert job == returned["http job"]
    assert job["name"] == "ledger/http"
    assert job["type"] == "Microsoft.Scheduler/jobCollections/jobs"
    assert job["properties"]["action"] == HTTP_ACTION
    assert job["properties"]["recurrence"] == LAST_FRIDAYS
    assert job["properties"]["startTime"] == STARTS_AT


@pytest.mark.parametrize("kind", ACTIONS)
def test_an_action_comes_back_without_its_secrets(returned: dict[str, Any], kind: str) -> None:
    job = returned[f"{kind} job created"]

    assert job == returned[f"{kind} job"]
    assert job["properties"] == {
        "startTime": STARTS_AT,
        "action": ACTIONS[kind],
        "state": "enabled",
        "status": STATUS,
    }


def test_jobs_are_patched_filtered_and_deleted(returned: dict[str, Any]) -> None:
    patched = returned["job patched"]

    assert patched["properties"] == {
        "startTime": STARTS_AT,
        "action": ACTIONS["topic"],
        "state": "disabled",
    }
    assert returned["disabled jobs"]["items"] == [patched]
    names = [job["name"] for job in returned["two jobs after the first"]["items"]]
    assert names == ["ledger/queue", "ledger/storage"]
    assert returned["job that was deleted"] == {
        "status": 404,
        "code": "NotFound",
        "message": "Job 'topic' cannot be found.",
    }


def test_a_list_of_more_than_a_page_is_followed_to_its_end(returned: dict[str, Any]) -> None:
    first, second, next_link = returned["pages"]
    names = returned["names on the pages"]

    assert (first, second, next_link) == (100, 13, None)
    assert names == sorted(set(names))


def test_a_job_is_run_and_its_history_read(returned: dict[str, Any]) -> None:
    (entry,) = returned["history"]["items"]

    assert entry["properties"]["status"] == "completed"
    assert entry["properties"]["actionName"] == "MainAction"
    assert entry["properties"]["message"].startswith(
        "Http Action - Response from host '127.0.0.1': 'OK'"
    )
    assert returned["failed history"]["items"] == []


def test_a_refusal_reaches_the_caller_with_its_code_and_message(returned: dict[str, Any]) -> None:
    refused = returned["refused job"]

    assert (refused["status"], refused["code"]) == (400, "BadRequest")
    assert "properties.action.request.uri" in refused["message"]
    assert returned["collection that was deleted"]["code"] == "ResourceNotFound"
