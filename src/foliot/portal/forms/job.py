"""The fields of the job form: one for each property that the API accepts."""

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
    StandardWebhooks,
)
from foliot.core.recurrence import Frequency
from foliot.core.secret import Secret
from foliot.portal.forms.fields import Choice, Field, FormSchema, Kind

ACTION = "properties.action"
ERROR_ACTION = f"{ACTION}.errorAction"

_RECURRENCE = "properties.recurrence"
_FREQUENCY = f"{_RECURRENCE}.frequency"
_EVERY = frozenset(Frequency)
# What the form shows as the frequency of a recurrence by cron, which has none.
BY_CRON = "cron"
CRON = f"{_RECURRENCE}.cron"
_MONTHLY = frozenset({Frequency.MONTH, Frequency.YEAR})
_DAILY = _MONTHLY | {Frequency.DAY, Frequency.WEEK}
_KINDS = frozenset(ActionKind)
_HTTP = frozenset({ActionKind.HTTP, ActionKind.HTTPS})
_BUSES = {
    ActionKind.SERVICE_BUS_QUEUE: "queueName",
    ActionKind.SERVICE_BUS_TOPIC: "topicPath",
}
_KEY_TYPES = frozenset({"sharedAccessKey", "notSpecified"})
_RETRY_TYPES = frozenset({"fixed", "exponential", "none"})
_POLICY = "properties.policy"
_POLICY_PERIODS = ("catchUpWindow", "startWithin", "jitter", "timeout")
# Fields that hold a length of time.
PERIODS = (
    *(f"{_POLICY}.{name}" for name in _POLICY_PERIODS),
    *(
        f"{path}.retryPolicy.{name}"
        for path in (ACTION, ERROR_ACTION)
        for name in ("retryInterval", "maxRetryInterval")
    ),
)


def _calendar_fields() -> Iterator[Field]:
    schedule = f"{_RECURRENCE}.schedule"
    yield Field("properties.startTime")
    yield Field(_FREQUENCY)
    yield Field(CRON, Kind.TEXT, _FREQUENCY, frozenset({BY_CRON}))
    yield Field(f"{_RECURRENCE}.interval", Kind.INTEGER, _FREQUENCY, _EVERY)
    for name, kind in (
        ("count", Kind.INTEGER),
        ("endTime", Kind.TEXT),
        ("timeZone", Kind.TEXT),
        ("dst.skipped", Kind.TEXT),
        ("dst.repeated", Kind.TEXT),
        ("exclude.dates", Kind.ITEMS),
        ("exclude.calendars", Kind.WORDS),
        ("exclude.then", Kind.TEXT),
    ):
        yield Field(f"{_RECURRENCE}.{name}", kind, _FREQUENCY, _EVERY | {BY_CRON})
    for name, kind, frequencies in (
        ("minutes", Kind.INTEGERS, _EVERY),
        ("hours", Kind.INTEGERS, _EVERY),
        ("weekDays", Kind.WORDS, frozenset({Frequency.WEEK})),
        ("monthDays", Kind.INTEGERS, _MONTHLY),
        ("monthlyOccurrences", Kind.WEEKDAYS_OF_MONTH, _MONTHLY),
        ("months", Kind.INTEGERS, _DAILY),
    ):
        yield Field(f"{schedule}.{name}", kind, _FREQUENCY, frozenset(frequencies))


def _policy_fields() -> Iterator[Field]:
    for name in ("overlap", "catchUp", *_POLICY_PERIODS):
        yield Field(f"{_POLICY}.{name}")
    yield Field(f"{_POLICY}.pauseAfter", Kind.INTEGER)


def _action_fields(path: str) -> Iterator[Field]:
    kind = f"{path}.type"
    yield Field(kind)
    yield from _request_fields(f"{path}.request", kind)
    queue = frozenset({ActionKind.STORAGE_QUEUE})
    for name in ("storageAccount", "queueName", "format"):
        yield Field(f"{path}.queueMessage.{name}", Kind.TEXT, kind, queue)
    yield Field(f"{path}.queueMessage.message", Kind.LINES, kind, queue)
    yield Field(f"{path}.queueMessage.sasToken", Kind.SECRET, kind, queue)
    for bus, entity in _BUSES.items():
        yield from _bus_fields(f"{path}.{PART_NAMES[bus]}", entity, kind, bus)
    retry = f"{path}.retryPolicy"
    yield Field(f"{retry}.retryType", Kind.TEXT, kind, _KINDS)
    for name, sort, types in (
        ("retryInterval", Kind.TEXT, _RETRY_TYPES),
        ("retryCount", Kind.INTEGER, _RETRY_TYPES),
        ("maxRetryInterval", Kind.TEXT, frozenset({"exponential"})),
        ("retryOn", Kind.TEXT, _RETRY_TYPES),
    ):
        yield Field(f"{retry}.{name}", sort, f"{retry}.retryType", types)
    yield Field(f"{path}.template", Kind.BOOLEAN, kind, _KINDS)


