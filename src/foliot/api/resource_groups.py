"""Resource groups, and the resources in them."""

from foliot.api.call import ApiResponse, Call
from foliot.api.collections import page_of_collections
from foliot.api.paging import conditions_of, listing, window_of
from foliot.api.wire.collection import COLLECTION_TYPE
from foliot.api.wire.resource_group import decode_group, encode_group, encode_resource, patch_group
from foliot.app.use_cases import UseCases
from foliot.core.json_text import Json
from foliot.core.model.resource_group import ResourceGroup


async def list_groups(use_cases: UseCases, call: Call) -> ApiResponse:
    """List the resource groups of a subscription."""
    window = window_of(call, str.lower)
    conditions_of(call)
    found = await use_cases.resource_groups.list_groups(
        call.who, call.names["subscription"], window.page
    )
    groups, last = window.split(found)
    values: list[Json] = [encode_group(each) for each in groups]
    return listing(call, values, None if last is None else last.name.lower())


async def exists(use_cases: UseCases, call: Call) -> ApiResponse:
    """Tell whether a resource group exists."""
    await use_cases.resource_groups.get_group(call.who, *_names(call))
    return ApiResponse(204)


async def get(use_cases: UseCases, call: Call) -> ApiResponse:
    """Show a resource group."""
    found = await use_cases.resource_groups.get_group(call.who, *_names(call))
    return ApiResponse(content=encode_group(found))


async def put(use_cases: UseCases, call: Call) -> ApiResponse:
    """Create or replace a resource group."""
    wanted = decode_group(call.json(), *_names(call))
    saved, is_new = await use_cases.resource_groups.save_group(
        call.who, *_names(call), lambda _: wanted, must_exist=False
    )
    return ApiResponse(201 if is_new else 200, encode_group(saved))


async def patch(use_cases: UseCases, call: Call) -> ApiResponse:
    """Change the tags of a resource group."""
    body = call.json()

    def revise(old: ResourceGroup | None) -> ResourceGroup:
        assert old is not None  # noqa: S101  (it must exist)
        return patch_group(old, body)

    saved, _ = await use_cases.resource_groups.save_group(
        call.who, *_names(call), revise, must_exist=True
    )
    return ApiResponse(content=encode_group(saved))


async def delete(use_cases: UseCases, call: Call) -> ApiResponse:
    """Remove a resource group with all that is in it."""
    # Answered when all is gone: clients poll only after 202.
    await use_cases.resource_groups.delete_group(call.who, *_names(call))
    return ApiResponse()


async def list_resources(use_cases: UseCases, call: Call) -> ApiResponse:
    """List the collections of a subscription or of a group as resources of any kind."""
    group = call.names.get("group")
    asked = conditions_of(call, "resourceType", *(() if group else ("resourceGroup",)))
    if group is not None:
        await use_cases.resource_groups.get_group(call.who, *_names(call))
    if asked.get("resourceType", COLLECTION_TYPE).lower() != COLLECTION_TYPE.lower():
        return listing(call, [], None)
    return await page_of_collections(
        use_cases, call, group or asked.get("resourceGroup"), encode_resource
    )


def _names(call: Call) -> tuple[str, str]:
    return call.names["subscription"], call.names["group"]
