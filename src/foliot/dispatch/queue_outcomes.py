"""Outcomes of messages to queues and topics: clients of the old service parse their beginnings."""

import html
import re
from collections.abc import Awaitable
from http import HTTPStatus

from msgspec.structs import replace

from foliot.core.errors import Invalid, origin_of
from foliot.core.history_text import failure_note, history_note
from foliot.core.model.action import Action
from foliot.core.model.attempt import AttemptRequest, NotSent, Outcome
from foliot.core.model.reason import Reason
from foliot.dispatch.http.history_messages import Failure
from foliot.dispatch.http.response import HttpResponse
from foliot.dispatch.local_shortage import not_sent, shortage_in
from foliot.ports.logs import get_logger

CREATED = 201
# How much of a response is read, and how much of a sentence in it is shown.
MAX_RESPONSE_BYTES = 4096
_MAX_DETAIL_CHARACTERS = 300

_log = get_logger("foliot.dispatch")


def delivered(action: Action, how: str, *, status_code: int | None = None) -> Outcome:
    """Return the outcome of a message that was accepted."""
    return Outcome(
        succeeded=True,
        message=history_note(action, "Message to", f" succeeded: '{how}'"),
        status_code=status_code,
    )


def undelivered(action: Action, failure: Failure, *, retry_after: int | None = None) -> Outcome:
    """Return the outcome of a message that was not accepted."""
    return Outcome(
        succeeded=False,
        message=failure_note(action, failure.name, failure.text),
        retry_after=retry_after,
        reason=failure.reason,
        status_code=failure.status_code,
    )


async def without_exception(
    request: AttemptRequest, attempt: Awaitable[Outcome], host: str | None
) -> Outcome | NotSent:
    """Turn every exception of an attempt into an outcome, and a shortage into NotSent."""
    try:
        outcome = await attempt
    except Invalid as invalid:
        failure = Failure(Reason.INVALID_REQUEST, f"{invalid.problem}.")
        outcome = undelivered(request.action, failure)
    except Exception as error:  # noqa: BLE001  (an attempt never raises)
        shortage = shortage_in(error)
        if shortage is not None:
            return not_sent(shortage)
        _log.error("Attempt broke down", job=request.job, error=origin_of(error))
        text = "The attempt ended unexpectedly; the server's log has more."
        outcome = undelivered(request.action, Failure(Reason.BREAKDOWN, text, "UnknownError"))
    return replace(outcome, host=host)


def of_another_kind(action: Action, text: str) -> Outcome:
    """Return the outcome of an action that its dispatcher cannot carry out."""
    return undelivered(action, Failure(Reason.INVALID_REQUEST, text, "UnknownError"))


def reason_of_refusal(status: int) -> Reason:
    """Return why a queue or topic has not accepted a message, by the status of its response."""
    match status:
        case HTTPStatus.UNAUTHORIZED | HTTPStatus.FORBIDDEN:
            return Reason.UNAUTHORIZED
        case HTTPStatus.NOT_FOUND | HTTPStatus.GONE:
            return Reason.NOT_FOUND
        case HTTPStatus.TOO_MANY_REQUESTS | HTTPStatus.SERVICE_UNAVAILABLE:
            return Reason.SERVER_BUSY
        case _:
            return Reason.HTTP_STATUS


def element(response: HttpResponse, name: str) -> str:
    """Return the first line of an element in the XML of a response.

    Without a parser: a hostile response could make one expand entities without end.
    """
    text = response.body.decode(errors="replace")
    found = re.search(rf"<{name}>(.*?)(?:</{name}>|\n|\Z)", text, re.DOTALL)
    return html.unescape(found[1]).strip()[:_MAX_DETAIL_CHARACTERS] if found else ""
