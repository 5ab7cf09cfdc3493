"""Restores former versions of a job: shows what would change, and saves it or opens the form."""

import asyncio
from typing import NamedTuple

from starlette.responses import Response

from foliot.api.wire.audit import writable
from foliot.api.wire.job import Submission, replace_job
from foliot.app.dashboard import JobDetails
from foliot.app.jobs import ReviseJob
from foliot.core.errors import AuditEntryNotFound, Conflict, Invalid
from foliot.core.model.audit import AuditEntry, JobSnapshot
from foliot.core.model.job import Job
from foliot.core.rules.lifecycle import FINAL, Revision
from foliot.portal import urls
from foliot.portal.former_versions import FormerVersion, changes_to, former_version, restored_state
from foliot.portal.forms.conflict import ChangedMeanwhile
from foliot.portal.forms.fields import read_values
from foliot.portal.forms.job import JOB_FORM
from foliot.portal.forms.job_read import decode_body
from foliot.portal.forms.json_path import set_value
from foliot.portal.forms.labels import full_label_of
from foliot.portal.forms.problems import explain
from foliot.portal.forms.schedule_inputs import shown_inputs
from foliot.portal.job_body import body_of
from foliot.portal.page_request import BAD, GOOD, PageRequest, fingerprint_of
from foliot.portal.pages.audit import is_number
from foliot.portal.pages.changes import TAB, find_job, has_former_version
from foliot.portal.pages.job import job_values
from foliot.portal.pages.job_create import authorise
from foliot.portal.pages.job_draft import JobDraft, show_job_form
from foliot.portal.pages.shown_changes import shown_changes

_BAD_REQUEST = 400
_CONFLICT = 409
_CUT = "This version was too large for the audit log to keep it whole, so it cannot be restored."


class _Version(NamedTuple):
    entry: AuditEntry
    snapshot: JobSnapshot


class _Refused(NamedTuple):
    """Why a version was not saved: a problem that stays, or a notice, after which one can retry."""

    status: int = 200
    problem: str = ""
    notice: str = ""


async def show(request: PageRequest) -> Response:
    """Show what the restoration of a version would change; a deleted job leads to the form."""
    version, found = await _find_version(request), await find_job(request)
    if found is None:
        return await show_form(request)
    return await _show(request, version, found)


async def restore(request: PageRequest) -> Response:
    """Save a former version of a job, with the secrets that the job has now."""
    authorise(request)
    version, found = await _find_version(request), await find_job(request)
    if found is None:
        return request.redirect(_address(request, "form"))
    wanted = former_version(version.snapshot, found.job, body_of(found.job))
    if version.entry.is_cut or wanted.missing:
        return await _show(request, version, found)
    try:
        revision = await asyncio.to_thread(decode_body, request, wanted.body)
        await request.use_cases.jobs.save_job(
            request.who, request.key, request.job, _revised(request, revision), must_exist=True
        )
    except Invalid as refusal:
        return await _show(
            request, version, found, _Refused(_BAD_REQUEST, problem=explain(refusal, JOB_FORM))
        )
    except Conflict as refusal:
        found = await request.use_cases.dashboard.job(request.who, request.key, request.job)
        return await _show(request, version, found, _Refused(_CONFLICT, notice=str(refusal)))
    return request.redirect(urls.job(request.key, request.job), (GOOD, "Version restored."))


async def show_form(request: PageRequest) -> Response:
    """Show a former version in the form of the job, or in the form for a new one."""
    authorise(request)
    version, found = await _find_version(request), await find_job(request)
    if version.entry.is_cut:
        raise Conflict(_CUT)
    job = None if found is None or found.job.state in FINAL else found.job
    now = {} if job is None else body_of(job)
    wanted = former_version(version.snapshot, job, now)
    set_value(wanted.body, "properties.state", _state(job, version.snapshot))
    draft = JobDraft(
        values=shown_inputs(read_values(wanted.body, JOB_FORM)),
        name=version.entry.subject.name or request.job,
        original=now if job is not None else wanted.body,
        copied=() if job is not None else wanted.missing,
        page=_address(request, "form"),
        note=_note(job, wanted),
    )
    return await show_job_form(request, None if job is None else found, draft)


async def _show(
    request: PageRequest, version: _Version, found: JobDetails, refused: _Refused | None = None
) -> Response:
    job, entry = found.job, version.entry
    wanted = former_version(version.snapshot, job, body_of(job))
    refused = refused or _Refused()
    problem = refused.problem or await asyncio.to_thread(_problem, request, job, wanted)
    if entry.is_cut:
        problem = _CUT
    return request.render_page(
        "job_restore.html",
        http_status=refused.status,
        tab=TAB,
        entry=entry,
        changes=shown_changes(changes_to(version.snapshot, job)),
        missing=[full_label_of(name) for name in wanted.missing],
        problem=problem,
        notices=[(BAD, refused.notice)] if refused.notice else [],
        was=_mark(job),
        address=_address(request),
        form="" if entry.is_cut else _address(request, "form"),
        **job_values(found),
    )


def _problem(request: PageRequest, job: Job, wanted: FormerVersion) -> str:
    """Return why a version cannot be saved as it is, or an empty string."""
    if job.state in FINAL:
        return (
            f"The job is {job.state.value} and can no longer be changed. "
            "Create another job from this version."
        )
    if wanted.missing:
        return ""
    try:
        replace_job(job, decode_body(request, wanted.body))
    except Invalid as refusal:
        return explain(refusal, JOB_FORM)
    return ""


def _revised(request: PageRequest, revision: Submission) -> ReviseJob:
    def revise(old: Job | None) -> Revision:
        assert old is not None  # noqa: S101  (it must exist)
        if _mark(old) != request.form.get("was"):
            raise ChangedMeanwhile("The job was changed meanwhile. Compare again, then restore.")
        return replace_job(old, revision)

    return revise


async def _find_version(request: PageRequest) -> _Version:
    text = request.names["entry"]
    if not is_number(text):
        raise AuditEntryNotFound(text)
    entry = writable(
        await request.use_cases.audit.get_change(
            request.who, request.key, int(text), job=request.job
        )
    )
    if not has_former_version(entry) or not isinstance(entry.before, JobSnapshot):
        raise AuditEntryNotFound(entry.id)
    return _Version(entry, entry.before)


def _mark(job: Job) -> str:
    """Return what tells whether a job was changed, without its secrets."""
    return fingerprint_of(body_of(job))


def _state(job: Job | None, snapshot: JobSnapshot) -> str:
    """Return the state of the job now, or the one that a new job can have."""
    state = job.state.value if job is not None else restored_state(snapshot)
    return "disabled" if state == "disabled" else "enabled"


def _note(job: Job | None, wanted: FormerVersion) -> str:
    if job is None:
        return "This form has the last version of the job. Its history of runs is not restored."
    names = ", ".join(full_label_of(name) for name in wanted.missing)
    words = "This form has a former version of the job. Nothing is saved yet."
    return f"{words} Enter again: {names}." if names else words


def _address(request: PageRequest, *rest: str) -> str:
    return urls.job(request.key, request.job, TAB, request.names["entry"], *rest)
