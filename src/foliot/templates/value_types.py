"""The types of parameters and outputs."""

from typing import NamedTuple

from foliot.core.errors import wrong
from foliot.core.json_text import Json
from foliot.templates.elements import Elements
from foliot.templates.values import is_integer


class ValueType(NamedTuple):
    """A type as answers write it, in words, and whether its values are secrets."""

    name: str
    expected: str
    is_secure: bool = False

    def accepts(self, value: Json) -> bool:
        """Tell whether a value is of this type."""
        match self.name:
            case "String" | "SecureString":
                return isinstance(value, str)
            case "Int":
                return is_integer(value)
            case "Bool":
                return isinstance(value, bool)
            case "Array":
                return isinstance(value, list)
            case _:
                return isinstance(value, dict)


_ALL = (
    ValueType("String", "a string"),
    ValueType("SecureString", "a string", is_secure=True),
    ValueType("Int", "a whole number"),
    ValueType("Bool", "true or false"),
    ValueType("Object", "an object {...}"),
    ValueType("SecureObject", "an object {...}", is_secure=True),
    ValueType("Array", "an array [...]"),
)
_TYPES = {each.name.lower(): each for each in _ALL}


def read_type(elements: Elements) -> ValueType:
    """Read the `type` of a parameter or of an output, in any letter case."""
    names = "string, securestring, int, bool, object, secureObject or array"
    name = elements.required("type", names)
    if not isinstance(name, str) or name.lower() not in _TYPES:
        raise wrong(elements.at("type"), name, names)
    return _TYPES[name.lower()]
