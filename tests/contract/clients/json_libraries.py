"""How each client reads what the contract leaves to its JSON library.

| client | names | enumerations | durations | source |
|---|---|---|---|---|
| .NET | any case | any case, unknown throws | `TimeSpan` | azure-sdk-for-net `SchedulerManagementClient.cs` |
| Java | exact | any case, unknown is null | joda `Period` | azure-sdk-for-java `RetryPolicy.java`, `JobState.java` |
| Go | any case; `request` exact | any string | any string | azure-sdk-for-go `models.go` |

.NET's client switches off its ISO 8601 converter, so that durations are those of `TimeSpan`.
Java's and Go's read an authentication as the class that its exact type names (Java's throws at any
other); .NET's declares no such converter and reads the type alone.
"""  # noqa: E501  (a table)

import re
from datetime import datetime
from typing import Any

from tests.contract.clients.contract_types import (
    AUTHENTICATIONS,
    JsonLibrary,
    Unreadable,
    an_object,
    by_kind,
    find_exactly,
    find_in_any_case,
)

_TIME_SPAN = re.compile(r"-?(\d+\.)?([01]?\d|2[0-3]):[0-5]?\d(:[0-5]?\d(\.\d{1,7})?)?", re.ASCII)
_PERIOD = re.compile(
    r"P(?=.)(\d+Y)?(\d+M)?(\d+W)?(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?", re.ASCII
)
_RFC_3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", re.ASCII)


def _time(value: str) -> str:
    if not _RFC_3339.fullmatch(value):
        raise Unreadable(f"{value!r} is no RFC 3339 date-time")
    datetime.fromisoformat(value[:19])
    return value


def _time_span(value: str) -> str:
    if not _TIME_SPAN.fullmatch(value):
        raise Unreadable(f"{value!r} is no TimeSpan")
    return value


def _period(value: str) -> str:
    if not _PERIOD.fullmatch(value):
        raise Unreadable(f"{value!r} is no ISO 8601 period")
    return value


def _as_given(value: str, _known: tuple[str, ...] = ()) -> str:
    return value


def _known_or_null(value: str, known: tuple[str, ...]) -> str | None:
    return next((each for each in known if each.lower() == value.lower()), None)


def _known(value: str, known: tuple[str, ...]) -> str:
    found = _known_or_null(value, known)
    if found is None:
        raise Unreadable(f"{value!r} is none of {known}")
    return found


def _type_alone(value: dict[str, Any], library: JsonLibrary) -> dict[str, Any]:
    kinds = ("NotSpecified", "ClientCertificate", "ActiveDirectoryOAuth", "Basic")
    return {"type": library.word(library.find(an_object(value), "type"), kinds)}


def _by_kind_or_type(value: dict[str, Any], library: JsonLibrary) -> dict[str, Any]:
    kind = an_object(value).get("type")
    return by_kind(value, library) if kind in AUTHENTICATIONS else {"type": kind}


DOTNET = JsonLibrary(
    find=find_in_any_case,
    find_in_request=find_in_any_case,
    time=_time,
    duration=_time_span,
    word=_known,
    authentication=_type_alone,
)
JAVA = JsonLibrary(
    find=find_exactly,
    find_in_request=find_exactly,
    time=_time,
    duration=_period,
    word=_known_or_null,
    authentication=by_kind,
)
GO = JsonLibrary(
    find=find_in_any_case,
    find_in_request=find_exactly,
    time=_time,
    duration=_as_given,
    word=_as_given,
    authentication=_by_kind_or_type,
)
