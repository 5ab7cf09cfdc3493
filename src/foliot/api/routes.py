"""The routes of the API: which handler answers which address and method, and for whom."""

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from foliot.api import (
    alerts,
    audit,
    calendars,
    collections,
    contents,
    deployments,
    job_tests,
    jobs,
    occurrences,
    previews,
    providers,
    resource_groups,
    runs,
    subscriptions,
)
from foliot.api.call import OWN_VERSION, VERSIONS, ApiResponse, Call
from foliot.api.status import EndpointsPage, HealthCheck, ServerStatus, StatusPage
from foliot.app.use_cases import UseCases
from foliot.core.model.token import Role
from foliot.web.routing import Access, Matching, Route

Handler = Callable[[UseCases, Call], Awaitable[ApiResponse]]


class Operation(NamedTuple):
    """A handler of the Azure Scheduler API, and what a call needs before its body is read."""

    handler: Handler
    role: Role = Role.READER
    needs_collection: bool = False
    is_large: bool = False  # its body may be as large as a template
    versions: Sequence[str] = VERSIONS  # none: any version, or no version


ApiHandler = Operation | StatusPage | HealthCheck | EndpointsPage


def _any_version(handler: Handler, role: Role = Role.READER) -> Operation:
    return Operation(handler, role, versions=())


def _own_version(handler: Handler, role: Role = Role.READER) -> Operation:
    return Operation(handler, role, versions=(OWN_VERSION,))


def _of_contents(handler: Handler) -> Operation:
    return _own_version(handler, Role.CONTRIBUTOR)._replace(is_large=True)


def _of_template(handler: Handler) -> Operation:
    return Operation(handler, Role.CONTRIBUTOR, versions=(), is_large=True)


