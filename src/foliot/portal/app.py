"""The portal: finds out who visits, reads forms, and answers with pages."""

from collections.abc import Awaitable, Sequence
from typing import TypeVar
from urllib.parse import parse_qsl

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Send

from foliot.api.app import Api
from foliot.api.routes import ApiHandler
from foliot.core.access import Principal
from foliot.core.errors import FoliotError, Forbidden, Invalid, JobNotFound, origin_of
from foliot.portal.assets import answer_asset
from foliot.portal.context import PortalContext
from foliot.portal.forms.posted import Form, parse_form
from foliot.portal.forms.problems import explain
from foliot.portal.page_request import PageRequest
from foliot.portal.pages import sign_in
from foliot.portal.pages.errors import FAILURE, error_page, missing_job_page, status_of
from foliot.portal.responses import send_page
from foliot.portal.routes import ROUTES, Page
from foliot.ports.logs import get_logger
from foliot.web.application import accepts_html
from foliot.web.auth.cookies import Cookies, read_cookies
from foliot.web.auth.csrf import check_origin, is_form_token_of
from foliot.web.auth.signed_in_user import PortalClient, Visitor, find_visitor
from foliot.web.body import read_body
from foliot.web.compression import accepts_gzip
from foliot.web.proxies import base_url, caller
from foliot.web.routing import Access, Route, RouteMatch

_READS = ("GET", "HEAD")
_METHODS = (*_READS, "POST")
_INTERNAL_ERROR = 500
# The form to sign in has a token and an address.
_MAX_SIGN_IN_BYTES = 16 * 1024

# Of the parameters in an address; no page has more than a dozen.
_MOST_NAMES = 1000

_log = get_logger("foliot.portal")

Answered = TypeVar("Answered")


class Portal:
    """Answers people with pages, and lets the API show its documents to whoever is signed in."""

    def __init__(self, api: Api, context: PortalContext) -> None:
        self.routes: Sequence[Route[Page]] = ROUTES
        self._api = api
        self._context = context

    @property
    def has_sign_in(self) -> bool:
        """Whether people have to sign in."""
        return self._context.authenticator is not None

    async def respond(self, request: Request, match: RouteMatch[Page] | None, send: Send) -> None:
        """Answer a request with a page."""
        try:
            response = await _with_error_pages(request, self._answer(request, match))
        except ClientDisconnect:
            return
        await send_page(request, response, send)

    async def respond_document(
        self, request: Request, document: RouteMatch[ApiHandler], send: Send
    ) -> None:
        """Let the API show a document to whoever is signed in, and ask a browser to sign in."""
        if request.method not in _READS:
            await self._api.respond(request, document, send)
            return
        answered = await _with_error_pages(request, self._find_reader(request))
        if isinstance(answered, Response):
            await send_page(request, answered, send)
        else:
            await self._api.respond(request, document, send, answered)

    async def _answer(self, request: Request, match: RouteMatch[Page] | None) -> Response:
        if match is not None and request.method not in _METHODS:
            return _wrong_method(request, match.route)
        access = None if match is None else match.route.access
        if access is Access.ASSET:
            found = answer_asset(request.url.path, is_compressed=accepts_gzip(request.scope))
            return found or Response("No such file.", 404)
        client = self._client(request)
        if access is Access.SIGN_IN:
            return await self._sign_in(request, client)
        visitor = await self._find_visitor(request, client)
        if visitor is None:
            return sign_in.redirect_to_sign_in(request)
        # The form is read only once it is known who sends it.
        form = await self._read_form(request, visitor)
        return await self._show_page(request, match, client.cookies, visitor, form)

    async def _find_reader(self, request: Request) -> Principal | Response | None:
        """Return who reads a document; the API refuses a program that has no session."""
        visitor = await self._find_visitor(request, self._client(request))
        if visitor is not None:
            return visitor.who
        return sign_in.redirect_to_sign_in(request) if accepts_html(request.scope) else None

    def _client(self, request: Request) -> PortalClient:
        """Return who asks; a form must come from a page of this server."""
        context, now = self._context, self._context.clock.now()
        called = caller(request.scope, context.trusted_proxies)
        base = base_url(called, public_url=context.public_url)
        cookies = read_cookies(request, called.host, is_secure=base.startswith("https:"))
        if request.method not in _READS:
            check_origin(request, called, context.public_url)
        return PortalClient(called.client, cookies, now)

    async def _find_visitor(self, request: Request, client: PortalClient) -> Visitor | None:
        context = self._context
        return await find_visitor(context.authenticator, context.sessions, request, client)

    async def _sign_in(self, request: Request, client: PortalClient) -> Response:
        is_reading = request.method in _READS
        most = min(self._context.limits.max_request_bytes, _MAX_SIGN_IN_BYTES)
        fields = _query(request) if is_reading else await _form(request, most)
        sign_in_request = sign_in.SignInRequest(
            self._context, client.address, client.cookies, client.now, fields
        )
        return await (sign_in.show if is_reading else sign_in.accept)(sign_in_request)

    async def _read_form(self, request: Request, visitor: Visitor) -> Form:
        if request.method in _READS:
            return Form()
        form = await _form(request, self._context.limits.max_request_bytes)
        if not is_form_token_of(visitor.session, form.get("csrf")):
            raise Forbidden("The form is of another session; go back, reload it and try again.")
        return form

    async def _show_page(
        self,
        request: Request,
        match: RouteMatch[Page] | None,
        cookies: Cookies,
        visitor: Visitor,
        form: Form,
    ) -> Response:
        page_request = PageRequest(
            context=self._context,
            http=request,
            cookies=cookies,
            session=visitor.session,
            who=visitor.who,
            now=self._context.clock.now(),
            names={} if match is None else match.names,
            query=_query(request),
            form=form,
        )
        if match is None:
            return error_page(
                request, 404, f"No page has the address {request.url.path}.", page_request
            )
        page = match.route.handlers.get("GET" if request.method == "HEAD" else request.method)
        if page is None:
            return _wrong_method(request, match.route, page_request)
        try:
            response = await page(page_request)
        except FoliotError as error:
            response = await _refused(error, page_request)
        self._renew_session(response, page_request, is_new=visitor.is_new)
        return response

    def _renew_session(
        self, response: Response, page_request: PageRequest, *, is_new: bool
    ) -> None:
        """Set the session's cookie; a page that refreshes itself does not prolong the session."""
        sessions, session = self._context.sessions, page_request.session
        renewed = None if page_request.is_partial else sessions.renewed(session, page_request.now)
        kept = session if is_new else renewed
        if kept is not None and not page_request.cookies.has_session(response):
            page_request.cookies.set_session(response, sessions.seal(kept))


