"""Expressions of Logic Apps: parameters and settings are filled in, others are refused."""

import re
from collections.abc import Mapping

from foliot.core.errors import Invalid, shown
from foliot.core.json_text import Json
from foliot.importers.bounded_text import substitute
from foliot.importers.documents import Fields
from foliot.importers.hidden_text import environment, variable_name

_CALL = r"(parameters|appsetting)\(\s*'([^']{1,200})'\s*\)"
_WHOLE = re.compile(rf"@{_CALL}", re.IGNORECASE)
_INSIDE = re.compile(rf"@\{{\s*{_CALL}\s*\}}", re.IGNORECASE)


def read_values(definition: Fields, given: Fields) -> dict[str, Json]:
    """Return the values of a workflow's parameters; a secure one without a value is needed."""
    values: dict[str, Json] = {}
    for name in definition.object("parameters").names():
        declared = definition.object("parameters").object(name)
        value = given.object(name).get("value") if name in given else None
        if value is None:
            value = declared.get("defaultValue")
        if value is None and declared.text("type").lower() == "securestring":
            value = environment(variable_name(name))
        values[name.lower()] = value
    return values


def resolved(value: Json, values: Mapping[str, Json]) -> Json:
    """Fill in the parameters and settings in all texts of a value."""
    match value:
        case str():
            return _text(value, values)
        case dict():
            return {name: resolved(each, values) for name, each in value.items()}
        case list():
            return [resolved(each, values) for each in value]
        case _:
            return value


def _text(text: str, values: Mapping[str, Json]) -> Json:
    whole = _WHOLE.fullmatch(text)
    if whole is not None:
        return _value(whole, values)
    if text.startswith("@@"):
        return text[1:]
    found = substitute(_INSIDE, text, lambda match: f"{_value(match, values)}")
    if (text.startswith("@") and not _INSIDE.match(text)) or "@{" in _INSIDE.sub("", text):
        raise Invalid(
            (),
            f"the expression {shown(_expression(text))} is computed by Logic Apps; write its "
            "value, or a text template such as {{planned}}.",
        )
    return found


def _expression(text: str) -> str:
    """Return the expression in a text: what stands around it may be a secret."""
    inside = re.search(r"@\{[^}]*\}?", text)
    return inside[0] if inside else text


def _value(match: re.Match[str], values: Mapping[str, Json]) -> Json:
    kind, name = match.groups()
    if kind.lower() == "appsetting":
        return environment(name)
    value = values.get(name.lower())
    if value is None:
        raise Invalid((), f"the parameter {shown(name)} of the workflow has no value.")
    return value
