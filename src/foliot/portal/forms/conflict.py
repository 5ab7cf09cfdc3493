"""Conflicts: two users changed the same job or collection; merges their changes field by field."""

from collections.abc import Sequence
from typing import NamedTuple

from foliot.api.wire.audit_changes import ValueChange, changes_between
from foliot.core.errors import Conflict
from foliot.core.instant import Instant
from foliot.core.json_text import Json
from foliot.portal.forms.fields import (
    Field,
    FormSchema,
    Kind,
    Values,
    filled_rows,
    input_names,
    is_same,
    posted_values,
    read_values,
    split_items,
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
    mine = _settled_values(form, schema)
    values, differences, taken = dict(mine), list[Difference](), list[Taken]()
    for field in schema.fields:
        is_theirs_new = not is_same(field, other, before) and not is_same(field, other, mine)
        if field.kind is Kind.SECRET or not is_theirs_new:
            continue
        label = full_label_of(field.name)
        old, ours, others = (_on_one_line(field, each) for each in (before, mine, other))
        if is_same(field, mine, before):
            values |= {name: other[name] for name in input_names(field)}
            taken.append(Taken(label, old, others))
        else:
            differences.append(Difference(field.name, label, ours, others))
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


def _settled_values(form: Form, schema: FormSchema) -> Values:
    """Return the values that a user posted, in the inputs in which the form shows a body.

    An item of a list may come from a box or from the text beside it, a row may be left empty.
    """
    posted, values = posted_values(form, schema), Values()
    for field in schema.fields:
        names = input_names(field)
        given = [posted[name] for name in names]
        match field.kind:
            case Kind.INTEGERS:
                values |= {names[0]: split_items(*given), names[1]: []}
            case Kind.PAIRS:
                rows = [each for each in zip(*given, strict=False) if any(each)]
                values |= _columns(names, rows)
            case Kind.WEEKDAYS_OF_MONTH:
                values |= _columns(names, filled_rows(*given))
            case _:
                values[names[0]] = given[0]
    return values


def _columns(names: tuple[str, ...], rows: Sequence[tuple[str, str]]) -> Values:
    return {names[0]: [one for one, _ in rows], names[1]: [other for _, other in rows]}


def _on_one_line(field: Field, values: Values) -> str:
    """Write the value of a field on one line: "9, 17", "Accept: text/plain", "Friday"."""
    first, *others = (values[name] for name in input_names(field))
    match field.kind:
        case Kind.WEEKDAYS_OF_MONTH | Kind.PAIRS:
            every = "every" if field.kind is Kind.WEEKDAYS_OF_MONTH else ""
            rows = zip(first, *others, strict=False)
            return ", ".join(f"{one}: {two or every}" for one, two in rows)
        case Kind.WORDS:
            return ", ".join(each.capitalize() for each in first)
        case _:
            return ", ".join(first)
