"""Functions with the kinds of their arguments, written as `text int? any*`.

A word is a kind, or several: `text|array`. `?` marks an optional argument, `*` any number of them,
`+` at least one.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from foliot.core.errors import Invalid
from foliot.core.json_text import Json
from foliot.core.plurals import how_many
from foliot.templates.values import is_integer, kind_of

_KINDS: dict[str, tuple[str, Callable[[Json], bool]]] = {
    "any": ("any value", lambda _: True),
    "text": ("a string", lambda value: isinstance(value, str)),
    "int": ("a whole number of 64 bits", is_integer),
    "float": ("a number", lambda value: isinstance(value, float)),
    "bool": ("a boolean", lambda value: isinstance(value, bool)),
    "array": ("an array", lambda value: isinstance(value, list)),
    "object": ("an object", lambda value: isinstance(value, dict)),
    "null": ("null", lambda value: value is None),
}


class Function(NamedTuple):
    """A function of the language; `weight` is how slow it is at reading its arguments.

    `text_weight` is how slow it is at reading those that are strings.
    """

    run: Callable[..., Json]
    kinds: tuple[tuple[str, ...], ...]
    least: int
    most: int | None
    weight: int
    text_weight: int


def function(
    run: Callable[..., Json], signature: str, weight: int = 1, of_text: int | None = None
) -> Function:
    """Describe a function by its signature."""
    words = signature.split()
    kinds = tuple(tuple(word.rstrip("?*+").split("|")) for word in words)
    least = sum(not word.endswith(("?", "*")) for word in words)
    repeats = signature.endswith(("*", "+"))
    return Function(run, kinds, least, None if repeats else len(words), weight, of_text or weight)


def check_arguments(name: str, called: Function, arguments: Sequence[Json]) -> None:
    """Refuse a wrong number of arguments, or one of a wrong kind."""
    count = len(arguments)
    if count < called.least or (called.most is not None and count > called.most):
        raise Invalid((), f"{name}() takes {_number(called)}; it is given {count}.")
    for position, argument in enumerate(arguments):
        kinds = called.kinds[min(position, len(called.kinds) - 1)]
        if not any(_KINDS[kind][1](argument) for kind in kinds):
            expected = " or ".join(_KINDS[kind][0] for kind in kinds)
            problem = f"argument {position + 1} of {name}() is {kind_of(argument)}"
            raise Invalid((), f"{problem}; give {expected}.")


def _number(called: Function) -> str:
    match called.most:
        case None:
            return f"{called.least} or more arguments"
        case called.least:
            return how_many(called.least, "argument")
        case _:
            return f"{called.least} to {called.most} arguments"
