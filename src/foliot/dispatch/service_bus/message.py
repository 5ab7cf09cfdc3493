"""The properties of a service bus message, for both protocols."""

from collections.abc import Mapping

from msgspec import Struct

from foliot.core.history_text import entity_kind
from foliot.core.instant import Instant
from foliot.core.model.action import BrokeredProperties, ServiceBusMessage
from foliot.core.model.attempt import AttemptRequest
from foliot.core.secret import Secret
from foliot.dispatch.http.outgoing_request import attempt_headers, trace_facts

_NONE = BrokeredProperties()
_OLD_NAME = "Diagnostic-Id"


class BusSend(Struct, frozen=True, kw_only=True):
    """A message to send: its attempt, the address and key of its namespace, and its deadline."""

    request: AttemptRequest
    message: ServiceBusMessage
    base: str
    key_name: str
    key: Secret
    made_at: Instant
    deadline: float

    @property
    def entity_kind(self) -> str:
        """`queue` or `topic`."""
        return entity_kind(self.request.action.kind)


def brokered_of(message: ServiceBusMessage) -> BrokeredProperties:
    """Return the properties that the broker reads."""
    return message.brokered or _NONE


def message_id(request: AttemptRequest, message: ServiceBusMessage) -> str:
    """Return the job's own id, or the tag: service bus can drop duplicates by it."""
    return brokered_of(message).message_id or request.tag


def properties_of(request: AttemptRequest, message: ServiceBusMessage) -> dict[str, str]:
    """Return the custom properties, and those that describe the attempt, which jobs cannot set."""
    facts = attempt_headers(request)
    own = {name: text for name, text in (message.custom or {}).items() if name.lower() not in facts}
    return own | facts | _trace_properties(request, own)


def _trace_properties(request: AttemptRequest, own: Mapping[str, str]) -> dict[str, str]:
    """Return the properties of a trace, under the names that Microsoft's clients write and read.

    Older ones know `Diagnostic-Id` alone, newer ones `traceparent`.
    """
    if request.trace_headers is None or any(name.lower() == _OLD_NAME.lower() for name in own):
        return {}
    facts = trace_facts(request, own)
    parent = facts.get("traceparent")
    return facts if parent is None else {_OLD_NAME: parent, **facts}
