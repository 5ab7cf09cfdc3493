"""The test of a job as JSON: Foliot's own, since the old service had none."""

from foliot.api.wire.fields import Schema
from foliot.api.wire.json_reader import without_nulls
from foliot.core.instant import SECOND
from foliot.core.json_text import Json
from foliot.core.model.attempt import Attempt
from foliot.core.model.exchange import Exchange, Headers, ShownRequest, ShownResponse, Timings
from foliot.core.model.reason import Reason

_DIGITS = 6
_TEXT: Schema = {"type": "string"}
_INTEGER: Schema = {"type": "integer"}
_SECONDS: Schema = {"type": "number", "minimum": 0}
_HEADERS: Schema = {"type": "object", "additionalProperties": _TEXT}


def encode_test(attempt: Attempt, tag: str) -> dict[str, Json]:
    """Write the test of a job, without what there is none of."""
    outcome = attempt.outcome
    return without_nulls(
        {
            "outcome": "succeeded" if outcome.succeeded else "failed",
            "reason": outcome.reason and outcome.reason.value,
            "statusCode": outcome.status_code,
            "host": outcome.host,
            "message": outcome.message,
            "durationSeconds": _duration(attempt),
            "tag": tag,
            **_exchange(outcome.exchange),
        }
    )


def encode_timings(timings: Timings) -> dict[str, Json]:
    """Write the timings of a request, without the steps that it has not made."""
    seconds = {
        "nameLookup": timings.name_lookup,
        "connect": timings.connect,
        "tls": timings.tls,
        "firstByte": timings.first_byte,
        "total": timings.total,
    }
    return {name: round(each, _DIGITS) for name, each in seconds.items() if each is not None}


def _duration(attempt: Attempt) -> float:
    # The clock may have been set back meanwhile.
    return round(max(0, attempt.ended_at - attempt.started_at) / SECOND, _DIGITS)


def _exchange(exchange: Exchange | None) -> dict[str, Json]:
    if exchange is None:
        return {}
    return {
        "timings": exchange.timings and encode_timings(exchange.timings),
        "request": _request(exchange.request),
        "redirects": [*exchange.redirects] or None,
        "response": exchange.response and _response(exchange.response),
    }


def _request(request: ShownRequest) -> dict[str, Json]:
    return without_nulls(
        {
            "method": request.method,
            "uri": request.uri,
            "headers": _headers(request.headers),
            "body": request.body,
        }
    )


def _response(response: ShownResponse) -> dict[str, Json]:
    return {
        "statusCode": response.status_code,
        "headers": _headers(response.headers),
        "body": response.body,
        "bodyCut": response.is_cut,
    }


def _headers(headers: Headers) -> dict[str, Json]:
    """Return headers as an object; several of one name are one line each."""
    found: dict[str, str] = {}
    names: dict[str, str] = {}
    for name, value in headers:
        written = names.setdefault(name.lower(), name)
        found[written] = f"{found[written]}\n{value}" if written in found else value
    return {**found}


def _object(required: tuple[str, ...], **properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(required)}


TIMINGS_SCHEMA = _object(
    ("total",),
    nameLookup=_SECONDS,
    connect=_SECONDS,
    tls=_SECONDS,
    firstByte=_SECONDS,
    total=_SECONDS,
)
TEST_SCHEMA = _object(
    ("outcome", "message", "durationSeconds", "tag"),
    outcome={"type": "string", "enum": ["succeeded", "failed"]},
    reason={"type": "string", "enum": [each.value for each in Reason]},
    statusCode=_INTEGER,
    host=_TEXT,
    message=_TEXT,
    durationSeconds=_SECONDS,
    tag=_TEXT,
    timings=TIMINGS_SCHEMA,
    request=_object(("uri", "headers"), method=_TEXT, uri=_TEXT, headers=_HEADERS, body=_TEXT),
    redirects={"type": "array", "items": _TEXT},
    response=_object(
        ("statusCode", "headers", "body", "bodyCut"),
        statusCode=_INTEGER,
        headers=_HEADERS,
        body=_TEXT,
        bodyCut={"type": "boolean"},
    ),
)
