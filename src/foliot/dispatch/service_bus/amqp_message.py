"""Builds AMQP messages."""

from azure.servicebus import ServiceBusMessage
from azure.servicebus.amqp import AmqpMessageHeader

from foliot.core.errors import Invalid
from foliot.core.instant import moment_of, parse_instant
from foliot.dispatch.service_bus.message import (
    BusSend,
    brokered_of,
    message_id,
    properties_of,
)

_UNIX_EPOCH = parse_instant("1970-01-01")
_TICKS_PER_MILLISECOND = 10_000
_MAX_TTL = 2**32 - 1
_LAST_MOMENT = 253_402_300_799_999  # of the year 9999
_VIA_PARTITION_KEY = b"x-opt-via-partition-key"


def amqp_message(bus_send: BusSend) -> ServiceBusMessage:
    """Build a message; raise Invalid for what the protocol does not allow."""
    brokered = brokered_of(bus_send.message)
    try:
        message = ServiceBusMessage(
            bus_send.message.message.encode(errors="replace"),
            application_properties={**properties_of(bus_send.request, bus_send.message)},
            message_id=message_id(bus_send.request, bus_send.message),
            content_type=brokered.content_type or None,
            correlation_id=brokered.correlation_id or None,
            subject=brokered.label or None,
            partition_key=brokered.partition_key or None,
            reply_to=brokered.reply_to or None,
            reply_to_session_id=brokered.reply_to_session_id or None,
            session_id=brokered.session_id or None,
            to=brokered.to or None,
            scheduled_enqueue_time_utc=None
            if brokered.scheduled_enqueue_at is None
            else moment_of(brokered.scheduled_enqueue_at),
        )
    except ValueError as error:
        raise Invalid((), f"the message cannot be sent: {error}".rstrip(".")) from None
    if brokered.time_to_live is not None:
        _limit_life(message, bus_send, brokered.time_to_live.ticks // _TICKS_PER_MILLISECOND)
    if brokered.via_partition_key:
        annotations = message.raw_amqp_message.annotations or {}
        via = {_VIA_PARTITION_KEY: brokered.via_partition_key}
        message.raw_amqp_message.annotations = {**annotations, **via}
    return message


def batch_key(bus_send: BusSend) -> tuple[str | None, ...]:
    """Return the properties that all messages of a batch must share."""
    brokered = brokered_of(bus_send.message)
    return brokered.session_id, brokered.partition_key, brokered.via_partition_key


def size_of(bus_send: BusSend) -> int:
    """Return the approximate size of a message in bytes."""
    texts = [bus_send.message.message, *(bus_send.message.custom or {}).values()]
    return sum(len(text.encode(errors="replace")) for text in texts)


def _limit_life(message: ServiceBusMessage, bus_send: BusSend, milliseconds: int) -> None:
    """Set the time to live; its field ends at 49 days, so a longer one becomes an expiry time.

    https://learn.microsoft.com/azure/service-bus-messaging/service-bus-amqp-protocol-guide
    """
    raw = message.raw_amqp_message
    if milliseconds <= _MAX_TTL:
        raw.header = AmqpMessageHeader(time_to_live=milliseconds)
    elif raw.properties is not None:
        created = (bus_send.made_at - _UNIX_EPOCH) // _TICKS_PER_MILLISECOND
        raw.properties.creation_time = created
        raw.properties.absolute_expiry_time = min(created + milliseconds, _LAST_MOMENT)
