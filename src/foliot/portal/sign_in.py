"""Signing in with a token, or with the code that a server on this machine prints."""

from typing import NamedTuple

from starlette.responses import HTMLResponse, RedirectResponse, Response

from foliot.api.proxies import is_loopback
from foliot.core.errors import Unauthenticated
from foliot.core.instant import Instant
from foliot.core.tokens import digest
from foliot.portal.cookies import Cookies
from foliot.portal.desk import Desk
from foliot.portal.forms import Form
from foliot.portal.templating import render
from foliot.portal.visit import SEE_OTHER, Visit

PATH = "/sign-in"

_UNAUTHENTICATED = 401
_USED = "This link was used before, or is of an earlier start of the server. Sign in with a token."


class Arrival(NamedTuple):
    """Someone who is not signed in yet."""

    desk: Desk
    client: str
    cookies: Cookies
    now: Instant
    fields: Form

    @property
    def then(self) -> str:
        """Where they wanted to go; never to another site."""
        path = self.fields.get("then", "/")
        is_own = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable()
        return path if is_own else "/"


async def show(arrival: Arrival) -> Response:
    """Ask for a token, or sign in by the code in the link."""
    code = arrival.fields.get("code")
    if not code:
        return _ask(arrival)
    known = arrival.desk.code
    found = known.take(code) if known and is_loopback(arrival.client) else None
    return _ask(arrival, _USED) if found is None else _begin(arrival, found)


async def accept(arrival: Arrival) -> Response:
    """Sign in with a token."""
    text, gate = arrival.fields.get("token").strip(), arrival.desk.gate
    if gate is None:
        return RedirectResponse("/", SEE_OTHER)
    if not text:
        return _ask(arrival, "Paste a token.")
    try:
        await gate.recognise(text, arrival.client)
    except Unauthenticated as refusal:
        return _ask(arrival, str(refusal))
    return _begin(arrival, digest(text))


async def leave(visit: Visit) -> Response:
    """Sign out: the browser forgets the session."""
    response = RedirectResponse(PATH, SEE_OTHER)
    visit.cookies.forget(response, "session")
    return response


def _begin(arrival: Arrival, token_digest: bytes) -> Response:
    response = RedirectResponse(arrival.then, SEE_OTHER)
    session = arrival.desk.sessions.begin(token_digest, arrival.now)
    arrival.cookies.set_session(response, arrival.desk.sessions.seal(session))
    return response


def _ask(arrival: Arrival, problem: str = "") -> Response:
    status = _UNAUTHENTICATED if problem else 200
    return HTMLResponse(render("sign_in.html", problem=problem, then=arrival.then), status)
