"""Writes docs/reference/rest.md from the OpenAPI document: `make api-reference`."""

import sys
from collections.abc import Iterator, Mapping
from typing import Any

from foliot.api.openapi.document import describe
from foliot.api.routes import OPERATIONS
from foliot.core.limits import Limits

_INTRODUCTION = """\
# REST operations

<!-- Written by `make api-reference` from the description of the API in src/foliot/api/openapi. -->

All operations of the API with their parameters, and the shapes of bodies and answers. A running server
has the same at `/openapi.json` and `/docs`. What shapes cannot say is in the [API reference](api.md).

- Every call needs `Authorization: Bearer TOKEN`, except those marked *no token*.
- `…` stands for `/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.Scheduler/jobCollections`.
- A refusal has the shape [Error](#error), with one of these [codes](errors.md).
- *2026-11-01 only*: the older versions of the API do not have the operation.
"""  # noqa: E501  (lines of a document)
_COLLECTIONS = (
    "/subscriptions/{subscription}/resourceGroups/{group}"
    "/providers/Microsoft.Scheduler/jobCollections"
)
# The first section whose beginning a path has gets the path.
_SECTIONS = {
    "Jobs": f"{_COLLECTIONS}/{{collection}}/jobs",
    "Collections": _COLLECTIONS,
    "Deployments": "/subscriptions/{subscription}/resourceGroups/{group}/",
    "Subscriptions, groups and providers": "/subscriptions",
    "Server": "/",
}


def rest_page() -> str:
    """Return the page."""
    document = describe(OPERATIONS, Limits())
    paths: Mapping[str, Any] = document["paths"]
    shapes: Mapping[str, Any] = document["components"]["schemas"]
    return "\n".join([_INTRODUCTION, *_operations(paths), "## Shapes\n", *_shapes(shapes)])


def _operations(paths: Mapping[str, Any]) -> Iterator[str]:
    for title in _SECTIONS:
        yield f"## {title}\n"
        yield "| call | meaning | query | body | answer |\n|---|---|---|---|---|"
        for path, methods in paths.items():
            if _section(path) == title:
                yield from (
                    _operation(path, method, each)
                    for method, each in methods.items()
                    if method != "parameters"
                )
        yield ""


def _section(path: str) -> str:
    return next(title for title, start in _SECTIONS.items() if path.startswith(start))


def _operation(path: str, method: str, operation: Mapping[str, Any]) -> str:
    parameters = {each["name"]: each["schema"] for each in operation.get("parameters", ())}
    versions = parameters.pop("api-version", {}).get("enum", ())
    notes = ["*no token*"] if operation.get("security") == [] else []
    notes += ["*2026-11-01 only*"] if list(versions) == ["2026-11-01"] else []
    cells = (
        f"{method.upper()} `{path.replace(_COLLECTIONS, '…')}`",
        " ".join([operation["summary"], *notes]),
        ", ".join(f"`{name}`" for name in parameters),
        _shape(operation.get("requestBody", {})),
        ", ".join(
            f"{status} {_shape(answer)}".strip()
            for status, answer in operation["responses"].items()
            if status.startswith("2")
        ),
    )
    return f"| {' | '.join(cells)} |"


def _shape(holder: Mapping[str, Any]) -> str:
    schema = holder.get("content", {}).get("application/json", {}).get("schema", {})
    return _link(schema["$ref"]) if "$ref" in schema else ""


def _link(reference: str) -> str:
    name = reference.rpartition("/")[2]
    return f"[{name}](#{name.lower()})"


def _shapes(shapes: Mapping[str, Any]) -> Iterator[str]:
    for name, schema in sorted(shapes.items()):
        yield f"### {name}\n"
        choices = schema.get("anyOf" if "anyOf" in schema else "oneOf", ())
        named = [_link(each["$ref"]) for each in choices if "$ref" in each]
        if named:
            yield f"{', '.join(named)}, or:\n"
        rows = list(_properties(schema, ""))
        rows = rows or [row for each in choices for row in _properties(each, "")]
        if rows:
            yield "| property | value | notes |\n|---|---|---|"
            yield from rows
        else:
            yield "Any object."
        yield ""


def _properties(schema: Mapping[str, Any], prefix: str) -> Iterator[str]:
    """Return a row for each property, and for those of objects inside."""
    for name, each in schema.get("properties", {}).items():
        is_required = name in schema.get("required", ())
        yield f"| `{prefix}{name}` | {_type(each)} | {_notes(each, is_required=is_required)} |"
        for inner, inside in _inside(each):
            yield from _properties(inner, f"{prefix}{name}{inside}.")


def _inside(schema: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], str]]:
    yield schema, ""
    yield schema.get("items", {}), "[]"
    for each in [*schema.get("anyOf", ()), *schema.get("oneOf", ())]:
        yield from _inside(each)


def _type(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return _link(schema["$ref"])
    choices = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    if choices:
        return "object" if "properties" in schema else _choice(choices)
    if "enum" in schema:
        return ", ".join(f"`{each}`" for each in schema["enum"])
    if "items" in schema:
        return f"list of {_type(schema['items'])}"
    if schema.get("format") == "date-time":
        return "time"
    kinds: Any = schema.get("type", "object" if "properties" in schema else "any value")
    # A whole number may be written as a string.
    named = "integer" if kinds == ["integer", "string"] else kinds
    return named if isinstance(named, str) else " or ".join(named)


def _choice(choices: list[Mapping[str, Any]]) -> str:
    # A deprecated spelling is read and not shown.
    named = dict.fromkeys(_type(each) for each in choices if not each.get("deprecated"))
    one_or_many = [each for each in named if f"list of {each}" in named]
    return f"{one_or_many[0]}, one or a list" if one_or_many else " or ".join(named)


_LIMITS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "maxLength": "at most {} characters",
    "maxItems": "at most {} items",
    "maxProperties": "at most {} entries",
}


def _notes(schema: Mapping[str, Any], *, is_required: bool) -> str:
    notes = ["required"] if is_required else []
    notes += ["only in answers"] if schema.get("readOnly") else []
    notes += ["older spelling"] if schema.get("deprecated") else []
    notes += [text.format(schema[name]) for name, text in _LIMITS.items() if name in schema]
    notes += [schema["description"]] if "description" in schema else []
    return "; ".join(notes).replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(rest_page())
