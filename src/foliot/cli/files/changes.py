"""Changes of a plan: what happens to a thing, and which of its fields differ."""

from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

from foliot.core.errors import Path
from foliot.core.json_text import Json


class ChangeKind(StrEnum):
    """What happens to a collection, a calendar or a job."""

    CREATE = "create"
    CHANGE = "change"
    RESEND = "resend"
    DELETE = "delete"


class FieldChange(Struct, frozen=True):
    """A field that changes, with what may be shown of its values; None is absent."""

    path: str
    old: Json
    new: Json


def differences(old: Json, new: Json, path: Path = ()) -> Iterator[tuple[Path, Json, Json]]:
    """Go through the values that differ; objects are compared name by name."""
    if old == new:
        return
    if isinstance(old, dict | None) and isinstance(new, dict | None):
        first, second = old or {}, new or {}
        for name in dict.fromkeys([*first, *second]):
            yield from differences(first.get(name), second.get(name), (*path, name))
        if first or second:
            return
    yield path, old, new
