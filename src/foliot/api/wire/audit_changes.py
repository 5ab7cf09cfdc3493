"""What differs between two JSON values: each field that changed, by its path."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from foliot.core.errors import Path, path_text
from foliot.core.json_text import Json

_MOST_CHANGES: Final = 100
# A little more than a snapshot keeps of a long text, which is not cut again.
_MOST_CHARACTERS: Final = 1100


class ValueChange(NamedTuple):
    """A field that changed; None is a field that was not there."""

    path: str
    before: Json
    after: Json


def changes_between(before: Json, after: Json) -> list[ValueChange]:
    """Return the fields that differ, the deepest ones; lists are compared as a whole."""
    found: list[ValueChange] = []
    for path, was, becomes in _differences(before, after, ()):
        found.append(ValueChange(path_text(path), was, becomes))
        if len(found) == _MOST_CHANGES:
            break
    return found


def shortened(value: Json) -> Json:
    """Cut the long texts of a value, for a listing of many."""
    match value:
        case str() if len(value) > _MOST_CHARACTERS:
            return f"{value[:_MOST_CHARACTERS]}... ({len(value)} characters)"
        case list():
            few: list[Json] = [shortened(each) for each in value[:_MOST_CHANGES]]
            return few
        case dict():
            return {name: shortened(each) for name, each in value.items()}
        case _:
            return value


def _differences(before: Json, after: Json, path: Path) -> Iterator[tuple[Path, Json, Json]]:
    if before == after:
        return
    if not (isinstance(before, dict) and isinstance(after, dict)):
        yield path, before, after
        return
    for name in dict.fromkeys([*before, *after]):
        yield from _differences(before.get(name), after.get(name), (*path, name))
