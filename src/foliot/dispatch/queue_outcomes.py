"""How messages for queues and topics fare: clients of the old service parse the beginnings."""

import html
import re
from collections.abc import Awaitable

from msgspec import Struct

from foliot.core.errors import Invalid, origin_of
from foliot.core.model.attempt import NotSent, Outcome
from foliot.dispatch.http.history_messages import Failure, storable
from foliot.dispatch.http.response import Answer
from foliot.dispatch.local_shortage import not_sent, shortage_in
from foliot.ports.logs import get_logger

CREATED = 201
# What is read of an answer, and what is told of a sentence in it.
ANSWER_BYTES = 4096
_MAX_DETAIL_CHARACTERS = 300

_log = get_logger("foliot.dispatch")


class Place(Struct, frozen=True):
    """Where a message goes, as history calls it: `StorageQueue`, `storage account 'a' ...`."""

    kind: str
    name: str


def delivered(place: Place, how: str) -> Outcome:
    """Tell that a message has arrived."""
    return Outcome(succeeded=True, message=storable(f"{_to(place)} succeeded: '{how}'"))


def undelivered(place: Place, failure: Failure, *, retry_after: int | None = None) -> Outcome:
    """Tell why a message has not arrived."""
    message = f"{_to(place)} failed: {failure.reason} {failure.text}"
    return Outcome(succeeded=False, message=storable(message), retry_after=retry_after)


async def never_raising(place: Place, job: str, attempt: Awaitable[Outcome]) -> Outcome | NotSent:
    """Make an outcome of whatever goes wrong, unless it is we who lack something."""
    try:
        return await attempt
    except Invalid as invalid:
        return undelivered(place, Failure("InvalidRequest", f"{invalid.problem}."))
    except Exception as error:  # noqa: BLE001  (an attempt never raises)
        shortage = shortage_in(error)
        if shortage is not None:
            return not_sent(shortage)
        _log.error("Attempt broke down", job=job, error=origin_of(error))
        text = "The attempt ended unexpectedly; the server's log has more."
        return undelivered(place, Failure("UnknownError", text))


def not_set(path: str) -> Failure:
    """Say which secret is missing, as samples of the old service leave it out."""
    return Failure("AuthenticationFailure", f"{path} is not set; send it again.")


def element(answer: Answer, name: str) -> str:
    """Return the first line of an element in an answer's XML.

    Found without a parser: whoever answers could make one expand without end.
    """
    text = answer.body.decode(errors="replace")
    found = re.search(rf"<{name}>(.*?)(?:</{name}>|\n|\Z)", text, re.DOTALL)
    return html.unescape(found[1]).strip()[:_MAX_DETAIL_CHARACTERS] if found else ""


def _to(place: Place) -> str:
    return f"{place.kind} Action - Message to {place.name}"
