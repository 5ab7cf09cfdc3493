"""Jobs that use, between them, every field of the job form."""

from typing import Any

from tests.support.api_client import http_job

_CALENDAR = "de-holidays"
_BROKERED = {
    "contentType": "text/plain",
    "correlationId": "c",
    "label": "l",
    "messageId": "m",
    "partitionKey": "p",
    "replyTo": "r",
    "replyToSessionId": "rs",
    "sessionId": "p",
    "to": "t",
    "viaPartitionKey": "v",
    "forcePersistence": True,
    "scheduledEnqueueTimeUtc": "2027-01-31T08:30:00Z",
    "timeToLive": "PT30M",
}
_RETRY = {
    "retryType": "exponential",
    "retryInterval": "PT1M",
    "retryCount": 3,
    "maxRetryInterval": "PT1H",
    "retryOn": "transient",
}
_SCHEDULE_OF_ALL = {
    "timeZone": "Europe/Berlin",
    "count": 50,
    "endTime": "2027-12-31T12:00:00Z",
    "dst": {"skipped": "skip", "repeated": "both"},
    "exclude": {
        "dates": ["2026-12-25", "2027-12-24/2027-12-31"],
        "calendars": [_CALENDAR],
        "then": "next",
    },
}


def _http(**authentication: Any) -> dict[str, Any]:
    return {
        "type": "Https",
        "request": {
            "uri": "https://example.com/",
            "method": "PUT",
            "headers": {"Accept": "text/plain", "X-One": "1"},
            "body": "one\ntwo",
            "expect": {"status": "200-299,404", "bodyContains": "done"},
            "authentication": authentication,
        },
    }


def _bus(entity: str, kind: str, part: str) -> dict[str, Any]:
    message = {
        entity: "orders",
        "namespace": "acme",
        "transportType": "amqp",
        "message": "hello\nworld",
        "authentication": {"type": "sharedAccessKey", "sasKeyName": "root", "sasKey": "a2V5"},
        "brokeredMessageProperties": _BROKERED,
        "customMessageProperties": {"one": "1", "two": "2"},
    }
    return {"type": kind, part: message}


ACTIONS: dict[str, dict[str, Any]] = {
    "basic": _http(type="Basic", username="ann", password="s3cret"),  # noqa: S106  (of a test)
    "oauth": _http(
        type="ActiveDirectoryOAuth",
        tenant="t",
        audience="a",
        clientId="c",
        secret="s3cret",  # noqa: S106
    ),
    "queue": {
        "type": "StorageQueue",
        "queueMessage": {
            "storageAccount": "acme",
            "queueName": "orders",
            "sasToken": "?sig=one",
            "format": "text",
            "message": "hello\nworld",
        },
    },
    "bus": _bus("queueName", "ServiceBusQueue", "serviceBusQueueMessage"),
    "topic": _bus("topicPath", "ServiceBusTopic", "serviceBusTopicMessage"),
}


def _repeated(frequency: str, **schedule: Any) -> dict[str, Any]:
    return {"recurrence": {"frequency": frequency, **_SCHEDULE_OF_ALL, "schedule": schedule}}


SCHEDULES: dict[str, dict[str, Any]] = {
    "minutely": {"recurrence": {"frequency": "minute", "interval": 15, "count": 7}},
    "hourly": _repeated("hour", minutes=[7, 22]),
    "daily": _repeated("day", hours=[8, 16], minutes=[0], months=[1, 2]),
    "many times": _repeated("day", hours=[*range(14)], minutes=[0, 7]),
    "minutes alone": _repeated("day", minutes=[7, 30]),
    "grid": {"recurrence": {"frequency": "day", "interval": 3}},
    "weekly": _repeated("week", hours=[8], minutes=[7], weekDays=["monday", "friday"]),
    "monthly": _repeated("month", hours=[8], minutes=[0], monthDays=[1, 15, -1]),
    "weekdays of months": _repeated(
        "month",
        hours=[8],
        minutes=[0],
        monthlyOccurrences=[
            {"day": "monday", "occurrence": 1},
            {"day": "friday"},
            {"day": "sunday", "occurrence": -1},
        ],
    ),
    "yearly": _repeated("year", hours=[8], minutes=[0], months=[3], monthDays=[1]),
    "cron": {"recurrence": {"cron": "0 9 * * MON-FRI", **_SCHEDULE_OF_ALL}},
    "once": {"startTime": "2027-01-01T12:00:00Z"},
    "from a start": {
        "startTime": "2027-01-01T12:00:00Z",
        "recurrence": {"frequency": "week", "schedule": {"hours": [8], "minutes": [0]}},
    },
}


def full_job(schedule: str, action: str, failure: str) -> dict[str, Any]:
    """Return a job with all fields of a schedule, of an action and of an error action."""
    more = {"retryPolicy": _RETRY, "template": True}
    return {
        "properties": {
            "state": "enabled",
            "description": "one\ntwo",
            "tags": {"team": "pay", "tier": "1"},
            "policy": {
                "overlap": "queue",
                "catchUp": "all",
                "catchUpWindow": "PT6H",
                "startWithin": "PT10M",
                "jitter": "PT5M",
                "timeout": "PT30S",
                "pauseAfter": 5,
            },
            "action": {**ACTIONS[action], **more, "errorAction": {**ACTIONS[failure], **more}},
            **SCHEDULES[schedule],
        }
    }


_KINDS = [*ACTIONS]
# Each schedule, each action and each error action at least once.
FULL_JOBS: dict[str, dict[str, Any]] = {
    schedule: full_job(schedule, _KINDS[index % len(_KINDS)], _KINDS[-1 - index % len(_KINDS)])
    for index, schedule in enumerate(SCHEDULES)
}
SMALL_JOB = http_job()
