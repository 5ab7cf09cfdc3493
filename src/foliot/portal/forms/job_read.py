"""Reads a posted job form: returns the job it describes, or all problems at once."""

from foliot.api.wire.job import Address, Submission, decode_job, replace_job
from foliot.app.dashboard import JobDetails
from foliot.core.errors import Invalid
from foliot.core.ids import CollectionId, check_name
from foliot.core.json_text import Json, parse_json
from foliot.core.model.job import Job
from foliot.core.rules.lifecycle import FINAL, create, revise
from foliot.portal.forms.conflict import with_theirs
from foliot.portal.forms.fields import read_values, write_body
from foliot.portal.forms.first_start import start_in_past, with_first_start
from foliot.portal.forms.job import JOB_FORM
from foliot.portal.forms.job_rules import rules_broken
from foliot.portal.forms.json_path import set_value, value_at
from foliot.portal.forms.posted import Form
from foliot.portal.forms.problems import Problems, describe_problem, problems_of
from foliot.portal.forms.schedule_inputs import (
    broken_inputs,
    with_broken,
    with_fields,
    without_empty_exclusion,
)
from foliot.portal.job_body import body_of
from foliot.portal.page_request import PageRequest

_STATE = "properties.state"


def read_job(
    request: PageRequest, form: Form, original: Json, found: JobDetails | None = None
) -> Submission | Problems:
    """Read the form of an existing job or, without `found`, of a new one."""
    typed, form = form, job_fields(form, original)
    kept = read_values(None if found is None else original, JOB_FORM)
    broken = [
        *rules_broken(typed, request.context),
        *broken_inputs(typed),
        *start_in_past(typed, form, kept, request.now),
    ]
    name, defaults = form.get("name").strip(), request.use_cases.jobs.defaults
    # If another user changed the job, the page shows the conflict instead of these problems.
    is_current = found is not None and not is_changed(found.job, original)

    def read_one(tried: Form) -> Submission:
        stored = None if found is None else original
        body = write_body(without_empty_exclusion(tried), JOB_FORM, original)
        body = with_first_start(body, tried, request.now, stored)
        revision = decode_body(request, body)
        if found is None:
            create(CollectionId(0), name, replace_job(None, revision), request.now, defaults)
        elif is_current:
            _check_revision(request, found, revision)
        return revision

    problems = problems_of(form, JOB_FORM, read_one, read_values(original, JOB_FORM))
    problems = with_broken(problems, broken, typed)
    if found is None:
        try:
            check_name(("name",), name)
        except Invalid as refusal:
            problems = {"name": describe_problem("name", refusal.problem)} | problems
    return problems or read_one(form)


def job_fields(form: Form, original: Json) -> Form:
    """Return a posted form as fields of the job, with the other user's values where chosen."""
    fields = with_fields(form, read_values(original, JOB_FORM))
    return with_theirs(fields, JOB_FORM, original)


def decode_body(request: PageRequest, body: Json) -> Submission:
    """Decode a job as the API does."""
    return decode_job(body, Address(request.key, request.names.get("job")), request.context.limits)


def is_changed(job: Job, original: Json) -> bool:
    """Tell whether a job is no longer as the form was made from it: also by its policy, or its end.

    Runs change no property that the form has. A job that has ended is refused by other words.
    """
    return job.state not in FINAL and body_of(job) != original


def is_paused_only(job: Job, original: Json) -> bool:
    """Tell whether nobody but the policy of a job has changed it after the form was opened."""
    before = body_of(job)
    set_value(before, _STATE, value_at(original, _STATE))
    return job.paused_because is not None and before == original


def original_of(form: Form) -> Json:
    """Return the body that the job had when the form was opened."""
    text = form.get("was")
    return parse_json(text.encode()) if text else None


def _check_revision(request: PageRequest, found: JobDetails, revision: Submission) -> None:
    """Raise the errors that only appear when the change is applied to the job."""
    wanted, defaults = replace_job(found.job, revision), request.use_cases.jobs.defaults
    revise(found.job, wanted, request.now, defaults, has_open_runs=bool(found.runs))
