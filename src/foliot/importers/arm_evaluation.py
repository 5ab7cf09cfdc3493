"""Evaluates templates for an import: secrets that nobody gave are written as placeholders."""

from collections.abc import Mapping

from foliot.core.errors import Invalid
from foliot.core.json_text import Json
from foliot.importers.hidden_text import environment, variable_name
from foliot.importers.model import ImportOptions, SourceText
from foliot.templates import Template, TemplateScope, parse_template, read_template

_SECURE_TEXT, _SECURE_OBJECT = "securestring", "secureobject"


def evaluate(source: SourceText, parameters: SourceText | None, options: ImportOptions) -> Template:
    """Evaluate a template with the values of a parameter file."""
    document = _parsed(source)
    given = {} if parameters is None else _given(_parsed(parameters))
    values = {**given, **_placeholders(document, given, keeps=options.keeps_secrets)}
    scope = TemplateScope(
        subscription=options.subscription,
        tenant="",
        group=options.group,
        group_location="",
        group_tags={},
        deployment="import",
        now=options.now,
        mode="Incremental",
    )
    try:
        return read_template(document, values, scope)
    except Invalid as refusal:
        is_of_parameter = refusal.path[:1] == ("parameters",)
        hint = " `--parameters FILE` has the values of parameters." if is_of_parameter else ""
        raise Invalid((), f"{source.name}: {refusal}{hint}") from None


def is_template(document: Json) -> bool:
    """Tell whether a document is a template: it has resources."""
    return isinstance(document, dict) and isinstance(document.get("resources"), list | dict)


def _parsed(source: SourceText) -> Json:
    try:
        return parse_template(source.content)
    except Invalid as refusal:
        raise Invalid((), f"{source.name}: {refusal}") from None


def _given(document: Json) -> dict[str, Json]:
    """Return the values of a parameter file, or of an object of values."""
    if isinstance(document, dict) and isinstance(document.get("parameters"), dict):
        document = document["parameters"]
    if not isinstance(document, dict):
        raise Invalid((), "the parameters are not an object {...}.")
    return {
        name: each
        if isinstance(each, dict) and each.keys() & {"value", "reference"}
        else {"value": each}
        for name, each in document.items()
    }


def _placeholders(document: Json, given: Mapping[str, Json], *, keeps: bool) -> dict[str, Json]:
    """Return placeholders for secure parameters: for all, or if kept for those without a value."""
    declared = document.get("parameters") if isinstance(document, dict) else None
    if not isinstance(declared, dict):
        return {}
    found: dict[str, Json] = {}
    for name, declaration in declared.items():
        kind = declaration.get("type") if isinstance(declaration, dict) else None
        value = _value_of(given.get(name))
        if not isinstance(kind, str) or (keeps and value is not None):
            continue
        if kind.lower() == _SECURE_TEXT:
            found[name] = {"value": environment(variable_name(name))}
        elif kind.lower() == _SECURE_OBJECT and isinstance(value, dict):
            found[name] = {"value": _hidden_object(name, value)}
    return found


def _value_of(given: Json) -> Json:
    return given.get("value") if isinstance(given, dict) else None


def _hidden_object(name: str, value: Mapping[str, Json]) -> dict[str, Json]:
    """Replace the texts of a secure object."""
    return {
        field: environment(variable_name(name, field)) if isinstance(each, str) else each
        for field, each in value.items()
    }
