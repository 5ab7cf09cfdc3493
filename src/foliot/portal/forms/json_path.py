"""Values in JSON by the place they stand at: names with a dot between them."""

from foliot.api.wire.json_reader import Json


def at(body: Json, name: str) -> Json:
    """Return the value at a place, or None."""
    for part in name.split("."):
        if not isinstance(body, dict):
            return None
        body = body.get(part)
    return body


def put(body: dict[str, Json], name: str, value: Json) -> None:
    """Set a value, and make what is missing around it; None takes it away."""
    if value is None:
        remove(body, name)
        return
    *parents, last = name.split(".")
    for part in parents:
        inner = body.get(part)
        if not isinstance(inner, dict):
            inner = body[part] = {}
        body = inner
    body[last] = value


def remove(body: dict[str, Json], name: str) -> None:
    """Take a value away, and what then is empty around it."""
    head, _, rest = name.partition(".")
    inner = body.get(head)
    if not rest:
        body.pop(head, None)
    elif isinstance(inner, dict) and inner:
        remove(inner, rest)
        if not inner:
            del body[head]
