"""The web application: finds the route of each request and lets the API or the portal answer."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

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


class _Portal(NamedTuple):
    responder: PortalResponder[Any]
    router: Router[Any]


class WebApplication:
    """The ASGI application of the server; a server without a portal has the API alone.

    The portal is loaded when it is first asked for: it is a fifth of what a server loads, and many
    servers are called by programs alone.
    """

    def __init__(
        self, api: Responder[Any], load_portal: Callable[[], PortalResponder[Any]] | None = None
    ) -> None:
        self._api = api
        self._api_router = Router(api.routes)
        self._load_portal = load_portal
        self._loading: asyncio.Task[_Portal] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            raise NotImplementedError(scope["type"])
        request = Request(scope, receive)
        is_of_api = self._api_router.owns(scope["path"])
        if self._load_portal is None or (is_of_api and not _may_show_page(scope)):
            await self._respond_api(request, send)
            return
        portal = await self._portal(self._load_portal)
        page = portal.router.find(scope)
        if page is None and is_of_api:
            await self._respond_api(request, send)
            return
        if page is not None or portal.router.owns(scope["path"]) or accepts_html(scope):
            await portal.responder.respond(request, page, send)
        else:
            await self._respond_api(request, send)

    async def _respond_api(self, request: Request, send: Send) -> None:
        match = self._api_router.find(request.scope)
        if match is not None and match.route.access is Access.DOCUMENT:
            has_token = bool(header(request.scope, b"authorization"))
            if self._load_portal is not None and not has_token:
                portal = (await self._portal(self._load_portal)).responder
                if portal.has_sign_in:
                    await portal.respond_document(request, match, send)
                    return
        await self._api.respond(request, match, send)

    async def _portal(self, load: Callable[[], PortalResponder[Any]]) -> _Portal:
        """Return the portal; who comes while it is being loaded waits for it."""
        if self._loading is None or _has_failed(self._loading):
            # In a thread: it takes a tenth of a second, in which jobs must not be late.
            self._loading = asyncio.create_task(asyncio.to_thread(_loaded, load))
        # One who goes away must not take it from the others.
        return await asyncio.shield(self._loading)


def _loaded(load: Callable[[], PortalResponder[Any]]) -> _Portal:
    responder = load()
    return _Portal(responder, Router(responder.routes))


def _has_failed(task: "asyncio.Task[_Portal]") -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)


def _may_show_page(scope: Scope) -> bool:
    """Tell whether a browser asks, which gets a page where API and portal share an address."""
    return accepts_html(scope) and not header(scope, b"authorization")


def accepts_html(scope: Scope) -> bool:
    """Tell whether a browser asks, and not a program."""
    return "text/html" in header(scope, b"accept")
