"""Ids of resources: `/subscriptions/…/resourceGroups/…/providers/{type with names}`."""

from collections.abc import Sequence

from foliot.core.errors import Invalid, shown
from foliot.core.plurals import how_many

_SHOWN = 60


def typed_name(resource_type: str, names: Sequence[str]) -> str:
    """Write type and names in turn: `Microsoft.Scheduler/jobCollections/c/jobs/j`."""
    provider, *types = resource_type.split("/")
    if not types or not all((provider, *types)):
        example = "Microsoft.Scheduler/jobCollections"
        raise Invalid(
            (), f"{shown(resource_type)} is no resource type; give one such as {example}."
        )
    if len(types) != len(names):
        needed = how_many(len(types), "name")
        raise Invalid((), f"the type {shown(resource_type)} needs {needed}; it has {len(names)}.")
    for name in names:
        if not name or "/" in name:
            raise Invalid((), f"{shown(name)} is no name of a resource; give one without /.")
    pairs = [part for pair in zip(types, names, strict=True) for part in pair]
    return "/".join([provider, *pairs])


def resource_id(subscription: str, group: str, name: str) -> str:
    """Return the id of a resource of a group, from its name with types."""
    return f"/subscriptions/{subscription}/resourceGroups/{group}/providers/{name}"


def shown_id(name: str) -> str:
    """Return a name or an id for a message; of a long one the end, which tells ids apart."""
    return shown(name if len(name) <= _SHOWN else f"...{name[-_SHOWN:]}")
