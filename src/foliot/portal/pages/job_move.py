"""Moves or copies a job to another collection."""

from collections.abc import Sequence

from msgspec import Struct
from starlette.responses import Response

from foliot.core.access import require
from foliot.core.errors import CollectionNotFound, Conflict, Invalid
from foliot.core.ids import CollectionKey
from foliot.core.model.collection import Collection, CollectionState
from foliot.core.model.token import Role
from foliot.portal import urls
from foliot.portal.forms.job import JOB_FORM
from foliot.portal.forms.labels import label_of
from foliot.portal.forms.problems import Problems, problem_of, summary_of
from foliot.portal.page_request import GOOD, WARN, Notice, PageRequest
from foliot.portal.pages.job import job_values
from foliot.portal.pages.job_create import authorise

_LISTED = 200
_MOST_CHARACTERS = 400
_NAMED = 5
_BAD_REQUEST = 400
_CONFLICT = 409
_COPY = "copy"


class _MoveDraft(Struct, frozen=True, kw_only=True):
    into: str = ""
    name: str = ""
    do: str = "move"
    problems: Problems = {}
    status: int = 200


async def show(request: PageRequest) -> Response:
    """Show the form that moves or copies a job."""
    require(request.who, Role.CONTRIBUTOR)
    return await _show(request, _MoveDraft())


async def move(request: PageRequest) -> Response:
    """Move or copy a job, and show it where it is then."""
    authorise(request)
    form, moves = request.form, request.use_cases.job_moves
    into, do = form.get("into").strip(), form.get("do")
    name = form.get("name").strip() or request.job
    use_case = moves.copy_job if do == _COPY else moves.move_job
    problems, status = dict[str, str](), _BAD_REQUEST
    try:
        found = await _find_collection(request, into)
        if isinstance(found, CollectionKey):
            saved = await use_case(request.who, request.key, request.job, found, name)
            address = urls.job(saved.collection.key, saved.job.name)
            return request.redirect(address, _notice(do, saved.collection))
        problems = {"into": found}
    except CollectionNotFound as refusal:
        problems = {"into": str(refusal)}
    except Invalid as refusal:
        is_name = refusal.path == ("name",)
        problems = {"name": str(refusal)} if is_name else problem_of(refusal, JOB_FORM)
    except Conflict as refusal:
        problems, status = {"": str(refusal)}, _CONFLICT
    draft = _MoveDraft(into=into, name=name, do=do, problems=problems, status=status)
    return await _show(request, draft)


def _notice(do: str, into: Collection) -> Notice:
    if do == _COPY:
        return GOOD, "Job copied. The copy is disabled."
    state = _state_words(into)
    if not state:
        return GOOD, "Job moved."
    return WARN, f"Job moved. The collection is {state}: its jobs do not run until it is resumed."


async def _find_collection(request: PageRequest, text: str) -> CollectionKey | str:
    """Return the collection that a text names, with or without its group; or what is wrong."""
    if not text:
        return "Collection is missing; choose one."
    if len(text) > _MOST_CHARACTERS:
        return f"Collection has more than {_MOST_CHARACTERS} characters; choose one of the list."
    parts = text.split("/")
    if len(parts) == len(CollectionKey.__struct_fields__):
        found = await request.use_cases.collections.get_collection(
            request.who, CollectionKey(*parts)
        )
        return found.key
    near = [each.key for each in await _collections(request, text)]
    same = [key for key in near if key.name.lower() == text.lower()]
    if len(same) == 1:
        return same[0]
    named = ", ".join(urls.key_text(key) for key in (same or near)[:_NAMED])
    if same:
        return f"'{text}': several collections have this name; write one of {named}."
    what_to_do = f"did you mean {named}?" if near else "choose one of the list."
    return f"No collection is named '{text}'; {what_to_do}"


async def _show(request: PageRequest, draft: _MoveDraft) -> Response:
    found = await request.use_cases.dashboard.job(request.who, request.key, request.job)
    listed = await _collections(request, "")
    others = [urls.key_text(each.key) for each in listed if each.key.folded != request.key.folded]
    only_other = others[0] if len(others) == 1 and not draft.problems else ""
    return request.render_page(
        "job_move.html",
        http_status=draft.status,
        tab="",
        into=draft.into or only_other,
        name=draft.name or found.job.name,
        do=draft.do,
        problems=draft.problems,
        summary=summary_of(draft.problems),
        collections=[(urls.key_text(each.key), _state_words(each)) for each in listed],
        values={},
        label_of=label_of,
        **job_values(found),
    )


def _state_words(collection: Collection) -> str:
    """Return the state of a collection whose jobs do not run, or an empty text."""
    is_enabled = collection.state is CollectionState.ENABLED
    return "" if is_enabled else collection.state.value.lower()


async def _collections(request: PageRequest, search: str) -> Sequence[Collection]:
    listed = await request.use_cases.dashboard.collections(request.who, search, limit=_LISTED)
    return [each.collection for each in listed]
