"""Decodes a JSON text of the documents as what its properties say it is."""

from typing import Any

from jsonschema_rs import Draft202012Validator

from foliot.api.openapi.document import describe
from foliot.api.routes import OPERATIONS
from foliot.api.wire.alert import decode_alert
from foliot.api.wire.contents import read_contents
from foliot.api.wire.job import Address, decode_job
from foliot.core.ids import CollectionKey
from foliot.core.limits import Limits

ADDRESS = Address(CollectionKey("me", "home", "first"), "job")
REQUEST = {"uri": "https://example.com/", "method": "GET"}
DOCUMENT = describe(OPERATIONS, Limits())
# Property names that only one shape of an answer has.
ANSWERS = {"sentence": "JobPreview", "timings": "JobTest"}


def decode_as_claimed(value: Any) -> None:  # noqa: C901  (a case for each kind)
    """Refuse a text that is neither a job, a part of one, an answer, nor of a known other kind."""
    match value:
        case {"properties": {"action": _}}:
            body = value
        case {"properties": {"when": _}}:
            decode_alert(value, ADDRESS.collection, "on-call")
            return
        case {"properties": dict(part)}:
            body = job(REQUEST, part)
        case {"type": "Http" | "Https" | "StorageQueue" | "ServiceBusQueue" | "ServiceBusTopic"}:
            body = {"properties": {"action": value}}
        case {"uri": _}:
            body = job(value)
        case {"retryType": _}:
            body = {"properties": {"action": action(REQUEST) | {"retryPolicy": value}}}
        case {"timestamp": _, "level": _, "logger": _, "event": _}:
            return  # a log line; tests/e2e/test_logs.py has real ones
        case {"type": "alert.raised", "timestamp": _, "data": _}:
            return  # a message; tests/contract/alerts/test_sender.py has real ones
        case {"collection": _, "jobs": _}:
            read_contents(value)
            return
        case {"resourceManagerEndpoint": _, "tokenAudience": _}:
            return  # a file of another program
        case _:
            answer_is_valid(value)
            return
    decode_job(body, ADDRESS, Limits())


def action(request: Any) -> dict[str, Any]:
    return {"type": "Http", "request": request}


def job(request: Any, more: Any = None) -> dict[str, Any]:
    return {"properties": {"action": action(request)} | (more or {})}


def answer_is_valid(value: Any) -> None:
    shapes = [shape for name, shape in ANSWERS.items() if name in value]
    assert len(shapes) == 1, f"no shape is known for {value}"
    schema = {"$ref": f"#/components/schemas/{shapes[0]}", "components": DOCUMENT["components"]}
    Draft202012Validator(schema).validate(value)
