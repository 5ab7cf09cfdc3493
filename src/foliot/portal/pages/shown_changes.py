"""Changes of fields as pages show them: a label, the value before, the value after."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from foliot.api.wire.audit_changes import ValueChange
from foliot.core.credentials import MASK
from foliot.core.json_text import Json
from foliot.core.rules.audit_snapshots import CHANGED_MASK
from foliot.portal.forms.labels import full_label_of
from foliot.portal.pages.job import pretty

_PREFIX: Final = "properties."


class ShownChange(NamedTuple):
    """A field that changed, by its label and its path; None is one that was not there."""

    label: str
    path: str
    before: str | None
    after: str | None


def shown_changes(changes: Iterable[ValueChange]) -> list[ShownChange]:
    """Return changes with labels; of a secret they say only that it was set, changed or removed."""
    return [_shown(part) for each in changes for part in _parts(each)]


def _parts(change: ValueChange) -> Iterator[ValueChange]:
    """Yield the fields of an object that was not there before or is no longer there.

    One with a label of its own, such as tags, is a field itself.
    """
    before, after = change.before, change.after
    match before, after:
        case (None, dict() as fields) | (dict() as fields, None) if fields and not (
            has_label(change.path)
        ):
            for name, value in fields.items():
                was, is_now = (None, value) if before is None else (value, None)
                yield from _parts(ValueChange(f"{change.path}.{name}", was, is_now))
        case _:
            yield change


def value_text(value: Json) -> str | None:
    """Return a value as text; JSON is indented."""
    return value if value is None or isinstance(value, str) else pretty(value)


def has_label(path: str) -> bool:
    """Tell whether forms show a field by a label of its own."""
    try:
        full_label_of(path)
    except KeyError:
        return False
    return True


def field_label(path: str) -> str:
    """Return the label of a field, with the name of a header or tag; else the path itself."""
    if has_label(path):
        return full_label_of(path)
    parent, _, name = path.rpartition(".")
    return f"{full_label_of(parent)}: {name}" if has_label(parent) else path.removeprefix(_PREFIX)


def _shown(change: ValueChange) -> ShownChange:
    before, after = value_text(change.before), value_text(change.after)
    label = field_label(change.path)
    match change.before, change.after:
        case _, str() if change.after == CHANGED_MASK:
            return ShownChange(label, change.path, "(secret)", "changed")
        case None, str() if change.after == MASK:
            return ShownChange(label, change.path, None, "set")
        case str(), None if change.before in (MASK, CHANGED_MASK):
            return ShownChange(label, change.path, "(secret)", "removed")
        case _:
            return ShownChange(label, change.path, before, after)