_SUBSCRIPTION = "/subscriptions/{subscription}"
_PROVIDERS = f"{_SUBSCRIPTION}/providers"
_PROVIDER = f"{_PROVIDERS}/{{namespace}}"
_GROUPS = f"{_SUBSCRIPTION}/resourceGroups"
_GROUP = f"{_GROUPS}/{{group}}"
_COLLECTIONS = f"{_GROUP}/providers/Microsoft.Scheduler/jobCollections"
_COLLECTION = f"{_COLLECTIONS}/{{collection}}"
_JOBS = f"{_COLLECTION}/jobs"
_JOB = f"{_JOBS}/{{job}}"
_CALENDARS = f"{_COLLECTION}/calendars"
_CALENDAR = f"{_CALENDARS}/{{calendar}}"
_ALERTS = f"{_COLLECTION}/alerts"
_ALERT = f"{_ALERTS}/{{alert}}"
_DEPLOYMENTS = f"{_GROUP}/providers/Microsoft.Resources/deployments"
_DEPLOYMENT = f"{_DEPLOYMENTS}/{{deployment}}"
# Most clients ask for operations here.
_OPERATIONS = f"{_GROUP}/deployments/{{deployment}}/operations"

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
    f"{_PROVIDERS}/Microsoft.Scheduler/jobCollections": {
        "GET": Operation(collections.list_collections)
    },
    f"{_JOB}/test": {"POST": _own_version(job_tests.of_job, Role.CONTRIBUTOR)},
    f"{_COLLECTION}/test": {"POST": _own_version(job_tests.of_new_job, Role.CONTRIBUTOR)},
    f"{_JOB}/preview": {"POST": _own_version(previews.of_job)},
    f"{_COLLECTION}/preview": {"POST": _own_version(previews.of_new_job)},
    f"{_JOB}/runs": {"GET": _own_version(runs.list_runs)},
    f"{_JOB}/runs/{{run}}/retry": {"POST": _own_version(occurrences.retry_run, Role.CONTRIBUTOR)},
    f"{_JOB}/runs/cancel": {"POST": _own_version(occurrences.cancel_runs, Role.CONTRIBUTOR)},
    f"{_JOB}/runs/{{run}}/cancel": {"POST": _own_version(occurrences.cancel_run, Role.CONTRIBUTOR)},
    f"{_JOB}/occurrences": {"GET": _own_version(occurrences.list_occurrences)},
    f"{_JOB}/redrive": {"POST": _own_version(occurrences.redrive, Role.CONTRIBUTOR)},
    f"{_JOB}/backfill": {"POST": _own_version(occurrences.backfill, Role.CONTRIBUTOR)},
    f"{_COLLECTION}/runs": {"GET": _own_version(runs.list_runs)},
    f"{_PROVIDERS}/Microsoft.Scheduler/runs": {"GET": _own_version(runs.list_runs)},
    f"{_COLLECTION}/apply": {"POST": _of_contents(contents.apply)},
    f"{_COLLECTION}/apply/validate": {"POST": _of_contents(contents.validate)},
    _CALENDAR: {
        "GET": _own_version(calendars.get),
        "PUT": _own_version(calendars.put, Role.CONTRIBUTOR)._replace(needs_collection=True),
        "DELETE": _own_version(calendars.delete, Role.CONTRIBUTOR),
    },
    _CALENDARS: {"GET": _own_version(calendars.list_calendars)},
    _ALERT: {
        "GET": _own_version(alerts.get),
        "PUT": _own_version(alerts.put, Role.CONTRIBUTOR)._replace(needs_collection=True),
        "PATCH": _own_version(alerts.patch, Role.CONTRIBUTOR)._replace(needs_collection=True),
        "DELETE": _own_version(alerts.delete, Role.CONTRIBUTOR),
    },
    f"{_ALERT}/test": {"POST": _own_version(alerts.test, Role.CONTRIBUTOR)},
    _ALERTS: {"GET": _own_version(alerts.list_alerts)},
    # Clients make these calls first, with whichever version of the API they know.
    _GROUP: {
        "HEAD": _any_version(resource_groups.exists),
        "GET": _any_version(resource_groups.get),
        "PUT": _any_version(resource_groups.put, Role.CONTRIBUTOR),
        "PATCH": _any_version(resource_groups.patch, Role.CONTRIBUTOR),
        "DELETE": _any_version(resource_groups.delete, Role.CONTRIBUTOR),
    },
    _DEPLOYMENT: {
        "GET": _any_version(deployments.get),
        "HEAD": _any_version(deployments.exists),
        "PUT": _of_template(deployments.put),
        "DELETE": _any_version(deployments.delete, Role.CONTRIBUTOR),
    },
    f"{_DEPLOYMENT}/validate": {"POST": _of_template(deployments.validate)},
    _DEPLOYMENTS: {"GET": _any_version(deployments.list_deployments)},
    f"{_DEPLOYMENT}/operations": {"GET": _any_version(deployments.list_operations)},
    f"{_DEPLOYMENT}/operations/{{operation}}": {"GET": _any_version(deployments.get_operation)},
    _OPERATIONS: {"GET": _any_version(deployments.list_operations)},
    f"{_OPERATIONS}/{{operation}}": {"GET": _any_version(deployments.get_operation)},
    f"{_GROUP}/resources": {"GET": _any_version(resource_groups.list_resources)},
    _GROUPS: {"GET": _any_version(resource_groups.list_groups)},
    f"{_SUBSCRIPTION}/resources": {"GET": _any_version(resource_groups.list_resources)},
    _PROVIDER: {"GET": _any_version(providers.get)},
    f"{_PROVIDER}/register": {"POST": _any_version(providers.register)},
    f"{_PROVIDER}/unregister": {"POST": _any_version(providers.unregister)},
    _PROVIDERS: {"GET": _any_version(providers.of_subscription)},
    f"{_PROVIDERS}/Microsoft.Scheduler/operations": {"GET": _any_version(providers.operations)},
    "/providers": {"GET": _any_version(providers.of_tenant)},
    "/providers/Microsoft.Scheduler/operations": {"GET": _any_version(providers.operations)},
    f"{_SUBSCRIPTION}/locations": {"GET": _any_version(subscriptions.locations)},
    _SUBSCRIPTION: {"GET": _any_version(subscriptions.get)},
    "/subscriptions": {"GET": _any_version(subscriptions.list_subscriptions)},
    "/audit": {"GET": _own_version(audit.list_entries, Role.OWNER)},
    "/audit/{entry}": {"GET": _own_version(audit.get, Role.OWNER)},
    "/tenants": {"GET": _any_version(subscriptions.tenants)},
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
    Route(
        "/metadata/endpoints",
        Access.OPEN,
        {"GET": EndpointsPage(subscriptions.metadata_endpoints)},
    ),
    *STATUS_ROUTES,
)
