"""Renders the job form and the JSON editor, with the problems of a refused save."""

from calendar import month_abbr
from collections.abc import Sequence

from msgspec import Struct, json
from starlette.responses import Response

from foliot.api.wire.regions import region_names
from foliot.app.dashboard import JobDetails
from foliot.app.listing_page import Page
from foliot.core.errors import CollectionNotFound
from foliot.core.ids import CollectionKey
from foliot.core.json_text import Json
from foliot.core.recurrence import WEEK_DAYS
from foliot.core.rules.calendars import MAX_CALENDARS_OF_COLLECTION
from foliot.core.rules.quota import PLANS
from foliot.dispatch.queue_endpoints import QUEUE_NAME_RULE
from foliot.portal.attempt_view import JobTestResult
from foliot.portal.charts.policy_pictures import policy_picture
from foliot.portal.charts.timing_bars import DRAWING
from foliot.portal.forms.collection import INTO, key_from_text
from foliot.portal.forms.conflict import LastChange, Merged, MergedJson
from foliot.portal.forms.fields import Kind, Values
from foliot.portal.forms.job import JOB_FORM, kept_secrets
from foliot.portal.forms.job_rules import COPIED
from foliot.portal.forms.labels import full_label_of, label_of
from foliot.portal.forms.posted import Form
from foliot.portal.forms.problems import Problems, summary_of
from foliot.portal.forms.schedule_inputs import CALENDARS, posted_inputs
from foliot.portal.forms.secrets import lost_secrets, token_warnings, with_lost_secrets
from foliot.portal.forms.zones import zone_options
from foliot.portal.page_request import PageRequest
from foliot.portal.pages.job import job_values
from foliot.portal.pages.shown_changes import shown_changes

_SECRETS = frozenset(field.name for field in JOB_FORM.fields if field.kind is Kind.SECRET)


class CollectionChoice(Struct, frozen=True, kw_only=True):
    """The collections that a new job can be created in, as options of a list."""

    options: Sequence[tuple[str, str]]
    is_cut: bool
    has_collections: bool


class JobDraft(Struct, frozen=True, kw_only=True):
    """The contents of a job form, and its problems."""

    values: Values
    name: str = ""
    original: Json = None
    text: str = ""
    problems: Problems = {}
    status: int = 200
    copy_of: str = ""
    copied: tuple[str, ...] = ()
    # Secrets that the user typed into the form that was refused.
    lost: tuple[str, ...] = ()
    merged: Merged | None = None
    merged_json: MergedJson | None = None
    change: LastChange = LastChange()
    choice: CollectionChoice | None = None
    tested: JobTestResult | None = None
    # The address of this form, if it is not the usual one, and words above it.
    page: str = ""
    note: str = ""
    # After the note.
    link: tuple[str, ...] = ()


def refused_draft(
    form: Form, problems: Problems, *, status: int, original: Json, name: str = ""
) -> JobDraft:
    """Return the posted values with their problems."""
    return JobDraft(
        values=posted_inputs(form, JOB_FORM),
        name=name,
        original=original,
        problems=with_lost_secrets(problems, form, JOB_FORM),
        status=status,
        copy_of=form.get("copy_of"),
        copied=tuple(name for name in form.all(COPIED) if name in _SECRETS),
        lost=lost_secrets(form, JOB_FORM),
    )


async def show_job_form(
    request: PageRequest, found: JobDetails | None, draft: JobDraft
) -> Response:
    """Show the form of a job; without `found`, of a new job, whose collection may be a choice."""
    job = None if found is None else found.job
    key = None if draft.choice else request.key
    return request.render_page(
        "job_form.html",
        http_status=draft.status,
        key=key if found is None else found.collection.key,
        calendars=await _calendars(request, draft),
        zones=zone_options(request.zone),
        picture=policy_picture,
        choice=draft.choice,
        page=draft.page,
        notices=[("warn", draft.note, *draft.link)] if draft.note else [],
        plans=PLANS,
        regions=region_names(),
        job=job,
        name=draft.name,
        values=draft.values,
        problems=draft.problems,
        # The notice of a conflict takes the place of the summary.
        summary=[] if draft.merged else summary_of(draft.problems),
        label_of=label_of,
        full_label_of=full_label_of,
        copy_of=draft.copy_of,
        copied=draft.copied,
        lost=draft.lost,
        merged=draft.merged,
        original="" if draft.original is None else json.encode(draft.original).decode(),
        warnings={} if job is None else token_warnings(job.definition.action, request.now),
        kept=frozenset[str]() if job is None else kept_secrets(job.definition.action),
        queue_name_rule=QUEUE_NAME_RULE[:1].upper() + QUEUE_NAME_RULE[1:],
        default_format=request.use_cases.jobs.defaults.queue_format,
        week_days=WEEK_DAYS,
        months=month_abbr,
        tested=draft.tested,
        **DRAWING,
    )


async def _calendars(request: PageRequest, draft: JobDraft) -> list[str]:
    """Return the names of the calendars to choose from, with those that the job names already."""
    into = next(iter(draft.values.get(INTO, [])), "")
    key = key_from_text(into) if draft.choice else request.key
    names = [] if key is None else await _calendars_of(request, key)
    known = {name.lower() for name in names}
    named = draft.values.get(CALENDARS, [])
    return [*names, *(each for each in named if each.lower() not in known)]


async def _calendars_of(request: PageRequest, key: CollectionKey) -> list[str]:
    page = Page[str](MAX_CALENDARS_OF_COLLECTION)
    try:
        _, found = await request.use_cases.calendars.list_calendars(request.who, key, page)
    except CollectionNotFound:
        return []
    return [each.name for each in found]


def job_json(request: PageRequest, found: JobDetails, draft: JobDraft) -> Response:
    """Show a job as JSON."""
    merged = draft.merged_json
    return request.render_page(
        "job_json.html",
        http_status=draft.status,
        tab="json",
        text=draft.text,
        original=json.encode(draft.original).decode(),
        problem=draft.problems.get("json", ""),
        change=draft.change,
        taken=shown_changes(merged.taken) if merged else [],
        both=shown_changes(merged.kept) if merged else [],
        is_merged=merged is not None,
        **job_values(found),
    )
