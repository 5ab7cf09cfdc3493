"""How messages for queues and topics fare: clients of the old service parse the beginnings."""

import html
import logging
import re
from collections.abc import Awaitable

from msgspec import Struct

from foliot.core.errors import Invalid, origin_of
from foliot.core.model.attempt import NotSent, Outcome
from foliot.dispatch.http.history_messages import Failure, storable
from foliot.dispatch.http.response import HttpResponse
from foliot.dispatch.local_shortage import not_sent, shortage_in

CREATED = 201
# What is read of an answer, and what is told of a sentence in it.
MAX_RESPONSE_BYTES = 4096
_MAX_DETAIL_CHARACTERS = 300

_log = logging.getLogger(__name__)


class MessageDestination(Struct, frozen=True):
    """Where a message goes, as history calls it: `StorageQueue`, `storage account 'a' ...`."""

    kind: str
    name: str


def delivered(destination: MessageDestination, how: str) -> Outcome:
    """Tell that a message has arrived."""
    return Outcome(succeeded=True, message=storable(f"{_to(destination)} succeeded: '{how}'"))


def undelivered(
    destination: MessageDestination, failure: Failure, *, retry_after: int | None = None
) -> Outcome:
    """Tell why a message has not arrived."""
    message = f"{_to(destination)} failed: {failure.reason} {failure.text}"
    return Outcome(succeeded=False, message=storable(message), retry_after=retry_after)


async def without_exception(
    destination: MessageDestination, job: str, attempt: Awaitable[Outcome]
) -> Outcome | NotSent:
    """Make an outcome of whatever goes wrong, unless it is we who lack something."""
    try:
        return await attempt
    except Invalid as invalid:
        return undelivered(destination, Failure("InvalidRequest", f"{invalid.problem}."))
    except Exception as error:  # noqa: BLE001  (an attempt never raises)
        shortage = shortage_in(error)
        if shortage is not None:
            return not_sent(shortage)
        _log.error("An attempt at job %s ended unexpectedly: %s", job, origin_of(error))
        text = "The attempt ended unexpectedly; the server's log has more."
        return undelivered(destination, Failure("UnknownError", text))


def not_set(path: str) -> Failure:
    """Say which secret is missing, as samples of the old service leave it out."""
    return Failure("AuthenticationFailure", f"{path} is not set; send it again.")


def element(response: HttpResponse, name: str) -> str:
    """Return the first line of an element in an answer's XML.

    Found without a parser: whoever answers could make one expand without end.
    """
    text = response.body.decode(errors="replace")
    found = re.search(rf"<{name}>(.*?)(?:</{name}>|\n|\Z)", text, re.DOTALL)
    return html.unescape(found[1]).strip()[:_MAX_DETAIL_CHARACTERS] if found else ""


def _to(destination: MessageDestination) -> str:
    return f"{destination.kind} Action - Message to {destination.name}"
