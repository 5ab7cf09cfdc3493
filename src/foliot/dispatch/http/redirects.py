"""Follows redirects, each of them checked like a first request."""

from foliot.core.errors import Invalid
from foliot.core.model.action import Expectation
from foliot.core.model.reason import Reason
from foliot.core.rules.expectations import accepts_status
from foliot.dispatch.http.client import Send
from foliot.dispatch.http.history_messages import Failure
from foliot.dispatch.http.outgoing_request import OutgoingRequest, redirected
from foliot.dispatch.http.response import HttpResponse
from foliot.dispatch.http.target_uri import read_redirect

MAX_REDIRECTS = 10

_REDIRECTS = frozenset({301, 302, 303, 307, 308})


async def follow(
    send: Send,
    outgoing: OutgoingRequest,
    *,
    deadline: float,
    max_bytes: int,
    expected: Expectation | None = None,
) -> tuple[str, HttpResponse | Failure]:
    """Send a request and follow redirects; return the last host, and its response or failure.

    A redirect that the job expects is not followed.
    """
    visited = [outgoing.target.url]
    while True:
        result = await send(outgoing, deadline=deadline, max_bytes=max_bytes)
        if isinstance(result, Failure) or result.status not in _REDIRECTS:
            return outgoing.target.host, result
        if expected is not None and accepts_status(expected, result.status):
            return outgoing.target.host, result
        location = result.header("location")
        if location is None:
            return outgoing.target.host, result
        if len(visited) > MAX_REDIRECTS:
            return outgoing.target.host, _too_many(visited, result.status)
        onward = _onward(outgoing, result.status, location)
        if isinstance(onward, Failure):
            return outgoing.target.host, onward
        outgoing = onward
        visited.append(outgoing.target.url)


def _onward(outgoing: OutgoingRequest, status: int, location: str) -> OutgoingRequest | Failure:
    try:
        target = read_redirect(location, outgoing.target)
    except Invalid as invalid:
        text = f"The redirect cannot be followed: {invalid.problem}."
        return Failure(Reason.PROTOCOL_ERROR, text, status_code=status)
    return redirected(outgoing, status, target)


def _too_many(visited: list[str], status: int) -> Failure:
    # A URL that came twice is no circle yet: a target may redirect to itself until it is ready.
    circle = " They lead in a circle." if len(set(visited)) < len(visited) else ""
    text = f"Too many automatic redirections were attempted: more than {MAX_REDIRECTS}.{circle}"
    return Failure(Reason.PROTOCOL_ERROR, text, "TooManyRedirects", status_code=status)
