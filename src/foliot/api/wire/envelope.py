"""What all resources share: an identity, and `properties` that hold what they are made of."""

from foliot.api.wire.field_types import TEXT, read_only
from foliot.api.wire.fields import WireField
from foliot.api.wire.json_reader import Json, Properties, optional_text
from foliot.core.errors import wrong

IDENTITY = tuple(WireField(name, "", read_only(TEXT)) for name in ("id", "type", "name"))


def read_resource(body: Json, *, hides: bool = False) -> Properties:
    """Take the body of a request; what it says of its identity and type need not be read."""
    resource = Properties(body, hides=hides)
    resource.ignore(*(field.name for field in IDENTITY))
    return resource


def check_identity(resource: Properties, id_ending: str, names: tuple[str, ...]) -> None:
    """Refuse an id or a name that is not that of the address; a missing or empty one is fine."""
    identity, name = optional_text(resource, "id"), optional_text(resource, "name")
    if identity and not identity.rstrip("/").lower().endswith(id_ending.lower()):
        expected = f"the id of the address, ending in {id_ending}, or leave it out"
        raise wrong(resource.at("id"), identity, expected)
    if name and name.lower() not in {each.lower() for each in names}:
        raise wrong(
            resource.at("name"), name, f"the name of the address, {names[-1]}, or leave it out"
        )


def inner_properties(resource: Properties) -> Properties | None:
    """Take `properties`; where they are missing, nothing may stand that belongs into them."""
    given = resource.child("properties")
    if given is None:
        resource.refuse_beside("properties")
    return given
