"""Functions on numbers and booleans, and comparisons. `if` is part of the evaluation."""

import re

from foliot.core.errors import Invalid
from foliot.core.json_text import Json
from foliot.templates.functions.signature import function
from foliot.templates.values import are_equal, checked_float, checked_integer

_WHOLE = re.compile(r"[-+]?\d{1,19}", re.ASCII)
_DECIMAL = re.compile(r"[-+]?\d{1,300}(?:\.\d{1,300})?(?:[eE][-+]?\d{1,3})?", re.ASCII)
_BOOLEANS = {"true": True, "false": False, "1": True, "0": False}


def _add(one: int, other: int) -> int:
    return checked_integer(one + other)


def _sub(one: int, other: int) -> int:
    return checked_integer(one - other)


def _mul(one: int, other: int) -> int:
    return checked_integer(one * other)


def _div(one: int, other: int) -> int:
    """Divide and round towards zero, as .NET does."""
    _refuse_zero("div", other)
    quotient = abs(one) // abs(other)
    return checked_integer(quotient if (one < 0) == (other < 0) else -quotient)


def _mod(one: int, other: int) -> int:
    """Return the remainder, with the sign of the first number, as .NET does."""
    _refuse_zero("mod", other)
    remainder = abs(one) % abs(other)
    return -remainder if one < 0 else remainder


def _refuse_zero(name: str, divisor: int) -> None:
    if divisor == 0:
        raise Invalid((), f"argument 2 of {name}() is 0; nothing can be divided by it.")


def _int(value: str | float) -> int:
    if isinstance(value, str) and not _WHOLE.fullmatch(value):
        raise Invalid((), "int() is given a string that is no whole number of 64 bits.")
    try:
        return checked_integer(int(value))
    except OverflowError:
        raise Invalid((), "int() is given a number that is not finite.") from None


def _float(value: str | float) -> float:
    if isinstance(value, str) and not _DECIMAL.fullmatch(value):
        raise Invalid((), "float() is given a string that is no number.")
    return checked_float(float(value))


def _bool(value: str | int) -> bool:
    if isinstance(value, str):
        found = _BOOLEANS.get(value.lower())
        if found is None:
            raise Invalid((), "bool() is given a string that is neither 'true' nor 'false'.")
        return found
    return value != 0


def _coalesce(*values: Json) -> Json:
    return next((each for each in values if each is not None), None)


def _compared(one: str | int, other: str | int) -> int:
    """Return a number that is negative, zero or positive as the first value is smaller or not."""
    if isinstance(one, str) and isinstance(other, str):
        return (one > other) - (one < other)
    if isinstance(one, int) and isinstance(other, int):
        return (one > other) - (one < other)
    raise Invalid((), "a comparison takes two whole numbers or two strings.")


def _less(one: str | int, other: str | int) -> bool:
    return _compared(one, other) < 0


def _less_or_equals(one: str | int, other: str | int) -> bool:
    return _compared(one, other) <= 0


def _greater(one: str | int, other: str | int) -> bool:
    return _compared(one, other) > 0


def _greater_or_equals(one: str | int, other: str | int) -> bool:
    return _compared(one, other) >= 0


def _and(*values: bool) -> bool:
    return all(values)


def _or(*values: bool) -> bool:
    return any(values)


def _not(value: Json) -> bool:
    return not value


_TWO = "text|int text|int"

LOGIC_FUNCTIONS = {
    "add": function(_add, "int int"),
    "and": function(_and, "bool bool bool*"),
    "bool": function(_bool, "text|int|bool"),
    "coalesce": function(_coalesce, "any+"),
    "div": function(_div, "int int"),
    "equals": function(are_equal, "any any", 2),
    "false": function(lambda: False, ""),
    "float": function(_float, "text|int|float"),
    "greater": function(_greater, _TWO),
    "greaterOrEquals": function(_greater_or_equals, _TWO),
    "int": function(_int, "text|int|float"),
    "less": function(_less, _TWO),
    "lessOrEquals": function(_less_or_equals, _TWO),
    "mod": function(_mod, "int int"),
    "mul": function(_mul, "int int"),
    "not": function(_not, "bool"),
    "null": function(lambda: None, ""),
    "or": function(_or, "bool bool bool*"),
    "sub": function(_sub, "int int"),
    "true": function(lambda: True, ""),
}
