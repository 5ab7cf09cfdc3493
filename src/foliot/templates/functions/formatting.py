"""`format()`: composite formats of .NET, such as `{0}`, `{1,10}` and `{2:D3}`."""

import re
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation, localcontext

from foliot.core.errors import Invalid, shown
from foliot.core.json_text import Json
from foliot.core.plurals import how_many
from foliot.templates.budget import refuse_long
from foliot.templates.values import text_of

_HOLE = re.compile(
    r"\{\{|\}\}|\{(?P<index>\d{1,3})(?:,\s*(?P<width>-?\d{1,9}))?\s*(?::(?P<form>[^{}]*))?\}|[{}]",
    re.ASCII,
)
_STANDARD = re.compile(r"([DdXxNnFfGg])(\d{0,2})", re.ASCII)
# Enough for the largest number of 64 bits with a point, with 99 digits behind the point.
_PRECISION = 500
_ZEROS = re.compile(r"0{1,30}")


def format_text(pattern: str, *values: Json) -> str:
    """Replace each hole of a pattern by the value that it names."""
    parts: list[str] = []
    length = position = 0
    for hole in _HOLE.finditer(pattern):
        parts += (pattern[position : hole.start()], _filled(hole, values))
        length += len(parts[-1]) + len(parts[-2])
        refuse_long(length)
        position = hole.end()
    return "".join([*parts, pattern[position:]])


def _filled(hole: re.Match[str], values: tuple[Json, ...]) -> str:
    if hole[0] in ("{{", "}}"):
        return hole[0][0]
    if hole["index"] is None:
        raise Invalid(
            (), f"format() has a {hole[0]} at character {hole.start() + 1}; write {hole[0] * 2}."
        )
    index, width = int(hole["index"]), int(hole["width"] or 0)
    if index >= len(values):
        given = how_many(len(values), "value")
        raise Invalid((), f"format() has {shown(hole[0])}, but only {given}.")
    refuse_long(abs(width))
    text = _formatted(values[index], hole["form"] or "")
    return text.ljust(-width) if width < 0 else text.rjust(width)


def _formatted(value: Json, form: str) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float) or not form:
        return text_of(value)
    standard = _STANDARD.fullmatch(form)
    if standard:
        return _number(value, standard[1], int(standard[2]) if standard[2] else None, form)
    if _ZEROS.fullmatch(form) and isinstance(value, int):
        return _number(value, "D", len(form), form)
    raise _unknown(form)


def _number(value: float, letter: str, digits: int | None, form: str) -> str:
    match letter.upper():
        case "D" if isinstance(value, int):
            return f"{'-' if value < 0 else ''}{abs(value):0{digits or 1}d}"
        case "X" if isinstance(value, int):
            number = value if value >= 0 else value + 2**64
            return f"{number:0{digits or 1}{'X' if letter == 'X' else 'x'}}"
        case "N":
            return f"{_rounded(value, digits):,f}"
        case "F":
            return f"{_rounded(value, digits):f}"
        case "G" if digits is None:
            return text_of(value)
        case _:
            raise _unknown(form)


def _rounded(value: float, digits: int | None) -> Decimal:
    """Round half away from zero, as .NET does; 2 digits unless said."""
    with localcontext(prec=_PRECISION):
        step = Decimal(1).scaleb(-(2 if digits is None else digits))
        try:
            return Decimal(value).quantize(step, ROUND_HALF_UP)
        except InvalidOperation:
            raise Invalid((), "the number is too large for this format.") from None


def _unknown(form: str) -> Invalid:
    return Invalid(
        (),
        f"the format {shown(form)} of a number is not supported; give D, X, N or F with the number "
        "of digits, G, or zeros.",
    )
