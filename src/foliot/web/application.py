"""The web application: finds the route of each request and lets the API or the portal answer."""

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from foliot.web.headers import header
from foliot.web.routing import Access, Route, RouteMatch, Router

Handler = TypeVar("Handler")


class Responder(Protocol[Handler]):
    """A part of the server that answers requests: the API or the portal."""

    @property
    def routes(self) -> Sequence[Route[Handler]]:
        """The addresses that it answers."""
        ...

    async def respond(
        self, request: Request, match: RouteMatch[Handler] | None, send: Send
    ) -> None:
        """Answer a request; without a match its address is unknown."""
        ...


class PortalResponder(Responder[Handler], Protocol):
    """The portal, where a session may read the documents of the API too."""

    @property
    def has_sign_in(self) -> bool:
        """Whether people have to sign in."""
        ...

    async def respond_document(
        self, request: Request, document: RouteMatch[Any], send: Send
    ) -> None:
        """Answer a request for a document that comes without a token."""
        ...


class WebApplication:
    """The ASGI application of the server; a server without a portal has the API alone."""

    def __init__(self, api: Responder[Any], portal: PortalResponder[Any] | None = None) -> None:
        self._api = api
        self._api_router = Router(api.routes)
        self._portal = portal
        self._portal_router = Router(() if portal is None else portal.routes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            raise NotImplementedError(scope["type"])
        request = Request(scope, receive)
        is_of_api = self._api_router.owns(scope["path"])
        if self._portal is None or (is_of_api and not _may_show_page(scope)):
            await self._respond_api(request, send)
            return
        page = self._portal_router.find(scope)
        if page is None and is_of_api:
            await self._respond_api(request, send)
            return
        if page is not None or self._portal_router.owns(scope["path"]) or accepts_html(scope):
            await self._portal.respond(request, page, send)
        else:
            await self._respond_api(request, send)

    async def _respond_api(self, request: Request, send: Send) -> None:
        match = self._api_router.find(request.scope)
        if match is not None and match.route.access is Access.DOCUMENT:
            portal = self._portal
            has_token = bool(header(request.scope, b"authorization"))
            if portal is not None and portal.has_sign_in and not has_token:
                await portal.respond_document(request, match, send)
                return
        await self._api.respond(request, match, send)


def _may_show_page(scope: Scope) -> bool:
    """Tell whether a browser asks, which gets a page where API and portal share an address."""
    return accepts_html(scope) and not header(scope, b"authorization")


def accepts_html(scope: Scope) -> bool:
    """Tell whether a browser asks, and not a program."""
    return "text/html" in header(scope, b"accept")
