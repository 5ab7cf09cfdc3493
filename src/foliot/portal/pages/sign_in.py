"""Signing in with a token, or with the code that a server on this machine prints."""

from typing import NamedTuple
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from foliot.core.errors import Unauthenticated
from foliot.core.instant import Instant
from foliot.core.model.token import digest
from foliot.core.networks import is_loopback
from foliot.portal.context import Desk
from foliot.portal.forms.posted import Form
from foliot.portal.page_request import SEE_OTHER, Notice, Visit
from foliot.portal.templating import render
from foliot.portal.urls import with_query
from foliot.web.auth.cookies import Cookies

PATH = "/sign-in"

_UNAUTHENTICATED = 401
# Written in a form, it is three times as long at most, and must not be all of the form.
_LONGEST_ADDRESS = 4000
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
        return _local(self.fields.get("then")) or "/"


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
    text, authenticator = arrival.fields.get("token").strip(), arrival.desk.authenticator
    if authenticator is None:
        return RedirectResponse("/", SEE_OTHER)
    if not text:
        return _ask(arrival, "Paste a token.")
    try:
        await authenticator.verify(text, arrival.client)
    except Unauthenticated as refusal:
        return _ask(arrival, str(refusal))
    return _begin(arrival, digest(text))


async def leave(visit: Visit, *notices: Notice) -> Response:
    """Sign out: the session ends, also for whoever has a copy of the cookie."""
    await visit.desk.sessions.end(visit.session, visit.now)
    response = visit.go(PATH, *notices)
    visit.cookies.forget(response, "session")
    return response


def lead_here(request: Request) -> Response:
    """Send someone who is not signed in to sign in, and from there back to where they were."""
    is_partial = request.headers.get("hx-request") == "true"
    then = _page_of(request, is_partial=is_partial)
    path = with_query(PATH, then="" if then == "/" else then)
    if is_partial:
        return Response(status_code=_UNAUTHENTICATED, headers={"hx-redirect": path})
    return RedirectResponse(path, SEE_OTHER)


def _page_of(request: Request, *, is_partial: bool) -> str:
    """Return the page that someone looked at: a form and a part of a page are none."""
    if request.method in ("GET", "HEAD") and not is_partial:
        path, query = request.scope["raw_path"], request.scope["query_string"]
        return _local((path + b"?" + query if query else path).decode("latin-1"))
    named = request.headers.get("hx-current-url" if is_partial else "referer", "")
    try:
        address = urlsplit(named)
    except ValueError:
        return ""
    return _local(f"{address.path}?{address.query}" if address.query else address.path)


def _local(address: str) -> str:
    """Return the address of a page of ours, or nothing if it may lead to another site."""
    is_path = address.startswith("/") and not address.startswith(("//", "/\\"))
    is_plain = address.isprintable() and len(address) <= _LONGEST_ADDRESS
    return address if is_path and is_plain else ""


def _begin(arrival: Arrival, token_digest: bytes) -> Response:
    response = RedirectResponse(arrival.then, SEE_OTHER)
    session = arrival.desk.sessions.begin(token_digest, arrival.now)
    arrival.cookies.set_session(response, arrival.desk.sessions.seal(session))
    return response


def _ask(arrival: Arrival, problem: str = "") -> Response:
    status = _UNAUTHENTICATED if problem else 200
    notices = arrival.desk.sessions.read_notices(arrival.cookies)
    page = render("sign_in.html", problem=problem, notices=notices, then=arrival.then)
    response = HTMLResponse(page, status)
    if notices:
        arrival.cookies.forget(response, "notices")
    return response
