"""Every kind of action, each with what must come back: all of it but the secrets."""

from datetime import UTC, datetime, timedelta
from typing import Any

from azure.mgmt.scheduler.models import (
    HttpRequest,
    JobAction,
    JobErrorAction,
    RetryPolicy,
    ServiceBusAuthentication,
    ServiceBusBrokeredMessageProperties,
    ServiceBusQueueMessage,
    ServiceBusTopicMessage,
    StorageQueueMessage,
)

HTTP = JobAction(
    type="Http",
    request=HttpRequest(
        uri="http://ledger.invalid/close?month=last",
        method="Put",
        headers={"Content-Type": "text/plain", "X-Empty": ""},
        body="grüße 👋\r\n",
    ),
)
HTTP_BACK: dict[str, Any] = {
    "request": {
        "uri": "http://ledger.invalid/close?month=last",
        "method": "Put",
        "headers": {"Content-Type": "text/plain", "X-Empty": ""},
        "body": "grüße 👋\r\n",
    },
    "type": "Http",
}

HTTPS = JobAction(type="Https", request=HttpRequest(uri="https://ledger.invalid/", method="get"))
HTTPS_BACK: dict[str, Any] = {
    "request": {"uri": "https://ledger.invalid/", "method": "get"},
    "type": "Https",
}

STORAGE_QUEUE = JobAction(
    type="StorageQueue",
    queue_message=StorageQueueMessage(
        storage_account="ledgers",
        queue_name="closing",
        sas_token="sv=1&sig=s3cret",  # noqa: S106  (made for these tests)
        message="<m/>",
    ),
    retry_policy=RetryPolicy(retry_type="None"),
)
STORAGE_QUEUE_BACK: dict[str, Any] = {
    "queue_message": {"storage_account": "ledgers", "queue_name": "closing", "message": "<m/>"},
    "type": "StorageQueue",
    "retry_policy": {"retry_type": "none"},
}

_BUS: dict[str, Any] = {
    "namespace": "ledger-bus",
    "transport_type": "NetMessaging",
    "authentication": ServiceBusAuthentication(
        sas_key="s3cret", sas_key_name="send", type="SharedAccessKey"
    ),
    "message": "close",
}
_BUS_BACK: dict[str, Any] = {
    "namespace": "ledger-bus",
    "transport_type": "netMessaging",
    "authentication": {"sas_key_name": "send", "type": "sharedAccessKey"},
    "message": "close",
}

SERVICE_BUS_QUEUE = JobAction(
    type="ServiceBusQueue",
    service_bus_queue_message=ServiceBusQueueMessage(
        queue_name="closing",
        brokered_message_properties=ServiceBusBrokeredMessageProperties(
            content_type="text/plain",
            correlation_id="c-1",
            force_persistence=True,
            label="month",
            message_id="m-1",
            partition_key="p-1",
            reply_to="answers",
            reply_to_session_id="s-2",
            scheduled_enqueue_time_utc=datetime(2041, 2, 3, 4, 5, 6, 780000, UTC),
            session_id="p-1",
            time_to_live=timedelta(days=1, minutes=10),
            to="ledger",
            via_partition_key="p-2",
        ),
        custom_message_properties={"Tenant": "north"},
        **_BUS,
    ),
)
SERVICE_BUS_QUEUE_BACK: dict[str, Any] = {
    "service_bus_queue_message": _BUS_BACK
    | {
        "queue_name": "closing",
        "brokered_message_properties": {
            "content_type": "text/plain",
            "correlation_id": "c-1",
            "force_persistence": True,
            "label": "month",
            "message_id": "m-1",
            "partition_key": "p-1",
            "reply_to": "answers",
            "reply_to_session_id": "s-2",
            "scheduled_enqueue_time_utc": "2041-02-03T04:05:06.780Z",
            "session_id": "p-1",
            "time_to_live": "P1DT10M",
            "to": "ledger",
            "via_partition_key": "p-2",
        },
        "custom_message_properties": {"Tenant": "north"},
    },
    "type": "ServiceBusQueue",
}

SERVICE_BUS_TOPIC = JobAction(
    type="ServiceBusTopic",
    service_bus_topic_message=ServiceBusTopicMessage(
        topic_path="ledger/closing", **_BUS | {"transport_type": "AMQP"}
    ),
)
SERVICE_BUS_TOPIC_BACK: dict[str, Any] = {
    "service_bus_topic_message": _BUS_BACK
    | {"topic_path": "ledger/closing", "transport_type": "amqp"},
    "type": "ServiceBusTopic",
}

WITH_AN_ERROR_ACTION = JobAction(
    type="Https",
    request=HTTPS.request,
    retry_policy=RetryPolicy(
        retry_type="Fixed", retry_interval=timedelta(minutes=1), retry_count=3
    ),
    error_action=JobErrorAction(
        type="StorageQueue",
        queue_message=STORAGE_QUEUE.queue_message,
        retry_policy=RetryPolicy(retry_type="None"),
    ),
)
WITH_AN_ERROR_ACTION_BACK: dict[str, Any] = HTTPS_BACK | {
    "retry_policy": {"retry_type": "fixed", "retry_interval": "PT1M", "retry_count": 3},
    "error_action": STORAGE_QUEUE_BACK,
}

ACTIONS = {
    "http": (HTTP, HTTP_BACK),
    "https": (HTTPS, HTTPS_BACK),
    "storage queue": (STORAGE_QUEUE, STORAGE_QUEUE_BACK),
    "service bus queue": (SERVICE_BUS_QUEUE, SERVICE_BUS_QUEUE_BACK),
    "service bus topic": (SERVICE_BUS_TOPIC, SERVICE_BUS_TOPIC_BACK),
    "with an error action": (WITH_AN_ERROR_ACTION, WITH_AN_ERROR_ACTION_BACK),
}
