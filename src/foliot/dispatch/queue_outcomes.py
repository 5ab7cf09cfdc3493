"""Outcomes of messages to queues and topics: clients of the old service parse their beginnings."""

import html
import re
from collections.abc import Awaitable
from http import HTTPStatus

from msgspec import Struct

from foliot.core.errors import Invalid, origin_of
from foliot.core.model.attempt import NotSent, Outcome
from foliot.core.model.reason import Reason
from foliot.dispatch.http.history_messages import Failure, storable
from foliot.dispatch.http.response import HttpResponse
from foliot.dispatch.local_shortage import not_sent, shortage_in
from foliot.ports.logs import get_logger

CREATED = 201
# How much of a response is read, and how much of a sentence in it is shown.
MAX_RESPONSE_BYTES = 4096
_MAX_DETAIL_CHARACTERS = 300

_log = get_logger("foliot.dispatch")


class MessageDestination(Struct, frozen=True):
    """The destination of a message in history: `StorageQueue`, `storage account 'a' ...`."""

    kind: str
    name: str
    host: str | None = None


def delivered(
    destination: MessageDestination, how: str, *, status_code: int | None = None
) -> Outcome:
    """Return the outcome of a message that was accepted."""
    return Outcome(
        succeeded=True,
        message=storable(f"{_to(destination)} succeeded: '{how}'"),
        host=destination.host,
        status_code=status_code,
    )


def undelivered(
    destination: MessageDestination, failure: Failure, *, retry_after: int | None = None
) -> Outcome:
    """Return the outcome of a message that was not accepted."""
    return Outcome(
        succeeded=False,
        message=storable(f"{_to(destination)} failed: {failure.told}"),
        retry_after=retry_after,
        reason=failure.reason,
        host=destination.host,
        status_code=failure.status_code,
    )


async def without_exception(
    destination: MessageDestination, job: str, attempt: Awaitable[Outcome]
) -> Outcome | NotSent:
    """Turn every exception of an attempt into an outcome, and a shortage into NotSent."""
    try:
        return await attempt
    except Invalid as invalid:
        return undelivered(destination, Failure(Reason.INVALID_REQUEST, f"{invalid.problem}."))
    except Exception as error:  # noqa: BLE001  (an attempt never raises)
        shortage = shortage_in(error)
        if shortage is not None:
            return not_sent(shortage)
        _log.error("Attempt broke down", job=job, error=origin_of(error))
        text = "The attempt ended unexpectedly; the server's log has more."
        return undelivered(destination, Failure(Reason.BREAKDOWN, text, "UnknownError"))


def of_another_kind(destination: MessageDestination, text: str) -> Outcome:
    """Return the outcome of an action that its dispatcher cannot carry out."""
    return undelivered(destination, Failure(Reason.INVALID_REQUEST, text, "UnknownError"))


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


def _to(destination: MessageDestination) -> str:
    return f"{destination.kind} Action - Message to {destination.name}"
