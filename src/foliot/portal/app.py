"""The portal before the API: what happens to every visit."""

import logging
from urllib.parse import quote

from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from foliot.api.exchange import read_body
from foliot.api.proxies import Caller, base_url, caller
from foliot.api.routing import Router
from foliot.core.errors import FoliotError, Forbidden, Invalid, origin_of
from foliot.portal import sign_in
from foliot.portal.assets import answer_asset
from foliot.portal.cookies import Cookies, read_cookies
from foliot.portal.desk import Desk
from foliot.portal.forms import Form, parse_form
from foliot.portal.guard import Visitor, check_origin, visitor
from foliot.portal.pages import PAGES, SIGN_OUT
from foliot.portal.paths import with_query
from foliot.portal.problems import FAILURE, problem, status_of
from foliot.portal.sessions import is_of
from foliot.portal.visit import SEE_OTHER, Visit

# What is the API's, also for a browser.
_OF_THE_API = ("/subscriptions", "/healthz", "/readyz", "/openapi.json", "/docs", "/metrics")
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

_log = logging.getLogger("foliot.portal")


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
        for name, value in _HEADERS.items():
            response.headers[name] = value
        response.headers.setdefault("cache-control", "no-store")
        await response(scope, receive, send)

    def _is_for_people(self, scope: Scope) -> bool:
        path: str = scope["path"]
        if path.startswith(_OF_THE_API):
            return False
        if path.startswith((_ASSETS, sign_in.PATH)) or self._pages.find(scope["raw_path"]):
            return True
        return b"text/html" in dict(scope["headers"]).get(b"accept", b"")

    async def _answer(self, request: Request) -> Response:
        if request.url.path.startswith(_ASSETS):
            return answer_asset(request.url.path) or Response("No such file.", 404)
        try:
            return await self._visit(request)
        except FoliotError as error:
            return problem(request, _told(error), str(error))
        except ClientDisconnect:
            raise
        except Exception as error:  # noqa: BLE001  (the last resort: a visitor gets an answer)
            _log.error("A page failed with %s", origin_of(error))
            return problem(request, _INTERNAL_ERROR, FAILURE)

    async def _visit(self, request: Request) -> Response:
        desk, now = self._desk, self._desk.clock.now()
        called = caller(request.scope, desk.trusted_proxies)
        base = base_url(called, public_url=desk.public_url)
        cookies = read_cookies(request, called.host, is_secure=base.startswith("https:"))
        is_reading = request.method in _READS
        form = Form() if is_reading else await self._form(request, called)
        if request.url.path == sign_in.PATH:
            fields = _query(request) if is_reading else form
            arrival = sign_in.Arrival(desk, called.client, cookies, now, fields)
            return await (sign_in.show if is_reading else sign_in.accept)(arrival)
        found = await visitor(desk, request, cookies, now)
        if found is None:
            return _to_sign_in(request)
        if not is_reading and not is_of(found.session, form.get("csrf")):
            raise Forbidden("The form is of another session; go back, reload it and try again.")
        return await self._page(request, cookies, found, form)

    async def _form(self, request: Request, called: Caller) -> Form:
        check_origin(request, called, self._desk.public_url)
        most = self._desk.limits.max_request_bytes
        body = await read_body(request, most)
        if body is None:
            raise Invalid((), f"the form is larger than {most} bytes; send a smaller one.")
        return parse_form(body)

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
            response = problem(request, _told(error), str(error), visit)
        self._keep(response, visit, is_new=found.is_new)
        return response

    def _keep(self, response: Response, visit: Visit, *, is_new: bool) -> None:
        """Keep the session; a page that only looks again by itself does not prolong it."""
        sessions, session = self._desk.sessions, visit.session
        renewed = None if visit.is_partial else sessions.renewed(session, visit.now)
        kept = session if is_new else renewed
        if kept is not None and visit.request.url.path != SIGN_OUT:
            visit.cookies.set_session(response, sessions.seal(kept))


def _told(error: FoliotError) -> int:
    """Return the status of a refusal; one that is the server's own affair is logged."""
    status = status_of(error)
    if status >= _INTERNAL_ERROR:
        _log.error("A page failed: %s", error)
    return status


def _query(request: Request) -> Form:
    return parse_form(request.scope["query_string"])


def _to_sign_in(request: Request) -> Response:
    if request.headers.get("hx-request") == "true":
        return Response(status_code=401, headers={"hx-redirect": sign_in.PATH})
    is_page = request.method in _READS and request.url.path != "/"
    then = quote(request.url.path) if is_page else ""
    return RedirectResponse(with_query(sign_in.PATH, then=then), SEE_OTHER)
