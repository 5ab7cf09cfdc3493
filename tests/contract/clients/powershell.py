"""What PowerShell's cmdlets make of an answer, and where they throw.

Azure/azure-powershell, src/ResourceManager/Scheduler/Commands.Scheduler/Utilities: `Converter.cs`
and `SchedulerClient/`; src/ResourceManager/Profile/Commands.Profile/Models/RMProfileClient.cs. The
cmdlets read through the .NET library.
"""

from typing import Any
from uuid import UUID

from tests.contract.clients.contract_types import MODELS, Unreadable
from tests.contract.clients.json_libraries import DOTNET
from tests.support.history_parser import details_of

_RESOURCE_TYPE = "JobCollections"


def regions(answer: Any) -> list[str]:
    """Return the regions that New- and Set-AzureRmSchedulerJobCollection accept."""
    provider = MODELS["provider"](answer, DOTNET)
    for each in provider["resourceTypes"]:
        if each["resourceType"].lower() == _RESOURCE_TYPE.lower():
            return each["locations"]
    raise Unreadable("InvalidOperationException: the provider has no job collections")


def subscription(answer: Any) -> dict[str, str]:
    """Return what Connect-AzureRmAccount keeps of a subscription: its id must be a GUID."""
    return _subscription(MODELS["subscription"](answer, DOTNET))


def subscriptions(answer: Any) -> list[dict[str, str]]:
    return [_subscription(each) for each in MODELS["subscriptions"](answer, DOTNET)["value"]]


def has_tenants(answer: Any) -> bool:
    """Tell whether there is a tenant to sign in to; the id of each must be a GUID."""
    ids = [_guid(each["tenantId"]) for each in MODELS["tenants"](answer, DOTNET)["value"]]
    return bool(ids)


def _subscription(read: dict[str, Any]) -> dict[str, str]:
    return {"Id": _guid(read["subscriptionId"]), "State": read["state"]}


def _guid(value: str) -> str:
    try:
        return str(UUID(value))
    except ValueError as error:
        raise Unreadable(f"FormatException: {value!r} is no GUID") from error


def collection(answer: Any) -> dict[str, Any]:
    """Return a PSJobCollectionDefinition."""
    return _collection(MODELS["collection"](answer, DOTNET))


def collections(answer: Any) -> list[dict[str, Any]]:
    return [_collection(each) for each in MODELS["collections"](answer, DOTNET)["value"]]


def names_of_collections(answer: Any) -> list[str]:
    """Return what the cmdlets look through for a Free collection: no quota is read."""
    return [each["name"] for each in MODELS["collections"](answer, DOTNET)["value"]]


def limit_of_jobs(answer: Any) -> int:
    """Return how many jobs the cmdlets that create one take for the most."""
    properties = MODELS["collection"](answer, DOTNET)["properties"]
    plans = {"Free": 5, "Standard": 50, "P10Premium": 50, "P20Premium": 1000}
    return properties.get("quota", {}).get("maxJobCount") or plans[properties["sku"]["name"]]


def _collection(read: dict[str, Any]) -> dict[str, Any]:
    properties = read["properties"]
    quota = properties.get("quota")
    if quota is None:
        raise Unreadable("NullReferenceException: Properties.Quota.MaxJobCount")
    slowest = quota.get("maxRecurrence")
    return {
        "ResourceGroupName": read["id"].split("/")[4],
        "JobCollectionName": read["name"],
        "Location": read["location"],
        "Plan": properties["sku"]["name"],
        "MaxJobCount": str(quota.get("maxJobCount", "")),
        "MaxRecurrence": slowest
        and f"Every {slowest.get('interval', '')} {slowest.get('frequency', '')}",
        "State": properties["state"],
        "Uri": read["id"],
    }


def job(answer: Any) -> dict[str, Any]:
    """Return a PSSchedulerJobDefinition."""
    return _job(MODELS["job"](answer, DOTNET))


def number_of_jobs(answer: Any) -> int:
    return len(MODELS["jobs"](answer, DOTNET)["value"])


def jobs(answer: Any) -> list[dict[str, Any]]:
    return [_job(each) for each in MODELS["jobs"](answer, DOTNET)["value"]]


