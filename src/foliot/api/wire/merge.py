"""PATCH: what is left out is kept, null removes, lists are replaced, objects are merged."""

from collections.abc import Callable, Iterator

from foliot.api.wire.reader import Json, Properties
from foliot.core.errors import Path
from foliot.core.model import PART_NAMES, ActionKind

_OLD_SCHEDULE_NAMES = {"minute": "minutes", "hour": "hours"}
_KINDS = {kind.lower(): kind for kind in ActionKind}

# Objects whose names are the client's own, and when two of these are the same.
_MAPS: dict[str, Callable[[str], str]] = {
    "headers": str.lower,
    "tags": str.lower,
    "custommessageproperties": str,
}


def merge(base: Json, patch: Json, path: Path = ()) -> Json:
    """Return the base with the patch laid over it; names match in any letter case."""
    if not isinstance(base, dict) or not isinstance(patch, dict):
        return patch
    place = str(path[-1]).lower() if path else ""
    if place in _MAPS:
        return _merge_map(base, patch, _MAPS[place])
    if place in ("action", "erroraction"):
        patch = _with_its_retry_policy(patch)
        base = _without_the_parts_of_another_kind(base, patch)
    return _merge_object(base, patch, path, _OLD_SCHEDULE_NAMES if place == "schedule" else {})


def nulls(patch: Json, path: Path = ()) -> Iterator[Path]:
    """Go through the places that a patch says are to be empty, their names in lower case."""
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
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = merge(merged.get(name), value, (*path, written))
    return merged


def _merge_map(
    base: dict[str, Json], patch: dict[str, Json], fold: Callable[[str], str]
) -> dict[str, Json]:
    """Merge names of the client's own; one that is written differently now is shown so."""
    changed = {fold(name) for name in patch}
    kept = {
        name: value for name, value in base.items() if name in patch or fold(name) not in changed
    }
    return {name: value for name, value in (kept | patch).items() if value is not None}


def _with_its_retry_policy(action: dict[str, Json]) -> dict[str, Json]:
    """Move a retry policy from the request, where old samples have it, to where it is kept."""
    names = _by_lower_case(action)
    request = action.get(names.get("request", ""))
    if "retrypolicy" in names or not isinstance(request, dict):
        return action
    policy = _by_lower_case(request).get("retrypolicy")
    return action if policy is None else {**action, "retryPolicy": request[policy]}


def _without_the_parts_of_another_kind(
    base: dict[str, Json], patch: dict[str, Json]
) -> dict[str, Json]:
    """Drop what belongs to an action's old type when the patch gives it a new one."""
    wanted = patch.get(_by_lower_case(patch).get("type", ""))
    kind = _KINDS.get(wanted.lower()) if isinstance(wanted, str) else None
    if kind is None:
        return base
    others = set(PART_NAMES.values()) - {PART_NAMES[kind]}
    return {name: value for name, value in base.items() if name not in others}


def _by_lower_case(names: dict[str, Json]) -> dict[str, str]:
    return {name.lower(): name for name in names}
