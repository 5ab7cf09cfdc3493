"""What resources share: an identity, a location, tags, and `properties`."""

from foliot.api.wire.field_types import STRINGS, TEXT, described, read_only
from foliot.api.wire.fields import WireField
from foliot.api.wire.json_reader import Properties, optional_text
from foliot.core.errors import wrong
from foliot.core.json_text import Json
from foliot.core.rules.tags_and_location import (
    LOCATION_PATTERN,
    MAX_TAG_NAME,
    MAX_TAG_VALUE,
    MAX_TAGS,
)

IDENTITY = tuple(WireField(name, "", read_only(TEXT)) for name in ("id", "type", "name"))
LOCATION = WireField(
    "location", "location", described(TEXT, pattern=f"^({LOCATION_PATTERN})?$"), "Location"
)
TAGS = WireField(
    "tags",
    "tags",
    described(
        STRINGS,
        maxProperties=MAX_TAGS,
        propertyNames={"minLength": 1, "maxLength": MAX_TAG_NAME},
        additionalProperties={
            "type": ["string", "number", "boolean"],
            "maxLength": MAX_TAG_VALUE,
        },
    ),
    "Tags",
)


def read_resource(body: Json, *, hides: bool = False) -> Properties:
    """Read the body of a request; its id, type and name may be absent."""
    resource = Properties(body, hides=hides)
    resource.ignore(*(field.name for field in IDENTITY))
    return resource


def check_identity(resource: Properties, id_ending: str, names: tuple[str, ...]) -> None:
    """Refuse an id or a name that contradicts the URL; both may be absent or empty."""
    identity, name = optional_text(resource, "id"), optional_text(resource, "name")
    if identity and not identity.rstrip("/").lower().endswith(id_ending.lower()):
        expected = f"the id of the address, ending in {id_ending}, or leave it out"
        raise wrong(resource.at("id"), identity, expected)
    if name and name.lower() not in {each.lower() for each in names}:
        raise wrong(
            resource.at("name"), name, f"the name of the address, {names[-1]}, or leave it out"
        )


def inner_properties(resource: Properties) -> Properties | None:
    """Read `properties`; if it is absent, refuse properties that belong into it."""
    given = resource.child("properties")
    if given is None:
        resource.refuse_beside("properties")
    return given
