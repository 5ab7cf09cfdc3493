"""Outcomes of messages to queues and topics: clients of the old service parse their beginnings."""

import html
import re
from collections.abc import Awaitable

from foliot.core.errors import Invalid, origin_of
from foliot.core.history_text import failure_note, history_note
from foliot.core.model.action import Action
from foliot.core.model.attempt import AttemptRequest, NotSent, Outcome
from foliot.dispatch.http.history_messages import Failure
from foliot.dispatch.http.response import HttpResponse
from foliot.dispatch.local_shortage import not_sent, shortage_in
from foliot.ports.logs import get_logger

CREATED = 201
# How much of a response is read, and how much of a sentence in it is shown.
MAX_RESPONSE_BYTES = 4096
_MAX_DETAIL_CHARACTERS = 300

_log = get_logger("foliot.dispatch")


def delivered(action: Action, how: str) -> Outcome:
    """Return the outcome of a message that was accepted."""
    return Outcome(
        succeeded=True, message=history_note(action, "Message to", f" succeeded: '{how}'")
    )


def undelivered(action: Action, failure: Failure, *, retry_after: int | None = None) -> Outcome:
    """Return the outcome of a message that was not accepted."""
    message = failure_note(action, failure.reason, failure.text)
    return Outcome(succeeded=False, message=message, retry_after=retry_after)


async def without_exception(
    request: AttemptRequest, attempt: Awaitable[Outcome]
) -> Outcome | NotSent:
    """Turn every exception of an attempt into an outcome, and a shortage into NotSent."""
    try:
        return await attempt
    except Invalid as invalid:
        return undelivered(request.action, Failure("InvalidRequest", f"{invalid.problem}."))
    except Exception as error:  # noqa: BLE001  (an attempt never raises)
        shortage = shortage_in(error)
        if shortage is not None:
            return not_sent(shortage)
        _log.error("Attempt broke down", job=request.job, error=origin_of(error))
        text = "The attempt ended unexpectedly; the server's log has more."
        return undelivered(request.action, Failure("UnknownError", text))


def not_set(path: str) -> Failure:
    """Return the failure of a message without a secret: samples of the old service omit it."""
    return Failure("AuthenticationFailure", f"{path} is not set; send it again.")


def element(response: HttpResponse, name: str) -> str:
    """Return the first line of an element in the XML of a response.

    Without a parser: a hostile response could make one expand entities without end.
    """
    text = response.body.decode(errors="replace")
    found = re.search(rf"<{name}>(.*?)(?:</{name}>|\n|\Z)", text, re.DOTALL)
    return html.unescape(found[1]).strip()[:_MAX_DETAIL_CHARACTERS] if found else ""