def _request_fields(path: str, kind: str) -> Iterator[Field]:
    for name, sort in (
        ("uri", Kind.TEXT),
        ("method", Kind.TEXT),
        ("headers", Kind.PAIRS),
        ("body", Kind.LINES),
        ("expect.status", Kind.TEXT),
        ("expect.bodyContains", Kind.TEXT),
    ):
        yield Field(f"{path}.{name}", sort, kind, _HTTP)
    chosen = f"{path}.authentication.type"
    yield Field(chosen, Kind.TEXT, kind, _HTTP)
    for name, sort, types in (
        ("username", Kind.TEXT, {"Basic"}),
        ("password", Kind.SECRET, {"Basic", "ClientCertificate"}),
        ("pfx", Kind.SECRET, {"ClientCertificate"}),
        ("tenant", Kind.TEXT, {"ActiveDirectoryOAuth"}),
        ("audience", Kind.TEXT, {"ActiveDirectoryOAuth"}),
        ("clientId", Kind.TEXT, {"ActiveDirectoryOAuth"}),
        ("secret", Kind.SECRET, {"ActiveDirectoryOAuth", "StandardWebhooks"}),
    ):
        yield Field(f"{path}.authentication.{name}", sort, chosen, frozenset(types))


def _bus_fields(path: str, entity: str, kind: str, bus: ActionKind) -> Iterator[Field]:
    of_this = frozenset({bus})
    for name in ("namespace", entity, "transportType"):
        yield Field(f"{path}.{name}", Kind.TEXT, kind, of_this)
    yield Field(f"{path}.message", Kind.LINES, kind, of_this)
    chosen = f"{path}.authentication.type"
    yield Field(chosen, Kind.TEXT, kind, of_this)
    yield Field(f"{path}.authentication.sasKeyName", Kind.TEXT, chosen, _KEY_TYPES)
    yield Field(f"{path}.authentication.sasKey", Kind.SECRET, chosen, _KEY_TYPES)
    brokered = f"{path}.brokeredMessageProperties"
    for name in (*BROKERED_TEXTS, "scheduledEnqueueTimeUtc", "timeToLive"):
        yield Field(f"{brokered}.{name}", Kind.TEXT, kind, of_this)
    yield Field(f"{brokered}.forcePersistence", Kind.BOOLEAN, kind, of_this)
    yield Field(f"{path}.customMessageProperties", Kind.PAIRS, kind, of_this)


def _choices(path: str, removes: str) -> Iterator[Choice]:
    parts = {
        part: frozenset(kind for kind in ActionKind if PART_NAMES[kind] == part)
        for part in PART_NAMES.values()
    }
    holds = tuple((f"{path}.{part}", kinds) for part, kinds in parts.items())
    yield Choice(f"{path}.type", removes=removes, holds=holds)
    signing = f"{path}.request.authentication"
    yield Choice(f"{signing}.type", empties=signing, removes=signing)
    for bus in _BUSES:
        key = f"{path}.{PART_NAMES[bus]}.authentication"
        yield Choice(f"{key}.type", removes=key, implied="sharedAccessKey")
    retry = f"{path}.retryPolicy"
    yield Choice(f"{retry}.retryType", removes=retry, implied="fixed")


_REPEATS = Choice(
    _FREQUENCY,
    removes=_RECURRENCE,
    implied=BY_CRON,
    holds=((CRON, frozenset({BY_CRON})),),
    unwritten=BY_CRON,
)

JOB_FORM = FormSchema(
    fields=(
        Field("properties.state"),
        Field("properties.description", Kind.LINES),
        Field("properties.tags", Kind.PAIRS),
        *_calendar_fields(),
        *_policy_fields(),
        *_action_fields(ACTION),
        *_action_fields(ERROR_ACTION),
    ),
    choices=(
        _REPEATS,
        *_choices(ACTION, ""),
        *_choices(ERROR_ACTION, ERROR_ACTION),
    ),
)

# The part of it that decides when the job runs: the preview needs no more.
SCHEDULE_FORM = FormSchema((*_calendar_fields(), *_policy_fields()), (_REPEATS,))


def kept_secrets(action: Action | None) -> frozenset[str]:
    """Return the names of the fields whose secrets are stored."""
    return frozenset(name for name, secret in secrets_of(action) if secret is not None)


def missing_secrets(action: Action) -> list[str]:
    """Return the names of the fields whose secrets are not stored, but needed by each attempt."""
    secrets = dict(secrets_of(action))
    # A certificate may have no password.
    optional = {name.replace(".pfx", ".password") for name in secrets if name.endswith(".pfx")}
    return [name for name, secret in secrets.items() if secret is None and name not in optional]


def secrets_of(action: Action | None, path: str = ACTION) -> Iterator[tuple[str, Secret | None]]:
    """Yield the secrets that an action has or lacks, by field."""
    if action is None:
        return
    part = f"{path}.{PART_NAMES[action.kind]}"
    match action.part:
        case HttpRequest(authentication=BasicAuthentication(password=password)):
            yield f"{part}.authentication.password", password
        case HttpRequest(authentication=OAuth(secret=secret) | StandardWebhooks(secret=secret)):
            yield f"{part}.authentication.secret", secret
        case HttpRequest(authentication=ClientCertificate(pfx=pfx, password=password)):
            yield f"{part}.authentication.pfx", pfx
            yield f"{part}.authentication.password", password
        case QueueMessage(sas_token=token):
            yield f"{part}.sasToken", token
        case ServiceBusMessage(authentication=authentication):
            key = None if authentication is None else authentication.sas_key
            yield f"{part}.authentication.sasKey", key
        case _:
            pass
    yield from secrets_of(action.error_action, f"{path}.errorAction")
