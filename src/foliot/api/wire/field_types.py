"""The types of fields that several objects have: text, secrets, words, numbers, times, lists."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from foliot.api.wire.clients import WireClient
from foliot.api.wire.duration import DURATION_SCHEMA, encode_duration, read_duration
from foliot.api.wire.fields import FieldType, Schema
from foliot.api.wire.json_reader import (
    INTEGER_TEXT,
    Properties,
    read_integer,
    read_list,
    read_strings,
    read_text,
    read_word,
)
from foliot.core.errors import Invalid, Path, within, wrong
from foliot.core.instant import Instant, format_instant, parse_instant
from foliot.core.json_text import Json
from foliot.core.secret import Secret

Element = TypeVar("Element")

_INSTANT: Schema = {"type": "string", "format": "date-time"}


def read_given_text(given: Properties, name: str) -> str:
    """Read a string."""
    return read_text(given.get(name), given.at(name), hides=given.hides)


def _secret(given: Properties, name: str) -> Secret:
    """Read a secret; no message tells its value."""
    return Secret(read_text(given.get(name), given.at(name), hides=True))


def _strings(given: Properties, name: str) -> dict[str, str]:
    return read_strings(given.get(name), given.at(name), hides=given.hides)


def _boolean(given: Properties, name: str) -> bool:
    value = given.get(name)
    if not isinstance(value, bool):
        raise wrong(given.at(name), value, "true or false")
    return value


def _instant(given: Properties, name: str) -> Instant:
    text = read_given_text(given, name)
    with within(*given.at(name)):
        return parse_instant(text)


def _integer(given: Properties, name: str) -> int:
    return read_integer(given.get(name), given.at(name))


def integer_schema(least: int, most: int | None = None) -> Schema:
    """Return the JSON Schema of a whole number; it cannot limit one that is written as a string."""
    limits = {"minimum": least} if most is None else {"minimum": least, "maximum": most}
    return {"type": ["integer", "string"], "pattern": f"^{INTEGER_TEXT}$", **limits}


def _leave_out(_value: Secret, _client: WireClient) -> None:
    """Write nothing: nobody gets a secret back."""


def _write_strings(value: dict[str, str], _client: WireClient) -> Json:
    return dict(value)


def _write_instant(value: Instant, _client: WireClient) -> str:
    return format_instant(value)


TEXT = FieldType(read_given_text, {"type": "string"}, expected="a string")
SECRET = FieldType(
    _secret,
    {"type": "string", "writeOnly": True, "description": "never given back"},
    encode=_leave_out,
)
STRINGS = FieldType(
    _strings,
    {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}},
    encode=_write_strings,
)
BOOLEAN = FieldType(_boolean, {"type": "boolean"})
INTEGER = FieldType(_integer, integer_schema(0))
ANSWERED_INTEGER = FieldType(_integer, {"type": "integer", "minimum": 0})
INSTANT = FieldType(_instant, _INSTANT, encode=_write_instant)
DURATION = FieldType(read_duration, DURATION_SCHEMA, encode=encode_duration)


def described(kind: FieldType, **more: Any) -> FieldType:
    """Return a type with more in its JSON Schema."""
    return kind._replace(schema={**kind.schema, **more})


def read_only(kind: FieldType) -> FieldType:
    """Return a type whose values come only from us."""
    return described(kind, readOnly=True)._replace(decode=None)


def word(words: Mapping[str, str], *, expected: str = "", old: Iterable[str] = ()) -> FieldType:
    """Return the type of one of some words, in any letter case; some may be old ones."""

    def read(given: Properties, name: str) -> str:
        return read_word(given.get(name), given.at(name), words, expected)

    schema: Schema = words_schema(dict.fromkeys(map(str, words.values())))
    if old:
        schema = {"anyOf": [schema, {"enum": list(old), "deprecated": True}]}
    return FieldType(read, schema, expected=expected)


def words_schema(words: Iterable[str]) -> Schema:
    """Return the JSON Schema of one of some words; it cannot say that letter case is free."""
    return {"type": "string", "enum": list(words), "description": "in any letter case"}


def integer_from(least: int, most: int) -> FieldType:
    """Return the type of a whole number with limits."""

    def read(given: Properties, name: str) -> int:
        number = _integer(given, name)
        if not least <= number <= most:
            raise wrong(given.at(name), number, f"a whole number from {least} to {most}")
        return number

    return FieldType(read, integer_schema(least, most))


def list_of(
    read_item: Callable[[Json, Path], Element],
    schema: Schema,
    *,
    write_item: Callable[[Element], Json] | None = None,
    single: bool = True,
    most: int | None = None,
) -> FieldType:
    """Return the type of a list, or a value for a list of one; each value counts once."""

    def read(given: Properties, name: str) -> tuple[Element, ...]:
        value, path = given.get(name), given.at(name)
        items = read_list(value, path, single=single)
        if most is not None and len(items) > most:
            raise Invalid(path, f"{len(items)} values are too many; give at most {most}.")
        # The place of an item is named only where the client wrote a list.
        paths = [(*path, index) if isinstance(value, list) else path for index in range(len(items))]
        return tuple(dict.fromkeys(map(read_item, items, paths)))

    def write(items: tuple[Any, ...], _client: WireClient) -> Json:
        return (list(items) if write_item is None else [*map(write_item, items)]) or None

    limit = {} if most is None else {"maxItems": most}
    values: Schema = {"type": "array", "items": schema, "minItems": 1, **limit}
    return FieldType(
        read,
        {"anyOf": [values, schema]} if single else values,
        encode=write,
        absent=(),
    )
