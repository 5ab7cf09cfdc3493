"""Documents of a source, JSON or YAML, and objects in them whose values have the right type."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from foliot.core.errors import Invalid, Path
from foliot.core.json_text import Json, parse_json
from foliot.core.yaml_text import YAML_WORDS, parse_yaml
from foliot.importers.model import SourceText
from foliot.templates.values import kind_of

Value = TypeVar("Value")


def read_documents(source: SourceText) -> list[Json]:
    """Read the JSON document of a file, or its YAML documents."""
    try:
        if source.content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
            return [parse_json(source.content)]
        return parse_yaml(source.content, YAML_WORDS)
    except Invalid as refusal:
        raise Invalid((), f"{source.name}: {refusal}") from None


def read_json(source: SourceText) -> Json:
    """Read the JSON document of a file."""
    try:
        return parse_json(source.content)
    except Invalid as refusal:
        raise Invalid((), f"{source.name}: {refusal}") from None


class Fields:
    """An object of a document: reads fields by name, and refuses a value of another type."""

    def __init__(self, value: Json, path: Path = ()) -> None:
        if not isinstance(value, dict):
            raise _wrong_kind(path, value, "an object {...}")
        self._values = value
        self.path = path

    def __contains__(self, name: str) -> bool:
        return self._values.get(name) is not None

    def get(self, name: str) -> Json:
        """Return a value of any type; an absent one is None."""
        return self._values.get(name)

    def text(self, name: str, default: str = "") -> str:
        """Return a text."""
        value = self._of(name, str, default)
        if "\0" in value:
            raise Invalid((*self.path, name), "holds a NUL character; leave it out.")
        return value

    def required_text(self, name: str) -> str:
        """Return a text that must be there."""
        if not self.text(name):
            raise Invalid((*self.path, name), "is missing.")
        return self.text(name)

    def flag(self, name: str) -> bool:
        """Return true or false."""
        return self._of(name, bool, default=False)

    def number(self, name: str, default: int) -> int:
        """Return a whole number, which may be written as a text."""
        value = self._values.get(name)
        if value is None:
            return default
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16:  # noqa: PLR2004
            return int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise _wrong_kind((*self.path, name), value, "a whole number")
        return value

    def object(self, name: str) -> "Fields":
        """Return an object; an absent one is empty."""
        value = self._values.get(name)
        return Fields({} if value is None else value, (*self.path, name))

    def items(self, name: str) -> list[Json]:
        """Return a list; an absent one is empty, and a single value is a list of one."""
        value = self._values.get(name)
        if value is None:
            return []
        return value if isinstance(value, list) else [value]

    def objects(self, name: str) -> Iterator["Fields"]:
        """Go through a list of objects."""
        for index, each in enumerate(self.items(name)):
            yield Fields(each, (*self.path, name, index))

    def texts(self, name: str) -> dict[str, str]:
        """Return an object of texts."""
        given = self.object(name)
        return {each: given.text_of(each) for each in given.names()}

    def text_of(self, name: str) -> str:
        """Return a text, a number or true or false as a text."""
        value = self._values.get(name)
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, int | float):
            return f"{value}"
        return self.text(name)

    def names(self) -> list[str]:
        """Return the names of the fields."""
        return list(self._values)

    def as_json(self) -> dict[str, Json]:
        """Return the object as it is."""
        return self._values

    def _of(self, name: str, kind: type[Value], default: Value) -> Value:
        value = self._values.get(name)
        if value is None:
            return default
        if not isinstance(value, kind):
            expected = {"str": "a text", "bool": "true or false"}[kind.__name__]
            raise _wrong_kind((*self.path, name), value, expected)
        return value


def strings(values: Sequence[Json], path: Path) -> list[str]:
    """Return a list of texts; another element is refused."""
    for index, each in enumerate(values):
        if not isinstance(each, str):
            raise _wrong_kind((*path, index), each, "a text")
    return [each for each in values if isinstance(each, str)]


def _wrong_kind(path: Path, value: Json, expected: str) -> Invalid:
    """Return the refusal of a value, which is not shown: it may be a secret."""
    return Invalid(path, f"{kind_of(value)} is not valid; give {expected}.")
