"""PATCH: merges objects, replaces lists, removes what is null."""

from collections.abc import Callable, Iterator

from foliot.api.wire.action import PART_NAMES
from foliot.api.wire.json_reader import Properties
from foliot.api.wire.schedule import SCHEDULE
from foliot.core.errors import Invalid, Path
from foliot.core.json_text import Json
from foliot.core.model.action import ActionKind

_KINDS = {kind.lower(): kind for kind in ActionKind}

# Objects whose names clients choose, and how two names are compared.
_MAPS: dict[str, Callable[[str], str]] = {
    "headers": str.lower,
    "tags": str.lower,
    "custommessageproperties": str,
}


def merge(base: Json, patch: Json, path: Path = ()) -> Json:
    """Return the base with the patch applied; names match in any letter case."""
    if not isinstance(base, dict) or not isinstance(patch, dict):
        return patch
    place = str(path[-1]).lower() if path else ""
    if place in _MAPS:
        return _merge_map(base, patch, _MAPS[place])
    if place == "properties":
        patch = _with_all_in_the_action(patch, path)
    if [str(name).lower() for name in path[-2:]] == ["request", "authentication"]:
        base = _without_another_authentication(base, patch)
    if place in ("action", "erroraction"):
        patch = _with_its_retry_policy(patch, path)
        base, patch = _without_the_parts_of_another_kind(base, patch, path)
    return _merge_object(base, patch, path, SCHEDULE.old_names if place == "schedule" else {})


def nulls(patch: Json, path: Path = ()) -> Iterator[Path]:
    """Go through the paths that a patch sets to null, in lower case."""
    if patch is None:
        yield path
    elif isinstance(patch, dict):
        for name, value in patch.items():
            yield from nulls(value, (*path, name.lower()))


def _merge_object(
    base: dict[str, Json], patch: dict[str, Json], path: Path, old_names: dict[str, str]
) -> dict[str, Json]:
    Properties(patch, path, old_names)  # refuses a name that is given twice
    merged, names = dict(base), _by_lower_case(base)
    for written, value in patch.items():
        folded = written.lower()
        name = names.get(old_names.get(folded, folded), written)
        if value is None and name in merged:
            del merged[name]
        else:
            merged[name] = merge(merged.get(name), value, (*path, written))
    return merged


def _merge_map(
    base: dict[str, Json], patch: dict[str, Json], fold: Callable[[str], str]
) -> dict[str, Json]:
    """Merge an object whose names clients choose; the new spelling of a name replaces the old."""
    changed = {fold(name) for name in patch}
    kept = {
        name: value for name, value in base.items() if name in patch or fold(name) not in changed
    }
    return {name: value for name, value in (kept | patch).items() if value is not None}


def _with_its_retry_policy(action: dict[str, Json], path: Path) -> dict[str, Json]:
    """Move a retry policy from the request, where old samples have it, into the action."""
    name = _by_lower_case(action).get("request", "")
    request = action.get(name)
    if not isinstance(request, dict):
        return action
    policy, rest = _taken(request, (*path, name), "retryPolicy")
    return {**_joined(action, policy, (*path, name)), name: rest}


def _with_all_in_the_action(properties: dict[str, Json], path: Path) -> dict[str, Json]:
    """Move what the old documentation has beside the action into the action."""
    beside, rest = _taken(properties, path, "retryPolicy", "errorAction")
    name = _by_lower_case(properties).get("action", "action")
    action = properties.get(name, {})
    if not beside or not isinstance(action, dict):
        return properties
    return {**rest, name: _joined(action, beside, path)}


def _taken(
    given: dict[str, Json], path: Path, *names: str
) -> tuple[dict[str, Json], dict[str, Json]]:
    """Split an object into the properties with these names and all others."""
    Properties(given, path)  # refuses a name that is given twice
    written = _by_lower_case(given)
    taken = {name: given[written[name.lower()]] for name in names if name.lower() in written}
    lowered = {name.lower() for name in taken}
    return taken, {name: value for name, value in given.items() if name.lower() not in lowered}


def _joined(action: dict[str, Json], others: dict[str, Json], path: Path) -> dict[str, Json]:
    """Add properties from elsewhere to an action; refuse one with two different values."""
    written = _by_lower_case(action)
    for name, value in others.items():
        own = action.get(written.get(name.lower(), ""), value)
        if _with_lower_names(own) != _with_lower_names(value):
            problem = "is given twice with different values; give it once, in the action."
            raise Invalid((*path, name), problem)
    new = {name: value for name, value in others.items() if name.lower() not in written}
    return {**action, **new}


def _with_lower_names(value: Json) -> Json:
    """Return a value with all names in lower case: their letter case makes no difference."""
    match value:
        case dict():
            return {name.lower(): _with_lower_names(each) for name, each in value.items()}
        case list():
            return [_with_lower_names(each) for each in value]
        case _:
            return value


def _without_another_authentication(
    base: dict[str, Json], patch: dict[str, Json]
) -> dict[str, Json]:
    """Return an empty base if the patch changes the type of authentication."""
    old, new = (str(each.get(_by_lower_case(each).get("type", ""))) for each in (base, patch))
    return base if new == "None" or new.lower() == old.lower() else {}


def _without_the_parts_of_another_kind(
    base: dict[str, Json], patch: dict[str, Json], path: Path
) -> tuple[dict[str, Json], dict[str, Json]]:
    """Remove the part of an action's old type if the patch changes the type.

    PowerShell sends the old part back beside the new one; if it changes nothing, it is ignored.
    """
    wanted = patch.get(_by_lower_case(patch).get("type", ""))
    kind = _KINDS.get(wanted.lower()) if isinstance(wanted, str) else None
    if kind is None:
        return base, patch
    old = {
        name.lower(): base[name]
        for name in set(PART_NAMES.values()) - {PART_NAMES[kind]}
        if name in base
    }
    ignored = {
        name
        for name, value in patch.items()
        if name.lower() in old
        and merge(old[name.lower()], value, (*path, name)) == old[name.lower()]
    }
    return (
        {name: value for name, value in base.items() if name.lower() not in old},
        {name: value for name, value in patch.items() if name not in ignored},
    )


def _by_lower_case(names: dict[str, Json]) -> dict[str, str]:
    return {name.lower(): name for name in names}
