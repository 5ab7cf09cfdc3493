"""Conflicts: two users changed the same job or collection; merges their changes field by field."""

from typing import NamedTuple

from foliot.api.wire.audit_changes import ValueChange, changes_between
from foliot.api.wire.json_reader import Json
from foliot.core.errors import Conflict
from foliot.core.instant import Instant
from foliot.portal.forms.fields import (
    Field,
    FormSchema,
    Kind,
    Values,
    input_names,
    posted_values,
    read_values,
)
from foliot.portal.forms.labels import full_label_of
from foliot.portal.forms.posted import Form
from foliot.portal.forms.problems import Problems

# Inputs of this name list the fields for which the user chose the other user's value.
TAKE = "take"


class ChangedMeanwhile(Conflict):
    """Another user saved a change after this form was opened."""


class NameTaken(Conflict):
    """A job or collection of this name exists already; the field is that of the name."""

    def __init__(self, field: str, words: str) -> None:
        super().__init__(words)
        self.field = field


def problem_of_conflict(refusal: Conflict) -> Problems:
    """Return the problem of a conflict, by field; most have none."""
    return {refusal.field if isinstance(refusal, NameTaken) else "": str(refusal)}


class Difference(NamedTuple):
    """A field that both users changed, with the value of each."""

    field: str
    label: str
    mine: str
    theirs: str


class Taken(NamedTuple):
    """A field that only the other user changed: its value before and now."""

    label: str
    before: str
    now: str


class LastChange(NamedTuple):
    """Who changed the job or collection last, and when; None is not recorded."""

    by: str | None = None
    at: Instant | None = None


class Merged(NamedTuple):
    """The values of the form after a merge, the fields in conflict, the fields taken."""

    values: Values
    differences: list[Difference]
    taken: list[Taken]
    change: LastChange = LastChange()


class MergedJson(NamedTuple):
    """A merged body; `taken` are the changes of the other user, `kept` those that both made."""

    body: Json
    taken: list[ValueChange]
    kept: list[ValueChange]


def merge_forms(form: Form, schema: FormSchema, original: Json, theirs: Json) -> Merged:
    """Merge a form with another user's save; only fields that both changed are in conflict."""
    before, other = read_values(original, schema), read_values(theirs, schema)
    mine = posted_values(form, schema)
    values, differences, taken = dict(mine), list[Difference](), list[Taken]()
    for field in schema.fields:
        if field.kind is Kind.SECRET:
            continue
        old, ours, others = (_comparable(field, each) for each in (before, mine, other))
        if others in (old, ours):
            continue
        label = full_label_of(field.name)
        if ours == old:
            values |= {name: other.get(name, []) for name in input_names(field)}
            taken.append(Taken(label, _on_one_line(field, old), _on_one_line(field, others)))
        else:
            my_text, their_text = _on_one_line(field, ours), _on_one_line(field, others)
            differences.append(Difference(field.name, label, my_text, their_text))
    return Merged(values, differences, taken)


def merge_json(original: Json, mine: Json, theirs: Json) -> MergedJson:
    """Merge two changes of a body; where both changed a field, this user's value stays."""
    theirs_by_path = {each.path: each for each in changes_between(original, theirs)}
    body = _merged(original, mine, theirs)
    left = {each.path for each in changes_between(body, theirs)}
    return MergedJson(
        body,
        taken=[each for path, each in theirs_by_path.items() if path not in left],
        kept=[
            ValueChange(each.path, each.before, each.after)
            for each in changes_between(mine, theirs)
            if each.path in theirs_by_path and each.path in left
        ],
    )


def _merged(original: Json, mine: Json, theirs: Json) -> Json:
    if mine == original:
        return theirs
    if not (isinstance(mine, dict) and isinstance(theirs, dict)):
        return mine
    before = original if isinstance(original, dict) else {}
    merged = {
        name: _merged(before.get(name), mine.get(name), theirs.get(name))
        for name in dict.fromkeys([*mine, *theirs])
    }
    return {
        name: value
        for name, value in merged.items()
        if value is not None or (name in mine and mine[name] is None)
    }


def with_theirs(form: Form, schema: FormSchema, original: Json) -> Form:
    """Return the form with the other user's value in the fields where this user chose it."""
    preferred = form.all(TAKE)
    theirs = read_values(original, schema)
    names = [
        name for field in schema.fields if field.name in preferred for name in input_names(field)
    ]
    return form.having({name: theirs.get(name, []) for name in names})


def _comparable(field: Field, values: Values) -> tuple[tuple[str, ...], ...]:
    """Return the value of a field in a form that compares equal when it looks the same."""
    columns = [[each for each in values.get(name, []) if each] for name in input_names(field)]
    if field.kind is Kind.WORDS:
        return (tuple(sorted(columns[0])),)
    if field.kind is Kind.INTEGERS:
        return (tuple(sorted([*columns[0], *columns[1]])),)
    return tuple(tuple(each.replace("\r\n", "\n") for each in column) for column in columns)


def _on_one_line(field: Field, columns: tuple[tuple[str, ...], ...]) -> str:
    """Write the value of a field on one line: "9, 17", "Accept: text/plain", "Friday"."""
    if len(columns) == 1:
        is_word = field.kind is Kind.WORDS
        return ", ".join(each.capitalize() if is_word else each for each in columns[0])
    first, second = columns
    return ", ".join(f"{one}: {two}" for one, two in zip(first, second, strict=False))
