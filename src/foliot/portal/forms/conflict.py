"""Two people changed the same thing: what each of them wants, and a form that has both."""

from typing import NamedTuple

from foliot.api.wire.json_reader import Json
from foliot.portal.forms.fields import Field, Kind, Shape, Values, entered, inputs_of, read
from foliot.portal.forms.labels import full_label_of
from foliot.portal.forms.posted import Form

# Inputs of this name hold the fields in which the other person's value is to be taken.
TAKE = "take"


class Difference(NamedTuple):
    """A field that two people want to be different."""

    field: str
    label: str
    mine: str
    theirs: str


class Merged(NamedTuple):
    """A form over what is stored now: where only one of two changed a field, that value counts."""

    values: Values
    differences: list[Difference]
    taken: list[str]


def merge_forms(form: Form, shape: Shape, was: Json, theirs: Json) -> Merged:
    """Lay a form over what someone else has saved since it was made."""
    before, mine, other = read(was, shape), entered(form, shape), read(theirs, shape)
    values, differences, taken = dict(mine), list[Difference](), list[str]()
    for field in shape.fields:
        if field.kind is Kind.SECRET:
            continue
        was_so, is_mine, is_other = (_of(field, each) for each in (before, mine, other))
        if is_other in (was_so, is_mine):
            continue
        label = full_label_of(field.name)
        if is_mine == was_so:
            values |= {name: other.get(name, []) for name in inputs_of(field)}
            taken.append(label)
        else:
            mine_told, theirs_told = _told(field, is_mine), _told(field, is_other)
            differences.append(Difference(field.name, label, mine_told, theirs_told))
    return Merged(values, differences, taken)


def with_theirs(form: Form, shape: Shape, was: Json) -> Form:
    """Return the form with the other person's value in the fields where it was preferred."""
    preferred = form.all(TAKE)
    theirs = read(was, shape)
    names = [name for field in shape.fields if field.name in preferred for name in inputs_of(field)]
    return form.having({name: theirs.get(name, []) for name in names})


def _of(field: Field, values: Values) -> tuple[tuple[str, ...], ...]:
    """Return what is in a field, such that what looks the same is the same."""
    columns = [[each for each in values.get(name, []) if each] for name in inputs_of(field)]
    if field.kind is Kind.WORDS:
        return (tuple(sorted(columns[0])),)
    if field.kind is Kind.INTEGERS:
        return (tuple(sorted([*columns[0], *columns[1]])),)
    return tuple(tuple(each.replace("\r\n", "\n") for each in column) for column in columns)


def _told(field: Field, columns: tuple[tuple[str, ...], ...]) -> str:
    """Write what is in a field on a line: 9, 17 or Accept: text/plain or Friday."""
    if len(columns) == 1:
        is_word = field.kind is Kind.WORDS
        return ", ".join(each.capitalize() if is_word else each for each in columns[0])
    first, second = columns
    return ", ".join(f"{one}: {two}" for one, two in zip(first, second, strict=False))
