"""Resource providers: ours, and those that clients register without need."""

import re

from foliot.api.call import AZURE_VERSIONS, ApiResponse, Call
from foliot.api.paging import listing
from foliot.api.wire.regions import region_names
from foliot.app.use_cases import UseCases
from foliot.core.errors import wrong
from foliot.core.json_text import Json

_SCHEDULER = "Microsoft.Scheduler"
_RESOURCES = "Microsoft.Resources"
_TYPES = {
    _SCHEDULER: ("jobcollections", "operations", "operationResults"),
    _RESOURCES: ("subscriptions", "tenants", "resourceGroups", "resources", "deployments"),
}
# Versions that old clients ask with; the calls take any.
_RESOURCES_VERSIONS = ("2019-05-01", "2018-05-01", "2016-06-01", "2015-11-01")
_VERSIONS = {_SCHEDULER: AZURE_VERSIONS, _RESOURCES: _RESOURCES_VERSIONS}
_NAMESPACE = re.compile(r"[A-Za-z][A-Za-z0-9.-]{0,127}", re.ASCII)

_COLLECTION, _JOB = "Job collection", "Job"
# The operations that a role can be granted, by the names the old service had for them.
_OPERATIONS = (
    ("jobcollections/read", _COLLECTION, "Get job collection", "Show a job collection."),
    ("jobcollections/write", _COLLECTION, "Save job collection", "Create or change one."),
    ("jobcollections/delete", _COLLECTION, "Delete job collection", "Remove it with its jobs."),
    ("jobcollections/enable/action", _COLLECTION, "Enable job collection", "Let its jobs run."),
    ("jobcollections/disable/action", _COLLECTION, "Disable job collection", "Halt its jobs."),
    ("jobcollections/jobs/read", _JOB, "Get job", "Show a job."),
    ("jobcollections/jobs/write", _JOB, "Save job", "Create or change a job."),
    ("jobcollections/jobs/delete", _JOB, "Delete job", "Remove a job with its history."),
    ("jobcollections/jobs/run/action", _JOB, "Run job", "Have a job run at once."),
    ("jobcollections/jobs/jobhistories/read", _JOB, "Get job history", "List its attempts."),
)


async def of_subscription(_: UseCases, call: Call) -> ApiResponse:
    """List the resource providers of a subscription."""
    prefix = f"/subscriptions/{call.names['subscription']}"
    return listing(call, [_provider(prefix, each) for each in _TYPES], None)


async def of_tenant(_: UseCases, call: Call) -> ApiResponse:
    """List the resource providers of the server."""
    return listing(call, [_provider("", each) for each in _TYPES], None)


async def get(_: UseCases, call: Call) -> ApiResponse:
    """Show a resource provider; one that is not ours has no resource types."""
    return _named_provider(call)


async def register(_: UseCases, call: Call) -> ApiResponse:
    """Say that a resource provider is registered: clients register many, and wait for each."""
    return _named_provider(call)


async def unregister(_: UseCases, call: Call) -> ApiResponse:
    """Say that a resource provider stays registered."""
    return _named_provider(call)


async def operations(_: UseCases, call: Call) -> ApiResponse:
    """List the operations of the provider."""
    values: list[Json] = [
        {
            "name": f"{_SCHEDULER}/{name}",
            "display": {
                "provider": "Microsoft Scheduler",
                "resource": resource,
                "operation": operation,
                "description": description,
            },
        }
        for name, resource, operation, description in _OPERATIONS
    ]
    return listing(call, values, None)


def _named_provider(call: Call) -> ApiResponse:
    given = call.names["namespace"]
    if not _NAMESPACE.fullmatch(given):
        raise wrong(("namespace",), given, f"the name of a provider such as {_SCHEDULER}")
    known = next((each for each in _TYPES if each.lower() == given.lower()), given)
    return ApiResponse(content=_provider(f"/subscriptions/{call.names['subscription']}", known))


def _provider(prefix: str, namespace: str) -> dict[str, Json]:
    types: list[Json] = [
        {
            "resourceType": each,
            "locations": list(region_names()),
            "apiVersions": list(_VERSIONS[namespace]),
        }
        for each in _TYPES.get(namespace, ())
    ]
    return {
        "id": f"{prefix}/providers/{namespace}",
        "namespace": namespace,
        "resourceTypes": types,
        "registrationState": "Registered",
    }
