"""Everything that is wrong with a form, at once.

Decoders stop at the first value they refuse. So a refused field gets the value it had before, or is
emptied, or filled where it must not be empty, and the form is tried again until nothing is refused
any more.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from foliot.core.errors import FoliotError, Invalid
from foliot.portal.forms.fields import Shape, Values, field_of, inputs_of
from foliot.portal.forms.labels import full_label_of, label_of
from foliot.portal.forms.posted import Form

Problems = dict[str, str]

# What JSON would have to hold says nothing to someone before an empty field.
_WHAT_TO_GIVE = re.compile(r"is missing; give an? (string|object \{\.\.\.\})\.")
_MOST_PROBLEMS = 20
_NO_FORM = Shape(())
# What a field can hold that must hold something, by the end of its name.
_SAMPLES = {"uri": "https://localhost/", "method": "GET"}
_SAMPLE = "x"
# To open a certificate takes long: it is tried once, when all else is in order.
_COSTLY = ".pfx"


class Told(NamedTuple):
    """A problem as the summary of a form tells it, with the field it leads to."""

    field: str
    words: str


def problems_of(
    form: Form, shape: Shape, check: Callable[[Form], object], before: Values | None = None
) -> Problems:
    """Return what a check refuses of a form, by field; what belongs to none has no name."""
    problems: Problems = {}
    costly: Values = _costly(form, shape)
    tried, mends = form.having(dict.fromkeys(costly, ())), dict[str, Iterator[Values]]()
    while len(problems) < _MOST_PROBLEMS:
        refusal = _refusal(check, tried)
        name = "" if refusal is None else field_of(refusal.path, shape)
        if costly and (refusal is None or name in costly):
            refusal = _refusal(check, tried.having(costly))
            if refusal is None:
                break
            name = field_of(refusal.path, shape)
            if name in costly:
                problems[name] = in_words(name, refusal.problem)
            # The others wait, unless something else has to be mended before they can be tried.
            done: set[str] = {name} if name in costly else set(costly)
            costly = {each: costly[each] for each in costly if each not in done}
            tried = tried.having(_without_certificates(done))
            continue
        if refusal is None:
            break
        problems.setdefault(name, in_words(name, refusal.problem))
        values = next(mends.setdefault(name, _mends(form, shape, name, before or {})), None)
        if values is None:
            break
        tried = tried.having(values)
    return problems


def problem_of(refusal: Invalid, shape: Shape) -> Problems:
    """Return what is wrong with the field that a refusal is about."""
    name = field_of(refusal.path, shape)
    return {name: in_words(name, refusal.problem)}


def told(refusal: FoliotError, shape: Shape = _NO_FORM) -> str:
    """Say why something is refused, by the label of the field where a form has it."""
    if not isinstance(refusal, Invalid):
        return str(refusal)
    found = problem_of(refusal, shape)
    if "" not in found:
        return summary_of(found)[0].words
    return str(refusal) if refusal.path else found[""]


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


def _costly(form: Form, shape: Shape) -> Values:
    names = (field.name for field in shape.fields if field.name.endswith(_COSTLY))
    return {name: form.all(name) for name in names if any(form.all(name))}


def _without_certificates(names: Iterable[str]) -> Values:
    """Return inputs with which certificates that were tried are not opened again."""
    return {f"{name.removesuffix(_COSTLY)}.type": [] for name in names}


def _mends(form: Form, shape: Shape, name: str, before: Values) -> Iterator[Values]:
    """Go through what can take the place of what is refused in a field."""
    field = next((each for each in shape.fields if each.name == name), None)
    if field is None:
        return
    if name.endswith(_COSTLY):
        yield _without_certificates([name])
        return
    names = inputs_of(field)
    sample = _SAMPLES.get(name.rpartition(".")[2], _SAMPLE)
    stored: Values = {each: before.get(each, []) for each in names}
    empty: Values = {each: [] for each in names}
    for values in (stored, empty, {name: [sample]}):
        if any(form.all(each) != value for each, value in values.items()):
            yield values
