"""Copy loops: of resources, of properties and of variables."""

from collections.abc import Sequence
from typing import NamedTuple

from foliot.core.errors import Invalid, Path, wrong
from foliot.core.json_text import Json
from foliot.templates.budget import MAX_COPIES, Budget
from foliot.templates.elements import Elements, read_elements, text_at, wrong_kind_at

_OF_PROPERTY = ("name", "count", "input")


class CopyLoop(NamedTuple):
    """A loop that makes an array: its name, and its elements with `count` and `input`."""

    name: str
    elements: Elements


def read_property_loops(
    document: dict[str, Json], path: Path, budget: Budget
) -> list[CopyLoop] | None:
    """Read the loops of an object or of the variables, or return None if `copy` is no loops."""
    loops = document.get("copy")
    if not isinstance(loops, list) or not all(_is_like_a_loop(each, budget) for each in loops):
        return None
    return _loops(loops, (*path, "copy"))


def _is_like_a_loop(document: Json, budget: Budget) -> bool:
    if not isinstance(document, dict):
        return False
    budget.read_object()
    return len({*_OF_PROPERTY}.intersection(map(str.lower, document))) > 1


def _loops(documents: list[Json], path: Path) -> list[CopyLoop]:
    found: list[CopyLoop] = []
    for index, each in enumerate(documents):
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
