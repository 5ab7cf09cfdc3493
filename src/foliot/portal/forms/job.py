"""The form of a job: a field for everything the API can express."""

from collections.abc import Iterator

from foliot.api.wire.action import PART_NAMES
from foliot.api.wire.message import BROKERED_TEXTS
from foliot.core.model.action import (
    Action,
    ActionKind,
    BasicAuthentication,
    ClientCertificate,
    HttpRequest,
    OAuth,
    QueueMessage,
    ServiceBusMessage,
)
from foliot.core.recurrence import Frequency
from foliot.portal.forms.fields import Choice, Field, Kind, Shape

ACTION = "properties.action"
ERROR_ACTION = f"{ACTION}.errorAction"

_RECURRENCE = "properties.recurrence"
_FREQUENCY = f"{_RECURRENCE}.frequency"
_EVERY = frozenset(Frequency)
_MONTHLY = frozenset({Frequency.MONTH, Frequency.YEAR})
_DAILY = _MONTHLY | {Frequency.DAY, Frequency.WEEK}
_KINDS = frozenset(ActionKind)
_HTTP = frozenset({ActionKind.HTTP, ActionKind.HTTPS})
_BUSES = {
    ActionKind.SERVICE_BUS_QUEUE: "queueName",
    ActionKind.SERVICE_BUS_TOPIC: "topicPath",
}
_KEY_TYPES = frozenset({"sharedAccessKey", "notSpecified"})
_RETRY_TYPES = frozenset({"fixed", "none"})


def _calendar_fields() -> Iterator[Field]:
    schedule = f"{_RECURRENCE}.schedule"
    yield Field("properties.startTime")
    yield Field(_FREQUENCY)
    for name, kind in (
        ("interval", Kind.INTEGER),
        ("count", Kind.INTEGER),
        ("endTime", Kind.TEXT),
        ("timeZone", Kind.TEXT),
    ):
        yield Field(f"{_RECURRENCE}.{name}", kind, _FREQUENCY, _EVERY)
    for name, kind, frequencies in (
        ("minutes", Kind.INTEGERS, _EVERY),
        ("hours", Kind.INTEGERS, _EVERY),
        ("weekDays", Kind.WORDS, frozenset({Frequency.WEEK})),
        ("monthDays", Kind.INTEGERS, _MONTHLY),
        ("monthlyOccurrences", Kind.WEEKDAYS_OF_MONTH, _MONTHLY),
        ("months", Kind.INTEGERS, _DAILY),
    ):
        yield Field(f"{schedule}.{name}", kind, _FREQUENCY, frozenset(frequencies))


def _action_fields(place: str) -> Iterator[Field]:
    kind = f"{place}.type"
    yield Field(kind)
    yield from _request_fields(f"{place}.request", kind)
    queue = frozenset({ActionKind.STORAGE_QUEUE})
    for name in ("storageAccount", "queueName", "format"):
        yield Field(f"{place}.queueMessage.{name}", Kind.TEXT, kind, queue)
    yield Field(f"{place}.queueMessage.message", Kind.LINES, kind, queue)
    yield Field(f"{place}.queueMessage.sasToken", Kind.SECRET, kind, queue)
    for bus, entity in _BUSES.items():
        yield from _bus_fields(f"{place}.{PART_NAMES[bus]}", entity, kind, bus)
    retry = f"{place}.retryPolicy"
    yield Field(f"{retry}.retryType", Kind.TEXT, kind, _KINDS)
    for name, sort in (("retryInterval", Kind.TEXT), ("retryCount", Kind.INTEGER)):
        yield Field(f"{retry}.{name}", sort, f"{retry}.retryType", _RETRY_TYPES)


