"""The portal before the API: what happens to every visit."""

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from foliot.core.errors import FoliotError, Forbidden, Invalid, origin_of
from foliot.portal.assets import answer_asset
from foliot.portal.context import Desk
from foliot.portal.forms.posted import Form, parse_form
from foliot.portal.forms.problems import told
from foliot.portal.guard import Visitor, check_origin, visitor
from foliot.portal.page_request import Visit
from foliot.portal.pages import sign_in
from foliot.portal.pages.errors import FAILURE, problem, status_of
from foliot.portal.routes import PAGES
from foliot.ports.logs import get_logger
from foliot.web.auth.cookies import Cookies, read_cookies
from foliot.web.auth.gate import ADMITTED
from foliot.web.auth.sessions import is_of
from foliot.web.body import read_body
from foliot.web.compression import accepts_gzip, compressed
from foliot.web.headers import header
from foliot.web.proxies import base_url, caller
from foliot.web.routing import Router

# What is for people, whatever they say they take.
_OF_PEOPLE = frozenset(path.split("/")[1] for path in PAGES) - {""}
# What is the API's, also for a browser.
_OF_THE_API = ("/subscriptions", "/healthz", "/readyz", "/metrics", "/docs", "/openapi.json")
# What a session opens as well as a token does.
_DOCUMENTS = ("/docs", "/openapi.json")
_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "cross-origin-opener-policy": "same-origin",
    # With less, a browser would not say of which origin a form is.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
_READS = ("GET", "HEAD")
_ASSETS = "/assets/"
_INTERNAL_ERROR = 500
# The form to sign in has a token and an address.
_MOST_OF_STRANGERS = 16 * 1024

_log = get_logger("foliot.portal")


class Portal:
    """Answers what people ask for, and hands on to the API what programs do."""

    def __init__(self, api: ASGIApp, desk: Desk) -> None:
        self._api = api
        self._desk = desk
        self._pages = Router(PAGES, {})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or not self._is_for_people(scope):
            await self._api(scope, receive, send)
            return
        request = Request(scope, receive)
        try:
            response = await self._answer(request)
        except ClientDisconnect:
            return
        if response is None:
            await self._api(scope, receive, send)
            return
        for name, value in _HEADERS.items():
            response.headers[name] = value
        response.headers.setdefault("cache-control", "no-store")
        await _compress(response, scope)
        await response(scope, receive, send)

    def _is_for_people(self, scope: Scope) -> bool:
        path: str = scope["path"]
        if path in _DOCUMENTS:
            return self._desk.gate is not None and not header(scope, b"authorization")
        if path.startswith(_OF_THE_API):
            return False
        is_page = path == "/" or path[1:].partition("/")[0].lower() in _OF_PEOPLE
        if is_page or path.startswith((_ASSETS, sign_in.PATH)):
            return True
        return _is_browser(scope)

    async def _answer(self, request: Request) -> Response | None:
        """Return what people get, or None if the API is to answer."""
        if request.url.path.startswith(_ASSETS):
            is_small = accepts_gzip(request.scope)
            found = answer_asset(request.url.path, is_compressed=is_small)
            return found or Response("No such file.", 404)
        try:
            return await self._visit(request)
        except FoliotError as error:
            return problem(request, _status(error), told(error))
        except ClientDisconnect:
            raise
        except Exception as error:  # noqa: BLE001  (the last resort: a visitor gets an answer)
            _log.error("Page failed", error=origin_of(error))
            return problem(request, _INTERNAL_ERROR, FAILURE)

    async def _visit(self, request: Request) -> Response | None:
        desk, now = self._desk, self._desk.clock.now()
        called = caller(request.scope, desk.trusted_proxies)
        base = base_url(called, public_url=desk.public_url)
        cookies = read_cookies(request, called.host, is_secure=base.startswith("https:"))
        is_reading = request.method in _READS
        if not is_reading:
            check_origin(request, called, desk.public_url)
        most = desk.limits.max_request_bytes
        if request.url.path == sign_in.PATH:
            most = min(most, _MOST_OF_STRANGERS)
            fields = _query(request) if is_reading else await _form(request, most)
            arrival = sign_in.Arrival(desk, called.client, cookies, now, fields)
            return await (sign_in.show if is_reading else sign_in.accept)(arrival)
        found = await visitor(desk, request, cookies, now)
        if is_reading and request.url.path in _DOCUMENTS:
            return _document(request, found)
        if found is None:
            return sign_in.lead_here(request)
        # What a form holds is read when it is known who sends it.
        form = Form() if is_reading else await _form(request, most)
        if not is_reading and not is_of(found.session, form.get("csrf")):
            raise Forbidden("The form is of another session; go back, reload it and try again.")
        return await self._page(request, cookies, found, form)

    async def _page(
        self, request: Request, cookies: Cookies, found: Visitor, form: Form
    ) -> Response:
        endpoint, names = self._pages.find(request.scope["raw_path"]) or (None, {})
        visit = Visit(
            desk=self._desk,
            request=request,
            cookies=cookies,
            session=found.session,
            who=found.who,
            name=found.name,
            now=self._desk.clock.now(),
            names=names,
            query=_query(request),
            form=form,
        )
        if endpoint is None:
            return problem(request, 404, f"No page has the address {request.url.path}.", visit)
        page = endpoint.handlers.get("GET" if request.method == "HEAD" else request.method)
        if page is None:
            return problem(request, 405, "This address takes forms alone.", visit)
        try:
            response = await page(visit)
        except FoliotError as error:
            response = problem(request, _status(error), told(error), visit)
        self._keep(response, visit, is_new=found.is_new)
        return response

    def _keep(self, response: Response, visit: Visit, *, is_new: bool) -> None:
        """Keep the session; a page that only looks again by itself does not prolong it."""
        sessions, session = self._desk.sessions, visit.session
        renewed = None if visit.is_partial else sessions.renewed(session, visit.now)
        kept = session if is_new else renewed
        if kept is not None and not visit.cookies.has_session(response):
            visit.cookies.set_session(response, sessions.seal(kept))


def _status(error: FoliotError) -> int:
    """Return the status of a refusal; one that is the server's own affair is logged."""
    status = status_of(error)
    if status >= _INTERNAL_ERROR:
        _log.error("Page failed", error=str(error))
    return status


def _query(request: Request) -> Form:
    return parse_form(request.scope["query_string"])


async def _compress(response: Response, scope: Scope) -> None:
    response.headers["vary"] = "accept-encoding"
    content = bytes(response.body)
    smaller = None if "content-encoding" in response.headers else await compressed(content, scope)
    if smaller is not None:
        response.body = smaller
        response.headers["content-encoding"] = "gzip"
        response.headers["content-length"] = str(len(smaller))


def _is_browser(scope: Scope) -> bool:
    return "text/html" in header(scope, b"accept")


def _document(request: Request, found: Visitor | None) -> Response | None:
    """Let the API show a document to whoever is signed in, and refuse all others but browsers."""
    if found is not None:
        request.scope[ADMITTED] = found.who
    elif _is_browser(request.scope):
        return sign_in.lead_here(request)
    return None


async def _form(request: Request, most: int) -> Form:
    body = await read_body(request, most)
    if body is None:
        raise Invalid((), f"the form is larger than {most} bytes; send a smaller one.")
    return parse_form(body)
