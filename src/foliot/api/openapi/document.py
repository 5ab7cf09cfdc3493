"""The OpenAPI 3.1 document, made from the table of routes and the schemas."""

import re
from collections.abc import Mapping
from importlib import metadata
from typing import Any

from foliot.api.openapi.query_parameters import query_parameters
from foliot.api.openapi.schemas import components
from foliot.api.routes import Operation
from foliot.api.wire.fields import Schema, reference
from foliot.core.limits import Limits

_NAME = re.compile(r"\{(\w+)\}")

_REFUSALS = {
    "400": "something in the request is not valid; the message names it",
    "401": "no token, or one that is not known",
    "403": "the role of the token does not allow it",
    "404": "there is no such thing, or none in the scope of the token",
    "405": "the method is not known here",
    "409": "it cannot be done in the present state of things",
    "413": "the body is too large",
    "503": "the store is not available",
}

# The request body and the answers of an operation, by the name of its handler.
_BODIES = {
    "resource_groups.put": "ResourceGroup",
    "resource_groups.patch": "ResourceGroupPatch",
    "collections.put": "Collection",
    "collections.patch": "CollectionPatch",
    "calendars.put": "Calendar",
    "alerts.put": "Alert",
    "alerts.patch": "AlertPatch",
    "alerts.test": "AlertTestRequest",
    "contents.apply": "Contents",
    "contents.validate": "Contents",
    "deployments.put": "DeploymentRequest",
    "deployments.validate": "DeploymentRequest",
    "jobs.put": "Job",
    "jobs.create": "Job",
    "jobs.patch": "JobPatch",
    "occurrences.redrive": "Redrive",
    "occurrences.backfill": "TimeRange",
    "previews.of_new_job": "Job",
    "previews.of_job": "Job",
    "job_tests.of_new_job": "Job",
    "job_tests.of_job": "Job",
}
# Without a body these are about the stored job, or about all destinations.
_OPTIONAL_BODIES = {"previews.of_job", "job_tests.of_job", "alerts.test"}
_ANSWERS = {
    "subscriptions.list_subscriptions": {"200": "SubscriptionList"},
    "subscriptions.get": {"200": "Subscription"},
    "subscriptions.locations": {"200": "LocationList"},
    "subscriptions.tenants": {"200": "TenantList"},
    "providers.of_subscription": {"200": "ProviderList"},
    "providers.of_tenant": {"200": "ProviderList"},
    "providers.get": {"200": "Provider"},
    "providers.register": {"200": "Provider"},
    "providers.unregister": {"200": "Provider"},
    "providers.operations": {"200": "OperationList"},
    "resource_groups.list_groups": {"200": "ResourceGroupList"},
    "resource_groups.exists": {"204": None},
    "resource_groups.get": {"200": "ResourceGroup"},
    "resource_groups.put": {"200": "ResourceGroup", "201": "ResourceGroup"},
    "resource_groups.patch": {"200": "ResourceGroup"},
    "resource_groups.list_resources": {"200": "GenericResourceList"},
    "collections.list_collections": {"200": "CollectionList"},
    "collections.get": {"200": "Collection"},
    "collections.put": {"200": "Collection", "201": "Collection"},
    "collections.patch": {"200": "Collection"},
    "calendars.list_calendars": {"200": "CalendarList"},
    "calendars.get": {"200": "Calendar"},
    "calendars.put": {"200": "Calendar", "201": "Calendar"},
    "alerts.list_alerts": {"200": "AlertList"},
    "alerts.get": {"200": "Alert"},
    "alerts.put": {"200": "Alert", "201": "Alert"},
    "alerts.patch": {"200": "Alert"},
    "alerts.test": {"200": "AlertTest"},
    **{f"contents.{name}": {"200": "ContentChanges"} for name in ("apply", "validate")},
    "deployments.put": {"200": "Deployment", "201": "Deployment"},
    "deployments.validate": {"200": "Deployment"},
    "deployments.get": {"200": "Deployment"},
    "deployments.exists": {"204": None},
    "deployments.delete": {"204": None},
    "deployments.list_deployments": {"200": "DeploymentList"},
    "deployments.list_operations": {"200": "DeploymentOperationList"},
    "deployments.get_operation": {"200": "DeploymentOperation"},
    "jobs.list_jobs": {"200": "JobList"},
    "jobs.create": {"201": "Job"},
    "jobs.get": {"200": "Job"},
    "jobs.put": {"200": "Job", "201": "Job"},
    "jobs.patch": {"200": "Job"},
    "jobs.list_history": {"200": "HistoryList"},
    "previews.of_new_job": {"200": "JobPreview"},
    "previews.of_job": {"200": "JobPreview"},
    "job_tests.of_new_job": {"200": "JobTest"},
    "job_tests.of_job": {"200": "JobTest"},
    "runs.list_runs": {"200": "RunList"},
    "audit.list_entries": {"200": "AuditEntryList"},
    "audit.get": {"200": "AuditEntry"},
    "occurrences.list_occurrences": {"200": "OccurrenceList"},
    "occurrences.redrive": {"200": "RepeatedRuns"},
    "occurrences.backfill": {"200": "RepeatedRuns"},
    "occurrences.retry_run": {"200": "RetriedRun"},
    "occurrences.cancel_runs": {"200": "CanceledRuns"},
}


