"""Sends messages to service bus over HTTPS.

The broker's properties are JSON in one header; each custom property is a header, as a string in
quotation marks: https://learn.microsoft.com/rest/api/servicebus/send-message
"""

import json
import re
from collections.abc import Callable
from email.utils import format_datetime
from http import HTTPStatus
from urllib.parse import quote, unquote

from foliot.core.errors import Invalid, shown
from foliot.core.instant import SECOND, Instant, moment_of
from foliot.core.model.action import ServiceBusMessage
from foliot.core.model.attempt import AttemptRequest, Outcome
from foliot.core.model.reason import Reason
from foliot.dispatch.auth.shared_access_signature import bus_token
from foliot.dispatch.http.client import Send
from foliot.dispatch.http.history_messages import Failure, status_name
from foliot.dispatch.http.outgoing_request import OutgoingRequest, user_agent
from foliot.dispatch.http.response import HttpResponse, retry_after
from foliot.dispatch.http.target_uri import read_target
from foliot.dispatch.queue_outcomes import (
    CREATED,
    MAX_RESPONSE_BYTES,
    delivered,
    element,
    reason_of_refusal,
    undelivered,
)
from foliot.dispatch.redaction import without
from foliot.dispatch.service_bus.message import (
    BusSend,
    brokered_of,
    message_id,
    properties_of,
)

_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+", re.ASCII)
_PRINTABLE = re.compile(r"[\t\x20-\x7e]*", re.ASCII)
_DEFAULT_TYPE = "text/plain; charset=utf-8"
# Names of HTTP headers, which a custom property must not replace.
_RESERVED = frozenset(
    {
        *("accept", "accept-encoding", "authorization", "brokerproperties", "connection"),
        *("content-encoding", "content-length", "content-type", "cookie", "date", "expect", "host"),
        *("keep-alive", "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade"),
        *("user-agent", "via"),
    }
)
# The broker's property for each field that is plain text.
_TEXTS = {
    "CorrelationId": "correlation_id",
    "Label": "label",
    "PartitionKey": "partition_key",
    "ReplyTo": "reply_to",
    "ReplyToSessionId": "reply_to_session_id",
    "SessionId": "session_id",
    "To": "to",
    "ViaPartitionKey": "via_partition_key",
}


async def send_over_http(send: Send, bus_send: BusSend, now: Callable[[], Instant]) -> Outcome:
    """Send a message and return its outcome."""
    action = bus_send.request.action
    resource = _resource(bus_send)
    token = bus_token(resource, bus_send.key_name, bus_send.key, now())
    outgoing = _request(bus_send, resource, token)
    response = await send(outgoing, deadline=bus_send.deadline, max_bytes=MAX_RESPONSE_BYTES)
    if isinstance(response, Failure):
        return undelivered(action, not_found(response, bus_send))
    if response.status == CREATED:
        return delivered(action, status_name(CREATED), status_code=CREATED)
    failure = _refused(response, bus_send, token)
    return undelivered(action, failure, retry_after=retry_after(response, now))


def not_found(failure: Failure, bus_send: BusSend) -> Failure:
    """Say in the failure of a name that it is the name of a namespace."""
    if failure.reason is not Reason.NAME_RESOLUTION_FAILURE:
        return failure
    text = f"The namespace '{bus_send.message.namespace}' could not be found. {failure.text}"
    return Failure(failure.reason, text)


def _resource(bus_send: BusSend) -> str:
    """Return the URL of a queue or topic, whose name may have slashes."""
    entity = bus_send.message.entity
    if any(part in ("", ".", "..") for part in entity.split("/")):
        raise Invalid((), f"{shown(entity)} is not the name of a {bus_send.entity_kind}")
    return f"{bus_send.base}/{quote(entity, safe='/', errors='replace')}"


def _request(bus_send: BusSend, resource: str, token: str) -> OutgoingRequest:
    request, message = bus_send.request, bus_send.message
    return OutgoingRequest(
        method="POST",
        target=read_target(f"{resource}/messages"),
        headers=(
            f"Content-Type: {_content_type(message)}",
            f"BrokerProperties: {json.dumps(_broker_properties(request, message))}",
            *_property_lines(request, message),
            "Expect:",
            "Accept: application/xml",
            f"User-Agent: {user_agent()}",
        ),
        credentials=(f"Authorization: {token}",),
        body=message.message.encode(errors="replace"),
    )


def _content_type(message: ServiceBusMessage) -> str:
    text = brokered_of(message).content_type or _DEFAULT_TYPE
    if not _PRINTABLE.fullmatch(text):
        raise Invalid((), f"the contentType {shown(text)} cannot be sent as a header")
    return text


def _broker_properties(
    request: AttemptRequest, message: ServiceBusMessage
) -> dict[str, str | float]:
    brokered = brokered_of(message)
    found: dict[str, str | float] = {"MessageId": message_id(request, message)}
    for name, field in _TEXTS.items():
        text: str | None = getattr(brokered, field)
        if text:
            found[name] = text
    if brokered.scheduled_enqueue_at is not None:
        moment = moment_of(brokered.scheduled_enqueue_at)
        found["ScheduledEnqueueTimeUtc"] = format_datetime(moment, usegmt=True)
    if brokered.time_to_live is not None:
        found["TimeToLive"] = brokered.time_to_live.ticks / SECOND
    return found


def _property_lines(request: AttemptRequest, message: ServiceBusMessage) -> list[str]:
    properties = properties_of(request, message)
    names = [name.lower() for name in properties]
    for name in properties:
        if not _TOKEN.fullmatch(name) or name.lower() in _RESERVED or names.count(name.lower()) > 1:
            raise Invalid(
                (),
                f"the custom property {shown(name)} cannot be sent as a header; "
                "give it another name, or the message the transportType amqp",
            )
    # JSON gives a string quotation marks, and escapes line breaks and non-ASCII letters.
    return [f"{name}: {json.dumps(text)}" for name, text in properties.items()]


def _refused(response: HttpResponse, bus_send: BusSend, token: str) -> Failure:
    detail = element(response, "Detail")
    match response.status:
        case HTTPStatus.UNAUTHORIZED:
            text = f"The key '{bus_send.key_name}' is not accepted. {detail}"
        case HTTPStatus.NOT_FOUND | HTTPStatus.GONE:
            text = f"The {bus_send.entity_kind} does not exist. {detail}"
        case _:
            text = detail or f"The answer was '{status_name(response.status)}'."
    signature = token.partition("&sig=")[2].partition("&")[0]
    secrets = [bus_send.key.reveal(), token, signature, unquote(signature)]
    return Failure(
        reason_of_refusal(response.status),
        without(secrets, text.rstrip()),
        status_name(response.status),
        response.status,
    )
