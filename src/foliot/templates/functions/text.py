"""Functions on strings."""

from foliot.core.errors import Invalid
from foliot.core.json_text import Json
from foliot.templates.budget import refuse_long, refuse_many
from foliot.templates.functions.formatting import format_text
from foliot.templates.functions.signature import function
from foliot.templates.values import text_of

_MOST_DELIMITERS = 10


def _concat(first: Json, *others: Json) -> Json:
    parts = (first, *others)
    if isinstance(first, list):
        arrays = [part for part in parts if isinstance(part, list)]
        if len(arrays) < len(parts):
            raise Invalid((), "concat() takes only arrays or only strings, not both.")
        refuse_many(sum(map(len, arrays)))
        return [each for array in arrays for each in array]
    if any(isinstance(part, list) for part in parts):
        raise Invalid((), "concat() takes only arrays or only strings, not both.")
    return _joined([text_of(part) for part in parts], "")


def _joined(texts: list[str], delimiter: str) -> str:
    refuse_long(sum(map(len, texts)) + len(delimiter) * len(texts))
    return delimiter.join(texts)


def _join(array: list[Json], delimiter: str) -> str:
    return _joined([text_of(each) for each in array], delimiter)


def _substring(text: str, start: int, length: int | None = None) -> str:
    end = len(text) if length is None else start + length
    if not 0 <= start <= end <= len(text):
        raise Invalid(
            (),
            f"substring() asks for characters {start} to {end} of a string of {len(text)}; "
            "give a start and a length within the string.",
        )
    return text[start:end]


def _replace(text: str, old: str, new: str) -> str:
    if not old:
        raise Invalid((), "argument 2 of replace() is an empty string; give the text to replace.")
    refuse_long(len(text) + text.count(old) * (len(new) - len(old)))
    return text.replace(old, new)


def _split(text: str, delimiters: str | list[Json]) -> list[Json]:
    given = [delimiters] if isinstance(delimiters, str) else delimiters
    if len(given) > _MOST_DELIMITERS:
        problem = f"split() is given {len(given)} delimiters; {_MOST_DELIMITERS} are allowed."
        raise Invalid((), problem)
    pieces: list[str] = [text]
    for delimiter in given:
        if not isinstance(delimiter, str):
            raise Invalid((), "argument 2 of split() holds a value that is no string.")
        if delimiter:
            refuse_many(len(pieces) + sum(piece.count(delimiter) for piece in pieces))
            pieces = [part for piece in pieces for part in piece.split(delimiter)]
    return list(pieces)


def _pad_left(value: str | int, length: int, padding: str = " ") -> str:
    if len(padding) != 1:
        raise Invalid((), f"argument 3 of padLeft() has {len(padding)} characters; give 1.")
    refuse_long(length)
    return text_of(value).rjust(length, padding)


def _index_of(text: str, part: str) -> int:
    return text.lower().find(part.lower())


def _last_index_of(text: str, part: str) -> int:
    # From behind, since rfind() may compare each character of one with each of the other.
    behind = text.lower()[::-1].find(part.lower()[::-1])
    return behind if behind < 0 else len(text.lower()) - len(part.lower()) - behind


def _starts_with(text: str, part: str) -> bool:
    return text.lower().startswith(part.lower())


def _ends_with(text: str, part: str) -> bool:
    return text.lower().endswith(part.lower())


TEXT_FUNCTIONS = {
    "concat": function(_concat, "text|int|bool|array any*"),
    "endsWith": function(_ends_with, "text text"),
    "format": function(format_text, "text any*", 48),
    "indexOf": function(_index_of, "text text", 8),
    "join": function(_join, "array text"),
    "lastIndexOf": function(_last_index_of, "text text", 8),
    "padLeft": function(_pad_left, "text|int int text?"),
    "replace": function(_replace, "text text text", 8),
    "split": function(_split, "text text|array", 48),
    "startsWith": function(_starts_with, "text text"),
    "string": function(text_of, "any"),
    "substring": function(_substring, "text int int?"),
    "toLower": function(str.lower, "text"),
    "toUpper": function(str.upper, "text"),
    "trim": function(str.strip, "text"),
}
