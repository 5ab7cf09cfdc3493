"""The HTTP API: what happens to every call on its way through it."""

from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple, Protocol

from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Receive, Scope, Send

from foliot.api.call import Answer, Call, check_version, parse_query
from foliot.api.errors import failure, not_found, refusal, too_large, wrong_method
from foliot.api.openapi.document import METRICS_PATH, NODES_PATH, describe
from foliot.api.openapi.page import page
from foliot.api.responses import send_answer
from foliot.api.routes import ROUTES, ROUTES_OF_ANY_VERSION, Operation
from foliot.api.wire.duration import notation_for
from foliot.api.wire.node import encode_nodes
from foliot.app.lookup import check_group
from foliot.app.use_cases import UseCases
from foliot.core.access import Principal, check_sight, require, require_everything
from foliot.core.errors import FoliotError, origin_of
from foliot.core.ids import CollectionKey
from foliot.core.limits import Limits
from foliot.ports.logs import get_logger
from foliot.web.auth.gate import ADMITTED
from foliot.web.body import read_body
from foliot.web.headers import header
from foliot.web.proxies import Caller, Networks, base_url, caller
from foliot.web.routing import Router

_READS = ["GET", "HEAD"]
_INTERNAL_ERROR = 500

_log = get_logger("foliot.api")


class Gatekeeper(Protocol):
    """Decides who is let in."""

    async def admit(self, request: Request, client: str) -> Principal:
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


def create_app(use_cases: UseCases, gate: Gatekeeper, surroundings: Surroundings) -> ASGIApp:
    """Return the application."""
    return _Application(use_cases, gate, surroundings)


class _Application:
    def __init__(self, use_cases: UseCases, gate: Gatekeeper, surroundings: Surroundings) -> None:
        self._use_cases = use_cases
        self._gate = gate
        self._surroundings = surroundings
        self._router = Router(ROUTES, ROUTES_OF_ANY_VERSION)
        document = describe(ROUTES, ROUTES_OF_ANY_VERSION, surroundings.limits)
        self._health_pages = {"/healthz": self._alive, "/readyz": self._ready}
        self._pages = {
            "/openapi.json": Answer(content=document),
            "/docs": Answer(page=page(document)),
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise NotImplementedError(scope["type"])
        request = Request(scope, receive)
        try:
            answer = await self._answer(request)
        except ClientDisconnect:
            return
        except FoliotError as error:
            answer = refusal(error)
            if answer.status >= _INTERNAL_ERROR:
                _log.error("Request failed", error=str(error))
        except Exception as error:  # noqa: BLE001  (the last resort: a caller gets an answer)
            _log.error("Request failed", error=origin_of(error))
            answer = failure()
        await send_answer(request, answer, send)

    async def _answer(self, request: Request) -> Answer:
        path: str = request.scope["path"]
        health = self._health_pages.get(path)
        if health is not None:
            return (
                await health() if request.method in _READS else wrong_method(request.method, _READS)
            )
        called = caller(request.scope, self._surroundings.trusted_proxies)
        admitted = request.scope.get(ADMITTED)
        who = admitted or await self._gate.admit(request, called.client)
        if path == METRICS_PATH:
            return await self._measure(request, who)
        if path == NODES_PATH:
            return await self._list_nodes(request, who)
        shown = self._pages.get(path)
        if shown is not None:
            return shown if _reads(request) else wrong_method(request.method, _READS)
        return await self._operate(request, who, called)

    async def _measure(self, request: Request, who: Principal) -> Answer:
        if not _reads(request):
            return wrong_method(request.method, _READS)
        require_everything(who)
        return Answer(text=await self._surroundings.metrics())

    async def _list_nodes(self, request: Request, who: Principal) -> Answer:
        if not _reads(request):
            return wrong_method(request.method, _READS)
        return Answer(200, encode_nodes(*await self._use_cases.nodes.list_nodes(who)))

    async def _operate(self, request: Request, who: Principal, called: Caller) -> Answer:
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
        return await operation.handler(self._use_cases, call)

    async def _authorize(
        self, operation: Operation, who: Principal, names: Mapping[str, str]
    ) -> None:
        """Refuse whoever may not make this call, before its body costs anything."""
        if "collection" in names:
            key = CollectionKey(names["subscription"], names["group"], names["collection"])
            check_sight(who, key)
            require(who, operation.role)
            if operation.needs_collection:
                await self._use_cases.collections.get_collection(who, key)
        else:
            check_group(who, names["subscription"], names.get("group"))

    async def _alive(self) -> Answer:
        return Answer(200, {"status": "ok"})

    async def _ready(self) -> Answer:
        problems = await self._surroundings.problems()
        if not problems:
            return Answer(200, {"status": "ok"})
        return Answer(
            503, {"status": "not ready", "problems": dict(problems)}, (("retry-after", "5"),)
        )


def _reads(request: Request) -> bool:
    return request.method in _READS
