"""A client that calls the application in this process, on a real store and a clock of its own."""

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self
from urllib.parse import unquote

from msgspec import structs
from starlette.requests import Request

from foliot.api.app import Api, ApiContext
from foliot.app.engine_access import EngineAccess
from foliot.app.use_cases import UseCases
from foliot.core.access import Principal
from foliot.core.ids import CollectionKey
from foliot.core.instant import Instant, parse_instant
from foliot.core.job_defaults import JobDefaults
from foliot.core.limits import Limits
from foliot.core.model.collection import Collection
from foliot.core.model.job import Job
from foliot.core.model.token import Role, Scope
from foliot.ports.dispatch import Dispatcher
from foliot.ports.health import Health
from foliot.serve.metrics import Metrics
from foliot.store.sealing.keyring import Keyring
from foliot.web.application import WebApplication
from foliot.web.request_log import RequestLog
from tests.support.steps import Steps
from tests.support.stores import Database, database

NOW = "2026-01-10T00:00:00Z"
SUBSCRIPTION = "/subscriptions/11111111-2222-3333-4444-555555555555"
GROUP = f"{SUBSCRIPTION}/resourceGroups/Prod"
COLLECTIONS = f"{GROUP}/providers/Microsoft.Scheduler/jobCollections"
COLLECTION = f"{COLLECTIONS}/Billing"
JOBS = f"{COLLECTION}/jobs"
JOB = f"{JOBS}/Nightly"


class Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    content: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.content)

    @property
    def code(self) -> str:
        return self.json["error"]["code"]

    @property
    def message(self) -> str:
        return self.json["error"]["message"]


class ManualClock:
    """A clock that a test sets."""

    def __init__(self, text: str = NOW) -> None:
        self.at = parse_instant(text)

    def now(self) -> Instant:
        return self.at

    def set(self, text: str) -> None:
        self.at = parse_instant(text)


class FixedPrincipal:
    """Authenticates every request as the principal that the test sets."""

    def __init__(self) -> None:
        self.principal = Principal(Role.OWNER)

    async def authenticate(self, request: Request, client: str) -> Principal:  # noqa: ARG002
        return self.principal


