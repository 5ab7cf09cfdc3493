"""Signing in with a token, or with the code that a server on this machine prints."""

from typing import NamedTuple
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from foliot.core.errors import Unauthenticated
from foliot.core.instant import Instant
from foliot.core.model.token import digest
from foliot.portal.context import PortalContext
from foliot.portal.forms.posted import Form
from foliot.portal.page_request import SEE_OTHER, Notice, PageRequest
from foliot.portal.templating import render
from foliot.portal.urls import with_query
from foliot.web.auth.cookies import Cookies
from foliot.web.proxies import is_loopback

PATH = "/sign-in"

_UNAUTHENTICATED = 401
# Written in a form, it is three times as long at most, and must not be all of the form.
_LONGEST_ADDRESS = 4000
_USED = "This link was used before, or is of an earlier start of the server. Sign in with a token."


class SignInRequest(NamedTuple):
    """Someone who is not signed in yet."""

    context: PortalContext
    client: str
    cookies: Cookies
    now: Instant
    fields: Form

    @property
    def then(self) -> str:
        """Where they wanted to go; never to another site."""
        return _local(self.fields.get("then")) or "/"


async def show(arrival: SignInRequest) -> Response:
    """Ask for a token, or sign in by the code in the link."""
    code = arrival.fields.get("code")
    if not code:
        return _ask(arrival)
    known = arrival.context.code
    found = known.take(code) if known and is_loopback(arrival.client) else None
    return _ask(arrival, _USED) if found is None else _begin(arrival, found)


async def accept(arrival: SignInRequest) -> Response:
    """Sign in with a token."""
    text, gate = arrival.fields.get("token").strip(), arrival.context.gate
    if gate is None:
        return RedirectResponse("/", SEE_OTHER)
    if not text:
        return _ask(arrival, "Paste a token.")
    try:
        await gate.recognise(text, arrival.client)
    except Unauthenticated as refusal:
        return _ask(arrival, str(refusal))
    return _begin(arrival, digest(text))


async def leave(request: PageRequest, *notices: Notice) -> Response:
    """Sign out: the session ends, also for whoever has a copy of the cookie."""
    await request.context.sessions.end(request.session, request.now)
    response = request.redirect(PATH, *notices)
    request.cookies.forget(response, "session")
    return response


def redirect_to_sign_in(http: Request) -> Response:
    """Send someone who is not signed in to sign in, and from there back to where they were."""
    is_partial = http.headers.get("hx-request") == "true"
    then = _page_of(http, is_partial=is_partial)
    path = with_query(PATH, then="" if then == "/" else then)
    if is_partial:
        return Response(status_code=_UNAUTHENTICATED, headers={"hx-redirect": path})
    return RedirectResponse(path, SEE_OTHER)


def _page_of(http: Request, *, is_partial: bool) -> str:
    """Return the page that someone looked at: a form and a part of a page are none."""
    if http.method in ("GET", "HEAD") and not is_partial:
        path, query = http.scope["raw_path"], http.scope["query_string"]
        return _local((path + b"?" + query if query else path).decode("latin-1"))
    named = http.headers.get("hx-current-url" if is_partial else "referer", "")
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


def _begin(arrival: SignInRequest, token_digest: bytes) -> Response:
    response = RedirectResponse(arrival.then, SEE_OTHER)
    session = arrival.context.sessions.begin(token_digest, arrival.now)
    arrival.cookies.set_session(response, arrival.context.sessions.seal(session))
    return response


def _ask(arrival: SignInRequest, problem: str = "") -> Response:
    status = _UNAUTHENTICATED if problem else 200
    notices = arrival.context.sessions.read_notices(arrival.cookies)
    page = render("sign_in.html", problem=problem, notices=notices, then=arrival.then)
    response = HTMLResponse(page, status)
    if notices:
        arrival.cookies.forget(response, "notices")
    return response
