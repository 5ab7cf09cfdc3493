"""The shapes of requests and answers as JSON Schema, made from the values that the wire reads."""

from collections.abc import Iterable
from typing import Any

from foliot.api.wire.message import BROKERED_TEXTS
from foliot.core.limits import Limits
from foliot.core.model.action import PART_NAMES, ActionKind, RetryKind
from foliot.core.model.collection import CollectionState, Sku
from foliot.core.model.history import AttemptStatus
from foliot.core.model.job import JobState
from foliot.core.recurrence import MAX_INTERVAL, WEEK_DAYS, Frequency
from foliot.core.rules.tags_and_location import LOCATION, MAX_TAG_NAME, MAX_TAG_VALUE, MAX_TAGS

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_INSTANT: Schema = {"type": "string", "format": "date-time"}
_SECRET: Schema = {"type": "string", "writeOnly": True, "description": "never given back"}
_STRINGS: Schema = {"type": "object", "additionalProperties": _TEXT}
_DURATION: Schema = {
    "type": "string",
    "description": "ISO 8601 such as PT30S, or [d.]hh:mm:ss such as 00:00:30",
    "pattern": r"^(P\d{1,2}D|PT[1-9]\d{1,3}[SMH]|([0-9]{1,2}\.)?([01]\d|2[0-3])(:[0-5]\d){2})$",
    "examples": ["PT30S", "00:01:00"],
}
_SHAPES = {
    "request": "HttpRequest",
    "queueMessage": "QueueMessage",
    "serviceBusQueueMessage": "ServiceBusQueueMessage",
    "serviceBusTopicMessage": "ServiceBusTopicMessage",
}
_HTTP_AUTHENTICATIONS = ("Basic", "ClientCertificate", "ActiveDirectoryOAuth", "NotSpecified")


def components(limits: Limits) -> dict[str, Schema]:
    """Return all named schemas."""
    return {
        "Error": _object(error=_object(code=_TEXT, message=_TEXT)),
        "Recurrence": _recurrence(),
        "RetryPolicy": _retry_policy(),
        "HttpRequest": _http_request(limits),
        "QueueMessage": _queue_message(),
        "ServiceBusQueueMessage": _bus_message("queueName"),
        "ServiceBusTopicMessage": _bus_message("topicPath"),
        "ErrorAction": _action(with_error_action=False),
        "Action": _action(with_error_action=True),
        "Job": _job(),
        "JobPatch": _patch("properties"),
        "JobList": _list_of("Job"),
        "Collection": _collection(),
        "CollectionPatch": _patch("tags", "properties"),
        "CollectionList": _list_of("Collection"),
        "HistoryEntry": _history_entry(),
        "HistoryList": _list_of("HistoryEntry"),
        "NodeList": _object(value={"type": "array", "items": _node()}),
        "Provider": _object(id=_TEXT, namespace=_TEXT, registrationState=_TEXT)
        | {"additionalProperties": True},
    }


def ref(name: str) -> Schema:
    """Return a reference to a named schema."""
    return {"$ref": f"#/components/schemas/{name}"}


def _object(required: Iterable[str] | None = None, **properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties if required is None else required),
    }


def _words(words: Iterable[str], description: str = "in any letter case") -> Schema:
    return {"type": "string", "enum": list(words), "description": description}


def _values(item: Schema, most: int | None = None) -> Schema:
    limit = {} if most is None else {"maxItems": most}
    return {"type": "array", "items": item, "minItems": 1, **limit}


def _numbers(least: int, most: int) -> Schema:
    return _values({"type": "integer", "minimum": least, "maximum": most})


def _recurrence() -> Schema:
    day = _words(WEEK_DAYS)
    occurrence = {"type": "integer", "minimum": -5, "maximum": 5, "not": {"const": 0}}
    schedule = _object(
        [],
        minutes=_numbers(0, 59),
        hours=_numbers(0, 23),
        weekDays=_values(day, len(WEEK_DAYS)),
        monthDays=_values({"type": "integer", "minimum": -31, "maximum": 31, "not": {"const": 0}}),
        monthlyOccurrences=_values(_object(["day"], day=day, Occurrence=occurrence)),
        months=_numbers(1, 12),
    )
    return _object(
        ["frequency"],
        frequency=_words(Frequency),
        interval={"type": "integer", "minimum": 1, "maximum": max(MAX_INTERVAL.values())},
        count=_COUNT,
        endTime=_INSTANT,
        schedule=schedule | {"additionalProperties": False, "minProperties": 1},
        timeZone={"type": "string", "examples": ["Europe/Prague"]},
    ) | {"additionalProperties": False}


def _retry_policy() -> Schema:
    return _object(
        [],
        retryType=_words(RetryKind),
        retryInterval=_DURATION,
        retryCount={"type": "integer", "minimum": 0, "maximum": 20},
    )