def _job(read: dict[str, Any]) -> dict[str, Any]:
    properties = read["properties"]
    collection_name, name = read["name"].split("/")
    recurrence, status = properties.get("recurrence"), properties.get("status", {})
    shown = {
        "ResourceGroupName": read["id"].split("/")[4],
        "JobCollectionName": collection_name,
        "JobName": name,
        "Status": properties["state"],
        "StartTime": properties.get("startTime"),
        "Recurrence": recurrence
        and f"Every {recurrence.get('interval', '')} {recurrence['frequency']}s",
        "EndSchedule": _end(recurrence),
        "Lastrun": status.get("lastExecutionTime"),
        "Nextrun": status.get("nextExecutionTime"),
        "Failures": status.get("failureCount"),
        "Faults": status.get("faultedCount"),
        "Executions": status.get("executionCount"),
        "JobAction": _action(properties["action"]),
    }
    error_action = properties["action"].get("errorAction")
    if error_action is not None:
        shown["JobErrorAction"] = _action(error_action)
    return {name: each for name, each in shown.items() if each is not None}


def _end(recurrence: dict[str, Any] | None) -> str:
    if recurrence is None:
        return "Run once"
    count, end = recurrence.get("count"), recurrence.get("endTime")
    if count is not None and end is not None:
        return f"Until {count} executions. Or on {end} whichever occurs first."
    if count is not None:
        return f"Until {count} executions."
    return "None" if end is None else f"On {end}."


def _action(action: dict[str, Any]) -> dict[str, Any]:
    kind = action["type"]
    if kind in ("Http", "Https"):
        shown = _request(_part(action, "request"))
    elif kind == "StorageQueue":
        message = _part(action, "queueMessage")
        shown = {
            "StorageAccount": message.get("storageAccount"),
            "StorageQueueName": message.get("queueName"),
            "StorageQueueMessage": message.get("message"),
            "StorageSasToken": message.get("sasToken"),
        }
    elif kind == "ServiceBusQueue":
        message = _part(action, "serviceBusQueueMessage")
        shown = _bus(message) | {"ServiceBusQueueName": message.get("queueName")}
    else:
        message = _part(action, "serviceBusTopicMessage")
        shown = _bus(message) | {"ServiceBusTopicPath": message.get("topicPath")}
    return {name: each for name, each in shown.items() if each is not None} | {
        "JobActionType": kind
    }


def _request(request: dict[str, Any]) -> dict[str, Any]:
    authentication = request.get("authentication")
    return {
        "RequestMethod": request.get("method"),
        "Uri": request.get("uri"),
        "RequestHeaders": request.get("headers"),
        "RequestBody": request.get("body"),
        "HttpAuthType": authentication and authentication["type"],
    }


def _bus(message: dict[str, Any]) -> dict[str, Any]:
    authentication = _part(message, "authentication")
    return {
        "ServiceBusMessage": message.get("message"),
        "ServiceBusNamespaceProperty": message.get("namespace"),
        "ServiceBusTransportType": message.get("transportType"),
        "ServiceBusSasKeyName": authentication.get("sasKeyName"),
        "ServiceBusSasKey": authentication.get("sasKey"),
        "ServiceBusType": authentication.get("type"),
    }


def _part(given: dict[str, Any], name: str) -> dict[str, Any]:
    if name not in given:
        raise Unreadable(f"ArgumentNullException: {name}")
    return given[name]


def history(answer: Any) -> list[dict[str, Any]]:
    """Return PSJobHistory values, each with what the message parser found."""
    return [_entry(each) for each in MODELS["history"](answer, DOTNET)["value"]]


def _entry(read: dict[str, Any]) -> dict[str, Any]:
    properties = read["properties"]
    details = details_of(properties["message"])
    return {
        "JobName": read["name"],
        "Status": properties["status"],
        "StartTime": properties["startTime"],
        "EndTime": properties["endTime"],
        "Occurence": properties["repeatCount"],
        "Retry": properties["retryCount"],
        "JobHistoryActionName": properties["actionName"],
        "ActionHistory": details._asdict() | {"destination": list(details.destination)},
    }