def describe(
    operations: Mapping[str, Mapping[str, Operation]],
    limits: Limits,
) -> Schema:
    """Return the document."""
    paths = {
        path: {
            "parameters": _path_parameters(path),
            **{method.lower(): _operation(path, method, each) for method, each in methods.items()},
        }
        for path, methods in operations.items()
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Foliot",
            "version": metadata.version("foliot"),
            "description": "Jobs and their collections, by the Azure Scheduler REST API.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "security": [{"token": []}],
        "paths": {**paths, **_STATUS_PATHS},
        "components": {
            "schemas": components(limits),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(path: str, method: str, each: Operation) -> Schema:
    handler = each.handler
    name = f"{handler.__module__.rpartition('.')[2]}.{handler.__name__}"
    operation: dict[str, Any] = {
        "operationId": f"{name}.{method.lower()}.{path.count('/')}",
        "summary": (handler.__doc__ or "").strip().splitlines()[0],
        "parameters": query_parameters(name, each.versions),
        "responses": _responses(name),
    }
    if name in _BODIES:
        content = {"application/json": {"schema": reference(_BODIES[name])}}
        is_required = name not in _OPTIONAL_BODIES
        operation["requestBody"] = {"required": is_required, "content": content}
    return operation


def _path_parameters(path: str) -> list[Schema]:
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {"type": "string", "minLength": 1, "maxLength": 100},
        }
        for name in _NAME.findall(path)
    ]


def _responses(name: str) -> Schema:
    good = {
        status: {"description": "done", **_content(shape)}
        for status, shape in _ANSWERS.get(name, {"200": None}).items()
    }
    # The answer to a HEAD has no body, whatever its status.
    error = None if name in ("resource_groups.exists", "deployments.exists") else "Error"
    bad = {
        status: {"description": meaning, **_content(error)} for status, meaning in _REFUSALS.items()
    }
    return {**good, **bad}


def _content(shape: str | None) -> Schema:
    return {} if shape is None else {"content": {"application/json": {"schema": reference(shape)}}}


def _health(summary: str) -> Schema:
    shape: Schema = {"type": "object", "properties": {"status": {"type": "string"}}}
    content = {"content": {"application/json": {"schema": shape}}}
    return {
        "get": {
            "summary": summary,
            "security": [],
            "responses": {
                "200": {"description": "yes", **content},
                "503": {"description": "no", **content},
            },
        }
    }


_ENDPOINTS: Schema = {
    "get": {
        "summary": "The addresses of the services of a cloud: all are this server.",
        "security": [],
        "responses": {"200": {"description": "done", **_content("Endpoints")}},
    }
}
_NODES = {
    "get": {
        "summary": "The processes that share the schedule, and which of them are alive.",
        "responses": {
            "200": {"description": "done", **_content("NodeList")},
            "401": {"description": _REFUSALS["401"], **_content("Error")},
            "403": {"description": "the token is not an Owner's of it all", **_content("Error")},
            "503": {"description": _REFUSALS["503"], **_content("Error")},
        },
    }
}
_METRICS = {
    "get": {
        "summary": "Figures of the engine and the process, for Prometheus.",
        "responses": {
            "200": {
                "description": "done",
                "content": {"text/plain": {"schema": {"type": "string"}}},
            },
            "401": {"description": _REFUSALS["401"], **_content("Error")},
            "403": {"description": "the token has a scope", **_content("Error")},
            "503": {"description": _REFUSALS["503"], **_content("Error")},
        },
    }
}
_STATUS_PATHS: Schema = {
    "/metadata/endpoints": _ENDPOINTS,
    "/healthz": _health("Tell whether the process is alive."),
    "/readyz": _health("Tell whether the store can be reached."),
    "/metrics": _METRICS,
    "/nodes": _NODES,
}
