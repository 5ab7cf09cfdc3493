"""What all resources share: their identity, which a body may repeat but not contradict."""

from foliot.api.wire.reader import Properties, optional_text
from foliot.core.errors import wrong


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
