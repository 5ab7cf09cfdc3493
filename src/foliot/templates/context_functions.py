"""Functions that depend on where they stand: names, loops, the deployment, ids and references."""

from collections.abc import Sequence
from typing import NamedTuple

from foliot.core.errors import Invalid, shown
from foliot.core.json_text import Json
from foliot.templates.frame import Frame, Loop, Place
from foliot.templates.functions.date_format import format_date
from foliot.templates.functions.signature import Function, function
from foliot.templates.functions.unique import guid
from foliot.templates.names import Names
from foliot.templates.resource_ids import resource_id, typed_name
from foliot.templates.values import checked_integer

_COMPACT = "yyyyMMddTHHmmssZ"


class Site(NamedTuple):
    """Where a function is called."""

    names: Names
    frame: Frame


def _refuse_outside(name: str, site: Site, *places: Place) -> None:
    if site.frame.place not in places:
        allowed = " and ".join(place.value for place in places)
        raise Invalid((), f"{name}() is only allowed in {allowed}.")


def _parameters(site: Site, name: str) -> Json:
    arguments = site.frame.arguments
    if arguments is None:
        return site.names.parameters.get(name)
    if name.lower() not in arguments:
        raise Invalid((), f"the function has no parameter {shown(name)}; it sees only its own.")
    return arguments[name.lower()]


def _variables(site: Site, name: str) -> Json:
    if site.frame.place in (Place.DEFAULT, Place.FUNCTION):
        raise Invalid((), f"variables() is not allowed in {site.frame.place.value}.")
    return site.names.variables.get(name)


def _copy_index(site: Site, name_or_offset: str | int = 0, offset: int = 0) -> int:
    if isinstance(name_or_offset, int):
        return checked_integer(_nearest_loop(site.frame).iteration + name_or_offset)
    folded = name_or_offset.lower()
    for loop in reversed(site.frame.loops):
        if loop.name.lower() == folded:
            return checked_integer(loop.iteration + offset)
    raise Invalid((), f"copyIndex() names {shown(name_or_offset)}, which is no loop around it.")


def _nearest_loop(frame: Frame) -> Loop:
    if not frame.loops:
        raise Invalid((), "copyIndex() is only allowed inside a copy loop.")
    of_resource = [loop for loop in frame.loops if loop.is_of_resource]
    return of_resource[-1] if of_resource else frame.loops[-1]


def _deployment(site: Site) -> Json:
    scope = site.names.scope
    return {
        "name": scope.deployment,
        "properties": {"mode": scope.mode, "provisioningState": "Accepted"},
    }


def _resource_group(site: Site) -> Json:
    scope = site.names.scope
    return {
        "id": f"/subscriptions/{scope.subscription}/resourceGroups/{scope.group}",
        "name": scope.group,
        "type": "Microsoft.Resources/resourceGroups",
        "location": scope.group_location,
        "tags": dict(scope.group_tags),
        "properties": {"provisioningState": "Succeeded"},
    }


def _subscription(site: Site) -> Json:
    scope = site.names.scope
    return {
        "id": f"/subscriptions/{scope.subscription}",
        "subscriptionId": scope.subscription,
        "tenantId": scope.tenant,
        "displayName": scope.subscription,
    }


def _tenant(site: Site) -> Json:
    return {"tenantId": site.names.scope.tenant}


def _resource_id(site: Site, *parts: str) -> str:
    before, resource_type, names = _split_id("resourceId", parts, most_before=2)
    scope = site.names.scope
    group = before[-1] if before else scope.group
    subscription = before[0] if len(before) > 1 else scope.subscription
    return resource_id(subscription, group, typed_name(resource_type, names))


def _subscription_resource_id(site: Site, *parts: str) -> str:
    before, resource_type, names = _split_id("subscriptionResourceId", parts, most_before=1)
    subscription = before[0] if before else site.names.scope.subscription
    return f"/subscriptions/{subscription}/providers/{typed_name(resource_type, names)}"


def _tenant_resource_id(_: Site, resource_type: str, *names: str) -> str:
    return f"/providers/{typed_name(resource_type, names)}"


def _extension_resource_id(_: Site, base: str, resource_type: str, *names: str) -> str:
    return f"{base}/providers/{typed_name(resource_type, names)}"


def _split_id(
    name: str, parts: Sequence[str], *, most_before: int
) -> tuple[Sequence[str], str, Sequence[str]]:
    """Find the resource type: the first argument with a slash."""
    for index, part in enumerate(parts[: most_before + 1]):
        if "/" in part:
            return parts[:index], part, parts[index + 1 :]
    raise Invalid(
        (),
        f"{name}() is given no resource type; give one such as Microsoft.Scheduler/jobCollections.",
    )


def _reference(site: Site, name: str, _version: str = "", full: str = "") -> Json:
    _refuse_outside("reference", site, Place.PROPERTY, Place.OUTPUT)
    if full.lower() not in ("", "full"):
        raise Invalid(
            (), f"argument 3 of reference() is {shown(full)}; give 'Full' or leave it out."
        )
    return site.names.refer(name, full=bool(full))


def _utc_now(site: Site, form: str = _COMPACT) -> str:
    _refuse_outside("utcNow", site, Place.DEFAULT)
    return format_date(site.names.scope.now, form)


def _new_guid(site: Site) -> str:
    """Return another UUID at each call and for each deployment: the instant makes it new."""
    _refuse_outside("newGuid", site, Place.DEFAULT)
    names, scope = site.names, site.names.scope
    names.guids += 1
    parts = (scope.subscription, scope.group, scope.deployment, str(scope.now), str(names.guids))
    return guid(*parts)


CONTEXT_FUNCTIONS: dict[str, Function] = {
    "copyIndex": function(_copy_index, "text|int? int?"),
    "deployment": function(_deployment, ""),
    "extensionResourceId": function(_extension_resource_id, "text text text+"),
    "newGuid": function(_new_guid, ""),
    "parameters": function(_parameters, "text"),
    "reference": function(_reference, "text text? text?", 200),
    "resourceGroup": function(_resource_group, ""),
    "resourceId": function(_resource_id, "text text text*"),
    "subscription": function(_subscription, ""),
    "subscriptionResourceId": function(_subscription_resource_id, "text text text*"),
    "tenant": function(_tenant, ""),
    "tenantResourceId": function(_tenant_resource_id, "text text+"),
    "utcNow": function(_utc_now, "text?"),
    "variables": function(_variables, "text"),
}
