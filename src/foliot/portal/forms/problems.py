"""Everything that is wrong with a form, at once.

Decoders stop at the first value they refuse. So a refused field is emptied, or filled where it must
not be empty, and the form is tried again until nothing is refused any more.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from foliot.core.errors import Invalid
from foliot.portal.forms.fields import Field, Shape, field_of, inputs_of
from foliot.portal.forms.labels import full_label_of, label_of
from foliot.portal.forms.posted import Form

Problems = dict[str, str]

# What JSON would have to hold says nothing to someone before an empty field.
_WHAT_TO_GIVE = re.compile(r"is missing; give an? (string|object \{\.\.\.\})\.")
_MOST_PROBLEMS = 20
# What a field can hold that must hold something, by the end of its name.
_SAMPLES = {"uri": "https://localhost/", "method": "GET"}
_SAMPLE = "x"
# To open a certificate takes long: it is tried once, when all else is in order.
_COSTLY = ".pfx"


class Told(NamedTuple):
    """A problem as the summary of a form tells it, with the field it leads to."""

    field: str
    words: str


def problems_of(form: Form, shape: Shape, check: Callable[[Form], object]) -> Problems:
    """Return what a check refuses of a form, by field; what belongs to none has no name."""
    problems: Problems = {}
    costly = [field.name for field in shape.fields if field.name.endswith(_COSTLY)]
    tried = form.having(dict.fromkeys(costly, ()))
    while len(problems) < _MOST_PROBLEMS:
        refusal = _refusal(check, tried)
        if refusal is None:
            kept = {name: form.all(name) for name in costly}
            last = _refusal(check, tried.having(kept)) if any(map(any, kept.values())) else None
            return problems | ({} if last is None else problem_of(last, shape))
        problems |= {k: v for k, v in problem_of(refusal, shape).items() if k not in problems}
        mended = _mended(tried, shape, field_of(refusal.path, shape))
        if mended is None:
            break
        tried = mended
    return problems


def problem_of(refusal: Invalid, shape: Shape) -> Problems:
    """Return what is wrong with the field that a refusal is about."""
    name = field_of(refusal.path, shape)
    return {name: in_words(name, refusal.problem)}


def in_words(name: str, problem: str) -> str:
    """Say what is wrong with a field, by its label where the problem begins with a verb."""
    plain = _WHAT_TO_GIVE.sub("is missing.", problem).replace('"" is not valid;', "is missing;")
    if name and plain[:1].islower() and plain.split(" ", 1)[0] in _VERBS:
        return f"{label_of(name)} {plain}"
    return plain[:1].upper() + plain[1:]


def summary_of(problems: Problems) -> list[Told]:
    """Return the problems as the summary above a form lists them."""
    return [Told(name, _summed_up(name, words)) for name, words in problems.items()]


_VERBS = ("is", "has", "have", "holds", "cannot", "does", "must")


def _summed_up(name: str, words: str) -> str:
    if not name:
        return words
    label, full = label_of(name), full_label_of(name)
    return f"{full}{words.removeprefix(label)}" if words.startswith(label) else f"{full}: {words}"


def _refusal(check: Callable[[Form], object], form: Form) -> Invalid | None:
    try:
        check(form)
    except Invalid as refusal:
        return refusal
    return None


def _mended(form: Form, shape: Shape, name: str) -> Form | None:
    """Return the form without what is wrong in a field, or None if that cannot be had."""
    field = next((each for each in shape.fields if each.name == name), None)
    if field is None:
        return None
    sample = _SAMPLES.get(name.rpartition(".")[2], _SAMPLE)
    if form.get(name) == sample:
        return None
    return form.having({name: (sample,)} if _is_empty(form, field) else _emptied(field))


def _is_empty(form: Form, field: Field) -> bool:
    return not any(value for name in inputs_of(field) for value in form.all(name))


def _emptied(field: Field) -> dict[str, tuple[str, ...]]:
    return dict.fromkeys(inputs_of(field), ())
