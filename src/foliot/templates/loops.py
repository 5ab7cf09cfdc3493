"""Copy loops: of resources, of properties and of variables."""

from collections.abc import Sequence
from typing import NamedTuple

from foliot.core.errors import Invalid, Path, wrong
from foliot.core.json_text import Json
from foliot.templates.budget import MAX_COPIES
from foliot.templates.elements import Elements, array_at, read_elements, text_at, wrong_kind_at

_OF_PROPERTY = ("name", "count", "input")


class CopyLoop(NamedTuple):
    """A loop that makes an array: its name, and its elements with `count` and `input`."""

    name: str
    elements: Elements


def has_property_loops(document: dict[str, Json]) -> bool:
    """Tell whether an object has loops: a `copy` that is an array of what looks like loops."""
    loops = document.get("copy")
    return isinstance(loops, list) and all(
        isinstance(each, dict) and len({*_OF_PROPERTY}.intersection(map(str.lower, each))) > 1
        for each in loops
    )


def read_property_loops(document: Json, path: Path) -> list[CopyLoop]:
    """Read the loops of a `copy` element of an object or of the variables."""
    found: list[CopyLoop] = []
    for index, each in enumerate(array_at(document, path)):
        elements = read_elements(each, (*path, index), _OF_PROPERTY)
        for name in _OF_PROPERTY:
            if name not in elements.values:
                raise Invalid(elements.at(name), "is missing; a loop has name, count and input.")
        name = text_at(elements.get("name"), elements.at("name"), "the name of the loop")
        found.append(CopyLoop(name, elements))
    return found


def checked_count(count: Json, path: Path) -> int:
    """Refuse a number of iterations that is no number, or too large."""
    expected = f"a whole number from 0 to {MAX_COPIES}"
    if isinstance(count, bool) or not isinstance(count, int):
        raise wrong_kind_at(path, count, expected)
    if not 0 <= count <= MAX_COPIES:
        raise wrong(path, count, expected)
    return count


def refuse_twins(names: Sequence[str], path: Path) -> None:
    """Refuse names that are given twice, in any letter case."""
    seen: set[str] = set()
    for name in names:
        if name.lower() in seen:
            raise Invalid((*path, name), "is given twice; give it once.")
        seen.add(name.lower())
