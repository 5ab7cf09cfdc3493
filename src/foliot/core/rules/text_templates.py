"""Fills in the placeholders of an action's texts, such as `{{planned:%Y-%m-%d}}`.

Placeholders may stand in the path and query of an address, in header values, bodies and messages.
They may not stand before the path: egress rules and kept secrets depend on the host as it is saved.
"""

import re
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from functools import lru_cache
from itertools import chain
from typing import NamedTuple
from urllib.parse import quote
from zoneinfo import ZoneInfo

from msgspec import Struct, structs

from foliot.core.errors import Invalid, Path, shown, within
from foliot.core.instant import Instant
from foliot.core.model.action import ActionPart, HttpRequest
from foliot.core.rules.time_formats import check_format, formatted, iso_text

# An escape, a placeholder with its format, or braces that are neither.
_BRACES = re.compile(r"(\{\{\{\{)|\{\{([^{}:]*)(?::([^{}]*))?\}\}|(\{\{)")
_BEFORE_THE_PATH = re.compile(r"[^/?#]*//[^/?#]*|[^/?#]*")
_TIMES = ("planned", "previous")
_NAMES = (*_TIMES, "tag", "attempt", "occurrence", "job", "collection")
_LONGEST_NAME = 30


class TemplateValues(Struct, frozen=True, kw_only=True):
    """The values of one attempt; times are written in the zone of the job's calendar."""

    planned: Instant
    previous: Instant | None
    tag: str
    attempt: int
    occurrence: int
    job: str
    collection: str
    zone: ZoneInfo | None = None


class _Placeholder(NamedTuple):
    name: str
    format: str | None


_Piece = str | _Placeholder
# Like a value, so that an address gets it percent-encoded.
_ESCAPED = _Placeholder("", None)


def check_placeholders(part: ActionPart, path: Path) -> None:
    """Refuse placeholders that are not known, or in an address before its path."""
    for place, text in _texts(part):
        with within(*path, *place):
            _parsed(text)
    if isinstance(part, HttpRequest):
        before = _BEFORE_THE_PATH.match(part.uri)
        outside = [before[0] if before else "", part.uri.partition("#")[2]]
        if any("{{" in text for text in outside):
            problem = "has a placeholder outside of its path and query; write that part out."
            raise Invalid((*path, "uri"), problem)


def names_in(part: ActionPart) -> frozenset[str]:
    """Return the names of all placeholders in the texts of an action."""
    pieces = chain.from_iterable(_parsed(text) for _, text in _texts(part))
    return frozenset(each.name for each in pieces if isinstance(each, _Placeholder))


def filled_in(part: ActionPart, values: TemplateValues) -> ActionPart:
    """Return what an action sends in one attempt."""
    if not isinstance(part, HttpRequest):
        return structs.replace(part, message=_filled(part.message, values))
    headers = part.headers and {
        name: _filled(text, values, _one_line) for name, text in part.headers.items()
    }
    return structs.replace(
        part,
        uri=_filled(part.uri, values, _percent_encoded),
        headers=headers,
        body=part.body and _filled(part.body, values),
    )


def without_placeholders(text: str) -> str:
    """Return a text with a letter in place of each placeholder: what else it holds is checked."""
    return _BRACES.sub("x", text)


def _texts(part: ActionPart) -> Iterator[tuple[Path, str]]:
    if not isinstance(part, HttpRequest):
        yield ("message",), part.message
        return
    yield ("uri",), part.uri
    yield from ((("headers", name), text) for name, text in (part.headers or {}).items())
    yield ("body",), part.body or ""


def _filled(
    text: str, values: TemplateValues, encode: Callable[[str], str] = lambda value: value
) -> str:
    return "".join(
        piece if isinstance(piece, str) else encode(_value(piece, values))
        for piece in _parsed(text)
    )


def _value(placeholder: _Placeholder, values: TemplateValues) -> str:
    name, written = placeholder
    if placeholder is _ESCAPED:
        return "{{"
    value = getattr(values, name)
    if name not in _TIMES:
        return str(value)
    if value is None:
        return ""
    if written is None:
        return iso_text(value, values.zone)
    return formatted(value, values.zone, written)


def _percent_encoded(value: str) -> str:
    return quote(value, safe="")


def _one_line(value: str) -> str:
    # A line break in a header would begin another header.
    return " ".join(value.split())


# An attempt parses the texts that the one before has parsed.
@lru_cache(maxsize=256)
def _parsed(text: str) -> tuple[_Piece, ...]:
    return tuple(_pieces(text))


def _pieces(text: str) -> Iterator[_Piece]:
    done = 0
    for found in _BRACES.finditer(text):
        escape, name, written, open_braces = found.groups()
        yield text[done : found.start()]
        done = found.end()
        if open_braces:
            raise Invalid((), "has {{ without a name and }}; write {{{{ for the braces themselves.")
        yield _ESCAPED if escape else _placeholder(name, written)
    yield text[done:]


def _placeholder(name: str, written: str | None) -> _Placeholder:
    if name not in _NAMES:
        raise Invalid((), f"has {_told(name)}; {_advice(name)} Write {{{{{{{{ for {{{{ itself.")
    if written is not None:
        if name not in _TIMES:
            raise Invalid((), f"has a format for {{{{{name}}}}}; only times have one.")
        if not written:
            raise Invalid((), f"has {{{{{name}:}}}} without a format; give one, or no colon.")
        check_format(written)
    return _Placeholder(name, written)


def _told(name: str) -> str:
    # A text may hold a credential: only what looks like a name is repeated.
    is_name = name.isidentifier() and len(name) <= _LONGEST_NAME
    return f"an unknown placeholder {shown(name)}" if is_name else "an unknown placeholder"


def _advice(name: str) -> str:
    for near in get_close_matches(name[:_LONGEST_NAME].strip().lower(), _NAMES, n=1):
        return f"did you mean {{{{{near}}}}}?"
    return f"the known ones are {', '.join(_NAMES)}."
