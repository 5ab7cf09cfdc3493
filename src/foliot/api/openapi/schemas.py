"""The JSON Schemas of requests and answers, from the tables of fields of the wire."""

from foliot.api.wire.action import action_schemas
from foliot.api.wire.alert import ALERT
from foliot.api.wire.alert_test import ALERT_TEST_BODY, ALERT_TEST_SCHEMA
from foliot.api.wire.audit import ENTRY_SCHEMA
from foliot.api.wire.calendar import CALENDAR
from foliot.api.wire.cluster_nodes import NODE
from foliot.api.wire.collection import COLLECTION
from foliot.api.wire.contents import CHANGES_SCHEMA, CONTENTS_SCHEMA
from foliot.api.wire.exchange import TEST_SCHEMA
from foliot.api.wire.fields import Schema, reference
from foliot.api.wire.http import REQUEST
from foliot.api.wire.job import HISTORY_ENTRY, JOB
from foliot.api.wire.ledger import LEDGER_LINE, TIME_RANGE
from foliot.api.wire.policy import POLICY
from foliot.api.wire.resource_group import GENERIC_RESOURCE, RESOURCE_GROUP
from foliot.api.wire.run import RUN
from foliot.api.wire.schedule import RECURRENCE
from foliot.app.run_retries import RetryStart
from foliot.core.limits import Limits
from foliot.core.model.deployment import DeploymentMode

_TEXT: Schema = {"type": "string"}
_ANY_OBJECT: Schema = {"type": "object", "additionalProperties": True}
_DEPLOYMENTS: dict[str, Schema] = {
    "DeploymentRequest": {
        "type": "object",
        "properties": {
            "properties": {
                "type": "object",
                "properties": {
                    "template": {"type": ["object", "string"]},
                    "parameters": {"type": ["object", "null"]},
                    "mode": {"type": "string", "enum": [each.value for each in DeploymentMode]},
                },
                "required": ["template"],
            },
            "tags": {"type": "object", "additionalProperties": _TEXT},
        },
        "required": ["properties"],
    },
    "Deployment": {
        "type": "object",
        "properties": {"id": _TEXT, "name": _TEXT, "type": _TEXT, "properties": _ANY_OBJECT},
        "required": ["id", "name", "type", "properties"],
    },
    "DeploymentOperation": {
        "type": "object",
        "properties": {"id": _TEXT, "operationId": _TEXT, "properties": _ANY_OBJECT},
        "required": ["id", "operationId", "properties"],
    },
}
_TEXTS: Schema = {"type": "array", "items": _TEXT}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_OBJECTS = (
    *(RECURRENCE, POLICY, JOB, COLLECTION, CALENDAR, HISTORY_ENTRY, RESOURCE_GROUP),
    *(GENERIC_RESOURCE, RUN, LEDGER_LINE, TIME_RANGE, ALERT),
)


