"""The elements of an object of a template: known ones, in any letter case."""

from collections.abc import Sequence
from typing import NamedTuple

from foliot.core.errors import Invalid, Path, wrong
from foliot.core.json_text import Json
from foliot.core.near_names import nearest, shortened
from foliot.templates.values import kind_of


class Elements(NamedTuple):
    """The elements of an object by their known names, and the names as they are written."""

    path: Path
    values: dict[str, Json]
    written: dict[str, str]

    def get(self, name: str) -> Json:
        """Return the value of an element; null is the same as absent."""
        return self.values.get(name)

    def at(self, name: str) -> Path:
        """Return the path of an element."""
        return (*self.path, self.written.get(name, name))

    def required(self, name: str, expected: str) -> Json:
        """Return the value of an element that must be there."""
        value = self.values.get(name)
        if value is None:
            raise Invalid(self.at(name), f"is missing; give {expected}.")
        return value

    def object(self, name: str) -> dict[str, Json]:
        """Return an element that is an object, empty if it is absent."""
        value = self.values.get(name)
        return {} if value is None else object_at(value, self.at(name))


def read_elements(document: Json, path: Path, known: Sequence[str]) -> Elements:
    """Read an object that has only these elements; an unknown one is refused by name."""
    names = {name.lower(): name for name in known}
    values: dict[str, Json] = {}
    written: dict[str, str] = {}
    for key, value in object_at(document, path).items():
        name = names.get(key.lower())
        if name is None:
            raise Invalid((*path, shortened(key)), _unknown(key, names))
        if name in written:
            problem = f"is given twice, also as '{written[name]}'; give it once."
            raise Invalid((*path, key), problem)
        values[name], written[name] = value, key
    return Elements(path, values, written)


def _unknown(key: str, names: dict[str, str]) -> str:
    for near in nearest(key.lower(), names):
        return f"is not known here; did you mean '{names[near]}'?"
    return f"is not known here; the known elements are {', '.join(names.values())}."


def object_at(value: Json, path: Path) -> dict[str, Json]:
    """Return a value that must be an object."""
    if not isinstance(value, dict):
        raise wrong_kind_at(path, value, "an object {...}")
    return value


def array_at(value: Json, path: Path) -> list[Json]:
    """Return a value that must be an array."""
    if not isinstance(value, list):
        raise wrong_kind_at(path, value, "an array [...]")
    return value


def text_at(value: Json, path: Path, expected: str = "a string") -> str:
    """Return a value that must be a string with something in it."""
    if not isinstance(value, str) or not value:
        raise wrong(path, value, expected) if value == "" else wrong_kind_at(path, value, expected)
    return value


def wrong_kind_at(path: Path, value: Json, expected: str) -> Invalid:
    """Refuse a value of a wrong kind, without showing it: it may come from a secure parameter."""
    return Invalid(path, f"{kind_of(value)} is not valid; give {expected}.")
