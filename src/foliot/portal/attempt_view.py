"""What is shown of an attempt, from history or from a test: headline, request, response, timing."""

from collections.abc import Sequence
from typing import Any, cast

import msgspec
from msgspec import Struct, json, structs

from foliot.app.history import AttemptDetails
from foliot.app.job_tests import EndedTest
from foliot.core.errors import Invalid
from foliot.core.history_parts import (
    AcceptedMessage,
    FailureDetails,
    HistoryDetails,
    HistoryNote,
    ReceivedResponse,
    read_message,
)
from foliot.core.json_text import Json, is_deeper_than
from foliot.core.limits import Limits
from foliot.core.model.action import HttpRequest, QueueMessage, ServiceBusMessage
from foliot.core.model.attempt import AttemptRequest
from foliot.core.model.exchange import SHOWN_BYTES, Headers, ShownRequest, ShownResponse, Timings
from foliot.core.model.history import AttemptStatus, HistoryEntry
from foliot.core.rules.attempt_request import past_request
from foliot.core.rules.timings_text import read_timings
from foliot.dispatch.http.curl_command import CurlCommand, curl_command
from foliot.dispatch.http.request_outline import request_outline, shown_outline
from foliot.dispatch.service_bus.message import message_id, properties_of
from foliot.portal.forms.problems import SummaryLine
from foliot.portal.reason_first import for_people

_LONGEST_LINE = 300
_DEEPEST_INDENTED = 20
# Where JSON of servers says what went wrong.
_MESSAGES = ("message", "detail", "error_description", "error", "title")
# A character that the limit has cut in two is left out of the kept part.
_LONGEST_CHARACTER = 3


class ResponseView(Struct, frozen=True, kw_only=True):
    """A response: its headers, its body, indented if it is JSON, and how much of it was cut."""

    headers: Headers
    body: str
    is_json: bool
    cut: str = ""


class AttemptView(Struct, frozen=True, kw_only=True):
    """An attempt as a page shows it; what is not known is None or empty."""

    status: AttemptStatus
    headline: str
    line: str
    message: str
    request: ShownRequest | None = None
    curl: CurlCommand | None = None
    redirects: Sequence[str] = ()
    response: ResponseView | None = None
    timings: Timings | None = None


class JobTestResult(Struct, frozen=True, kw_only=True):
    """The attempt of a test, or why no test was sent: problems of fields, or a refusal."""

    view: AttemptView | None = None
    tag: str = ""
    problems: Sequence[SummaryLine] = ()
    refusal: str = ""
    http_status: int = 200


def view_of_entry(found: AttemptDetails, limits: Limits) -> AttemptView:
    """Return an attempt in history: its request is that of the job as it is now."""
    entry, details = found.entry, read_message(found.entry.message)
    view = AttemptView(
        status=entry.status,
        headline=_headline(details, entry.status_code, entry.status),
        line=_line(details),
        message=entry.message,
        response=_kept_response(details, limits.max_response_bytes_kept),
        timings=read_timings(entry.timings),
    )
    request = _request_of(found, limits)
    return view if request is None else _with_request(view, request)


def view_of_test(ended: EndedTest) -> AttemptView:
    """Return the test of a job."""
    outcome, exchange = ended.attempt.outcome, ended.attempt.outcome.exchange
    status = AttemptStatus.COMPLETED if outcome.succeeded else AttemptStatus.FAILED
    details = read_message(outcome.message)
    view = AttemptView(
        status=status,
        headline=_headline(details, outcome.status_code, status),
        line=_line(details),
        message=outcome.message,
    )
    if ended.request is not None:
        view = _with_request(view, ended.request)
    if exchange is None:
        return view
    return structs.replace(
        view,
        request=exchange.request,
        redirects=exchange.redirects,
        response=exchange.response and _whole_response(exchange.response),
        timings=exchange.timings,
    )


def is_attempt(entry: HistoryEntry) -> bool:
    """Tell whether an entry is about an attempt that was made."""
    return entry.status is not AttemptStatus.POSTPONED


def _request_of(found: AttemptDetails, limits: Limits) -> AttemptRequest | None:
    if not is_attempt(found.entry):
        return None
    return past_request(found.entry, found.job, found.collection, limits)


