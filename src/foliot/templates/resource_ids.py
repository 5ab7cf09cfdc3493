"""Ids of resources: `/subscriptions/…/resourceGroups/…/providers/{type with names}`."""

from collections.abc import Sequence

from foliot.core.errors import Invalid, shown

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
        raise Invalid(
            (),
            f"the type {shown(resource_type)} needs {_names(len(types))}; {len(names)} are given.",
        )
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


def _names(count: int) -> str:
    return "1 name" if count == 1 else f"{count} names"
