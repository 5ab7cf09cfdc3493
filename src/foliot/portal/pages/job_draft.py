"""Renders the job form and the JSON editor, with the problems of a refused save."""

from calendar import month_abbr

from msgspec import Struct, json
from starlette.responses import Response

from foliot.api.wire.json_reader import Json
from foliot.app.dashboard import JobDetails
from foliot.core.recurrence import WEEK_DAYS
from foliot.portal.forms.conflict import Merged
from foliot.portal.forms.fields import Kind, Values, posted_values
from foliot.portal.forms.first_start import FIRST
from foliot.portal.forms.job import JOB_FORM, kept_secrets
from foliot.portal.forms.job_rules import COPIED
from foliot.portal.forms.labels import full_label_of, label_of
from foliot.portal.forms.posted import Form
from foliot.portal.forms.problems import Problems, summary_of
from foliot.portal.page_request import PageRequest
from foliot.portal.pages.job import job_values

_SECRETS = frozenset(field.name for field in JOB_FORM.fields if field.kind is Kind.SECRET)


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
    merged: Merged | None = None
    theirs: str = ""


def refused_draft(
    form: Form, problems: Problems, *, status: int, original: Json, name: str = ""
) -> JobDraft:
    """Return the posted values with their problems."""
    return JobDraft(
        values=posted_values(form, JOB_FORM) | {FIRST: form.all(FIRST)},
        name=name,
        original=original,
        problems=problems,
        status=status,
        copy_of=form.get("copy_of"),
        copied=tuple(name for name in form.all(COPIED) if name in _SECRETS),
    )


def job_form(request: PageRequest, found: JobDetails | None, draft: JobDraft) -> Response:
    """Show the form of a job; without `found`, of a new job."""
    job = None if found is None else found.job
    return request.render_page(
        "job_form.html",
        http_status=draft.status,
        key=request.key if found is None else found.collection.key,
        job=job,
        name=draft.name,
        values=draft.values,
        problems=draft.problems,
        summary=summary_of(draft.problems),
        label_of=label_of,
        full_label_of=full_label_of,
        copy_of=draft.copy_of,
        copied=draft.copied,
        merged=draft.merged,
        original="" if draft.original is None else json.encode(draft.original).decode(),
        kept=frozenset[str]() if job is None else kept_secrets(job.definition.action),
        default_format=request.use_cases.jobs.defaults.queue_format,
        week_days=WEEK_DAYS,
        months=month_abbr,
    )


def job_json(request: PageRequest, found: JobDetails, draft: JobDraft) -> Response:
    """Show a job as JSON."""
    return request.render_page(
        "job_json.html",
        http_status=draft.status,
        tab="json",
        text=draft.text,
        original=json.encode(draft.original).decode(),
        problem=draft.problems.get("json", ""),
        theirs=draft.theirs,
        **job_values(found),
    )