def _request_fields(place: str, kind: str) -> Iterator[Field]:
    for name, sort in (
        ("uri", Kind.TEXT),
        ("method", Kind.TEXT),
        ("headers", Kind.PAIRS),
        ("body", Kind.LINES),
    ):
        yield Field(f"{place}.{name}", sort, kind, _HTTP)
    chosen = f"{place}.authentication.type"
    yield Field(chosen, Kind.TEXT, kind, _HTTP)
    for name, sort, types in (
        ("username", Kind.TEXT, {"Basic"}),
        ("password", Kind.SECRET, {"Basic", "ClientCertificate"}),
        ("pfx", Kind.SECRET, {"ClientCertificate"}),
        ("tenant", Kind.TEXT, {"ActiveDirectoryOAuth"}),
        ("audience", Kind.TEXT, {"ActiveDirectoryOAuth"}),
        ("clientId", Kind.TEXT, {"ActiveDirectoryOAuth"}),
        ("secret", Kind.SECRET, {"ActiveDirectoryOAuth"}),
    ):
        yield Field(f"{place}.authentication.{name}", sort, chosen, frozenset(types))


def _bus_fields(place: str, entity: str, kind: str, bus: ActionKind) -> Iterator[Field]:
    of_this = frozenset({bus})
    for name in (entity, "namespace", "transportType"):
        yield Field(f"{place}.{name}", Kind.TEXT, kind, of_this)
    yield Field(f"{place}.message", Kind.LINES, kind, of_this)
    chosen = f"{place}.authentication.type"
    yield Field(chosen, Kind.TEXT, kind, of_this)
    yield Field(f"{place}.authentication.sasKeyName", Kind.TEXT, chosen, _KEY_TYPES)
    yield Field(f"{place}.authentication.sasKey", Kind.SECRET, chosen, _KEY_TYPES)
    brokered = f"{place}.brokeredMessageProperties"
    for name in (*BROKERED_TEXTS, "scheduledEnqueueTimeUtc", "timeToLive"):
        yield Field(f"{brokered}.{name}", Kind.TEXT, kind, of_this)
    yield Field(f"{brokered}.forcePersistence", Kind.BOOLEAN, kind, of_this)
    yield Field(f"{place}.customMessageProperties", Kind.PAIRS, kind, of_this)


def _choices(place: str, removes: str) -> Iterator[Choice]:
    parts = {
        part: frozenset(kind for kind in ActionKind if PART_NAMES[kind] == part)
        for part in PART_NAMES.values()
    }
    holds = tuple((f"{place}.{part}", kinds) for part, kinds in parts.items())
    yield Choice(f"{place}.type", removes=removes, holds=holds)
    signing = f"{place}.request.authentication"
    yield Choice(f"{signing}.type", empties=signing, removes=signing)
    for bus in _BUSES:
        key = f"{place}.{PART_NAMES[bus]}.authentication"
        yield Choice(f"{key}.type", removes=key, implied="sharedAccessKey")
    retry = f"{place}.retryPolicy"
    yield Choice(f"{retry}.retryType", removes=retry, implied="fixed")


SHAPE = Shape(
    fields=(
        Field("properties.state"),
        *_calendar_fields(),
        *_action_fields(ACTION),
        *_action_fields(ERROR_ACTION),
    ),
    choices=(
        Choice(_FREQUENCY, removes=_RECURRENCE),
        *_choices(ACTION, ""),
        *_choices(ERROR_ACTION, ERROR_ACTION),
    ),
)

CALENDAR = Shape(tuple(_calendar_fields()), (Choice(_FREQUENCY, removes=_RECURRENCE),))


def kept_secrets(action: Action | None, place: str = ACTION) -> frozenset[str]:
    """Return the fields whose secrets are stored; what they are is nobody's to see."""
    if action is None:
        return frozenset()
    part = f"{place}.{PART_NAMES[action.kind]}"
    held: dict[str, object] = {}
    match action.part:
        case HttpRequest(authentication=BasicAuthentication(password=password)):
            held["authentication.password"] = password
        case HttpRequest(authentication=OAuth(secret=secret)):
            held["authentication.secret"] = secret
        case HttpRequest(authentication=ClientCertificate(pfx=pfx, password=password)):
            held |= {"authentication.pfx": pfx, "authentication.password": password}
        case QueueMessage(sas_token=token):
            held["sasToken"] = token
        case ServiceBusMessage(authentication=authentication) if authentication is not None:
            held["authentication.sasKey"] = authentication.sas_key
        case _:
            pass
    names = frozenset(f"{part}.{name}" for name, secret in held.items() if secret is not None)
    return names | kept_secrets(action.error_action, f"{place}.errorAction")