async def _with_error_pages(request: Request, answer: Awaitable[Answered]) -> Answered | Response:
    """Return an answer, or a page about the error that prevents it."""
    try:
        return await answer
    except FoliotError as error:
        return error_page(request, _status(error), explain(error))
    except ClientDisconnect:
        raise
    except Exception as error:  # noqa: BLE001  (the last resort: a visitor gets an answer)
        _log.error("Page failed", error=origin_of(error))
        return error_page(request, _INTERNAL_ERROR, FAILURE)


async def _refused(error: FoliotError, request: PageRequest) -> Response:
    """Return a page about a refusal."""
    if isinstance(error, JobNotFound) and "job" in request.names:
        return await missing_job_page(error, request)
    return error_page(request.http, _status(error), explain(error), request)


def _wrong_method(
    request: Request, route: Route[Page], page_request: PageRequest | None = None
) -> Response:
    """Return a page about a method that an address does not have, with those it has."""
    allowed = ", ".join(sorted(route.handlers) or _METHODS)
    words = f"This address does not accept {request.method}, but {allowed}."
    response = error_page(request, 405, words, page_request)
    response.headers["allow"] = allowed
    return response


def _status(error: FoliotError) -> int:
    """Return the status of a refusal, and log one that is the server's own fault."""
    status = status_of(error)
    if status >= _INTERNAL_ERROR:
        _log.error("Page failed", error=str(error))
    return status


def _query(request: Request) -> Form:
    """Read the query; what is no UTF-8 becomes a character that no filter has, and pages say so."""
    text = request.scope["query_string"].decode("latin-1")
    try:
        pairs = parse_qsl(
            text, keep_blank_values=True, errors="replace", max_num_fields=_MOST_NAMES
        )
    except ValueError:
        raise Invalid((), f"the address has more than {_MOST_NAMES} parameters.") from None
    return Form((name, value.replace("\r\n", "\n")) for name, value in pairs)


async def _form(request: Request, most: int) -> Form:
    body = await read_body(request, most)
    if body is None:
        raise Invalid((), f"the form is larger than {most} bytes; send a smaller one.")
    return parse_form(body)
