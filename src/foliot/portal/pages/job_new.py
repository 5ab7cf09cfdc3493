"""Creates a job in a collection that the user chooses, or that is created with the job."""

import asyncio
from collections.abc import Sequence

from msgspec import structs
from starlette.responses import Response

from foliot.api.wire.job import Submission
from foliot.core.access import require
from foliot.core.errors import CollectionNotFound, Conflict, Invalid
from foliot.core.ids import CollectionId, CollectionKey
from foliot.core.json_text import Json
from foliot.core.model.collection import Collection
from foliot.core.model.token import Role
from foliot.portal import urls
from foliot.portal.attempt_view import JobTestResult
from foliot.portal.collection_names import naming_of
from foliot.portal.forms.collection import (
    INTO,
    SHORT_COLLECTION_FORM,
    key_from_text,
    key_in,
    names_in,
    read_new_collection,
)
from foliot.portal.forms.conflict import problem_of_conflict
from foliot.portal.forms.fields import Values, posted_values, read_values
from foliot.portal.forms.job import JOB_FORM
from foliot.portal.forms.job_read import original_of, read_job
from foliot.portal.forms.posted import Form
from foliot.portal.forms.problems import Problems, problem_of
from foliot.portal.page_request import GOOD, PageRequest
from foliot.portal.pages import collections, job_create
from foliot.portal.pages.job_draft import CollectionChoice, JobDraft, refused_draft, show_job_form
from foliot.portal.visible_text import visible

PATH = "/jobs/new"
# What the choice of a collection is for a new one.
_NEW = "new"
_LISTED = 200
_BAD_REQUEST = 400
_CONFLICT = 409
_NOT_STORED = CollectionId(0)


async def show(request: PageRequest) -> Response:
    """Show the form; the query may choose a collection."""
    require(request.who, Role.CONTRIBUTOR)
    address = request.query.get("address").strip()
    values = {
        **job_create.blank_values(request, _example(address) if address else None),
        **read_values(collections.BLANK_COLLECTION, SHORT_COLLECTION_FORM),
        **_as_values(collections.initial_names(request)),
        INTO: [request.query.get(INTO)],
    }
    if not address:
        return await _show_form(request, JobDraft(values=values))
    names = {"collection": values["collection"] if any(values["collection"]) else ["my-jobs"]}
    page = urls.with_query(PATH, address=address)
    draft = JobDraft(values=values | names, name="first-job", page=page)
    return await _show_form(request, draft)


def _example(address: str) -> Json:
    """Return a job that calls an address every hour."""
    kind = "Http" if address.lower().startswith("http:") else "Https"
    return {
        "properties": {
            "action": {"type": kind, "request": {"method": "GET", "uri": address}},
            "recurrence": {"frequency": "hour", "interval": 1},
        }
    }


async def create(request: PageRequest) -> Response:
    """Create the job, and its collection if that is new: both or neither."""
    require(request.who, Role.CONTRIBUTOR)
    form, name = request.form, request.form.get("name").strip()
    collection = await _read_collection(request)
    key = collection.key if isinstance(collection, Collection) else key_in(form)
    inside = request.within(key)
    job = await asyncio.to_thread(read_job, inside, form, original_of(form))
    if isinstance(collection, dict) or isinstance(job, dict):
        return await _show_refused(request, _in_form_order(collection, job))
    try:
        if collection.id != _NOT_STORED:
            return await job_create.save_new(inside, name, job)
        return await _save_both(inside, collection, name, job)
    except Invalid as refusal:
        return await _show_refused(request, problem_of(refusal, JOB_FORM))
    except Conflict as refusal:
        return await _show_refused(request, problem_of_conflict(refusal), _CONFLICT)


async def show_tested(request: PageRequest, tested: JobTestResult) -> Response:
    """Show the form again, with the result of a test."""
    return await _show_refused(request, {}, tested.http_status, tested)


def chosen_key(form: Form) -> CollectionKey | None:
    """Return the key of the collection that a form chooses; None if it is new, or none."""
    return key_from_text(form.get(INTO))


