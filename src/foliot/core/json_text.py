"""Reads JSON text that anyone may have written, strictly."""

import json
from collections.abc import Iterable
from math import isfinite
from typing import NoReturn, cast

from foliot.core.errors import Invalid, shown

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

_MAX_LEVELS = 64
_TOO_DEEP = f"the JSON is nested too deeply; give at most {_MAX_LEVELS} levels."


def parse_json(text: bytes) -> Json:
    """Read one JSON document, strictly: UTF-8, no name twice in an object, finite numbers."""
    if not text.strip():
        raise Invalid((), "the text is empty; give a JSON object {...}.")
    try:
        found = json.loads(
            text.decode("utf-8-sig"),
            object_pairs_hook=_object_without_duplicates,
            parse_constant=_refuse_constant,
            parse_float=_finite,
        )
        if b"\\u" in text:
            # Half of a surrogate pair can be stored, but an answer cannot encode it.
            json.dumps(found, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise Invalid((), _problem(error)) from None
    if text.count(b"{") + text.count(b"[") > _MAX_LEVELS and is_deeper_than(_MAX_LEVELS, found):
        raise Invalid((), _TOO_DEEP)
    return cast("Json", found)


def _problem(error: ValueError | RecursionError) -> str:
    match error:
        case UnicodeDecodeError():
            return f"the text is not UTF-8: byte {error.start + 1} is invalid."
        case UnicodeEncodeError():
            return "a string holds half of a surrogate pair (\\ud800 to \\udfff); give both halves."
        case json.JSONDecodeError():
            where = f"at line {error.lineno}, column {error.colno}"
            return f"the text is not JSON: {error.msg.removesuffix(' at')} {where}."
        case RecursionError():
            return _TOO_DEEP
        case _:
            # json passes thousands of digits to int(), which refuses them.
            return "the JSON holds a number with too many digits."


def is_deeper_than(levels: int, value: Json) -> bool:
    """Tell whether lists and objects are nested in more levels than so many."""
    level = [value]
    for _ in range(levels):
        level = [inner for each in level for inner in _inside(each)]
        if not level:
            return False
    return True


def _inside(value: Json) -> Iterable[Json]:
    match value:
        case dict():
            return value.values()
        case list():
            return value
        case _:
            return ()


def _object_without_duplicates(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for name, value in pairs:
        if name in found:
            raise Invalid((), f"an object has the name {shown(name)} twice; give it once.")
        found[name] = value
    return found


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise Invalid((), "the JSON holds a number that is too large; give less than 1e308.")
    return number


def _refuse_constant(name: str) -> NoReturn:
    raise Invalid((), f"the text is not JSON: {name} is not a JSON number.")
