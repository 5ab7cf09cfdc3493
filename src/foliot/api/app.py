"""The API: authenticates, authorizes and answers each of its requests."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple, Protocol

from starlette.requests import ClientDisconnect, Request
from starlette.types import Send

from foliot.api.call import ApiResponse, Call, check_version, parse_query
from foliot.api.errors import failure, not_found, refusal, too_large, wrong_method
from foliot.api.openapi.document import describe
from foliot.api.responses import send_response
from foliot.api.routes import OPERATIONS, ROUTES, STATUS_ROUTES, ApiHandler, Operation
from foliot.api.status import (
    EndpointsPage,
    HealthCheck,
    MetricsText,
    Problems,
    ServerStatus,
    StatusPage,
)
from foliot.app.lookup import check_may_change_group, check_sight_of_group
from foliot.app.use_cases import UseCases
from foliot.core.access import Principal, check_sight, require
from foliot.core.errors import FoliotError, origin_of
from foliot.core.ids import CollectionKey
from foliot.core.limits import Limits
from foliot.core.model.token import Role
from foliot.ports.logs import get_logger
from foliot.web.body import read_body
from foliot.web.headers import header
from foliot.web.proxies import Caller, Networks, base_url, caller
from foliot.web.routing import Access, Route, RouteMatch

_INTERNAL_ERROR = 500

_log = get_logger("foliot.api")


class Authenticator(Protocol):
    """Tells who calls."""

    async def authenticate(self, request: Request, client: str) -> Principal:
        """Return who makes a request, or refuse it."""
        ...


class ApiContext(NamedTuple):
    """The settings of the API, and its sources of health problems and metrics.

    A node without `has_api` answers questions about the server itself alone.
    """

    limits: Limits
    public_url: str | None
    trusted_proxies: Networks
    problems: Problems
    metrics: MetricsText
    has_api: bool = True


class Api:
    """Answers the requests of programs."""

    def __init__(
        self, use_cases: UseCases, authenticator: Authenticator, context: ApiContext
    ) -> None:
        self.routes: Sequence[Route[ApiHandler]] = ROUTES if context.has_api else STATUS_ROUTES
        self._use_cases = use_cases
        self._authenticator = authenticator
        self._context = context
        self._status = ServerStatus(
            use_cases.nodes,
            context.problems,
            context.metrics,
            partial(describe, OPERATIONS, context.limits),
        )

    async def respond(
        self,
        request: Request,
        match: RouteMatch[ApiHandler] | None,
        send: Send,
        who: Principal | None = None,
    ) -> None:
        """Answer a request; whoever is not known by a session is authenticated first."""
        try:
            response = await self._answer(request, match, who)
        except ClientDisconnect:
            return
        except FoliotError as error:
            response = refusal(error)
            if response.status >= _INTERNAL_ERROR:
                _log.error("Request failed", error=str(error))
        except Exception as error:  # noqa: BLE001  (the last resort: a caller gets an answer)
            _log.error("Request failed", error=origin_of(error))
            response = failure()
        await send_response(request, response, send)

    async def _answer(
        self, request: Request, match: RouteMatch[ApiHandler] | None, who: Principal | None
    ) -> ApiResponse:
        if match is not None and match.route.access is Access.OPEN:
            return await self._answer_open(request, match.route)
        called = caller(request.scope, self._context.trusted_proxies)
        who = who or await self._authenticator.authenticate(request, called.client)
        if match is None:
            return not_found(request.scope["path"])
        handler = match.route.handlers.get(request.method)
        if isinstance(handler, Operation):
            return await self._operate(request, handler, match.names, who, called)
        if isinstance(handler, StatusPage):
            return await handler.show(self._status, who)
        return wrong_method(request.method, sorted(match.route.handlers))

    async def _answer_open(self, request: Request, route: Route[ApiHandler]) -> ApiResponse:
        handler = route.handlers.get(request.method)
        if isinstance(handler, HealthCheck):
            return await handler.show(self._status)
        if isinstance(handler, EndpointsPage):
            called = caller(request.scope, self._context.trusted_proxies)
            return handler.show(base_url(called, public_url=self._context.public_url))
        return wrong_method(request.method, sorted(route.handlers))

    async def _operate(
        self,
        request: Request,
        operation: Operation,
        names: Mapping[str, str],
        who: Principal,
        called: Caller,
    ) -> ApiResponse:
        """Authorize a call, and only then read its body."""
        query = parse_query(request.scope["query_string"])
        if operation.versions:
            check_version(query, operation.versions)
        _authorize(operation, who, names)
        limits = self._context.limits
        most = limits.max_template_bytes if operation.is_large else limits.max_request_bytes
        body = await read_body(request, most)
        if body is None:
            await self._check_collection(operation, who, names)
            return too_large(most)
        call = Call(
            who=who,
            names=names,
            query=query,
            body=body,
            base_url=base_url(called, public_url=self._context.public_url),
            path=request.scope["raw_path"].decode("latin-1"),
            user_agent=header(request.scope, b"user-agent"),
            limits=limits,
        )
        try:
            return await operation.handler(self._use_cases, call)
        except FoliotError:
            await self._check_collection(operation, who, names)
            raise

    async def _check_collection(
        self, operation: Operation, who: Principal, names: Mapping[str, str]
    ) -> None:
        """Tell that a collection does not exist, rather than what is wrong with a body for it."""
        if operation.needs_collection:
            await self._use_cases.collections.get_collection(who, _key_of(names))


def _authorize(operation: Operation, who: Principal, names: Mapping[str, str]) -> None:
    """Refuse a caller who may not make this call, before its body costs anything."""
    if "collection" in names:
        check_sight(who, _key_of(names))
        require(who, operation.role)
    elif "deployment" in names:
        # What a deployment may change is checked for each collection of its template.
        check_sight_of_group(who, names["subscription"], names["group"])
        require(who, operation.role)
    elif "group" in names and operation.role is not Role.READER:
        check_may_change_group(who, names["subscription"], names["group"])
    elif "subscription" in names:
        check_sight_of_group(who, names["subscription"], names.get("group"))
        require(who, operation.role)
    else:
        require(who, operation.role)


def _key_of(names: Mapping[str, str]) -> CollectionKey:
    return CollectionKey(names["subscription"], names["group"], names["collection"])
