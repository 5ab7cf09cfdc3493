"""Messages for storage queues and for service bus queues and topics."""

from foliot.api.wire.duration import Notation, encode_duration, optional_duration
from foliot.api.wire.http import optional_secret
from foliot.api.wire.json_reader import (
    Json,
    Properties,
    optional_object,
    optional_strings,
    optional_text,
    read_word,
    required_text,
    without_nulls,
)
from foliot.core.errors import Invalid, within, wrong
from foliot.core.instant import Instant, format_instant, parse_instant
from foliot.core.model.action import (
    BrokeredProperties,
    QueueMessage,
    ServiceBusAuthentication,
    ServiceBusMessage,
)
from foliot.core.rules.queue_message_text import MAX_MESSAGE_BYTES, least_bytes, uncarriable

_FORMATS = {"text": "text", "envelope": "envelope"}
_TRANSPORTS = {"netmessaging": "netMessaging", "amqp": "amqp", "notspecified": "notSpecified"}
_AUTHENTICATIONS = {"sharedaccesskey": "sharedAccessKey", "notspecified": "notSpecified"}

# The name on the wire and the field of each brokered property that is a plain string.
BROKERED_TEXTS = {
    "contentType": "content_type",
    "correlationId": "correlation_id",
    "label": "label",
    "messageId": "message_id",
    "partitionKey": "partition_key",
    "replyTo": "reply_to",
    "replyToSessionId": "reply_to_session_id",
    "sessionId": "session_id",
    "to": "to",
    "viaPartitionKey": "via_partition_key",
}


def decode_queue_message(given: Properties) -> QueueMessage:
    """Read `queueMessage`; what no queue could hold is refused before it is due."""
    message = QueueMessage(
        storage_account=required_text(given, "storageAccount"),
        queue_name=required_text(given, "queueName"),
        sas_token=optional_secret(given, "sasToken"),
        message=required_text(given, "message"),
        format=_optional_word(given, "format", _FORMATS),
    )
    path = given.at("message")
    if (character := uncarriable(message.message)) is not None:
        raise Invalid(
            path, f"holds the character {character}, which XML cannot carry; leave it out."
        )
    if (size := least_bytes(message)) > MAX_MESSAGE_BYTES:
        most = f"give at most {MAX_MESSAGE_BYTES}, a queue's own limit"
        raise Invalid(path, f"has {size} bytes as it goes to the queue; {most}.")
    return message


def encode_queue_message(message: QueueMessage) -> dict[str, Json]:
    """Write `queueMessage`, leaving out its secret."""
    return without_nulls(
        {
            "storageAccount": message.storage_account,
            "queueName": message.queue_name,
            "message": message.message,
            "format": message.format,
        }
    )


def decode_bus_message(given: Properties, entity: str) -> ServiceBusMessage:
    """Read `serviceBusQueueMessage` or `serviceBusTopicMessage`."""
    return ServiceBusMessage(
        entity=required_text(given, entity),
        namespace=required_text(given, "namespace"),
        transport=_optional_word(given, "transportType", _TRANSPORTS),
        authentication=_authentication(given),
        message=required_text(given, "message"),
        brokered=_brokered(given),
        custom=optional_strings(given, "customMessageProperties"),
    )


def encode_bus_message(
    message: ServiceBusMessage, entity: str, notation: Notation
) -> dict[str, Json]:
    """Write a service bus message, leaving out its secret."""
    authentication, brokered = message.authentication, message.brokered
    return without_nulls(
        {
            entity: message.entity,
            "namespace": message.namespace,
            "transportType": message.transport,
            "authentication": authentication
            and without_nulls(
                {"sasKeyName": authentication.sas_key_name, "type": authentication.kind}
            ),
            "message": message.message,
            "brokeredMessageProperties": brokered and _encode_brokered(brokered, notation),
            "customMessageProperties": None if message.custom is None else dict(message.custom),
        }
    )


def _authentication(message: Properties) -> ServiceBusAuthentication | None:
    given = optional_object(message, "authentication")
    if given is None:
        return None
    return ServiceBusAuthentication(
        sas_key=optional_secret(given, "sasKey"),
        sas_key_name=optional_text(given, "sasKeyName"),
        kind=_optional_word(given, "type", _AUTHENTICATIONS),
    )


def _brokered(message: Properties) -> BrokeredProperties | None:
    given = optional_object(message, "brokeredMessageProperties")
    if given is None:
        return None
    texts = {field: optional_text(given, name) for name, field in BROKERED_TEXTS.items()}
    return BrokeredProperties(
        **texts,
        force_persistence=_optional_boolean(given, "forcePersistence"),
        scheduled_enqueue_at=_optional_instant(given, "scheduledEnqueueTimeUtc"),
        time_to_live=optional_duration(given, "timeToLive"),
    )


def _encode_brokered(brokered: BrokeredProperties, notation: Notation) -> dict[str, Json]:
    enqueue, live = brokered.scheduled_enqueue_at, brokered.time_to_live
    values: dict[str, Json] = {
        name: getattr(brokered, field) for name, field in BROKERED_TEXTS.items()
    }
    values["forcePersistence"] = brokered.force_persistence
    values["scheduledEnqueueTimeUtc"] = None if enqueue is None else format_instant(enqueue)
    values["timeToLive"] = None if live is None else encode_duration(live, notation)
    return without_nulls(dict(sorted(values.items())))


def _optional_word(given: Properties, name: str, words: dict[str, str]) -> str | None:
    value = given.get(name)
    return None if value is None else read_word(value, given.at(name), words)


def _optional_boolean(given: Properties, name: str) -> bool | None:
    value = given.get(name)
    if value is not None and not isinstance(value, bool):
        raise wrong(given.at(name), value, "true or false")
    return value


def _optional_instant(given: Properties, name: str) -> Instant | None:
    text = optional_text(given, name)
    if text is None:
        return None
    with within(*given.at(name)):
        return parse_instant(text)
