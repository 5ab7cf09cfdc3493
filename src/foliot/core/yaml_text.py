"""Reads YAML that anyone may have written, within limits, and writes YAML."""

import re
from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any

import yaml
from msgspec import Struct

from foliot.core.errors import Invalid, shown
from foliot.core.json_text import Json

_MAX_LEVELS = 64
_MAX_VALUES = 200_000
_TOO_MANY = (
    f"the YAML has more than {_MAX_VALUES} values, aliases written out; give less at a time."
)
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

Words = Mapping[str, Json]
# The words that mean what the same JSON means: `on`, `no` and `2026-03-01` stay text.
JSON_WORDS: Words = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
# The words of YAML 1.1, which Kubernetes reads.
YAML_WORDS: Words = {
    **JSON_WORDS,
    **dict.fromkeys(("yes", "Yes", "YES", "on", "On", "ON"), True),
    **dict.fromkeys(("no", "No", "NO", "off", "Off", "OFF"), False),
}
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})")
_FLOAT = re.compile(
    r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[-+]?[0-9]+[eE][-+]?[0-9]+"
)
_OCTAL = re.compile(r"[-+]?0o[0-7]+")
_OTHER_LINE_ENDS = re.compile("[\x85\u2028\u2029]")
_STRING_TAG = "tag:yaml.org,2002:str"


def parse_yaml(text: bytes, words: Words) -> list[Json]:
    """Read the documents of a YAML text: plain values only, no name twice, bounded aliases."""
    try:
        parse: Any = yaml.parse  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        events: Iterator[Any] = parse(text.decode("utf-8-sig"), Loader=_LOADER)
        return [each for each in _Builder(words).documents(events) if each is not None]
    except UnicodeDecodeError as error:
        raise Invalid((), f"the text is not UTF-8: byte {error.start + 1} is invalid.") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = "" if mark is None else f" at line {mark.line + 1}, column {mark.column + 1}"
        raise Invalid(
            (), f"the text is not YAML: {error.problem or 'unreadable'}{where}."
        ) from None
    except yaml.YAMLError:
        problem = "the text is not YAML: it holds a character that is not allowed in it."
        raise Invalid((), problem) from None


def write_yaml(documents: list[Json]) -> str:
    """Write documents as YAML, texts of several lines as blocks."""
    return yaml.dump_all(
        documents,
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=100,
        explicit_start=len(documents) > 1,
    )


class _Built(Struct, frozen=True):
    """A value with the number of values in it, aliases written out."""

    value: Json
    size: int


class _Builder:
    """Builds plain values from the events of a YAML text."""

    def __init__(self, words: Words) -> None:
        self._words = words
        self._total = 0
        self._anchors: dict[str, _Built] = {}

    def documents(self, events: Iterator[Any]) -> Iterator[Json]:
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                self._anchors = {}
                yield self._value(next(events), events, 1).value

    def _value(self, event: Any, events: Iterator[Any], level: int) -> _Built:
        if level > _MAX_LEVELS:
            raise Invalid((), f"the YAML is nested too deeply; give at most {_MAX_LEVELS} levels.")
        if isinstance(event, yaml.AliasEvent):
            return self._count(self._alias(event))
        _refuse_tag(event)
        if isinstance(event, yaml.SequenceStartEvent):
            built = self._sequence(events, level)
        elif isinstance(event, yaml.MappingStartEvent):
            built = self._mapping(events, level)
        else:
            built = self._count(_Built(_scalar(event, self._words), 1))
        if event.anchor:
            self._anchors[event.anchor] = built
        return built

    def _count(self, built: _Built) -> _Built:
        self._total += built.size
        if self._total > _MAX_VALUES:
            raise Invalid((), _TOO_MANY)
        return built

    def _alias(self, event: Any) -> _Built:
        found = self._anchors.get(event.anchor)
        if found is None:
            problem = f"the alias *{event.anchor} in the YAML has no anchor before it"
            raise Invalid((), f"{problem}, at {_line(event)}.")
        return found

    def _sequence(self, events: Iterator[Any], level: int) -> _Built:
        items: list[_Built] = []
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            items.append(self._value(event, events, level + 1))
        return _Built([each.value for each in items], 1 + sum(each.size for each in items))

    def _mapping(self, events: Iterator[Any], level: int) -> _Built:
        found: dict[str, Json] = {}
        merged: dict[str, Json] = {}
        size = 1
        while not isinstance(event := next(events), yaml.MappingEndEvent):
            name = _name(event)
            built = self._value(next(events), events, level + 1)
            size += 1 + built.size
            if name == "<<" and not event.style:
                merged = {**_merged(built.value), **merged}
            elif name in found:
                problem = f"an object has the name {shown(name)} twice, again at {_line(event)}"
                raise Invalid((), f"{problem}; give it once.")
            else:
                found[name] = built.value
        return _Built({**merged, **found}, size)


def _line(event: Any) -> str:
    return f"line {event.start_mark.line + 1}"


def _name(event: Any) -> str:
    if not isinstance(event, yaml.ScalarEvent):
        problem = f"a name in the YAML is a list or an object, at {_line(event)}"
        raise Invalid((), f"{problem}; give a text, in quotes if it has braces or brackets.")
    return event.value


def _merged(value: Json) -> dict[str, Json]:
    """Return what `<<` adds to an object: one object, or several of which the first wins."""
    if isinstance(value, dict):
        return value
    if isinstance(value, list) and all(isinstance(each, dict) for each in value):
        found: dict[str, Json] = {}
        for each in value:
            found = {**(each if isinstance(each, dict) else {}), **found}
        return found
    raise Invalid((), "the value of << in the YAML is not an object; give an alias of one.")


def _refuse_tag(event: Any) -> None:
    """Refuse a tag, which would make something else of a value; a text may be called one."""
    allowed = (None, "!", _STRING_TAG) if isinstance(event, yaml.ScalarEvent) else (None, "!")
    if event.tag not in allowed:
        problem = f"the YAML has the tag {shown(event.tag)} at {_line(event)}"
        raise Invalid((), f"{problem}; give plain values only.")


def _scalar(event: Any, words: Words) -> Json:
    text: str = event.value
    if not event.implicit[0] or event.tag == _STRING_TAG:
        return text
    if text in words:
        return words[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) and isfinite(float(text)) else text


class _Dumper(yaml.SafeDumper):
    """Writes lists inside objects indented, and no aliases."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002  (of the base class)
        return True


def _write_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    # Numbers of YAML 1.2, which PyYAML would write as they are.
    if _FLOAT.fullmatch(text) or _OCTAL.fullmatch(text):
        style = "'"
    # PyYAML reads these as ends of lines, and writes some of them as they are.
    if _OTHER_LINE_ENDS.search(text):
        style = '"'
    return dumper.represent_scalar(  # pyright: ignore[reportUnknownMemberType]
        _STRING_TAG, text, style=style
    )


_Dumper.add_representer(str, _write_text)
