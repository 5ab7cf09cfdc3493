"""The HTTP API: what happens to every call on its way through it."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple, Protocol

from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Receive, Scope, Send

from foliot.api.call import ApiResponse, Call, check_version, parse_query
from foliot.api.errors import failure, not_found, refusal, too_large, wrong_method
from foliot.api.openapi.document import METRICS_PATH, NODES_PATH, describe
from foliot.api.openapi.page import page
from foliot.api.responses import send_response
from foliot.api.routes import ROUTES, ROUTES_OF_ANY_VERSION, Operation
from foliot.api.wire.duration import notation_for
from foliot.api.wire.node import encode_nodes
from foliot.app.service import Service
from foliot.core.access import Principal, check_sight, require, require_everything
from foliot.core.errors import FoliotError, origin_of
from foliot.core.ids import CollectionKey
from foliot.core.limits import Limits
from foliot.web.auth.visitor import ADMITTED
from foliot.web.body import read_body
from foliot.web.headers import header
from foliot.web.proxies import Caller, Networks, base_url, caller
from foliot.web.routing import Router

_READS = ["GET", "HEAD"]
_INTERNAL_ERROR = 500

_log = logging.getLogger("foliot.api")


class Authenticator(Protocol):
    """Tells who calls."""

    async def authenticate(self, request: Request, client: str) -> Principal:
        """Return who makes a request, or refuse it."""
        ...


class Surroundings(NamedTuple):
    """What the API needs to know of the place it runs in."""

    limits: Limits
    public_url: str | None
    trusted_proxies: Networks
    problems: Callable[[], Awaitable[Mapping[str, str]]]
    metrics: Callable[[], Awaitable[str]]
    has_api: bool = True


def create_app(
    service: Service, authenticator: Authenticator, surroundings: Surroundings
) -> ASGIApp:
    """Return the application."""
    return _Application(service, authenticator, surroundings)


class _Application:
    def __init__(
        self, service: Service, authenticator: Authenticator, surroundings: Surroundings
    ) -> None:
        self._service = service
        self._authenticator = authenticator
        self._surroundings = surroundings
        self._router = Router(ROUTES, ROUTES_OF_ANY_VERSION)
        document = describe(ROUTES, ROUTES_OF_ANY_VERSION, surroundings.limits)
        self._health_pages = {"/healthz": self._alive, "/readyz": self._ready}
        self._pages = {
            "/openapi.json": ApiResponse(content=document),
            "/docs": ApiResponse(page=page(document)),
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise NotImplementedError(scope["type"])
        request = Request(scope, receive)
        try:
            response = await self._answer(request)
        except ClientDisconnect:
            return
        except FoliotError as error:
            response = refusal(error)
            if response.status >= _INTERNAL_ERROR:
                _log.error("A request failed: %s", error)
        except Exception as error:  # noqa: BLE001  (the last resort: a caller gets an answer)
            _log.error("A request failed with %s", origin_of(error))
            response = failure()
        await send_response(request, response, send)

    async def _answer(self, request: Request) -> ApiResponse:
        path: str = request.scope["path"]
        health = self._health_pages.get(path)
        if health is not None:
            return (
                await health() if request.method in _READS else wrong_method(request.method, _READS)
            )
        called = caller(request.scope, self._surroundings.trusted_proxies)
        admitted = request.scope.get(ADMITTED)
        who = admitted or await self._authenticator.authenticate(request, called.client)
        if path == METRICS_PATH:
            return await self._measure(request, who)
        if path == NODES_PATH:
            return await self._list_nodes(request, who)
        shown = self._pages.get(path)
        if shown is not None:
            return shown if _reads(request) else wrong_method(request.method, _READS)
        return await self._operate(request, who, called)

    async def _measure(self, request: Request, who: Principal) -> ApiResponse:
        if not _reads(request):
            return wrong_method(request.method, _READS)
        require_everything(who)
        return ApiResponse(text=await self._surroundings.metrics())

    async def _list_nodes(self, request: Request, who: Principal) -> ApiResponse:
        if not _reads(request):
            return wrong_method(request.method, _READS)
        return ApiResponse(200, encode_nodes(*await self._service.list_nodes(who)))

    async def _operate(self, request: Request, who: Principal, called: Caller) -> ApiResponse:
        path: str = request.scope["path"]
        found = self._router.find(request.scope["raw_path"])
        if found is None or not self._surroundings.has_api:
            return not_found(path)
        endpoint, names = found
        operation = endpoint.handlers.get(request.method)
        if operation is None:
            return wrong_method(request.method, sorted(endpoint.handlers))
        query = parse_query(request.scope["query_string"])
        if endpoint.is_versioned:
            check_version(query)
        await self._authorize(operation, who, names)
        limits = self._surroundings.limits
        body = await read_body(request, limits.max_request_bytes)
        if body is None:
            return too_large(limits.max_request_bytes)
        call = Call(
            who=who,
            names=names,
            query=query,
            body=body,
            base_url=base_url(called, public_url=self._surroundings.public_url),
            path=request.scope["raw_path"].decode("latin-1"),
            notation=notation_for(header(request.scope, b"user-agent")),
            limits=limits,
        )
        return await operation.handler(self._service, call)

    async def _authorize(
        self, operation: Operation, who: Principal, names: Mapping[str, str]
    ) -> None:
        """Refuse whoever may not make this call, before its body costs anything."""
        if "collection" in names:
            key = CollectionKey(names["subscription"], names["group"], names["collection"])
            check_sight(who, key)
            require(who, operation.role)
            if operation.needs_collection:
                await self._service.get_collection(who, key)
        else:
            self._service.check_group(who, names["subscription"], names.get("group"))

    async def _alive(self) -> ApiResponse:
        return ApiResponse(200, {"status": "ok"})

    async def _ready(self) -> ApiResponse:
        problems = await self._surroundings.problems()
        if not problems:
            return ApiResponse(200, {"status": "ok"})
        return ApiResponse(
            503, {"status": "not ready", "problems": dict(problems)}, (("retry-after", "5"),)
        )


def _reads(request: Request) -> bool:
    return request.method in _READS
