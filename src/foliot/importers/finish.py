"""Finishes drafts: gives jobs their names, writes placeholders, and sorts jobs into collections."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TypeVar

from foliot.core.errors import Invalid, shown
from foliot.core.ids import MAX_NAME, CollectionKey
from foliot.core.json_text import Json
from foliot.core.model.collection import Sku
from foliot.core.rules.quota import PLANS
from foliot.importers.hidden_text import SecretPart, environment, reveal, variable_name
from foliot.importers.model import (
    DraftJob,
    ImportedCollection,
    ImportedJob,
    ImportOptions,
    ImportResult,
    LeftOut,
)

Entry = TypeVar("Entry")

_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_-]+")
# Ten times the jobs of the largest plan.
MAX_ENTRIES = 10_000
_LARGEST = Sku.P20_PREMIUM


def convert_each(
    entries: Iterable[tuple[str, Entry]], convert: Callable[[str, Entry], DraftJob]
) -> tuple[list[DraftJob], list[LeftOut]]:
    """Convert entries, each with its origin; one that cannot be converted is left out."""
    drafts: list[DraftJob] = []
    left_out: list[LeftOut] = []
    for number, (origin, entry) in enumerate(entries, 1):
        if number > MAX_ENTRIES:
            raise Invalid((), f"there are more than {MAX_ENTRIES} entries; import some at a time.")
        try:
            drafts.append(convert(origin, entry))
        except Invalid as refusal:
            left_out.append(LeftOut(origin, str(refusal)))
    return drafts, left_out


def finish(
    drafts: Sequence[DraftJob],
    left_out: Iterable[LeftOut],
    options: ImportOptions,
    *,
    collection: str,
    notes: tuple[str, ...] = (),
) -> ImportResult:
    """Sort the drafts into collections; `collection` is for those that name none."""
    by_collection: dict[str, list[DraftJob]] = {}
    for draft in drafts:
        wished = options.collection or valid_name(draft.collection or collection)
        by_collection.setdefault(wished, []).append(draft)
    collections: list[ImportedCollection] = []
    for name, members in by_collection.items():
        key = CollectionKey(options.subscription, options.group, name)
        jobs = finish_jobs(members, options)
        collections.append(
            ImportedCollection(key=key, attributes=_attributes(len(jobs)), jobs=jobs)
        )
    return ImportResult(collections=tuple(collections), left_out=tuple(left_out), notes=notes)


def finish_jobs(drafts: Iterable[DraftJob], options: ImportOptions) -> tuple[ImportedJob, ...]:
    """Give the jobs of one collection names that differ, and write their placeholders."""
    taken: dict[str, int] = {}
    return tuple(_finished(draft, _unique(draft.wished_name, taken), options) for draft in drafts)


def valid_name(text: str) -> str:
    """Return a text as the name of a job or collection: letters, digits, - and _."""
    name = _NOT_IN_A_NAME.sub("-", text).strip("-_")
    if not name[:1].isalpha():
        name = f"job-{name}" if name else "job"
    return name[:MAX_NAME].rstrip("-_")


def _unique(wished: str, taken: dict[str, int]) -> str:
    """Return a name that no other job has in any letter case; `taken` counts the endings."""
    name = valid_name(wished)
    unique = name
    while unique.lower() in taken:
        taken[name.lower()] += 1
        ending = f"-{taken[name.lower()]}"
        unique = f"{name[: MAX_NAME - len(ending)]}{ending}"
    taken[unique.lower()] = 1
    return unique


def _finished(draft: DraftJob, name: str, options: ImportOptions) -> ImportedJob:
    placeholder = partial(_placeholder, name)
    found, needed = reveal(draft.properties, placeholder, keeps=options.keeps_secrets)
    assert isinstance(found, dict)  # noqa: S101  (as the draft's properties are)
    notes = draft.notes
    if draft.is_named and name != draft.wished_name:
        notes = (*notes, f"its name was {shown(draft.wished_name)}")
    return ImportedJob(
        origin=draft.origin,
        name=name,
        properties=found,
        notes=notes,
        needed=tuple(needed),
    )


def _placeholder(job: str, part: SecretPart) -> str:
    return environment(variable_name(job, part.word))


def _attributes(jobs: int) -> Mapping[str, Json]:
    """Choose a plan that allows so many jobs, unless the default does."""
    return {} if jobs <= PLANS[Sku.STANDARD].max_jobs else {"sku": {"name": _LARGEST.value}}
