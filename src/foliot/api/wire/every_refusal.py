"""Collects all refusals of a job or a form, so that the caller sees them at once.

A decoder stops at the first value it refuses. So the refused place gets another value, and all of
it is decoded again, until the decoder accepts it or no other value helps.
"""

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Generic, NamedTuple, TypeVar

from foliot.api.wire.action import PART_NAMES
from foliot.core.errors import Invalid, Path
from foliot.core.json_text import Json
from foliot.core.model.action import ActionKind

Subject = TypeVar("Subject")
Place = TypeVar("Place")
Accepted = TypeVar("Accepted")

MOST_REFUSALS = 20
# Valid values of required properties, by their name.
SAMPLES: Mapping[str, str] = {"uri": "https://localhost/", "method": "GET"}
SAMPLE = "x"
# Without these, others would be missing that the caller has left out on purpose.
KEPT: Mapping[str, str] = {"cron": "@daily"}
_SAMPLE_ACTION: Json = {"type": "Http", "request": {"uri": SAMPLES["uri"], "method": "GET"}}
_SAMPLE_OBJECTS: Mapping[Path, Json] = {
    ("properties",): {"action": _SAMPLE_ACTION},
    ("properties", "action"): _SAMPLE_ACTION,
}
# Objects at this depth can be left out: properties.recurrence, but not properties.
_SHORTEST_OPTIONAL = 2
_TYPE = "type"


class _Absent(Enum):
    ABSENT = "absent"


_ABSENT = _Absent.ABSENT


class Findings(NamedTuple, Generic[Place, Accepted]):
    """The refusals by place, and the result of the check that found no more of them, if any."""

    refusals: dict[Place, Invalid]
    accepted: Accepted | None


def every_refusal(
    subject: Subject,
    check: Callable[[Subject], Accepted],
    place_of: Callable[[Invalid], Place],
    repairs: Callable[[Place], Iterator[Callable[[Subject], Subject]]],
) -> Findings[Place, Accepted]:
    """Check again and again; each time a place is refused, the next of its repairs is tried."""
    found: dict[Place, Invalid] = {}
    untried: dict[Place, Iterator[Callable[[Subject], Subject]]] = {}
    while len(found) < MOST_REFUSALS:
        try:
            return Findings(found, check(subject))
        except Invalid as refusal:
            place = place_of(refusal)
            found.setdefault(place, refusal)
            if place not in untried:
                untried[place] = repairs(place)
            repair = next(untried[place], None)
            if repair is None:
                break
            subject = repair(subject)
    return Findings(found, None)


def body_refusals(
    body: Json, check: Callable[[Json], Accepted], stored: Json = None
) -> Findings[Path, Accepted]:
    """Return all refusals of a JSON body by path, whose names are in lower case.

    `stored` is the body of what it replaces.
    """
    left_out: set[Path] = set()

    def without(tried: Json, path: Path) -> Json:
        changed = without_value(tried, path)
        if not _value_at(changed, path[:-1]):
            left_out.add(path[:-1])
        return changed

    def repairs(path: Path) -> Iterator[Callable[[Json], Json]]:
        # The stored value comes first: nothing that depends on it is refused then.
        before = _value_at(stored, path)
        if before is not None:
            yield lambda tried: _with(tried, path, before)
        if path and path[-1] in KEPT and _value_at(body, path) is not None:
            yield lambda tried: _with(tried, path, KEPT[str(path[-1])])
        # Without an item, those after it would have other numbers than the caller gave them.
        if path and isinstance(path[-1], str):
            yield lambda tried: without(tried, path)
        yield lambda tried: _with(tried, path, _sample(tried, path))
        if len(path) > _SHORTEST_OPTIONAL:
            left_out.add(path[:-1])
            yield lambda tried: without(tried, path[:-1])

    found = every_refusal(body, check, lambda refusal: _folded(refusal.path), repairs)
    # What is missing because we left it out is no problem of the caller.
    refusals = {path: each for path, each in found.refusals.items() if path not in left_out}
    return Findings(refusals, found.accepted)


def without_value(body: Json, path: Path) -> Json:
    """Return a body without the value at a path."""
    return _with(body, path, _ABSENT)


def _sample(tried: Json, path: Path) -> Json | _Absent:
    if path in _SAMPLE_OBJECTS:
        return _SAMPLE_OBJECTS[path]
    around = _value_at(tried, path[:-1])
    if path and path[-1] == _TYPE:
        return _type_for(around)
    if isinstance(around, list) and around and isinstance(path[-1], int):
        return around[path[-1] - 1]
    return SAMPLES.get(str(path[-1]), SAMPLE) if path else _ABSENT


def _type_for(action: Json) -> str:
    """Return the type that goes with the part that an action has."""
    names = {name.lower() for name in action} if isinstance(action, dict) else set[str]()
    kinds = (kind for kind, name in PART_NAMES.items() if name.lower() in names)
    return next(kinds, ActionKind.HTTP)


def _value_at(body: Json, path: Path) -> Json:
    """Return the value at a path, with its names in any letter case; None if there is none."""
    for name in path:
        match body, name:
            case dict(), str():
                body = body.get(_written(body, name))
            case list(), int() if name < len(body):
                body = body[name]
            case _:
                return None
    return body


def _with(body: Json, path: Path, value: Json | _Absent) -> Json:
    """Return a copy of a body with another value at a path, or without any value there."""
    match body, path:
        case dict(), (str() as folded,):
            name = _written(body, folded)
            others = {each: given for each, given in body.items() if each != name}
            return others if value is _ABSENT else others | {name: value}
        case list(), (int() as index,) if index < len(body):
            more: list[Json] = [] if value is _ABSENT else [value]
            return [*body[:index], *more, *body[index + 1 :]]
        case dict(), (str() as folded, *rest) if rest:
            name = _written(body, folded)
            return body | {name: _with(body.get(name, {}), tuple(rest), value)}
        case list(), (int() as index, *rest) if rest and index < len(body):
            inner = _with(body[index], tuple(rest), value)
            return [*body[:index], inner, *body[index + 1 :]]
        case _:
            return body


def _folded(path: Path) -> Path:
    return tuple(part.lower() if isinstance(part, str) else part for part in path)


def _written(body: Mapping[str, Json], name: str) -> str:
    """Return a name as a body has it, in any letter case."""
    return next((each for each in body if each.lower() == name.lower()), name)
