"""Placeholders in texts of jobs: `${env:NAME}` and `${file:PATH}`; `$${` stands for `${`.

Another `${` may belong to the text, such as `${HOME}` in a body. In a credential it is refused: it
is a placeholder that was written wrong, and would be sent as the password.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, cast

from msgspec import Struct

from foliot.core.credentials import is_credential_header
from foliot.core.errors import Invalid, Path
from foliot.core.json_text import Json
from foliot.core.secret import Secret

_PARTS = re.compile(r"\$\$\{|\$\{(env|file):([^${}]{1,1024})\}|\$\{((?i:env|file):)?")


class FilledText(Struct, frozen=True):
    """A text whose placeholders were filled in: as it is written in the file, and its value."""

    written: str
    value: Secret


# Returns the value of a variable or the content of a file, or None if there is none.
FindValue = Callable[[str, str], str | None]


class MissingValues(Exception):
    """Placeholders that have no value: path in the job, and placeholder."""

    def __init__(self, missing: list[tuple[Path, str]]) -> None:
        super().__init__()
        self.missing = missing


def fill_placeholders(properties: Json, find: FindValue) -> Any:
    """Return properties of a job with a `FilledText` for each text that has placeholders."""
    missing: list[tuple[Path, str]] = []

    def filled(text: str, path: Path) -> str | FilledText:
        has_values = False

        def value(match: "re.Match[str]") -> str:
            nonlocal has_values
            if match[0] == "$${":
                return "${"
            if match[1] is None:
                if match[3] or _is_credential(path):
                    raise Invalid(path, _NO_PLACEHOLDER)
                return match[0]
            has_values = True
            found = find(match[1], match[2])
            if found is None:
                missing.append((path, match[0]))
            return found or ""

        result = _PARTS.sub(value, text)
        return FilledText(text, Secret(result)) if has_values else result

    found = _walk(properties, (), filled)
    if missing:
        raise MissingValues(missing)
    return found


_NO_PLACEHOLDER = (
    "has a ${ that begins no placeholder; write ${env:NAME} or ${file:PATH}, or $${ for a plain ${."
)


def _is_credential(path: Path) -> bool:
    name = path[-1] if path else ""
    return isinstance(name, str) and (is_credential_header(name) or name.lower() == "pfx")


def _walk(value: Json, path: Path, text: Callable[[str, Path], Any]) -> Any:
    match value:
        case str():
            return text(value, path)
        case dict():
            return {name: _walk(each, (*path, name), text) for name, each in value.items()}
        case list():
            return [_walk(each, (*path, index), text) for index, each in enumerate(value)]
        case _:
            return value


def written_with(value: Any, text: Callable[[FilledText], Json]) -> Any:
    """Return a value with something else in place of each filled text."""
    match value:
        case FilledText():
            return text(value)
        case dict():
            fields = cast("dict[str, Any]", value)
            return {name: written_with(each, text) for name, each in fields.items()}
        case list():
            return [written_with(each, text) for each in cast("list[Any]", value)]
        case _:
            return value


def revealed(value: Any) -> Any:
    """Return a value with the values of its placeholders."""
    return written_with(value, lambda text: text.value.reveal())


def filled_places(value: Any, path: Path = ()) -> Iterator[tuple[Path, FilledText]]:
    """Go through the filled texts of a value, with their paths in lower case."""
    match value:
        case FilledText():
            yield path, value
        case dict():
            for name, each in cast("dict[str, Any]", value).items():
                yield from filled_places(each, (*path, name.lower()))
        case list():
            for index, each in enumerate(cast("list[Any]", value)):
                yield from filled_places(each, (*path, index))
        case _:
            pass
