"""Commands that take text, whole numbers and flags without Typer's conversion of values.

Typer converts values with pydantic, which takes longer to load than `foliot next` takes. Text,
several texts and flags need no conversion, and a whole number is one call of `int`; a wrong one is
refused here. Everything else is left to Typer.
"""

import difflib
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.exceptions import TyperException

from foliot.core.errors import shown

_NUMBER = re.compile(r"[0-9]{1,18}", re.ASCII)
# An option that may be given several times, and one that takes two texts.
_SEVERAL_TEXTS = (list[str], tuple[str, str])

# Options of some commands that mean what others call by another name.
_SAME = {"--from": "--since", "--to": "--until", "--since": "--from", "--until": "--to"}
_CLOSE = 0.7

_Parameter = TyperArgument | TyperOption


class PlainCommand(TyperCommand):
    """A command whose values are plain."""

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters, with that of the help."""
        return _plain(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; an unknown option is told with those that may be meant."""
        try:
            return super().parse_args(ctx, args)
        except TyperException as error:
            # An option without its value does not say which command it is of.
            error.__dict__.update(ctx=getattr(error, "ctx", None) or ctx)
            unknown = getattr(error, "option_name", "")
            if hasattr(error, "possibilities"):
                names = [name for each in self.params for name in each.opts]
                error.__dict__["possibilities"] = _meant(unknown, names)
            raise


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
        if isinstance(each, TyperOption) and each.is_flag:
            # Or help would name a type, as if a flag took a value.
            each.display_type_rich = _no_type
        if isinstance(each, _Parameter) and "process_value" not in vars(each):
            each.process_value = partial(_take, each, each.process_value)
    return parameters


def _no_type(ctx: Any) -> None:  # noqa: ARG001  (of the base class)
    return None


def _meant(unknown: str, names: Sequence[str]) -> list[str]:
    same = _SAME.get(unknown, "")
    return [same] if same in names else difflib.get_close_matches(unknown, names, cutoff=_CLOSE)


def _take(parameter: _Parameter, convert: Callable[[Any, Any], Any], ctx: Any, value: Any) -> Any:
    # Not every version of Typer has it; with another one all values are left to Typer.
    described = getattr(parameter, "type_descriptor", None)
    if described is None:
        return convert(ctx, value)
    if described.annotation is int and isinstance(value, str):
        value = _whole_number(parameter, ctx, value)
    if not _is_plain(parameter, described.annotation, value):
        return convert(ctx, value)
    return value if parameter.callback is None else parameter.callback(ctx, parameter, value)


def _is_plain(parameter: _Parameter, expected: Any, value: Any) -> bool:
    if value is None:
        return not parameter.required
    if expected in _SEVERAL_TEXTS:
        return isinstance(value, list | tuple)
    return expected in {str, int, bool} and isinstance(value, expected)


def _whole_number(parameter: _Parameter, ctx: Any, text: str) -> int:
    """Read a whole number within the range of its option."""
    limits = parameter.type_descriptor.parameter_info
    low, high = limits.min or 0, limits.max
    number = int(text) if _NUMBER.fullmatch(text) else -1
    if number < low or (high is not None and number > high):
        expected = f"of at least {low}" if high is None else f"from {low} to {high}"
        problem = f"{shown(text)} is not valid; give a whole number {expected}."
        raise typer.BadParameter(problem, ctx, parameter)
    return number
