"""Reads the schedule in a form, as if the job were saved now: the job, or all problems."""

from foliot.api.wire.calendar_preview import definition_in, job_as_enabled
from foliot.api.wire.fields import read_field
from foliot.api.wire.json_reader import Properties, optional_object
from foliot.api.wire.policy import POLICY_FIELD
from foliot.app.job_previews import SaveContext
from foliot.core.json_text import Json
from foliot.core.model.job import Job
from foliot.core.rules.policy_limits import check_policy
from foliot.portal.forms.fields import read_values, write_body
from foliot.portal.forms.first_start import start_in_past, with_first_start
from foliot.portal.forms.job import SCHEDULE_FORM
from foliot.portal.forms.posted import Form
from foliot.portal.forms.problems import Problems, problems_of
from foliot.portal.forms.schedule_inputs import (
    broken_inputs,
    with_broken,
    with_fields,
    without_empty_exclusion,
)
from foliot.portal.job_body import body_of


def read_schedule(form: Form, context: SaveContext) -> Job | Problems:
    """Read the schedule and the policy in a form; the action is that of the stored job."""
    old, now = context.job, context.at
    stored: Json = None if old is None else body_of(old)
    before = read_values(stored, SCHEDULE_FORM)

    def read_one(tried: Form) -> Job:
        body = write_body(without_empty_exclusion(tried), SCHEDULE_FORM, stored)
        body = with_first_start(body, tried, now, stored)
        _check_policy_of(body)
        definition = context.with_days(definition_in(body, old))
        job = job_as_enabled(definition, old, now, context.defaults)
        check_policy(job, None if old is None else old.definition)
        return job

    fields = with_fields(form, before)
    problems = problems_of(fields, SCHEDULE_FORM, read_one, before)
    broken = (*broken_inputs(form), *start_in_past(form, fields, before, now))
    return with_broken(problems, broken, form) or read_one(fields)


def _check_policy_of(body: Json) -> None:
    given = optional_object(Properties(body), "properties")
    if given is not None:
        read_field(given, POLICY_FIELD)