def _with_request(view: AttemptView, request: AttemptRequest) -> AttemptView:
    try:
        match request.action.part:
            case HttpRequest() as http:
                shown = shown_outline(request_outline(request, http))
                return structs.replace(view, request=shown, curl=curl_command(request, http))
            case QueueMessage() as message:
                return structs.replace(view, request=_queue_message(message))
            case ServiceBusMessage() as message:
                return structs.replace(view, request=_bus_message(message, request))
    except Invalid:
        # The address cannot be requested, as the message says.
        return view


def _queue_message(message: QueueMessage) -> ShownRequest:
    uri = f"storage account {message.storage_account}, queue {message.queue_name}"
    return ShownRequest(method=None, uri=uri, headers=(), body=message.message)


def _bus_message(message: ServiceBusMessage, request: AttemptRequest) -> ShownRequest:
    properties = {"message-id": message_id(request, message), **properties_of(request, message)}
    return ShownRequest(
        method=None,
        uri=f"namespace {message.namespace}, {message.entity}",
        headers=tuple((name, value) for name, value in properties.items() if value),
        body=message.message,
    )


def _headline(details: HistoryDetails, code: int | None, status: AttemptStatus) -> str:
    match details:
        case ReceivedResponse(status_name=name) | AcceptedMessage(status_name=name):
            return name if code is None or name == str(code) else f"{code} {name}"
        case FailureDetails(name=name):
            return name if code is None else f"{name} ({code})"
        case HistoryNote():
            return "No attempt was made" if status is AttemptStatus.POSTPONED else status.value


def _line(details: HistoryDetails) -> str:
    """Return the first line of the reason."""
    match details:
        case ReceivedResponse(problem=problem, body=body):
            text = problem or _message_in(body)
        case FailureDetails(text=text) | HistoryNote(text=text):
            text = for_people(text)
        case AcceptedMessage():
            text = ""
    first = next(iter(text.strip().splitlines()), "")
    return first if len(first) <= _LONGEST_LINE else f"{first[:_LONGEST_LINE]}…"


def _message_in(body: str) -> str:
    """Return what a body says first: of JSON, the message of an error if it has one."""
    if not _indented(body)[1]:
        return body
    found: Any = json.decode(body)
    while isinstance(found, dict):
        fields = cast("dict[str, Any]", found)
        found = next((fields[name] for name in _MESSAGES if fields.get(name)), None)
    return found if isinstance(found, str) else ""


def _kept_response(details: HistoryDetails, kept: int) -> ResponseView | None:
    if not isinstance(details, ReceivedResponse):
        return None
    body, is_json = _indented(details.body)
    return ResponseView(
        headers=details.headers, body=body, is_json=is_json, cut=_cut_in_history(details, kept)
    )


def _cut_in_history(response: ReceivedResponse, kept: int) -> str:
    """Say how much of a body history has; the message itself does not tell."""
    why = f"history keeps the first {kept:,} bytes of a body"
    length = response.header("content-length") or ""
    is_encoded = response.header("content-encoding") is not None
    if length.isdecimal() and len(length) < _LONGEST_LINE and not is_encoded:
        return (
            f"{kept:,} of {int(length):,} bytes: {why}."
            if response.body and int(length) > kept
            else ""
        )
    if len(response.body.encode(errors="replace")) >= kept - _LONGEST_CHARACTER:
        return f"The body may be longer: {why}."
    return ""


def _whole_response(response: ShownResponse) -> ResponseView:
    body, is_json = _indented(response.body)
    cut = f"The first {SHOWN_BYTES // 1024} KiB: a test shows no more." if response.is_cut else ""
    return ResponseView(headers=response.headers, body=body, is_json=is_json, cut=cut)


def _indented(body: str) -> tuple[str, bool]:
    """Return a body, indented if it is a JSON object or list."""
    if not body.lstrip().startswith(("{", "[")):
        return body, False
    try:
        decoded: Json = json.decode(body)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return body, False
    # Indented, a target's deeply nested lists would take a thousand times their size.
    if is_deeper_than(_DEEPEST_INDENTED, decoded):
        return body, False
    return json.format(body, indent=2), True
