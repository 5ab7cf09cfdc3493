"""Subscriptions, tenants and regions: what clients ask for before anything else.

A subscription needs nothing to exist, and the server is the only tenant.
"""

from uuid import NAMESPACE_URL, uuid5

from foliot.api.call import ApiResponse, Call
from foliot.api.paging import listing, window_of
from foliot.api.wire.regions import region_code, region_names
from foliot.app.use_cases import UseCases
from foliot.core.json_text import Json


async def list_subscriptions(use_cases: UseCases, call: Call) -> ApiResponse:
    """List the subscriptions that have resource groups or collections."""
    window = window_of(call, str.lower)
    found = await use_cases.resource_groups.list_subscriptions(call.who, window.page)
    names, last = window.split(found)
    values: list[Json] = [_subscription(call, name) for name in names]
    return listing(call, values, last)


async def get(_: UseCases, call: Call) -> ApiResponse:
    """Show a subscription: each that a token may see exists."""
    return ApiResponse(content=_subscription(call, call.names["subscription"]))


async def locations(_: UseCases, call: Call) -> ApiResponse:
    """List Azure's regions."""
    subscription = call.names["subscription"]
    values: list[Json] = [
        {
            "id": f"/subscriptions/{subscription}/locations/{region_code(name)}",
            "name": region_code(name),
            "displayName": name,
        }
        for name in region_names()
    ]
    return listing(call, values, None)


async def tenants(_: UseCases, call: Call) -> ApiResponse:
    """List the tenants: the server is one."""
    tenant = tenant_id(call.base_url)
    return listing(call, [{"id": f"/tenants/{tenant}", "tenantId": tenant}], None)


def metadata_endpoints(base_url: str) -> ApiResponse:
    """Tell where a client finds the services of a cloud: all are this server."""
    return ApiResponse(
        content={
            "galleryEndpoint": base_url,
            "graphEndpoint": base_url,
            "portalEndpoint": base_url,
            "authentication": {"loginEndpoint": base_url, "audiences": [base_url]},
        }
    )


def _subscription(call: Call, name: str) -> Json:
    return {
        "id": f"/subscriptions/{name}",
        "subscriptionId": name,
        "tenantId": tenant_id(call.base_url),
        "displayName": name,
        "state": "Enabled",
        "subscriptionPolicies": {
            "locationPlacementId": "Public_2014-09-01",
            "quotaId": "PayAsYouGo_2014-09-01",
            "spendingLimit": "Off",
        },
        "authorizationSource": "Bearer",
    }


def tenant_id(base_url: str) -> str:
    """Return an id that stays the same: clients remember it with the credentials they send."""
    return str(uuid5(NAMESPACE_URL, base_url.lower()))
