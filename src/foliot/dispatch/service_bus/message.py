"""What a service bus message carries beside its text, however it travels."""

from datetime import UTC, datetime

from msgspec import Struct

from foliot.core.instant import Instant, Wall, reading_of
from foliot.core.model.action import ActionKind, BrokeredProperties, ServiceBusMessage
from foliot.core.model.attempt import AttemptRequest
from foliot.core.secret import Secret
from foliot.dispatch.http.outgoing_request import about

_NONE = BrokeredProperties()


class BusSend(Struct, frozen=True, kw_only=True):
    """A message on its way: for which attempt, to which namespace, under whose key, until when."""

    request: AttemptRequest
    message: ServiceBusMessage
    base: str
    key_name: str
    key: Secret
    made_at: Instant
    deadline: float

    @property
    def entity_kind(self) -> str:
        """What the message goes to, in a word."""
        return entity_kind(self.request.action.kind)


def entity_kind(kind: ActionKind) -> str:
    """Return what a kind of action sends to."""
    return "topic" if kind is ActionKind.SERVICE_BUS_TOPIC else "queue"


def brokered_of(message: ServiceBusMessage) -> BrokeredProperties:
    """Return the properties that the broker itself reads."""
    return message.brokered or _NONE


def message_id(request: AttemptRequest, message: ServiceBusMessage) -> str:
    """Return the job's own id, or else the tag: a bus that detects duplicates drops repeats."""
    return brokered_of(message).message_id or request.tag


def properties_of(request: AttemptRequest, message: ServiceBusMessage) -> dict[str, str]:
    """Return the custom properties and what is told of the attempt, which a job cannot set."""
    facts = about(request)
    own = {name: text for name, text in (message.custom or {}).items() if name.lower() not in facts}
    return own | facts


def moment_of(instant: Instant) -> datetime:
    """Return an instant to the microsecond below."""
    return reading_of(Wall(instant)).replace(tzinfo=UTC)
