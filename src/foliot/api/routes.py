"""The routes of the API: which handler answers which address and method, and for whom."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from foliot.api import collections, deployments, jobs
from foliot.api.call import ApiResponse, Call
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
    needs_version: bool = True
    takes_template: bool = False


ApiHandler = Operation | StatusPage | HealthCheck

_SUBSCRIPTION = "/subscriptions/{subscription}"
_PROVIDER = f"{_SUBSCRIPTION}/providers/Microsoft.Scheduler"
_GROUP = f"{_SUBSCRIPTION}/resourceGroups/{{group}}"
_COLLECTIONS = f"{_GROUP}/providers/Microsoft.Scheduler/jobCollections"
_COLLECTION = f"{_COLLECTIONS}/{{collection}}"
_JOBS = f"{_COLLECTION}/jobs"
_JOB = f"{_JOBS}/{{job}}"
_DEPLOYMENTS = f"{_GROUP}/providers/Microsoft.Resources/deployments"
_DEPLOYMENT = f"{_DEPLOYMENTS}/{{deployment}}"
# Most clients ask for operations here.
_OPERATIONS = f"{_GROUP}/deployments/{{deployment}}/operations"


def _of_deployment(
    handler: Handler, role: Role = Role.READER, *, takes_template: bool = False
) -> Operation:
    return Operation(handler, role, needs_version=False, takes_template=takes_template)


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
    # Old clients make these calls first, with whichever version of the API they know.
    _PROVIDER: {"GET": Operation(collections.provider, needs_version=False)},
    f"{_PROVIDER}/register": {"POST": Operation(collections.provider, needs_version=False)},
    _GROUP: {"HEAD": Operation(collections.group_exists, needs_version=False)},
    _DEPLOYMENT: {
        "GET": _of_deployment(deployments.get),
        "HEAD": _of_deployment(deployments.exists),
        "PUT": _of_deployment(deployments.put, Role.CONTRIBUTOR, takes_template=True),
        "DELETE": _of_deployment(deployments.delete, Role.CONTRIBUTOR),
    },
    f"{_DEPLOYMENT}/validate": {
        "POST": _of_deployment(deployments.validate, Role.CONTRIBUTOR, takes_template=True)
    },
    _DEPLOYMENTS: {"GET": _of_deployment(deployments.list_deployments)},
    f"{_DEPLOYMENT}/operations": {"GET": _of_deployment(deployments.list_operations)},
    f"{_DEPLOYMENT}/operations/{{operation}}": {"GET": _of_deployment(deployments.get_operation)},
    _OPERATIONS: {"GET": _of_deployment(deployments.list_operations)},
    f"{_OPERATIONS}/{{operation}}": {"GET": _of_deployment(deployments.get_operation)},
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