async def _read_collection(request: PageRequest) -> Collection | Problems:
    """Return the chosen collection, stored or new, or the problems of the choice."""
    if request.form.get(INTO) != _NEW:
        key = chosen_key(request.form)
        if key is None:
            return {INTO: "Collection is missing; choose one."}
        try:
            return await request.use_cases.collections.get_collection(request.who, key)
        except CollectionNotFound as refusal:
            return {INTO: str(refusal)}
    new = read_new_collection(request.form, SHORT_COLLECTION_FORM, request.who.scope)
    if isinstance(new, dict):
        return new
    try:
        # The transaction checks this too. Here it is told together with the problems of the job.
        found = await request.use_cases.collections.get_collection(request.who, new.key)
    except CollectionNotFound:
        return new
    return {"collection": f"Collection '{found.key.name}' exists already."}


async def _save_both(
    request: PageRequest, collection: Collection, name: str, job: Submission
) -> Response:
    saved = await request.use_cases.jobs.create_job_and_collection(
        request.who,
        collection.key,
        collections.only_new(collection),
        name,
        job_create.only_new(job),
    )
    address = urls.job(saved.collection.key, saved.job.name)
    return request.redirect(address, (GOOD, "Collection and job created."))


async def _show_refused(
    request: PageRequest,
    problems: Problems,
    status: int = _BAD_REQUEST,
    tested: JobTestResult | None = None,
) -> Response:
    form = request.form
    draft = refused_draft(
        form,
        problems,
        status=status,
        original=original_of(form),
        name=form.get("name").strip(),
    )
    values = {
        **draft.values,
        **posted_values(form, SHORT_COLLECTION_FORM),
        **_as_values(names_in(form)),
        INTO: [form.get(INTO)],
    }
    # A copy has an address in its own collection.
    draft = structs.replace(draft, values=values, copy_of="", tested=tested)
    return await _show_form(request, draft)


async def _show_form(request: PageRequest, draft: JobDraft) -> Response:
    listed = await request.use_cases.dashboard.collections(request.who, limit=_LISTED + 1)
    keys = [each.collection.key for each in listed[:_LISTED]]
    into = draft.values[INTO][0]
    chosen = await _chosen(request, into)
    if chosen is not None:
        into = urls.key_text(chosen)
        keys = keys if chosen in keys else [chosen, *keys]
    elif not into and len(keys) <= 1:
        into = urls.key_text(keys[0]) if keys else _NEW
    choice = CollectionChoice(
        options=_options(keys, may_create=await collections.may_create(request)),
        is_cut=len(listed) > _LISTED,
        has_collections=bool(keys),
    )
    draft = structs.replace(draft, values=draft.values | {INTO: [into]}, choice=choice)
    return await show_job_form(request, None, draft)


def _options(keys: Sequence[CollectionKey], *, may_create: bool) -> list[tuple[str, str]]:
    named = naming_of(keys)
    first = [("", "Choose a collection")] if keys else []
    last = [(_NEW, "New collection…")] if may_create else []
    return [*first, *((urls.key_text(key), visible(named(key))) for key in keys), *last]


async def _chosen(request: PageRequest, text: str) -> CollectionKey | None:
    """Return the key of the chosen collection as it is stored, if it exists."""
    key = key_from_text(text)
    if key is None:
        return None
    try:
        return (await request.use_cases.collections.get_collection(request.who, key)).key
    except CollectionNotFound:
        return None


def _as_values(names: dict[str, str]) -> Values:
    return {name: [text] for name, text in names.items()}


def _in_form_order(collection: Collection | Problems, job: Submission | Problems) -> Problems:
    """Return the problems of both parts: the name of the job comes first, its collection next."""
    of_job = job if isinstance(job, dict) else {}
    of_collection = collection if isinstance(collection, dict) else {}
    name = {field: words for field, words in of_job.items() if field == "name"}
    return name | of_collection | of_job
