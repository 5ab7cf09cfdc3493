"""Changes of fields as pages show them: a label, the value before, the value after."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from foliot.api.wire.audit_changes import ValueChange
from foliot.api.wire.json_reader import Json
from foliot.core.credentials import MASK
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
    return [_shown(each) for each in changes]


def value_text(value: Json) -> str | None:
    """Return a value as text; JSON is indented."""
    return value if value is None or isinstance(value, str) else pretty(value)


def field_label(path: str) -> str:
    """Return the label of a field, with the name of a header or tag; else the path itself."""
    try:
        return full_label_of(path)
    except KeyError:
        pass
    parent, _, name = path.rpartition(".")
    try:
        return f"{full_label_of(parent)}: {name}"
    except KeyError:
        return path.removeprefix(_PREFIX)


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
