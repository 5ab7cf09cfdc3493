"""The models that generated clients declare, and how their JSON libraries read them.

All clients come from one published contract, so the models are the same; `JsonLibrary` says where
the libraries differ. Reading raises `Unreadable` where the client would throw.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

_INT32 = 2**31


class Unreadable(ValueError):
    """The client throws: it cannot read this answer."""


class JsonLibrary(NamedTuple):
    """What a client does where the libraries differ."""

    find: Callable[[dict[str, Any], str], Any]
    find_in_request: Callable[[dict[str, Any], str], Any]
    time: Callable[[str], str]
    duration: Callable[[str], str]
    word: Callable[[str, tuple[str, ...]], str | None]
    authentication: Callable[[dict[str, Any], "JsonLibrary"], Any]


Type = Callable[[Any, JsonLibrary], Any]


def text(value: Any, _library: JsonLibrary) -> str:
    if not isinstance(value, str):
        raise Unreadable(f"{value!r} is no string")
    return value


def number(value: Any, _library: JsonLibrary) -> int:
    if type(value) is not int or not -_INT32 <= value < _INT32:
        raise Unreadable(f"{value!r} is no 32-bit integer")
    return value


def flag(value: Any, _library: JsonLibrary) -> bool:
    if not isinstance(value, bool):
        raise Unreadable(f"{value!r} is no boolean")
    return value


def time(value: Any, library: JsonLibrary) -> str:
    return library.time(text(value, library))


def duration(value: Any, library: JsonLibrary) -> str:
    return library.duration(text(value, library))


def texts(value: Any, library: JsonLibrary) -> dict[str, str]:
    return {name: text(each, library) for name, each in an_object(value).items()}


def word(*known: str) -> Type:
    """Return the type of an enumeration."""
    return lambda value, library: library.word(text(value, library), known)


def list_of(item: Type) -> Type:
    def read(value: Any, library: JsonLibrary) -> list[Any]:
        if not isinstance(value, list):
            raise Unreadable(f"{value!r} is no list")
        return [item(each, library) for each in value]

    return read


def shape(**fields: Type) -> Type:
    """Return the type of an object; what it does not declare is ignored, as is null."""

    def read(value: Any, library: JsonLibrary) -> dict[str, Any]:
        return read_fields(an_object(value), fields, library, library.find)

    return read


def read_fields(
    given: dict[str, Any],
    fields: dict[str, Type],
    library: JsonLibrary,
    find: Callable[[dict[str, Any], str], Any],
) -> dict[str, Any]:
    """Read the declared fields that are there."""
    found = {name: find(given, name) for name in fields}
    return {name: fields[name](each, library) for name, each in found.items() if each is not None}


def an_object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Unreadable(f"{value!r} is no object")
    return value


def find_exactly(given: dict[str, Any], name: str) -> Any:
    return given.get(name)


def find_in_any_case(given: dict[str, Any], name: str) -> Any:
    """Look for a name, and then for it in another letter case."""
    if name in given:
        return given[name]
    return next((each for other, each in given.items() if other.lower() == name.lower()), None)


def by_kind(value: dict[str, Any], library: JsonLibrary) -> dict[str, Any]:
    """Read an authentication as the class that its type names: the name counts to the letter."""
    kind = an_object(value).get("type")
    if kind not in AUTHENTICATIONS:
        raise Unreadable(f"{kind!r} is no known type of authentication")
    return {"type": kind, **AUTHENTICATIONS[kind](value, library)}


def _request(value: Any, library: JsonLibrary) -> dict[str, Any]:
    return read_fields(an_object(value), _REQUEST, library, library.find_in_request)


def _authentication(value: Any, library: JsonLibrary) -> Any:
    return library.authentication(value, library)


def page_of(item: Type) -> Type:
    """Return the type of a page of a list."""
    return shape(value=list_of(item), nextLink=text)


DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
FREQUENCIES = ("Minute", "Hour", "Day", "Week", "Month")
AUTHENTICATIONS: dict[str, Type] = {
    "Basic": shape(username=text, password=text),
    "ClientCertificate": shape(
        password=text,
        pfx=text,
        certificateThumbprint=text,
        certificateExpirationDate=time,
        certificateSubjectName=text,
    ),
    "ActiveDirectoryOAuth": shape(secret=text, tenant=text, audience=text, clientId=text),
}
_REQUEST: dict[str, Type] = {
    "uri": text,
    "method": text,
    "headers": texts,
    "body": text,
    "authentication": _authentication,
}
_QUEUE_MESSAGE = shape(storageAccount=text, queueName=text, sasToken=text, message=text)
_BUS_MESSAGE: dict[str, Type] = {
    "authentication": shape(
        sasKey=text, sasKeyName=text, type=word("NotSpecified", "SharedAccessKey")
    ),
    "brokeredMessageProperties": shape(
        contentType=text,
        correlationId=text,
        forcePersistence=flag,
        label=text,
        messageId=text,
        partitionKey=text,
        replyTo=text,
        replyToSessionId=text,
        scheduledEnqueueTimeUtc=time,
        sessionId=text,
        timeToLive=duration,
        to=text,
        viaPartitionKey=text,
    ),
    "customMessageProperties": texts,
    "message": text,
    "namespace": text,
    "transportType": word("NotSpecified", "NetMessaging", "AMQP"),
}
_ACTION: dict[str, Type] = {
    "type": word("Http", "Https", "StorageQueue", "ServiceBusQueue", "ServiceBusTopic"),
    "request": _request,
    "queueMessage": _QUEUE_MESSAGE,
    "serviceBusQueueMessage": shape(queueName=text, **_BUS_MESSAGE),
    "serviceBusTopicMessage": shape(topicPath=text, **_BUS_MESSAGE),
    "retryPolicy": shape(
        retryType=word("None", "Fixed"), retryInterval=duration, retryCount=number
    ),
}
_SCHEDULE = shape(
    weekDays=list_of(word(*DAYS)),
    hours=list_of(number),
    minutes=list_of(number),
    monthDays=list_of(number),
    monthlyOccurrences=list_of(shape(day=word(*DAYS), Occurrence=number)),
)
COLLECTION = shape(
    id=text,
    type=text,
    name=text,
    location=text,
    tags=texts,
    properties=shape(
        sku=shape(name=word("Standard", "Free", "P10Premium", "P20Premium")),
        state=word("Enabled", "Disabled", "Suspended", "Deleted"),
        quota=shape(
            maxJobCount=number,
            maxJobOccurrence=number,
            maxRecurrence=shape(frequency=word(*FREQUENCIES), interval=number),
        ),
    ),
)
JOB = shape(
    id=text,
    type=text,
    name=text,
    properties=shape(
        startTime=time,
        action=shape(**_ACTION, errorAction=shape(**_ACTION)),
        recurrence=shape(
            frequency=word(*FREQUENCIES),
            interval=number,
            count=number,
            endTime=time,
            schedule=_SCHEDULE,
        ),
        state=word("Enabled", "Disabled", "Faulted", "Completed"),
        status=shape(
            executionCount=number,
            failureCount=number,
            faultedCount=number,
            lastExecutionTime=time,
            nextExecutionTime=time,
        ),
    ),
)
HISTORY = shape(
    id=text,
    type=text,
    name=text,
    properties=shape(
        startTime=time,
        endTime=time,
        expectedExecutionTime=time,
        actionName=word("MainAction", "ErrorAction"),
        status=word("Completed", "Failed", "Postponed"),
        message=text,
        retryCount=number,
        repeatCount=number,
    ),
)
GROUP = shape(
    id=text, name=text, location=text, tags=texts, properties=shape(provisioningState=text)
)
PROVIDER = shape(
    id=text,
    namespace=text,
    registrationState=text,
    resourceTypes=list_of(
        shape(resourceType=text, locations=list_of(text), apiVersions=list_of(text))
    ),
)
SUBSCRIPTION = shape(id=text, subscriptionId=text, displayName=text, state=text)
TENANT = shape(id=text, tenantId=text)
ERROR = shape(error=shape(code=text, message=text))
MODELS: dict[str, Type] = {
    "collection": COLLECTION,
    "collections": page_of(COLLECTION),
    "job": JOB,
    "jobs": page_of(JOB),
    "history": page_of(HISTORY),
    "group": GROUP,
    "groups": page_of(GROUP),
    "provider": PROVIDER,
    "providers": page_of(PROVIDER),
    "subscription": SUBSCRIPTION,
    "subscriptions": page_of(SUBSCRIPTION),
    "tenants": page_of(TENANT),
    "error": ERROR,
}