def _http_request(limits: Limits) -> Schema:
    authentication = _object(
        ["type"],
        type=_words(_HTTP_AUTHENTICATIONS),
        username=_TEXT,
        password=_SECRET,
        pfx=_SECRET,
        certificateThumbprint=_TEXT,
        certificateExpiration=_INSTANT,
        certificateExpirationDate=_INSTANT,
        certificateSubjectName=_TEXT,
        tenant=_TEXT,
        audience=_TEXT,
        clientId=_TEXT,
        secret=_SECRET,
    )
    return _object(
        ["uri", "method"],
        uri={
            "type": "string",
            "pattern": "^[Hh][Tt][Tt][Pp][Ss]?://[^/]",
            "maxLength": limits.max_uri_characters,
            "examples": ["https://example.com/path"],
        },
        method={"type": "string", "pattern": "^[A-Za-z]+$", "examples": ["GET", "POST"]},
        headers=_STRINGS
        | {
            "maxProperties": limits.max_headers,
            "propertyNames": {"pattern": "^[A-Za-z0-9-]+$"},
        },
        body={"type": "string", "maxLength": limits.max_body_characters},
        authentication=authentication,
    )


def _queue_message() -> Schema:
    return _object(
        ["storageAccount", "queueName", "message"],
        storageAccount=_TEXT,
        queueName=_TEXT,
        sasToken=_SECRET,
        message=_TEXT,
        format=_words(("text", "envelope")),
    )


def _bus_message(entity: str) -> Schema:
    texts = dict.fromkeys(BROKERED_TEXTS, _TEXT)
    brokered = _object(
        [],
        **texts,
        forcePersistence={"type": "boolean"},
        scheduledEnqueueTimeUtc=_INSTANT,
        timeToLive=_DURATION,
    )
    authentication = _object(
        [], sasKey=_SECRET, sasKeyName=_TEXT, type=_words(("sharedAccessKey", "notSpecified"))
    )
    return _object(
        [entity, "namespace", "message"],
        **{entity: _TEXT},
        namespace=_TEXT,
        transportType=_words(("netMessaging", "amqp", "notSpecified")),
        authentication=authentication,
        message=_TEXT,
        brokeredMessageProperties=brokered,
        customMessageProperties=_STRINGS,
    )


def _action(*, with_error_action: bool) -> Schema:
    error: Schema = {"errorAction": ref("ErrorAction")} if with_error_action else {}
    kinds = {part: [kind for kind in ActionKind if PART_NAMES[kind] == part] for part in _SHAPES}
    return {
        "oneOf": [
            _object(
                ["type", part],
                **{part: ref(shape)},
                type=_words(kinds[part]),
                retryPolicy=ref("RetryPolicy"),
                **error,
            )
            | {"additionalProperties": False}
            for part, shape in _SHAPES.items()
        ]
    }


def _job() -> Schema:
    status = _object(
        [],
        lastExecutionTime=_INSTANT,
        nextExecutionTime=_INSTANT,
        executionCount=_COUNT,
        failureCount=_COUNT,
        faultedCount=_COUNT,
    )
    properties = _object(
        ["action"],
        startTime=_INSTANT,
        action=ref("Action"),
        recurrence=ref("Recurrence"),
        state=_words(JobState, "in any letter case; the last two are never sent"),
        status=status | {"readOnly": True},
    )
    return _resource(["properties"], properties=properties)


def _collection() -> Schema:
    slowest = _object(["frequency"], frequency=_words(Frequency), interval=_COUNT)
    quota = _object([], maxJobCount=_COUNT, maxJobOccurrence=_COUNT, maxRecurrence=slowest)
    # Older versions of the API know one premium plan.
    plans = _words((*Sku, "Premium"))
    properties = _object([], sku=_object(name=plans), state=_words(CollectionState), quota=quota)
    location = _TEXT | {"description": f"a region, or as {LOCATION}"}
    value = _TEXT | {"maxLength": MAX_TAG_VALUE}
    tags: Schema = {
        "type": "object",
        "maxProperties": MAX_TAGS,
        "propertyNames": {"minLength": 1, "maxLength": MAX_TAG_NAME},
        "additionalProperties": value,
    }
    return _resource([], location=location, tags=tags, properties=properties)


def _history_entry() -> Schema:
    properties = _object(
        startTime=_INSTANT,
        endTime=_INSTANT,
        expectedExecutionTime=_INSTANT,
        status=_words(AttemptStatus),
        message=_TEXT,
        retryCount=_COUNT,
        repeatCount=_COUNT,
        actionName=_words(("MainAction", "ErrorAction")),
    )
    return _resource(["properties"], properties=properties)


def _node() -> Schema:
    return _object(
        id=_TEXT,
        name=_TEXT,
        version=_TEXT,
        startTime=_INSTANT,
        heartbeatTime=_INSTANT,
        isAlive={"type": "boolean"},
        hasApi={"type": "boolean"},
        hasEngine={"type": "boolean"},
        attemptsInFlight=_COUNT,
        attemptsWaiting=_COUNT,
    )


def _resource(required: Iterable[str], **properties: Schema) -> Schema:
    own = _TEXT | {"readOnly": True}
    return _object(required, id=own, type=own, name=own, **properties)


def _patch(*names: str) -> Schema:
    """Return the shape of a patch: any part of a resource, null where something is removed."""
    anything: Schema = {"type": ["object", "null"], "additionalProperties": True}
    return _object([], **dict.fromkeys(names, anything))


def _list_of(name: str) -> Schema:
    return _object(
        value={"type": "array", "items": ref(name)}, nextLink={"type": ["string", "null"]}
    )
