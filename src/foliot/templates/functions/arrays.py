"""Functions on arrays and objects; some take strings too."""

from collections.abc import Sequence

from foliot.core.errors import Invalid
from foliot.core.json_text import Json
from foliot.templates.budget import refuse_many
from foliot.templates.functions.signature import function
from foliot.templates.values import (
    are_equal,
    checked_integer,
    identity,
    is_integer,
    kind_of,
    property_name,
    text_of,
)

_LONGEST_RANGE = 10_000

Object = dict[str, Json]


def _array(value: Json) -> list[Json]:
    return value if isinstance(value, list) else [value]


def _create_array(*values: Json) -> list[Json]:
    return list(values)


def _create_object(*keys_and_values: Json) -> Object:
    keys, values = keys_and_values[::2], keys_and_values[1::2]
    if len(keys) != len(values):
        raise Invalid((), "createObject() takes a name and a value for each property.")
    made: Object = {}
    for key, value in zip(keys, values, strict=True):
        if not isinstance(key, str):
            raise Invalid((), f"createObject() is given {kind_of(key)} as a name; give a string.")
        made[key] = value
    return made


def _contains(container: str | list[Json] | Object, item: Json) -> bool:
    match container:
        case str():
            return text_of(item) in container
        case list():
            return any(are_equal(each, item) for each in container)
        case dict():
            return property_name(container, text_of(item)) is not None


def _empty(value: str | list[Json] | Object | None) -> bool:
    return not value


def _length(value: str | list[Json] | Object) -> int:
    return len(value)


def _first(value: str | list[Json]) -> Json:
    if isinstance(value, str):
        return value[:1]
    return value[0] if value else None


def _last(value: str | list[Json]) -> Json:
    if isinstance(value, str):
        return value[-1:]
    return value[-1] if value else None


def _skip(value: str | list[Json], count: int) -> Json:
    return value[max(0, count) :]


def _take(value: str | list[Json], count: int) -> Json:
    return value[: max(0, count)]


def _range(start: int, count: int) -> list[Json]:
    if not 0 <= count <= _LONGEST_RANGE:
        problem = f"range() is asked for {count} numbers; give 0 to {_LONGEST_RANGE}."
        raise Invalid((), problem)
    checked_integer(start + count)
    return list(range(start, start + count))


def _union(first: Json, *others: Json) -> Json:
    values = (first, *others)
    if objects := _all_objects("union", values):
        return _united(objects)
    arrays = [each for each in values if isinstance(each, list)]
    refuse_many(sum(map(len, arrays)))
    return list({identity(each): each for array in arrays for each in array}.values())


def _united(objects: Sequence[Object]) -> Object:
    """Merge objects, and the objects inside them; the last value of a property wins."""
    merged: Object = {}
    merging: dict[str, list[Object]] = {}
    for each in objects:
        for name, value in each.items():
            old = merged.get(name)
            if isinstance(old, dict) and isinstance(value, dict):
                merging.setdefault(name, [old]).append(value)
            else:
                merging.pop(name, None)
                merged[name] = value
    for name, inner in merging.items():
        merged[name] = _united(inner)
    return merged


def _shallow_merge(array: list[Json]) -> Object:
    merged: Object = {}
    for each in array:
        if not isinstance(each, dict):
            raise Invalid((), f"shallowMerge() is given {kind_of(each)} in its array.")
        merged |= each
    return merged


def _intersection(first: Json, *others: Json) -> Json:
    values = (first, *others)
    if objects := _all_objects("intersection", values):
        return {
            name: value
            for name, value in objects[0].items()
            if all(name in each and are_equal(each[name], value) for each in objects[1:])
        }
    arrays = [each for each in values if isinstance(each, list)]
    common = {identity(each): each for each in arrays[0]}
    for array in arrays[1:]:
        kept = {identity(each) for each in array}
        common = {key: each for key, each in common.items() if key in kept}
    return list(common.values())


def _all_objects(name: str, values: Sequence[Json]) -> list[Object]:
    """Return the values if all are objects, nothing if all are arrays; refuse a mixture."""
    objects = [each for each in values if isinstance(each, dict)]
    if objects and len(objects) < len(values):
        raise Invalid((), f"{name}() takes only arrays or only objects, not both.")
    return objects


def _smallest(*values: Json) -> Json:
    return min(_numbers("min", values))


def _largest(*values: Json) -> Json:
    return max(_numbers("max", values))


def _numbers(name: str, values: Sequence[Json]) -> list[int]:
    given = values[0] if len(values) == 1 and isinstance(values[0], list) else values
    numbers = [each for each in given if isinstance(each, int) and is_integer(each)]
    if not numbers or len(numbers) < len(given):
        raise Invalid((), f"{name}() takes whole numbers, or one array of them.")
    return numbers


def _items(value: Object) -> list[Json]:
    refuse_many(len(value))
    return [{"key": key, "value": value[key]} for key in sorted(value)]


def _object_keys(value: Object) -> list[Json]:
    return list[Json](value)


def _flatten(array: list[Json]) -> list[Json]:
    arrays = [each for each in array if isinstance(each, list)]
    if len(arrays) < len(array):
        raise Invalid((), "flatten() takes an array of arrays.")
    refuse_many(sum(map(len, arrays)))
    return [each for inner in arrays for each in inner]


ARRAY_FUNCTIONS = {
    "array": function(_array, "any"),
    "contains": function(_contains, "text|array|object any", 2, of_text=8),
    "createArray": function(_create_array, "any*"),
    "createObject": function(_create_object, "any*"),
    "empty": function(_empty, "text|array|object|null"),
    "first": function(_first, "text|array"),
    "flatten": function(_flatten, "array"),
    "intersection": function(_intersection, "array|object array|object array|object*", 8),
    "items": function(_items, "object"),
    "last": function(_last, "text|array"),
    "length": function(_length, "text|array|object"),
    "max": function(_largest, "int|array int*"),
    "min": function(_smallest, "int|array int*"),
    "objectKeys": function(_object_keys, "object"),
    "range": function(_range, "int int"),
    "shallowMerge": function(_shallow_merge, "array"),
    "skip": function(_skip, "text|array int"),
    "take": function(_take, "text|array int"),
    "union": function(_union, "array|object array|object array|object*", 8),
}
