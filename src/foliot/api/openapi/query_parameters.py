"""The parameters of each operation in the query of its address, for the OpenAPI document."""

from collections.abc import Sequence

from foliot.api.paging import PAGE_SIZE
from foliot.api.previews import MOST_TIMES
from foliot.api.wire.audit import ACTIONS, KINDS
from foliot.api.wire.fields import Schema
from foliot.api.wire.run import OUTCOMES, REASONS, TRIGGERS
from foliot.core.model.run_record import OpenState


def query_parameters(name: str, versions: Sequence[str]) -> list[Schema]:
    """Describe the query of an operation, by the name of its handler and its API versions."""
    found: list[Schema] = []
    if versions:
        found.append(
            _query("api-version", {"type": "string", "enum": list(versions)}, required=True)
        )
    if name.rpartition(".")[2].startswith("list_"):
        found += [
            _query("$top", {"type": "integer", "minimum": 1, "maximum": PAGE_SIZE}),
            _query("$skip", {"type": "integer", "minimum": 0}),
        ]
    if name in _QUERIES:
        found = [each for each in found if each["name"] != "$skip"] + _QUERIES[name]
    if name.startswith("previews."):
        found.append(_query("count", {"type": "integer", "minimum": 1, "maximum": MOST_TIMES}))
    if name in _FILTERS:
        found.append(_query("$filter", {"type": "string", "examples": [_FILTERS[name]]}))
    return found


def _query(name: str, schema: Schema, *, required: bool = False) -> Schema:
    return {"name": name, "in": "query", "required": required, "schema": schema}


_FILTERS = {
    "deployments.list_deployments": "provisioningState eq 'Succeeded'",
    "jobs.list_jobs": "state eq Enabled",
    "jobs.list_history": "status eq Failed",
    "resource_groups.list_resources": "resourceType eq 'Microsoft.Scheduler/jobCollections'",
}


_DATE_TIME: Schema = {"type": "string", "format": "date-time"}
_RUN_FILTERS = [
    _query("since", _DATE_TIME),
    _query("until", _DATE_TIME),
    _query("outcome", {"type": "string", "enum": list(OUTCOMES)}),
    _query("trigger", {"type": "string", "enum": list(TRIGGERS)}),
    _query("reason", {"type": "string", "enum": list(REASONS.values())}),
    _query("host", {"type": "string"}),
]
_AUDIT_FILTERS = [
    _query("since", _DATE_TIME),
    _query("until", _DATE_TIME),
    _query("action", {"type": "string", "enum": list(ACTIONS)}),
    _query("kind", {"type": "string", "enum": list(KINDS)}),
    *(
        _query(name, {"type": "string"})
        for name in ("who", "subscription", "resourceGroup", "collection", "job")
    ),
]
_QUERIES = {
    "audit.list_entries": _AUDIT_FILTERS,
    "runs.list_runs": _RUN_FILTERS,
    "occurrences.list_occurrences": [_query("from", _DATE_TIME), _query("to", _DATE_TIME)],
    "occurrences.retry_run": [_query("due", _DATE_TIME)],
    "occurrences.cancel_runs": [
        _query("trigger", {"type": "string", "enum": list(TRIGGERS)}),
        _query("outcome", {"type": "string", "enum": [OpenState.WAITING.value]}),
    ],
}
