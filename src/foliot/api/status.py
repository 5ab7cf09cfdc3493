"""Pages about the server itself: its health, metrics, nodes, and the description of the API."""

from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property
from typing import NamedTuple

from foliot.api.call import ApiResponse
from foliot.api.openapi.page import page
from foliot.api.wire.cluster_nodes import encode_nodes
from foliot.api.wire.fields import Schema
from foliot.app.nodes import Nodes
from foliot.core.access import Principal, require_everything

Problems = Callable[[], Awaitable[Mapping[str, str]]]
MetricsText = Callable[[], Awaitable[str]]


class ServerStatus:
    """Answers questions about the server itself; it describes the API when somebody asks."""

    def __init__(
        self,
        nodes: Nodes,
        problems: Problems,
        metrics: MetricsText,
        describe: Callable[[], Schema],
    ) -> None:
        self._nodes = nodes
        self._problems = problems
        self._metrics = metrics
        self._describe = describe

    async def healthz(self) -> ApiResponse:
        """Tell that the process is alive."""
        return ApiResponse(200, {"status": "ok"})

    async def readyz(self) -> ApiResponse:
        """Tell whether the server can work, and otherwise what prevents it."""
        problems = await self._problems()
        if not problems:
            return ApiResponse(200, {"status": "ok"})
        return ApiResponse(
            503, {"status": "not ready", "problems": dict(problems)}, (("retry-after", "5"),)
        )

    async def metrics(self, who: Principal) -> ApiResponse:
        """Return the metrics, to whoever may see the whole server."""
        require_everything(who)
        return ApiResponse(text=await self._metrics())

    async def nodes(self, who: Principal) -> ApiResponse:
        """Return the nodes that share the schedule."""
        return ApiResponse(200, encode_nodes(*await self._nodes.list_nodes(who)))

    async def openapi(self, _who: Principal) -> ApiResponse:
        """Return the OpenAPI document."""
        return ApiResponse(content=self._document)

    async def docs(self, _who: Principal) -> ApiResponse:
        """Return the OpenAPI document as a page to read."""
        return ApiResponse(page=self._document_page)

    @cached_property
    def _document(self) -> Schema:
        return self._describe()

    @cached_property
    def _document_page(self) -> str:
        return page(self._document)


class HealthCheck(NamedTuple):
    """A page that everyone may read."""

    show: Callable[[ServerStatus], Awaitable[ApiResponse]]


class EndpointsPage(NamedTuple):
    """A page that everyone may read, made of the URL of the server."""

    show: Callable[[str], ApiResponse]


class StatusPage(NamedTuple):
    """A page for authenticated callers; it reads neither query nor body."""

    show: Callable[[ServerStatus, Principal], Awaitable[ApiResponse]]
