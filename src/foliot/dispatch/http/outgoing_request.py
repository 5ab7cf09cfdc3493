"""Builds a request from a job's definition, or from a redirect."""

from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import metadata
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from foliot.core.instant import format_instant
from foliot.core.model.action import HttpRequest
from foliot.core.model.attempt import AttemptRequest
from foliot.core.secret import Secret
from foliot.dispatch.http.target_uri import Target, read_target
from foliot.dispatch.redaction import hidden_values

_KNOWN_METHODS = frozenset(
    {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT"}
)
_NEEDS_LENGTH = frozenset({"POST", "PUT", "PATCH"})
# Headers that jobs cannot set: Foliot's own, and those that follow from the request itself.
_OURS = frozenset(
    {
        *("x-ms-scheduler-jobid", "x-ms-scheduler-jobcollection", "x-ms-execution-tag"),
        *("x-ms-scheduler-expected-execution-time", "x-ms-client-request-id", "x-ms-region"),
        *("host", "content-length", "transfer-encoding", "connection"),
        # Only the operator sets headers for a proxy.
        *("proxy-authorization", "proxy-connection"),
    }
)
# Headers without credentials: they may go to another origin and be shown.
_HARMLESS = frozenset(
    {
        *("accept", "accept-charset", "accept-encoding", "accept-language", "cache-control"),
        *("content-encoding", "content-language", "content-type", "expect", "user-agent"),
    }
)
_CREDENTIALS = frozenset({"authorization", "cookie"})
# Headers that libcurl adds by itself, unless a line with a colon at its end removes them.
_LIBCURL_DEFAULTS = ("Expect", "Accept", "Content-Type")


class ClientKey(Struct, frozen=True):
    """A client certificate with its chain and its key, both as PEM."""

    certificate: bytes
    key: Secret


class OutgoingRequest(Struct, frozen=True, kw_only=True):
    """A request to one target, with headers as lines; credentials are for that target only."""

    method: str
    target: Target
    headers: tuple[str, ...] = ()
    credentials: tuple[str, ...] = ()
    body: bytes | None = None
    client_key: ClientKey | None = None
    # Values to remove from the response.
    hidden: tuple[str, ...] = ()


def first_request(request: AttemptRequest, http: HttpRequest) -> OutgoingRequest:
    """Make the request of a job's attempt, without its authentication."""
    method = http.method.upper()
    headers, credentials, hidden = _given(*(http.headers or {}).items())
    return OutgoingRequest(
        method=method if method in _KNOWN_METHODS else http.method,
        target=read_target(http.uri),
        headers=headers + _lines(attempt_headers(request)) + trace_lines(request, http.headers),
        credentials=credentials,
        body=_body(method, http.body),
        hidden=hidden,
    )


def with_authorization(outgoing: OutgoingRequest, value: str) -> OutgoingRequest:
    """Set the Authorization header, in place of the job's own."""
    kept = (line for line in outgoing.credentials if not _names(line, "authorization"))
    return replace(outgoing, credentials=(*kept, f"Authorization: {value}"))


def authorization(outgoing: OutgoingRequest) -> str | None:
    """Return the value of the Authorization header."""
    for line in outgoing.credentials:
        if _names(line, "authorization"):
            return line.partition(":")[2].strip()
    return None


def redirected(outgoing: OutgoingRequest, status: int, target: Target) -> OutgoingRequest:
    """Follow a redirect as browsers do (https://fetch.spec.whatwg.org/#http-redirect-fetch)."""
    becomes_get = (status == 303 and outgoing.method not in ("GET", "HEAD")) or (  # noqa: PLR2004  (See Other)
        status in (301, 302) and outgoing.method == "POST"
    )
    if becomes_get:
        kept = tuple(line for line in outgoing.headers if not _names(line, "content-"))
        outgoing = replace(outgoing, method="GET", body=None, headers=kept)
    if not target.is_same_origin(outgoing.target):
        kept = tuple(line for line in outgoing.headers if _name(line) in _HARMLESS | _OURS)
        outgoing = replace(outgoing, headers=kept, credentials=(), client_key=None)
    return replace(outgoing, target=target)


def attempt_headers(request: AttemptRequest) -> dict[str, str]:
    """Return the headers or properties that describe the attempt to every target."""
    facts = {
        "x-ms-scheduler-jobid": request.job,
        "x-ms-scheduler-jobcollection": request.collection.name,
        "x-ms-scheduler-expected-execution-time": _moment(request.expected_at),
        "x-ms-execution-tag": request.tag,
        "x-ms-client-request-id": request.request_id,
    }
    if request.region is not None:
        # A region is free text: its line breaks must not become headers.
        facts["x-ms-region"] = " ".join(request.region.split())
    return facts


def trace_lines(request: AttemptRequest, given: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Return the headers of a trace; none if the job gives one of them itself."""
    return _lines(trace_facts(request, given)) if request.trace_headers else ()


def trace_facts(request: AttemptRequest, given: Mapping[str, str] | None) -> dict[str, str]:
    """Return the headers or properties of a trace; none if the job gives one of them itself."""
    facts = request.trace_headers or {}
    # Headers of two traces would not fit together.
    is_given = any(name.lower() in facts for name in given or ())
    return {} if is_given else facts


@cache
def user_agent() -> str:
    """Return the User-Agent of Foliot."""
    return f"Foliot/{metadata.version('foliot')}"


# Many jobs are due at the same time: format it once.
_moment = lru_cache(maxsize=64)(format_instant)


@lru_cache(maxsize=1024)
def _given(*headers: tuple[str, str]) -> tuple[tuple[str, ...], ...]:
    """Return a job's headers, its credentials, and the values to hide of both."""
    lines = {name.lower(): _line(name, value) for name, value in headers}
    own = [line for name, line in lines.items() if name not in _OURS | _CREDENTIALS]
    if "user-agent" not in lines:
        own.append(f"User-Agent: {user_agent()}")
    own += [f"{name}:" for name in _LIBCURL_DEFAULTS if name.lower() not in lines]
    credentials = tuple(line for name, line in lines.items() if name in _CREDENTIALS)
    hidden = (
        hidden_values(name.lower(), value)
        for name, value in headers
        if name.lower() not in _HARMLESS | _OURS
    )
    return tuple(own), credentials, tuple(chain.from_iterable(hidden))


def _line(name: str, value: str) -> str:
    # libcurl sends an empty header only if it ends in a semicolon.
    return f"{name}: {value}" if value.strip() else f"{name};"


def _lines(facts: dict[str, str]) -> tuple[str, ...]:
    # Each request pays for it: a list takes half the time of a generator.
    return tuple([f"{name}: {value}" for name, value in facts.items()])


def _body(method: str, text: str | None) -> bytes | None:
    if text:
        return text.encode(errors="replace")
    return b"" if method in _NEEDS_LENGTH else None


def _name(line: str) -> str:
    return line.partition(":")[0].rstrip(";").lower()


def _names(line: str, beginning: str) -> bool:
    return line[: len(beginning)].lower() == beginning
