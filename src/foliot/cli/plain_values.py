"""Commands that take text, whole numbers and flags without Typer's conversion of values.

Typer converts values with pydantic, which takes longer to load than `foliot next` takes. Text,
several texts and flags need no conversion, and a whole number is one call of `int`. Everything
else, and every value that is refused, is left to Typer.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

_MAX_DIGITS = 9
# An option that may be given several times, and one that takes two texts.
_SEVERAL_TEXTS = (list[str], tuple[str, str])

_Parameter = TyperArgument | TyperOption


class PlainCommand(TyperCommand):
    """A command whose values are plain."""

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters, with that of the help."""
        return _plain(super().get_params(ctx))


class PlainGroup(TyperGroup):
    """A group of commands; the values of its own parameters are plain."""

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters, with that of the help."""
        return _plain(super().get_params(ctx))


def examples_text(text: str) -> str | None:
    """Return examples, one to a line, as the end of a command's help."""
    # A blank line between two lines keeps them apart: help joins the lines of a paragraph.
    lines = [line for line in text.splitlines() if line]
    return "\n\n".join(["Examples:", *lines]) if lines else None


def _plain(parameters: Sequence[Any]) -> Sequence[Any]:
    for each in parameters:
        if isinstance(each, _Parameter) and "process_value" not in vars(each):
            each.process_value = partial(_take, each, each.process_value)
    return parameters


def _take(parameter: _Parameter, convert: Callable[[Any, Any], Any], ctx: Any, value: Any) -> Any:
    if _is_whole_number(parameter, value):
        value = int(value)
    if not _is_plain(parameter, value):
        return convert(ctx, value)
    return value if parameter.callback is None else parameter.callback(ctx, parameter, value)


def _is_plain(parameter: _Parameter, value: Any) -> bool:
    expected = parameter.type_descriptor.annotation
    if value is None:
        return not parameter.required
    if expected in _SEVERAL_TEXTS:
        return isinstance(value, list | tuple)
    return expected in {str, int, bool} and isinstance(value, expected)


def _is_whole_number(parameter: _Parameter, value: Any) -> bool:
    """Tell whether a value is the text of a whole number within the range of its option."""
    if parameter.type_descriptor.annotation is not int or not isinstance(value, str):
        return False
    if not (value.isascii() and value.isdigit() and len(value) <= _MAX_DIGITS):
        return False
    limits = parameter.type_descriptor.parameter_info
    is_large_enough = limits.min is None or int(value) >= limits.min
    return is_large_enough and (limits.max is None or int(value) <= limits.max)
