"""Messages to service bus over HTTPS: https://learn.microsoft.com/rest/api/servicebus/send-message.

Properties of the broker are JSON in one header, custom ones are headers of their own, strings in
quotation marks.
"""

import json
import re
from collections.abc import Callable
from email.utils import format_datetime
from http import HTTPStatus
from urllib.parse import quote, unquote

from foliot.core.errors import Invalid, shown
from foliot.core.instant import SECOND, Instant
from foliot.core.model.action import ServiceBusMessage
from foliot.core.model.attempt import Errand, Outcome
from foliot.dispatch.auth.shared_access_signature import bus_token
from foliot.dispatch.http.client import Sender
from foliot.dispatch.http.history_messages import Failure, status_name
from foliot.dispatch.http.outgoing_request import Hop, user_agent
from foliot.dispatch.http.response import Answer, retry_after
from foliot.dispatch.http.target_uri import read_target
from foliot.dispatch.queue_outcomes import (
    ANSWER_BYTES,
    CREATED,
    Place,
    delivered,
    element,
    undelivered,
)
from foliot.dispatch.redaction import without
from foliot.dispatch.service_bus.message import (
    Parcel,
    brokered_of,
    message_id,
    moment_of,
    properties_of,
)

_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+", re.ASCII)
_PRINTABLE = re.compile(r"[\t\x20-\x7e]*", re.ASCII)
_DEFAULT_TYPE = "text/plain; charset=utf-8"
# Headers that mean something else to whoever passes the request on.
_TAKEN = frozenset(
    {
        *("accept", "accept-encoding", "authorization", "brokerproperties", "connection"),
        *("content-encoding", "content-length", "content-type", "cookie", "date", "expect", "host"),
        *("keep-alive", "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade"),
        *("user-agent", "via"),
    }
)
# The property of the broker for each field, but for those that need more than their text.
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


async def send_over_http(
    sender: Sender, parcel: Parcel, now: Callable[[], Instant], place: Place
) -> Outcome:
    """Send a message and tell how it fared."""
    resource = _resource(parcel)
    token = bus_token(resource, parcel.key_name, parcel.key, now())
    hop = _request(parcel, resource, token)
    answer = await sender.send(hop, deadline=parcel.deadline, most=ANSWER_BYTES)
    if isinstance(answer, Failure):
        return undelivered(place, not_found(answer, parcel))
    if answer.status == CREATED:
        return delivered(place, status_name(answer.status))
    failure = _refused(answer, parcel, token)
    return undelivered(place, failure, retry_after=retry_after(answer, now))


def not_found(failure: Failure, parcel: Parcel) -> Failure:
    """Say of a name that does not resolve that it is a namespace's."""
    if failure.reason != "NameResolutionFailure":
        return failure
    text = f"The namespace '{parcel.message.namespace}' could not be found. {failure.text}"
    return Failure(failure.reason, text)


def _resource(parcel: Parcel) -> str:
    """Return the address of a queue or topic, which may stand in folders."""
    entity = parcel.message.entity
    if any(part in ("", ".", "..") for part in entity.split("/")):
        raise Invalid((), f"{shown(entity)} is not the name of a {parcel.entity_kind}")
    return f"{parcel.base}/{quote(entity, safe='/', errors='replace')}"


def _request(parcel: Parcel, resource: str, token: str) -> Hop:
    errand, message = parcel.errand, parcel.message
    return Hop(
        method="POST",
        target=read_target(f"{resource}/messages"),
        headers=(
            f"Content-Type: {_content_type(message)}",
            f"BrokerProperties: {json.dumps(_broker_properties(errand, message))}",
            *_property_lines(errand, message),
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


def _broker_properties(errand: Errand, message: ServiceBusMessage) -> dict[str, str | float]:
    brokered = brokered_of(message)
    found: dict[str, str | float] = {"MessageId": message_id(errand, message)}
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


def _property_lines(errand: Errand, message: ServiceBusMessage) -> list[str]:
    properties = properties_of(errand, message)
    names = [name.lower() for name in properties]
    for name in properties:
        if not _TOKEN.fullmatch(name) or name.lower() in _TAKEN or names.count(name.lower()) > 1:
            raise Invalid(
                (),
                f"the custom property {shown(name)} cannot be sent as a header; "
                "give it another name, or the message the transportType amqp",
            )
    # Written as JSON, a string has its quotation marks, and no line break or foreign letter.
    return [f"{name}: {json.dumps(text)}" for name, text in properties.items()]


def _refused(answer: Answer, parcel: Parcel, token: str) -> Failure:
    detail = element(answer, "Detail")
    match answer.status:
        case HTTPStatus.UNAUTHORIZED:
            text = f"The key '{parcel.key_name}' is not accepted. {detail}"
        case HTTPStatus.NOT_FOUND | HTTPStatus.GONE:
            text = f"The {parcel.entity_kind} does not exist. {detail}"
        case _:
            text = detail or f"The answer was '{status_name(answer.status)}'."
    signature = token.partition("&sig=")[2].partition("&")[0]
    secrets = [parcel.key.reveal(), token, signature, unquote(signature)]
    return Failure(status_name(answer.status), without(secrets, text.rstrip()))
