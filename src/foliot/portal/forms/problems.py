"""Collects all problems of a form, so that the user sees them at once.

A refused field gets its stored value, or no value, or a sample value, to find the next problem.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from foliot.api.wire.every_refusal import KEPT, SAMPLE, SAMPLES, every_refusal
from foliot.core.errors import FoliotError, Invalid
from foliot.portal.forms.fields import FormSchema, Values, field_of, input_names
from foliot.portal.forms.labels import full_label_of, label_of
from foliot.portal.forms.posted import Form

Problems = dict[str, str]

# The type that JSON needs does not help a user who left a field empty.
_WHAT_TO_GIVE = re.compile(r"is missing; give an? (string|object \{\.\.\.\})\.")
# Forms also take lengths of time as people write them.
_LENGTH_IN_JSON = 'give ISO 8601 such as "PT30S"'
_LENGTH_IN_FORM = 'give a length of time such as 30s, 5m, 2h or 1d; ISO 8601 such as "PT30S"'
# A client sends secrets, people type them. An empty field of a form is no null.
_AGAIN_IN_JSON, _AGAIN_IN_FORM = "send the secret again", "type the secret again in the form"
_OR_NULL = ", or null for none"
_NO_FORM = FormSchema(())
# Opening a certificate is slow: it is checked when all other fields are valid.
_CERTIFICATE = ".pfx"


class SummaryLine(NamedTuple):
    """A problem in the summary above a form, with the field that it links to."""

    field: str
    words: str


def problems_of(
    form: Form, schema: FormSchema, check: Callable[[Form], object], before: Values | None = None
) -> Problems:
    """Return all problems that a check finds, by field; a problem of no field has an empty name."""
    certificates = frozenset(
        field.name for field in schema.fields if field.name.endswith(_CERTIFICATE)
    )

    def check_in_turn(tried: Form) -> None:
        given = [name for name in certificates if any(tried.all(name))]
        refusal = _refusal(check, tried.having(dict.fromkeys(given, ()))) if given else None
        if refusal is not None and field_of(refusal.path, schema) not in given:
            raise refusal
        check(tried)

    def repairs(name: str) -> Iterator[Callable[[Form], Form]]:
        for values in _replacements(form, schema, name, before or {}):
            yield lambda tried, values=values: tried.having(values)

    found = every_refusal(
        form, check_in_turn, lambda refusal: field_of(refusal.path, schema), repairs
    )
    in_form_order = [each.name for each in schema.fields if each.name in found.refusals]
    return {
        name: describe_problem(name, found.refusals[name].problem)
        for name in dict.fromkeys([*in_form_order, *found.refusals])
    }


def problem_of(refusal: Invalid, schema: FormSchema) -> Problems:
    """Return the problem of one validation error, by field."""
    name = field_of(refusal.path, schema)
    return {name: describe_problem(name, refusal.problem)}


def explain(refusal: FoliotError, schema: FormSchema = _NO_FORM) -> str:
    """Return the message of an error, with the label of its field where the form has one."""
    if not isinstance(refusal, Invalid):
        return str(refusal)
    found = problem_of(refusal, schema)
    if "" not in found:
        return summary_of(found)[0].words
    return str(refusal) if refusal.path else found[""]


def describe_problem(name: str, problem: str) -> str:
    """Return a problem as a sentence, with the label of the field as its subject."""
    plain = _WHAT_TO_GIVE.sub("is missing.", problem).replace('"" is not valid;', "is missing;")
    plain = plain.replace(_LENGTH_IN_JSON, _LENGTH_IN_FORM)
    plain = plain.replace(_OR_NULL, "").replace(_AGAIN_IN_JSON, _AGAIN_IN_FORM)
    if name and plain[:1].islower() and plain.split(" ", 1)[0] in _VERBS:
        return f"{label_of(name)} {plain}"
    return plain[:1].upper() + plain[1:]


def summary_of(problems: Problems) -> list[SummaryLine]:
    """Return the lines of the summary above a form."""
    return [SummaryLine(name, _summed_up(name, words)) for name, words in problems.items()]


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


def _without_certificates(names: Iterable[str]) -> Values:
    """Return values that keep the check from opening these certificates again."""
    return {f"{name.removesuffix(_CERTIFICATE)}.type": [] for name in names}


def _replacements(form: Form, schema: FormSchema, name: str, before: Values) -> Iterator[Values]:
    """Yield the values to try in place of a refused one: stored, empty, sample."""
    field = next((each for each in schema.fields if each.name == name), None)
    if field is None:
        return
    if name.endswith(_CERTIFICATE):
        yield _without_certificates([name])
        return
    names = input_names(field)
    last = name.rpartition(".")[2]
    sample = SAMPLES.get(last, SAMPLE)
    stored: Values = {each: before.get(each, []) for each in names}
    if last in KEPT and not any(stored.values()):
        stored = {name: [KEPT[last]]}
    empty: Values = {each: [] for each in names}
    for values in (stored, empty, {name: [sample]}):
        if any(form.all(each) != value for each, value in values.items()):
            yield values
