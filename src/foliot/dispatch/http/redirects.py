"""Follows where answers lead, one checked request at a time."""

from foliot.core.errors import Invalid
from foliot.dispatch.http.client import Send
from foliot.dispatch.http.history_messages import Failure
from foliot.dispatch.http.outgoing_request import Hop, redirected
from foliot.dispatch.http.response import Answer
from foliot.dispatch.http.target_uri import read_redirect

MAX_REDIRECTS = 10

_REDIRECTS = frozenset({301, 302, 303, 307, 308})


async def follow(
    send: Send, hop: Hop, *, deadline: float, most: int
) -> tuple[str, Answer | Failure]:
    """Send a request and follow redirects; return how it ended, and at which host."""
    visited = [hop.target.url]
    while True:
        result = await send(hop, deadline=deadline, most=most)
        if isinstance(result, Failure) or result.status not in _REDIRECTS:
            return hop.target.host, result
        location = result.header("location")
        if location is None:
            return hop.target.host, result
        if len(visited) > MAX_REDIRECTS:
            return hop.target.host, _too_many(visited)
        onward = _onward(hop, result.status, location)
        if isinstance(onward, Failure):
            return hop.target.host, onward
        hop = onward
        visited.append(hop.target.url)


def _onward(hop: Hop, status: int, location: str) -> Hop | Failure:
    try:
        target = read_redirect(location, hop.target)
    except Invalid as invalid:
        return Failure("ProtocolError", f"The redirect cannot be followed: {invalid.problem}.")
    return redirected(hop, status, target)


def _too_many(visited: list[str]) -> Failure:
    # An address that came twice is no proof by itself: a target may redirect until it is ready.
    circle = " They lead in a circle." if len(set(visited)) < len(visited) else ""
    text = f"Too many automatic redirections were attempted: more than {MAX_REDIRECTS}.{circle}"
    return Failure("TooManyRedirects", text)
