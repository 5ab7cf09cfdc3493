"""Messages for storage queues and for service bus queues and topics."""

from foliot.api.wire.field_types import (
    BOOLEAN,
    DURATION,
    INSTANT,
    SECRET,
    STRINGS,
    TEXT,
    word,
)
from foliot.api.wire.fields import WireField, WireObject
from foliot.api.wire.json_reader import Properties
from foliot.core.errors import Invalid
from foliot.core.job_defaults import ENVELOPE, PLAIN_TEXT
from foliot.core.model.action import (
    BrokeredProperties,
    QueueMessage,
    ServiceBusAuthentication,
    ServiceBusMessage,
)
from foliot.core.rules.queue_message_text import uncarriable

_FORMATS = {each: each for each in (PLAIN_TEXT, ENVELOPE)}
_TRANSPORTS = {"netmessaging": "netMessaging", "amqp": "amqp", "notspecified": "notSpecified"}
_AUTHENTICATIONS = {"sharedaccesskey": "sharedAccessKey", "notspecified": "notSpecified"}

QUEUE_MESSAGE = WireObject(
    QueueMessage,
    WireField("storageAccount", "storage_account", TEXT, "Storage account", required=True),
    WireField("queueName", "queue_name", TEXT, "Queue", required=True),
    WireField("sasToken", "sas_token", SECRET, "Shared access signature"),
    WireField("message", "message", TEXT, "Message", required=True),
    WireField("format", "format", word(_FORMATS), "Format"),
    component="QueueMessage",
)

_BUS_AUTHENTICATION = WireObject(
    ServiceBusAuthentication,
    WireField("sasKey", "sas_key", SECRET, "Key"),
    WireField("sasKeyName", "sas_key_name", TEXT, "Key name"),
    WireField("type", "kind", word(_AUTHENTICATIONS), "Authentication"),
)

_BROKERED_TEXTS = (
    WireField("contentType", "content_type", TEXT, "Content type"),
    WireField("correlationId", "correlation_id", TEXT, "Correlation ID"),
    WireField("label", "label", TEXT, "Label"),
    WireField("messageId", "message_id", TEXT, "Message ID"),
    WireField("partitionKey", "partition_key", TEXT, "Partition key"),
    WireField("replyTo", "reply_to", TEXT, "Reply to"),
    WireField("replyToSessionId", "reply_to_session_id", TEXT, "Reply to session ID"),
    WireField("sessionId", "session_id", TEXT, "Session ID"),
    WireField("to", "to", TEXT, "To"),
    WireField("viaPartitionKey", "via_partition_key", TEXT, "Via partition key"),
)
_BROKERED = (
    *_BROKERED_TEXTS,
    WireField("forcePersistence", "force_persistence", BOOLEAN, "Force persistence"),
    WireField("scheduledEnqueueTimeUtc", "scheduled_enqueue_at", INSTANT, "Enqueue at"),
    WireField("timeToLive", "time_to_live", DURATION, "Time to live"),
)
_BROKERED_PROPERTIES = WireObject(
    BrokeredProperties, *_BROKERED, answer=sorted(field.name for field in _BROKERED)
)

# The names of the brokered properties that are plain strings.
BROKERED_TEXTS = tuple(field.name for field in _BROKERED_TEXTS)


def _bus_message(entity: WireField, component: str) -> WireObject[ServiceBusMessage]:
    return WireObject(
        ServiceBusMessage,
        entity,
        WireField("namespace", "namespace", TEXT, "Namespace", required=True),
        WireField("transportType", "transport", word(_TRANSPORTS), "Transport"),
        WireField("authentication", "authentication", _BUS_AUTHENTICATION.type()),
        WireField("message", "message", TEXT, "Message", required=True),
        WireField("brokeredMessageProperties", "brokered", _BROKERED_PROPERTIES.type()),
        WireField("customMessageProperties", "custom", STRINGS, "Custom properties"),
        component=component,
    )


SERVICE_BUS_QUEUE_MESSAGE = _bus_message(
    WireField("queueName", "entity", TEXT, "Queue", required=True), "ServiceBusQueueMessage"
)
SERVICE_BUS_TOPIC_MESSAGE = _bus_message(
    WireField("topicPath", "entity", TEXT, "Topic", required=True), "ServiceBusTopicMessage"
)


def decode_queue_message(given: Properties) -> QueueMessage:
    """Read `queueMessage`; a character that no queue could carry is refused before it is due."""
    message = QUEUE_MESSAGE.decode(given)
    if (character := uncarriable(message.message)) is not None:
        raise Invalid(
            given.at("message"),
            f"holds the character {character}, which XML cannot carry; leave it out.",
        )
    return message
