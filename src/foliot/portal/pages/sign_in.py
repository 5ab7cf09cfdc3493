"""Sign in with a token or with the one-time code of the start banner; sign out."""

from typing import NamedTuple
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from foliot.core.errors import Unauthenticated
from foliot.core.instant import Instant
from foliot.core.model.token import digest
from foliot.core.networks import is_loopback
from foliot.portal.context import PortalContext
from foliot.portal.forms.posted import Form
from foliot.portal.page_request import SEE_OTHER, Notice, PageRequest
from foliot.portal.templating import render
from foliot.portal.urls import with_query
from foliot.web.auth.cookies import Cookies

PATH = "/sign-in"

_UNAUTHENTICATED = 401
# URL-encoded, an address grows up to three times, and must fit into the sign-in form.
_LONGEST_ADDRESS = 4000
_USED = "This link was used before, or the server has restarted since. Sign in with a token."


class SignInRequest(NamedTuple):
    """A request to sign in, from a client without a session."""

    context: PortalContext
    client: str
    cookies: Cookies
    now: Instant
    fields: Form

    @property
    def then(self) -> str:
        """The page to open after signing in; never one of another site."""
        return _local(self.fields.get("then")) or "/"


async def show(request: SignInRequest) -> Response:
    """Show the sign-in form, or sign in with the code in the link."""
    code = request.fields.get("code")
    if not code:
        return _show_form(request)
    known = request.context.code
    found = known.take(code) if known and is_loopback(request.client) else None
    return _show_form(request, _USED) if found is None else _start_session(request, found)


async def accept(request: SignInRequest) -> Response:
    """Sign in with a token."""
    text, authenticator = request.fields.get("token").strip(), request.context.authenticator
    if authenticator is None:
        return RedirectResponse("/", SEE_OTHER)
    if not text:
        return _show_form(request, "Paste a token.")
    try:
        await authenticator.verify(text, request.client)
    except Unauthenticated as refusal:
        return _show_form(request, str(refusal))
    return _start_session(request, digest(text))


async def sign_out(request: PageRequest, *notices: Notice) -> Response:
    """Sign out and end the session on the server, so that no copy of its cookie works."""
    await request.context.sessions.end(request.session, request.now)
    response = request.redirect(PATH, *notices)
    request.cookies.forget(response, "session")
    return response


def redirect_to_sign_in(http: Request) -> Response:
    """Redirect to the sign-in page, which returns to this page afterwards."""
    is_partial = http.headers.get("hx-request") == "true"
    then = _page_of(http, is_partial=is_partial)
    # A form, or a page that refreshes itself, was open: there was a session.
    ended = "1" if is_partial or http.method == "POST" else ""
    path = with_query(PATH, then="" if then == "/" else then, ended=ended)
    if is_partial:
        return Response(status_code=_UNAUTHENTICATED, headers={"hx-redirect": path})
    return RedirectResponse(path, SEE_OTHER)


def _page_of(http: Request, *, is_partial: bool) -> str:
    """Return the page to return to; for a form or a part of a page, the page that it is on."""
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
    """Return the address if it is a path on this server, or else an empty string."""
    is_path = address.startswith("/") and not address.startswith(("//", "/\\"))
    is_plain = address.isprintable() and len(address) <= _LONGEST_ADDRESS
    return address if is_path and is_plain else ""


def _start_session(request: SignInRequest, token_digest: bytes) -> Response:
    response = RedirectResponse(request.then, SEE_OTHER)
    session = request.context.sessions.begin(token_digest, request.now)
    request.cookies.set_session(response, request.context.sessions.seal(session))
    return response


def _show_form(request: SignInRequest, problem: str = "") -> Response:
    status = _UNAUTHENTICATED if problem else 200
    notices = request.context.sessions.read_notices(request.cookies)
    has_ended = bool(request.fields.get("ended"))
    page = render(
        "sign_in.html", problem=problem, notices=notices, then=request.then, has_ended=has_ended
    )
    response = HTMLResponse(page, status)
    if notices:
        request.cookies.forget(response, "notices")
    return response
