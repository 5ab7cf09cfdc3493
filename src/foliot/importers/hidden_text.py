"""Texts with secrets in them: written with a placeholder in place of each secret."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

from msgspec import Struct

from foliot.core.credentials import credential_parameters, is_credential_header
from foliot.core.json_text import Json
from foliot.importers.model import NeededValue

PLACEHOLDER = re.compile(r"\$\{(?:env|file):[^${}]{1,1024}\}")
_USER = re.compile(r"^([^/?#]*//)([^/?#]+)@")
_USER_AND_PASSWORD = re.compile(rf"((?:{PLACEHOLDER.pattern}|[^:])*+)(?::(.*))?", re.DOTALL)
# What would be read as an escaped `${`, and is none.
_LITERAL = re.compile(r"\$\$\{(?!env:|file:)")
_NOT_IN_A_VARIABLE = re.compile(r"[^A-Z0-9]+")


class SecretPart(Struct, frozen=True):
    """A secret: a word for its variable, what it is, and its value unless the source lacks it."""

    word: str
    meaning: str
    value: str | None = None


class HiddenText(Struct, frozen=True):
    """A text of which parts are secrets."""

    parts: tuple[str | SecretPart, ...]


def hidden(word: str, meaning: str, value: str | None = None) -> str | HiddenText:
    """Return a text that is a secret as a whole; a value that is a placeholder stays."""
    if value is not None and PLACEHOLDER.search(value):
        return value
    return HiddenText((SecretPart(word, meaning, value),))


def hidden_in_uri(uri: str) -> str | HiddenText:
    """Return an address whose credentials are hidden: of its user, and in its query."""
    parts: list[str | SecretPart] = []
    done = 0
    user = _USER.match(uri)
    if user is not None and not PLACEHOLDER.search(user[2]):
        name, colon, password = user[2].partition(":")
        secret = SecretPart("user_password", "the password in the address", password or name)
        parts += [user[1] + (name + colon if password else ""), secret]
        done = user.end(2)
    for name, value in credential_parameters(uri):
        if value.start() >= done and value[0] and not PLACEHOLDER.search(value[0]):
            secret = SecretPart(name, f'the parameter "{name}" of the address', value[0])
            parts += [uri[done : value.start()], secret]
            done = value.end()
    return HiddenText((*parts, uri[done:])) if parts else uri


def hidden_in_headers(headers: Mapping[str, str]) -> dict[str, str | HiddenText]:
    """Return headers; the values of those that carry a credential are hidden."""
    return {
        name: hidden(name, f'the header "{name}"', value) if is_credential_header(name) else value
        for name, value in headers.items()
    }


def split_user(text: str) -> tuple[str, str]:
    """Return user and password of `user:password`; a colon inside a placeholder does not count."""
    match = _USER_AND_PASSWORD.fullmatch(text)
    assert match is not None  # noqa: S101  (any text matches)
    return match[1], match[2] or ""


def environment(name: str) -> str:
    """Return the placeholder for a variable of the environment."""
    return f"${{env:{name}}}"


def variable_name(*words: str) -> str:
    """Return words as the name of a variable: `nightly`, `api key` as `NIGHTLY_API_KEY`."""
    name = "_".join(_NOT_IN_A_VARIABLE.sub("_", each.upper()).strip("_") for each in words)
    return f"_{name}" if name[:1].isdigit() else name


def escaped(text: str) -> str:
    """Return a text so that filling in placeholders leaves it as it is."""
    return text.replace("${", "$${")


def reveal(
    value: Any, placeholder: Callable[[SecretPart], str], *, keeps: bool
) -> tuple[Json, list[NeededValue]]:
    """Write every hidden text: its secrets as placeholders, or as they are if they are kept."""
    needed: dict[str, str] = {}

    def written(part: str | SecretPart) -> str:
        if isinstance(part, str):
            return _LITERAL.sub("$$${", part)
        if keeps and part.value is not None:
            return escaped(part.value)
        found = placeholder(part)
        needed[found] = part.meaning
        return found

    def walk(inner: Any) -> Json:
        match inner:
            case HiddenText(parts=parts):
                return "".join(map(written, parts))
            case str():
                return written(inner)
            case dict():
                fields = cast("dict[str, Any]", inner)
                return {name: walk(each) for name, each in fields.items()}
            case list():
                return [walk(each) for each in cast("list[Any]", inner)]
            case _:
                return inner

    found = walk(value)
    for each in placeholders_in(found):
        needed.setdefault(each, "a value that is not in the source")
    return found, [NeededValue(name, meaning) for name, meaning in needed.items()]


def placeholders_in(value: Json) -> Iterator[str]:
    """Go through the placeholders in all texts of a value."""
    match value:
        case str():
            yield from PLACEHOLDER.findall(value)
        case dict():
            for each in value.values():
                yield from placeholders_in(each)
        case list():
            for each in value:
                yield from placeholders_in(each)
        case _:
            pass
