"""The routes of the API: which handler answers which address and method, and for whom."""

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from foliot.api import collections, jobs, runs
from foliot.api.call import OWN_VERSION, VERSIONS, ApiResponse, Call
from foliot.api.status import HealthCheck, ServerStatus, StatusPage
from foliot.app.use_cases import UseCases
from foliot.core.model.token import Role
from foliot.web.routing import Access, Matching, Route

Handler = Callable[[UseCases, Call], Awaitable[ApiResponse]]


class Operation(NamedTuple):
    """A handler of the Azure Scheduler API, and what a call needs before its body is read."""

    handler: Handler
    role: Role = Role.READER
    needs_collection: bool = False
    versions: Sequence[str] = VERSIONS  # none: any version, or no version


ApiHandler = Operation | StatusPage | HealthCheck

_SUBSCRIPTION = "/subscriptions/{subscription}"
_PROVIDER = f"{_SUBSCRIPTION}/providers/Microsoft.Scheduler"
_GROUP = f"{_SUBSCRIPTION}/resourceGroups/{{group}}"
_COLLECTIONS = f"{_GROUP}/providers/Microsoft.Scheduler/jobCollections"
_COLLECTION = f"{_COLLECTIONS}/{{collection}}"
_JOBS = f"{_COLLECTION}/jobs"
_JOB = f"{_JOBS}/{{job}}"

# A request tries the patterns in this order, so the most frequent stand first.
OPERATIONS: dict[str, dict[str, Operation]] = {
    _JOB: {
        "GET": Operation(jobs.get),
        "PUT": Operation(jobs.put, Role.CONTRIBUTOR, needs_collection=True),
        "PATCH": Operation(jobs.patch, Role.CONTRIBUTOR, needs_collection=True),
        "DELETE": Operation(jobs.delete, Role.CONTRIBUTOR),
    },
    f"{_JOB}/run": {"POST": Operation(jobs.run, Role.CONTRIBUTOR)},
    f"{_JOB}/history": {"GET": Operation(jobs.list_history)},
    _JOBS: {
        "GET": Operation(jobs.list_jobs),
        "POST": Operation(jobs.create, Role.CONTRIBUTOR, needs_collection=True),
    },
    _COLLECTION: {
        "GET": Operation(collections.get),
        "PUT": Operation(collections.put, Role.CONTRIBUTOR),
        "PATCH": Operation(collections.patch, Role.CONTRIBUTOR, needs_collection=True),
        "DELETE": Operation(collections.delete, Role.CONTRIBUTOR),
    },
    f"{_COLLECTION}/enable": {"POST": Operation(collections.enable, Role.CONTRIBUTOR)},
    f"{_COLLECTION}/disable": {"POST": Operation(collections.disable, Role.CONTRIBUTOR)},
    _COLLECTIONS: {"GET": Operation(collections.list_collections)},
    f"{_PROVIDER}/jobCollections": {"GET": Operation(collections.list_collections)},
    f"{_JOB}/runs": {"GET": Operation(runs.list_runs, versions=(OWN_VERSION,))},
    f"{_COLLECTION}/runs": {"GET": Operation(runs.list_runs, versions=(OWN_VERSION,))},
    f"{_PROVIDER}/runs": {"GET": Operation(runs.list_runs, versions=(OWN_VERSION,))},
    # Old clients make these calls first, with whichever version of the API they know.
    _PROVIDER: {"GET": Operation(collections.provider, versions=())},
    f"{_PROVIDER}/register": {"POST": Operation(collections.provider, versions=())},
    _GROUP: {"HEAD": Operation(collections.group_exists, versions=())},
}


def _status(path: str, access: Access, page: StatusPage | HealthCheck) -> Route[ApiHandler]:
    return Route(path, access, {"GET": page, "HEAD": page}, Matching.EXACT)


STATUS_ROUTES: tuple[Route[ApiHandler], ...] = (
    _status("/healthz", Access.OPEN, HealthCheck(ServerStatus.healthz)),
    _status("/readyz", Access.OPEN, HealthCheck(ServerStatus.readyz)),
    _status("/metrics", Access.TOKEN, StatusPage(ServerStatus.metrics)),
    _status("/nodes", Access.TOKEN, StatusPage(ServerStatus.nodes)),
    _status("/openapi.json", Access.DOCUMENT, StatusPage(ServerStatus.openapi)),
    _status("/docs", Access.DOCUMENT, StatusPage(ServerStatus.docs)),
)
ROUTES: tuple[Route[ApiHandler], ...] = (
    *(Route(path, Access.TOKEN, handlers) for path, handlers in OPERATIONS.items()),
    *STATUS_ROUTES,
)
