"""Tests of jobs: one request, of a stored job or of a form that is not saved, with its result."""

import asyncio
from collections.abc import Awaitable

from msgspec import structs
from starlette.responses import Response

from foliot.api.wire.job import Submission, replace_job
from foliot.app.dashboard import JobDetails
from foliot.app.jobs import ReviseJob
from foliot.core.access import require
from foliot.core.errors import Conflict, FoliotError, Invalid, Unavailable
from foliot.core.model.token import Role
from foliot.portal.attempt_view import JobTestResult, view_of_test
from foliot.portal.charts.timing_bars import DRAWING
from foliot.portal.forms.job import JOB_FORM
from foliot.portal.forms.job_read import original_of, read_job
from foliot.portal.forms.posted import Form
from foliot.portal.forms.problems import Problems, explain, problem_of, summary_of
from foliot.portal.page_request import PageRequest
from foliot.portal.pages import job_new
from foliot.portal.pages.errors import status_of
from foliot.portal.pages.job import job_values
from foliot.portal.pages.job_create import authorise
from foliot.portal.pages.job_draft import refused_draft, show_job_form

_BAD_REQUEST = 400
# What a new job is called in its test, until it has a name.
_UNNAMED = "test"


async def of_job(request: PageRequest) -> Response:
    """Test a job as it is stored."""
    authorise(request)
    tested = await _tested(request, _send(request, request.job, None))
    if request.is_partial:
        return _part(request, tested)
    found = await request.use_cases.dashboard.job(request.who, request.key, request.job)
    return request.render_page(
        "job_test.html",
        http_status=tested.http_status,
        tab="overview",
        tested=tested,
        **DRAWING,
        **job_values(found),
    )


async def of_edited_job(request: PageRequest) -> Response:
    """Test a job as the form says, with the stored secrets that the form keeps."""
    authorise(request)
    found = await request.use_cases.dashboard.job(request.who, request.key, request.job)
    tested = await _tested(request, _send_form(request, request.form, found))
    return _part(request, tested) if request.is_partial else await _form(request, found, tested)


async def of_new_job(request: PageRequest) -> Response:
    """Test a job that is not stored yet."""
    authorise(request)
    tested = await _tested(request, _send_form(request, _named(request.form), None))
    return _part(request, tested) if request.is_partial else await _form(request, None, tested)


async def of_new_job_anywhere(request: PageRequest) -> Response:
    """Test a new job in the collection that the form chooses."""
    require(request.who, Role.CONTRIBUTOR)
    tested = await _tested(request, _send_in_chosen(request))
    if request.is_partial:
        return _part(request, tested)
    return await job_new.show_tested(request, tested)


async def _send(request: PageRequest, name: str | None, revise: ReviseJob | None) -> JobTestResult:
    ended = await request.use_cases.job_tests.test_job(
        request.who, request.key, name, revise, request.context.limits
    )
    return JobTestResult(view=view_of_test(ended), tag=ended.tag)


async def _send_form(request: PageRequest, form: Form, found: JobDetails | None) -> JobTestResult:
    read = await asyncio.to_thread(read_job, request, form, original_of(form), found)
    if not isinstance(read, Submission):
        return _refused(read)
    submission = read
    name = None if found is None else found.job.name
    return await _send(request, name, lambda old: replace_job(old, submission))


async def _send_in_chosen(request: PageRequest) -> JobTestResult:
    key = job_new.chosen_key(request.form)
    if key is None:
        words = "A test needs a collection, whose limits it counts in: choose one that exists."
        return _refused({"into": words})
    return await _send_form(request.within(key), _named(request.form), None)


async def _tested(request: PageRequest, test: Awaitable[JobTestResult]) -> JobTestResult:
    """Return the result of a test, or why there is none; a script gets any refusal as a part."""
    try:
        return await test
    except Invalid as refusal:
        return _refused(problem_of(refusal, JOB_FORM))
    except (Conflict, Unavailable) as refusal:
        return JobTestResult(refusal=str(refusal), http_status=status_of(refusal))
    except FoliotError as refusal:
        if not request.is_partial:
            raise
        return JobTestResult(refusal=explain(refusal, JOB_FORM), http_status=status_of(refusal))


def _refused(problems: Problems) -> JobTestResult:
    return JobTestResult(problems=summary_of(problems), http_status=_BAD_REQUEST)


def _part(request: PageRequest, tested: JobTestResult) -> Response:
    return request.render_part("job_test_result.html", tested=tested, **DRAWING)


async def _form(request: PageRequest, found: JobDetails | None, tested: JobTestResult) -> Response:
    """Show the form again with its values: a browser without scripts would lose them."""
    form = request.form
    draft = refused_draft(
        form,
        {},
        status=tested.http_status,
        original=original_of(form),
        name=form.get("name").strip(),
    )
    return await show_job_form(request, found, structs.replace(draft, tested=tested))


def _named(form: Form) -> Form:
    return form if form.get("name").strip() else form.having({"name": [_UNNAMED]})
