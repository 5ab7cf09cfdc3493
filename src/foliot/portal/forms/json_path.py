"""Reads and writes values in JSON by path: property names with dots between them."""

from foliot.core.json_text import Json


def value_at(body: Json, name: str) -> Json:
    """Return the value at a path, or None."""
    for part in name.split("."):
        if not isinstance(body, dict):
            return None
        body = body.get(part)
    return body


def set_value(body: dict[str, Json], name: str, value: Json) -> None:
    """Set the value at a path and create missing parents; None removes the value."""
    if value is None:
        remove_value(body, name)
        return
    *parents, last = name.split(".")
    for part in parents:
        inner = body.get(part)
        if not isinstance(inner, dict):
            inner = body[part] = {}
        body = inner
    body[last] = value


def remove_value(body: dict[str, Json], name: str) -> None:
    """Remove the value at a path, and parents that become empty."""
    head, _, rest = name.partition(".")
    inner = body.get(head)
    if not rest:
        body.pop(head, None)
    elif isinstance(inner, dict) and inner:
        remove_value(inner, rest)
        if not inner:
            del body[head]