class Client:
    """Calls the application; paths are absolute, the version is added unless a query is given."""

    def __init__(
        self,
        data: Path,
        *,
        limits: Limits | None = None,
        defaults: JobDefaults | None = None,
        public_url: str | None = None,
        on: Callable[[Path], AbstractContextManager[Database]] = database,
    ) -> None:
        self.clock = ManualClock()
        self.authenticator = FixedPrincipal()
        self._things = ExitStack()
        self._database = self._things.enter_context(on(data))
        self.store = self._database.open(Keyring([b"k" * 32]))
        self.use_cases = UseCases.of(self.store, self.clock, defaults=defaults or JobDefaults())
        self.health = Health()
        self.metrics = Metrics(self.store, self.clock, health=self.health)
        self._context = ApiContext(
            limits or Limits(), public_url, (), self._problems, self.metrics.text
        )
        self.app = self._application(self._context)
        self._runner = Steps()

    def without_api(self) -> Self:
        """Make further calls to a node that has other things to do."""
        self.app = self._application(self._context._replace(has_api=False))
        return self

    def with_dispatcher(self, dispatcher: Dispatcher) -> Self:
        """Make further calls to a node that can send the requests of jobs."""
        engine = EngineAccess(dispatcher=dispatcher)
        self.use_cases = UseCases.of(self.store, self.clock, engine=engine)
        self.app = self._application(self._context)
        return self

    def with_limits(self, limits: Limits) -> Self:
        """Make further calls to a server with other limits."""
        self.app = self._application(self._context._replace(limits=limits))
        return self

    def with_engine(self, engine: EngineAccess) -> Self:
        """Make further calls to a server that also runs jobs."""
        self.use_cases = UseCases.of(self.store, self.clock, engine=engine)
        self.app = self._application(self._context)
        return self

    def _application(self, context: ApiContext) -> WebApplication:
        return WebApplication(Api(self.use_cases, self.authenticator, context))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._runner.run(self.store.close())
        self._runner.close()
        self._things.close()

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: str = "api-version=2016-03-01",
        headers: dict[str, str] | None = None,
    ) -> Reply:
        return self._runner.run(self._call(method, path, _encoded(body), query, headers or {}))

    def get(self, path: str, **options: Any) -> Reply:
        return self.call("GET", path, **options)

    def put(self, path: str, body: Any, **options: Any) -> Reply:
        return self.call("PUT", path, body, **options)

    def patch(self, path: str, body: Any, **options: Any) -> Reply:
        return self.call("PATCH", path, body, **options)

    def post(self, path: str, body: Any = None, **options: Any) -> Reply:
        return self.call("POST", path, body, **options)

    def delete(self, path: str, **options: Any) -> Reply:
        return self.call("DELETE", path, **options)

    def gather(self, *calls: tuple[str, str, Any]) -> list[Reply]:
        """Make several calls at the same time."""

        async def together() -> list[Reply]:
            query = "api-version=2016-03-01"
            return await asyncio.gather(
                *(
                    self._call(method, path, json.dumps(body).encode(), query, {})
                    for method, path, body in calls
                )
            )

        return self._runner.run(together())

    def principal(self, role: Role, **scope: str) -> None:
        """Make further calls as someone with a role and a scope."""
        self.authenticator.principal = Principal(role, Scope(**scope))

    def state(self) -> dict[str, list[Any]]:
        """Return all that is stored, row by row."""
        return self._database.rows()

    def collection(self, name: str = "Billing", group: str = "Prod") -> Collection:
        """Return a collection as it is stored."""
        key = CollectionKey(SUBSCRIPTION.removeprefix("/subscriptions/"), group, name)
        return self.run(self.store.read(lambda reading: reading.collection(key)))

    def job(self, name: str = "Nightly") -> Job:
        """Return a job of the collection Billing as it is stored."""
        key = self.collection().key
        return self.run(self.store.read(lambda reading: reading.located_job(key, name)))[1]

    def alter_job(self, name: str = "Nightly", **fields: Any) -> None:
        """Change a job in the store, as the engine would."""
        changed = structs.replace(self.job(name), **fields)
        self.run(self.store.write(lambda tx: tx.save_job(changed)))

    def alter_collection(self, **fields: Any) -> None:
        """Change the collection Billing in the store, past all rules."""
        changed = structs.replace(self.collection(), **fields)
        self.run(self.store.write(lambda tx: tx.save_collection(changed)))

    def run(self, coroutine: Any) -> Any:
        """Run something else on the client's loop, such as a write to the store."""
        return self._runner.run(coroutine)

    async def _problems(self) -> Mapping[str, str]:
        return self.health.problems

    async def _call(
        self, method: str, path: str, content: bytes, query: str, headers: dict[str, str]
    ) -> Reply:
        given = {"host": "foliot.test:8080", "content-length": str(len(content)), **headers}
        scope = {
            "type": "http",
            "method": method,
            "scheme": "http",
            "path": unquote(path),
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "headers": [(name.lower().encode(), value.encode()) for name, value in given.items()],
            "client": ("127.0.0.1", 50_000),
            "server": ("127.0.0.1", 8080),
        }
        parts = iter([{"type": "http.request", "body": content, "more_body": False}])
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return next(parts)

        async def send(message: Any) -> None:
            sent.append(message)

        await RequestLog(self.app)(scope, receive, send)
        names = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        return Reply(sent[0]["status"], names, sent[1]["body"])


def _encoded(body: Any) -> bytes:
    if isinstance(body, bytes):
        return body
    return b"" if body is None else json.dumps(body).encode()


def http_job(uri: str = "http://example.com/", **properties: Any) -> dict[str, Any]:
    """Return a job that calls an address; further properties as given."""
    action = {"type": "Http", "request": {"uri": uri, "method": "get"}}
    return {"properties": {"action": action, **properties}}


def a_collection(sku: str = "Standard", **properties: Any) -> dict[str, Any]:
    """Return a collection on a plan."""
    return {"location": "westus", "properties": {"sku": {"name": sku}, **properties}}