def components(limits: Limits) -> dict[str, Schema]:
    """Return all named schemas."""
    return {
        "Error": _object(error=_object(code=_TEXT, message=_TEXT)),
        **action_schemas(),
        REQUEST.component: _request(limits),
        **{each.component: each.schema() for each in _OBJECTS},
        "JobPatch": _patch("properties"),
        "JobList": _list_of(JOB.component),
        "CollectionPatch": _patch("tags", "properties"),
        "CollectionList": _list_of(COLLECTION.component),
        "CalendarList": _list_of(CALENDAR.component),
        "AlertPatch": _patch("properties"),
        "AlertList": _list_of(ALERT.component),
        "AlertTestRequest": ALERT_TEST_BODY,
        "AlertTest": ALERT_TEST_SCHEMA,
        "HistoryList": _list_of(HISTORY_ENTRY.component),
        "RunList": _list_of(RUN.component),
        "OccurrenceList": _list_of(LEDGER_LINE.component),
        "AuditEntry": ENTRY_SCHEMA,
        "AuditEntryList": _list_of("AuditEntry"),
        "Redrive": {"anyOf": [reference(TIME_RANGE.component), _object(tag=_TEXT)]},
        "RepeatedRuns": _object(planned=_COUNT, leftOut=_COUNT, left=_COUNT),
        "RetriedRun": _object(
            begins={"type": "string", "enum": [each.value for each in RetryStart]}
        ),
        "CanceledRuns": _object(canceled=_COUNT),
        "JobPreview": _JOB_PREVIEW,
        "JobTest": TEST_SCHEMA,
        "NodeList": _object(value={"type": "array", "items": NODE.schema()}),
        "ResourceGroupPatch": _patch("tags"),
        "ResourceGroupList": _list_of(RESOURCE_GROUP.component),
        "GenericResourceList": _list_of(GENERIC_RESOURCE.component),
        "Contents": CONTENTS_SCHEMA,
        "ContentChanges": CHANGES_SCHEMA,
        **_CLOUD,
        **_DEPLOYMENTS,
        "DeploymentList": _list_of("Deployment"),
        "DeploymentOperationList": _list_of("DeploymentOperation"),
    }


def _request(limits: Limits) -> Schema:
    """Return the schema of a request with the limits of this server."""
    schema = REQUEST.schema()
    for name, limit in (
        ("uri", {"maxLength": limits.max_uri_characters}),
        ("headers", {"maxProperties": limits.max_headers}),
        ("body", {"maxLength": limits.max_body_characters}),
    ):
        schema["properties"][name] = {**schema["properties"][name], **limit}
    return schema


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _patch(*names: str) -> Schema:
    """Return the schema of a patch: any part of a resource, null for what is removed."""
    anything: Schema = {"type": ["object", "null"], "additionalProperties": True}
    return {"type": "object", "properties": dict.fromkeys(names, anything)}


def _list_of(component: str) -> Schema:
    items: Schema = {"type": "array", "items": reference(component)}
    return _object(value=items, nextLink={"type": ["string", "null"]})


def _texts(*names: str) -> Schema:
    return _object(**dict.fromkeys(names, _TEXT))


_DATE_TIME: Schema = {"type": "string", "format": "date-time"}
_JOB_PREVIEW: Schema = {
    "type": "object",
    "properties": {
        "sentence": _TEXT,
        "times": {
            "type": "array",
            "items": _object(at=_DATE_TIME, local=_DATE_TIME, notes=_TEXTS),
        },
        "problems": {"type": "array", "items": _texts("path", "message")},
    },
    "required": ["times", "problems"],
}
# What clients read of a cloud before they get to its jobs.
_CLOUD: dict[str, Schema] = {
    "Endpoints": _object(
        galleryEndpoint=_TEXT,
        graphEndpoint=_TEXT,
        portalEndpoint=_TEXT,
        authentication=_object(loginEndpoint=_TEXT, audiences=_TEXTS),
    ),
    "Subscription": _object(
        id=_TEXT,
        subscriptionId=_TEXT,
        tenantId=_TEXT,
        displayName=_TEXT,
        state=_TEXT,
        subscriptionPolicies=_texts("locationPlacementId", "quotaId", "spendingLimit"),
        authorizationSource=_TEXT,
    ),
    "SubscriptionList": _list_of("Subscription"),
    "Location": _texts("id", "name", "displayName"),
    "LocationList": _list_of("Location"),
    "Tenant": _texts("id", "tenantId"),
    "TenantList": _list_of("Tenant"),
    "Provider": _object(
        id=_TEXT,
        namespace=_TEXT,
        resourceTypes={
            "type": "array",
            "items": _object(resourceType=_TEXT, locations=_TEXTS, apiVersions=_TEXTS),
        },
        registrationState=_TEXT,
    ),
    "ProviderList": _list_of("Provider"),
    "Operation": _object(
        name=_TEXT, display=_texts("provider", "resource", "operation", "description")
    ),
    "OperationList": _list_of("Operation"),
}
