"""Bodies of jobs, with defaults, so that a test names what matters."""

from typing import Any

from tests.support.api_client import http_job


def action_job(action: dict[str, Any], **properties: Any) -> dict[str, Any]:
    """Return a job with an action."""
    return {"properties": {"action": action, **properties}}


def with_action(job: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a job whose action has these properties, too."""
    return action_job({**job["properties"]["action"], **fields})


def request_job(**request: Any) -> dict[str, Any]:
    """Return a job that sends a request with these properties."""
    fields = {"uri": "https://example.com/", "method": "POST"} | request
    return action_job({"type": "Http", "request": fields})


def queue_job(**message: Any) -> dict[str, Any]:
    """Return a job that puts a message on a storage queue."""
    fields = {"storageAccount": "acme", "queueName": "orders", "message": "hello"} | message
    return action_job({"type": "StorageQueue", "queueMessage": fields})


def bus_job(**message: Any) -> dict[str, Any]:
    """Return a job that sends a message to a service bus queue."""
    fields = {"queueName": "orders", "namespace": "acme", "message": "hello"} | message
    return action_job({"type": "ServiceBusQueue", "serviceBusQueueMessage": fields})


def topic_job(**message: Any) -> dict[str, Any]:
    """Return a job that sends a message to a service bus topic."""
    fields = {"topicPath": "news", "namespace": "acme", "message": "hello"} | message
    return action_job({"type": "ServiceBusTopic", "serviceBusTopicMessage": fields})


def daily(**fields: Any) -> dict[str, Any]:
    """Return a recurrence of every day."""
    return {"frequency": "day", **fields}


def basic(uri: str = "https://example.com/a", **changes: Any) -> dict[str, Any]:
    """Return a job that signs in with a user name."""
    return request_job(uri=uri, authentication={"type": "Basic", "username": "ann"} | changes)


def oauth(uri: str = "https://example.com/a", **changes: Any) -> dict[str, Any]:
    """Return a job that signs in with client credentials."""
    fields = {"type": "ActiveDirectoryOAuth", "tenant": "t", "audience": "a", "clientId": "c"}
    return request_job(uri=uri, authentication=fields | changes)


def webhooks(uri: str = "https://example.com/a", **changes: Any) -> dict[str, Any]:
    """Return a job that signs its requests."""
    return request_job(uri=uri, authentication={"type": "StandardWebhooks", **changes})


def certificate(uri: str = "https://example.com/a", **changes: Any) -> dict[str, Any]:
    """Return a job that signs in with a certificate."""
    return request_job(uri=uri, authentication={"type": "ClientCertificate", **changes})


def bus(namespace: str = "acme", **changes: Any) -> dict[str, Any]:
    """Return a job that signs in to a service bus for a queue."""
    fields = {"type": "sharedAccessKey", "sasKeyName": "root", **changes}
    return bus_job(namespace=namespace, authentication=fields)


def topic(namespace: str = "acme", **changes: Any) -> dict[str, Any]:
    """Return a job that signs in to a service bus for a topic."""
    fields = {"type": "sharedAccessKey", "sasKeyName": "root", **changes}
    return topic_job(namespace=namespace, authentication=fields)


def in_error_action(job: dict[str, Any]) -> dict[str, Any]:
    """Return a job whose error action is the action of this one."""
    outer = http_job()
    outer["properties"]["action"]["errorAction"] = job["properties"]["action"]
    return outer
