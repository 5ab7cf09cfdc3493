"""The OpenAPI document as a page to read: plain HTML that loads nothing and runs nothing."""

from html import escape
from typing import Any

from msgspec import json

_STYLE = """
:root { color-scheme: light dark; --line: #8886; --soft: #8881; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { margin-bottom: 0; } h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); }
details { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0; padding: .5rem; }
summary { cursor: pointer; } summary code.path { display: block; margin-left: 1rem; opacity: .8; }
code, pre { font: 14px/1.45 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { background: var(--soft); padding: .75rem; border-radius: 6px; overflow: auto; }
b.method { display: inline-block; min-width: 4.5rem; font: 700 14px ui-monospace, monospace; }
table { border-collapse: collapse; width: 100%; } td, th { text-align: left; padding: .2rem .5rem; }
td { border-top: 1px solid var(--line); vertical-align: top; }
"""


def page(document: dict[str, Any]) -> str:
    """Return the page of a document."""
    info = document["info"]
    operations = "".join(
        _operation(path, method, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if method != "parameters"
    )
    schemas = "".join(
        _schema(name, schema) for name, schema in document["components"]["schemas"].items()
    )
    return (
        "<!doctype html><html lang=en><meta charset=utf-8>"
        "<meta name=viewport content='width=device-width'>"
        f"<title>{escape(info['title'])} API</title><style>{_STYLE}</style>"
        f"<h1>{escape(info['title'])} API</h1><p>Version {escape(info['version'])}. "
        f"{escape(info['description'])} The same as <a href='/openapi.json'>OpenAPI</a>.</p>"
        f"<h2>Operations</h2>{operations}<h2>Shapes</h2>{schemas}</html>"
    )


def _operation(path: str, method: str, operation: dict[str, Any]) -> str:
    parameters = "".join(_parameter(each) for each in operation.get("parameters", ()))
    answers = "".join(
        f"<tr><td><code>{status}</code><td>{escape(answer['description'])}{_shape(answer)}"
        for status, answer in operation["responses"].items()
    )
    body = _shape(operation.get("requestBody", {}))
    return (
        f"<details><summary><b class=method>{method.upper()}</b> {escape(operation['summary'])}"
        f"<code class=path>{escape(path)}</code></summary>"
        + (f"<h3>Query</h3><table>{parameters}</table>" if parameters else "")
        + (f"<h3>Body</h3><p>A{body}</p>" if body else "")
        + f"<h3>Answers</h3><table>{answers}</table></details>"
    )


def _parameter(parameter: dict[str, Any]) -> str:
    schema = parameter["schema"]
    allowed = ", ".join(map(str, schema.get("enum", schema.get("examples", ()))))
    wanted = "required" if parameter["required"] else "optional"
    return (
        f"<tr><td><code>{escape(parameter['name'])}</code><td>{schema['type']}, {wanted}"
        f"<td>{escape(allowed)}"
    )


def _shape(holder: dict[str, Any]) -> str:
    schema = holder.get("content", {}).get("application/json", {}).get("schema", {})
    name = schema.get("$ref", "").rpartition("/")[2]
    return f" <a href='#{name}'>{name}</a>" if name else ""


def _schema(name: str, schema: dict[str, Any]) -> str:
    text = escape(json.format(json.encode(schema), indent=2).decode())
    return f"<details id='{name}'><summary><code>{name}</code></summary><pre>{text}</pre></details>"
