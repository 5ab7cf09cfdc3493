"""The fields of the collection form, and the reading of a new collection."""

from collections.abc import Callable
from functools import partial

from foliot.api.wire.collection import decode_collection
from foliot.core.errors import Invalid
from foliot.core.ids import CollectionKey, check_group, check_name, check_subscription
from foliot.core.model.collection import Collection
from foliot.core.model.token import Scope
from foliot.core.rules.tags_and_location import check_labels
from foliot.portal.forms.fields import Choice, Field, FormSchema, Kind, write_body
from foliot.portal.forms.posted import Form
from foliot.portal.forms.problems import Problems, describe_problem, problems_of

# The field that chooses a collection: its subscription, group and name.
INTO = "into"
_MAX_RECURRENCE = "properties.quota.maxRecurrence"
_LABELS_AND_PLAN = (Field("location"), Field("properties.sku.name"))

COLLECTION_FORM = FormSchema(
    fields=(
        *_LABELS_AND_PLAN,
        Field("tags", Kind.PAIRS),
        Field("properties.state"),
        Field("properties.quota.maxJobCount", Kind.INTEGER),
        Field("properties.quota.maxJobOccurrence", Kind.INTEGER),
        Field(f"{_MAX_RECURRENCE}.frequency"),
        Field(f"{_MAX_RECURRENCE}.interval", Kind.INTEGER),
    ),
    choices=(Choice(f"{_MAX_RECURRENCE}.frequency", removes=_MAX_RECURRENCE),),
)
# The part of it that the form of a new job has: there, `properties.state` is the job's.
SHORT_COLLECTION_FORM = FormSchema(_LABELS_AND_PLAN)

_NAME_CHECKS: dict[str, Callable[[str], object]] = {
    "collection": partial(check_name, ("name",)),
    "subscription": check_subscription,
    "group": check_group,
}


def names_in(form: Form) -> dict[str, str]:
    """Return the parts of the key that a user typed, by field."""
    return {name: form.get(name).strip() for name in _NAME_CHECKS}


def key_in(form: Form) -> CollectionKey:
    """Return the key that a user typed."""
    names = names_in(form)
    return CollectionKey(names["subscription"], names["group"], names["collection"])


def key_from_text(text: str) -> CollectionKey | None:
    """Return the collection that a list of collections names, or None."""
    parts = text.split("/")
    return CollectionKey(*parts) if len(parts) == len(CollectionKey.__struct_fields__) else None


def read_new_collection(form: Form, schema: FormSchema, scope: Scope) -> Collection | Problems:
    """Read a new collection that lies in a scope, or return all problems."""
    key = key_in(form)

    def read_one(tried: Form) -> Collection:
        made = decode_collection(write_body(tried, schema, {}), key, knows_premium_tiers=True)
        check_labels(made)
        return made

    problems = _problems_of_names(names_in(form), scope) | problems_of(form, schema, read_one)
    return problems or read_one(form)


def _problems_of_names(names: dict[str, str], scope: Scope) -> Problems:
    problems: Problems = {}
    for name, check in _NAME_CHECKS.items():
        only = getattr(scope, name)
        try:
            check(names[name])
        except Invalid as refusal:
            problems[name] = describe_problem(name, refusal.problem)
        else:
            if only is not None and names[name].lower() != only:
                words = f"is outside the scope of your token; give {only}."
                problems[name] = describe_problem(name, words)
    return problems
