"""Reads values of JSON that anyone may have written: every refusal names the path and the value."""

import json
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeVar

from foliot.api.wire.properties import Properties, wrong_kind
from foliot.core.errors import Invalid, Path, wrong
from foliot.core.json_text import Json

Word = TypeVar("Word")

# The clients' own types for whole numbers hold no more.
_INTEGERS = range(-(2**31), 2**31)
# Published samples write numbers so.
INTEGER_TEXT = "-?[0-9]{1,10}"


def read_text(value: Json, path: Path, expected: str = "a string", *, hides: bool = False) -> str:
    """Read a string."""
    if not isinstance(value, str):
        raise wrong_kind(path, value, expected, hides=hides)
    if "\0" in value:
        raise Invalid(path, "holds a NUL character; leave it out.")
    return value


def without_nulls(fields: Mapping[str, Json]) -> dict[str, Json]:
    """Remove values that are None: an answer never has null."""
    return {name: value for name, value in fields.items() if value is not None}


def optional_text(given: Properties, name: str) -> str | None:
    """Read a string, or None if it is absent."""
    value = given.get(name)
    return None if value is None else read_text(value, given.at(name), hides=given.hides)


def optional_object(given: Properties, name: str) -> Properties | None:
    """Read an object, or None if it is absent."""
    return given.child(name)


def required(given: Properties, name: str, expected: str) -> Json:
    """Read a required value."""
    value = given.get(name)
    if value is None:
        given.refuse_misspelt(name)
        raise Invalid(given.at(name), f"is missing; give {expected}.")
    return value


def required_object(
    given: Properties, name: str, old_names: Mapping[str, str] = MappingProxyType({})
) -> Properties:
    """Read a required object."""
    child = given.child(name, old_names)
    if child is None:
        given.refuse_misspelt(name)
        raise Invalid(given.at(name), "is missing; give an object {...}.")
    return child


def read_strings(value: Json, path: Path, *, hides: bool = False) -> dict[str, str]:
    """Read an object of strings; numbers and booleans become strings."""
    if not isinstance(value, dict):
        raise wrong_kind(path, value, "an object of strings {...}", hides=hides)
    return {
        read_text(key, path): _string_of(each, (*path, key), hides=hides)
        for key, each in value.items()
        if each is not None
    }


def read_word(value: Json, path: Path, words: Mapping[str, Word], expected: str = "") -> Word:
    """Read one of some words, in any letter case; a refusal names them as answers write them."""
    if not isinstance(value, str) or value.lower() not in words:
        names = dict.fromkeys(map(str, words.values()))
        raise wrong(path, value, expected or f"one of {', '.join(names)}")
    return words[value.lower()]


def _string_of(value: Json, path: Path, *, hides: bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return json.dumps(value)
    return read_text(value, path, hides=hides)


def read_integer(value: Json, path: Path, expected: str = "a whole number") -> int:
    """Read a whole number, also one written as 5.0 or as "5", but not true or false."""
    number = value
    if isinstance(value, str) and re.fullmatch(INTEGER_TEXT, value):
        number = int(value)
    if isinstance(value, float) and value.is_integer():
        number = int(value)
    if isinstance(number, bool) or not isinstance(number, int):
        raise wrong(path, value, expected)
    if number not in _INTEGERS:
        raise wrong(path, value, f"{expected} from {_INTEGERS[0]} to {_INTEGERS[-1]}")
    return number


def read_list(value: Json, path: Path, *, single: bool) -> list[Json]:
    """Read a list that is not empty or, if `single` allows it, one value for a list of one."""
    if not isinstance(value, list):
        if single and not isinstance(value, dict):
            return [value]
        raise wrong(path, value, "a value or a list [...]" if single else "a list [...]")
    if not value:
        raise Invalid(path, "[] is empty; give at least one value, or leave it out.")
    return value
