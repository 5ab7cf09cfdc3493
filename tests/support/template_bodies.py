"""Templates and deployments, with defaults, so that a test names what matters."""

from typing import Any

from tests.support.api_client import GROUP, SUBSCRIPTION, Client, Reply

DEPLOYMENTS = f"{GROUP}/providers/Microsoft.Resources/deployments"
DEPLOYMENT = f"{DEPLOYMENTS}/main"
VERSION = "api-version=2018-05-01"
COLLECTION_TYPE = "Microsoft.Scheduler/jobCollections"
THIS = SUBSCRIPTION.removeprefix("/subscriptions/")


def a_template(*resources: dict[str, Any], **elements: Any) -> dict[str, Any]:
    """Return a template with resources; further elements as given."""
    return {"contentVersion": "1.0.0.0", "resources": list(resources), **elements}


def template_collection(
    name: str = "Billing", sku: str = "Standard", **more: Any
) -> dict[str, Any]:
    """Return a collection as a resource of a template."""
    return {
        "type": COLLECTION_TYPE,
        "apiVersion": "2016-03-01",
        "name": name,
        "location": "westus",
        "properties": {"sku": {"name": sku}},
        **more,
    }


def template_job(name: str = "Billing/Nightly", **properties: Any) -> dict[str, Any]:
    """Return an HTTP job as a resource of a template."""
    action = {"type": "Http", "request": {"uri": "http://example.com/", "method": "get"}}
    return {
        "type": f"{COLLECTION_TYPE}/jobs",
        "apiVersion": "2016-03-01",
        "name": name,
        "properties": {"action": action, **properties},
    }


def deployment_of(template: Any, parameters: Any = None, **properties: Any) -> dict[str, Any]:
    """Return the body of a deployment."""
    given = {} if parameters is None else {"parameters": parameters}
    return {"properties": {"template": template, "mode": "Incremental", **given, **properties}}


def deploy(client: Client, *resources: dict[str, Any], **properties: Any) -> Reply:
    """Deploy a template with these resources."""
    return client.put(
        DEPLOYMENT, deployment_of(a_template(*resources), **properties), query=VERSION
    )
