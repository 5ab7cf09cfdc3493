"""Resource groups, as resources; and what they hold, as clients list it."""

from msgspec import structs

from foliot.api.wire.clients import ANY_CLIENT
from foliot.api.wire.collection import COLLECTION_TYPE, collection_id
from foliot.api.wire.envelope import IDENTITY, LOCATION, TAGS, check_identity, read_resource
from foliot.api.wire.field_types import TEXT, read_only
from foliot.api.wire.fields import FieldType, WireField, WireObject, read_field
from foliot.api.wire.json_reader import Properties, required
from foliot.api.wire.regions import display_name, region_code
from foliot.core.errors import wrong
from foliot.core.json_text import Json
from foliot.core.model.collection import Collection
from foliot.core.model.resource_group import ResourceGroup

_TYPE = "Microsoft.Resources/resourceGroups"
_EXPECTED_LOCATION = "a region such as westus"
_PROPERTIES = FieldType(None, {"type": "object"})

RESOURCE_GROUP = WireObject(
    ResourceGroup,
    *IDENTITY,
    LOCATION,
    TAGS,
    WireField("managedBy", "", read_only(TEXT)),
    WireField("properties", "", _PROPERTIES),
    component="ResourceGroup",
)
GENERIC_RESOURCE = WireObject(Collection, *IDENTITY, LOCATION, TAGS, component="GenericResource")


def decode_group(body: Json, subscription: str, name: str) -> ResourceGroup:
    """Read a resource group; who manages it, and its properties, are ignored."""
    resource = _read_group(body, subscription, name)
    required(resource, "location", _EXPECTED_LOCATION)
    location, tags = _location(resource), read_field(resource, TAGS)
    resource.refuse_unknown()
    return ResourceGroup(subscription=subscription, name=name, location=location, tags=tags)


def patch_group(old: ResourceGroup, patch: Json) -> ResourceGroup:
    """Return a resource group with a patch applied.

    Given tags replace all tags: clients remove one by sending the others.
    """
    resource = _read_group(patch, old.subscription, old.name)
    location, tags = _location(resource), read_field(resource, TAGS)
    resource.refuse_unknown()
    return structs.replace(
        old,
        location=old.location if location is None else location,
        tags=tags if resource.has("tags") else old.tags,
    )


def encode_group(group: ResourceGroup) -> dict[str, Json]:
    """Write a resource group as a resource; its region by its code, unlike a collection's."""
    return RESOURCE_GROUP.encode(
        group,
        ANY_CLIENT,
        id=group_id(group.subscription, group.name),
        type=_TYPE,
        name=group.name,
        location=region_code(group.location) if group.location else None,
        properties={"provisioningState": "Succeeded"},
    )


def encode_resource(collection: Collection) -> dict[str, Json]:
    """Write a collection as one of the resources of a group: without its properties."""
    return GENERIC_RESOURCE.encode(
        collection,
        ANY_CLIENT,
        id=collection_id(collection.key),
        type=COLLECTION_TYPE,
        name=collection.key.name,
    )


def group_id(subscription: str, name: str) -> str:
    """Return the identity of a resource group: its path."""
    return f"/subscriptions/{subscription}/resourceGroups/{name}"


def _read_group(body: Json, subscription: str, name: str) -> Properties:
    resource = read_resource(body)
    check_identity(resource, group_id(subscription, name), (name,))
    resource.ignore("managedBy", "properties")
    return resource


def _location(resource: Properties) -> str | None:
    location = read_field(resource, LOCATION)
    if location == "":
        raise wrong(resource.at("location"), location, _EXPECTED_LOCATION)
    return None if location is None else display_name(location)
