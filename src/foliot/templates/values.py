"""Values of expressions: their kinds in words, as text, and when two are equal."""

import json
from math import isfinite

from foliot.core.errors import Invalid
from foliot.core.json_text import Json

# Whole numbers of the language have 64 bits.
INTEGERS = range(-(2**63), 2**63)

_KINDS: dict[type, str] = {
    type(None): "null",
    bool: "a boolean",
    int: "a whole number",
    float: "a number",
    str: "a string",
    list: "an array",
    dict: "an object",
}


def kind_of(value: Json) -> str:
    """Say what a value is, without showing it: it may come from a secure parameter."""
    return _KINDS[type(value)]


def is_integer(value: Json) -> bool:
    """Tell whether a value is a whole number that the language can hold."""
    return isinstance(value, int) and not isinstance(value, bool) and value in INTEGERS


def text_of(value: Json) -> str:
    """Write a value as text, as .NET does: `True`, not `true`; objects as compact JSON."""
    match value:
        case None:
            return ""
        case str():
            return value
        case bool():
            return "True" if value else "False"
        case int():
            return str(value)
        case float():
            return repr(value).removesuffix(".0")
        case list() | dict():
            return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def checked_integer(value: int) -> int:
    """Refuse a result that a whole number of 64 bits cannot hold."""
    if value not in INTEGERS:
        raise Invalid((), "the result does not fit into 64 bits; give smaller numbers.")
    return value


def checked_float(value: float) -> float:
    """Refuse a result that JSON cannot hold."""
    if not isfinite(value):
        raise Invalid((), "the result is no finite number.")
    return value


def identity(value: Json) -> str:
    """Return a text that two values share exactly if they are equal: true is not 1."""
    return json.dumps(value, sort_keys=True)


def are_equal(one: Json, other: Json) -> bool:
    """Tell whether two values are equal, in letter case too."""
    if type(one) is not type(other) or one != other:
        return False
    # Python takes 1 and true for equal, also inside.
    return not isinstance(one, list | dict) or identity(one) == identity(other)


def property_name(value: dict[str, Json], name: str) -> str | None:
    """Find a property: in the letter case as written, else in any."""
    if name in value:
        return name
    folded = name.lower()
    return next((each for each in value if each.lower() == folded), None)
