"""What Terraform's old provider stores of an answer: attributes of its resources.

hashicorp/terraform-provider-azurerm (1.x), `azurerm/resource_arm_scheduler_job.go`,
`azurerm/resource_arm_scheduler_job_collection.go`, `azurerm/resource_arm_resource_group.go`. An
attribute that comes back in other words than the configuration has is a change in every plan.
The provider reads through Go's library. Secrets are not read back: it keeps those it has.
"""

from typing import Any

from tests.contract.clients.contract_types import MODELS
from tests.contract.clients.json_libraries import GO

Block = dict[str, Any]


def group(answer: Any) -> Block:
    read = MODELS["group"](answer, GO)
    return {
        "id": read["id"],
        "name": read["name"],
        "location": _normalized(read["location"]),
        "tags": read.get("tags", {}),
    }


def collection(answer: Any) -> Block:
    read = MODELS["collection"](answer, GO)
    properties = read["properties"]
    return {
        "id": read["id"],
        "name": read["name"],
        "location": _normalized(read["location"]),
        "tags": read.get("tags", {}),
        "sku": properties["sku"]["name"],
        "state": properties["state"],
        "quota": [_quota(properties["quota"])] if "quota" in properties else [],
    }


def job(answer: Any) -> Block:
    read = MODELS["job"](answer, GO)
    properties = read["properties"]
    action = properties["action"]
    attributes = {"id": read["id"], **_action(action, ""), "state": properties["state"]}
    if "errorAction" in action:
        attributes |= _action(action["errorAction"], "error_")
    retry = action.get("retryPolicy", {})
    if retry.get("retryType", "").lower() == "fixed":
        attributes["retry"] = _renamed(retry, retryInterval="interval", retryCount="count")
    if "recurrence" in properties:
        attributes["recurrence"] = _recurrence(properties["recurrence"])
    if "startTime" in properties:
        attributes["start_time"] = _seconds(properties["startTime"])
    return attributes


def providers(answer: Any) -> dict[str, str]:
    """Return the namespaces with their state; of those it needs, it registers the others."""
    read = MODELS["providers"](answer, GO)["value"]
    return {each["namespace"]: each["registrationState"] for each in read}


def _action(action: Block, prefix: str) -> Block:
    kind = action["type"].lower()
    if kind in ("http", "https"):
        return {f"{prefix}action_web": _web(action["request"])}
    if kind == "storagequeue":
        queue = _renamed(
            action["queueMessage"],
            storageAccount="storage_account_name",
            queueName="storage_queue_name",
            message="message",
        )
        return {f"{prefix}action_storage_queue": queue}
    return {}


def _web(request: Block) -> Block:
    block = _renamed(request, uri="url", method="method", body="body", headers="headers")
    authentication = request.get("authentication")
    if authentication is None:
        return block
    if authentication["type"] == "Basic":
        return block | {"authentication_basic": _renamed(authentication, username="username")}
    if authentication["type"] == "ClientCertificate":
        certificate = _renamed(
            authentication,
            certificateThumbprint="thumbprint",
            certificateExpirationDate="expiration",
            certificateSubjectName="subject_name",
        )
        return block | {"authentication_certificate": certificate}
    directory = _renamed(
        authentication, audience="audience", clientId="client_id", tenant="tenant_id"
    )
    return block | {"authentication_active_directory": directory}


def _quota(quota: Block) -> Block:
    slowest = quota.get("maxRecurrence", {})
    return _renamed(quota, maxJobCount="max_job_count") | _renamed(
        slowest, frequency="max_recurrence_frequency", interval="max_recurrence_interval"
    )


def _recurrence(recurrence: Block) -> Block:
    schedule = recurrence.get("schedule", {})
    block = _renamed(recurrence, frequency="frequency", interval="interval", count="count")
    block |= _renamed(
        schedule, minutes="minutes", hours="hours", weekDays="week_days", monthDays="month_days"
    )
    if "endTime" in recurrence:
        block["end_time"] = _seconds(recurrence["endTime"])
    if "monthlyOccurrences" in schedule:
        block["monthly_occurrences"] = [
            _renamed(each, day="day", Occurrence="occurrence")
            for each in schedule["monthlyOccurrences"]
        ]
    return block


def _renamed(given: Block, **names: str) -> Block:
    return {new: given[old] for old, new in names.items() if old in given}


def _normalized(location: str) -> str:
    return location.replace(" ", "").lower()


def _seconds(time: str) -> str:
    """Return a time as the provider formats it: without a fraction."""
    return f"{time[:19]}Z"
