"""Makes the request of an attempt: the action as it is sent, with its placeholders filled in.

The server fills them in, and not the worker process: it knows the calendar of the job.
"""

from msgspec import structs

from foliot.core.errors import Invalid
from foliot.core.history_text import failure_note
from foliot.core.instant import SECOND
from foliot.core.limits import Limits
from foliot.core.model.action import Action, HttpRequest
from foliot.core.model.attempt import AttemptRequest, Outcome
from foliot.core.model.collection import Collection
from foliot.core.model.history import HistoryEntry
from foliot.core.model.job import Job
from foliot.core.model.reason import Reason
from foliot.core.model.run import DueRun, Phase, Run
from foliot.core.recurrence import previous_before, zone_of
from foliot.core.rules.changed_fields import check_request
from foliot.core.rules.lifecycle import timetable_of
from foliot.core.rules.retries import action_of
from foliot.core.rules.text_templates import TemplateValues, filled_in, names_in


def attempt_request(due: DueRun, request_id: str, limits: Limits) -> AttemptRequest | Outcome:
    """Return the request of an attempt, or its failure if the texts become too long."""
    action = action_of(due)
    if action.template:
        try:
            action = _filled_in(action, due, limits)
        except Invalid as refusal:
            text = f"The placeholders cannot be filled in: {refusal}"
            message = failure_note(action, Reason.INVALID_REQUEST, text)
            return Outcome(succeeded=False, message=message, reason=Reason.INVALID_REQUEST)
    timeout = due.job.definition.run_policy.timeout
    return AttemptRequest(
        action=action,
        collection=due.collection.key,
        job=due.job.name,
        region=due.collection.location,
        expected_at=due.run.expected_at,
        tag=due.run.tag,
        request_id=request_id,
        timeout_seconds=None if timeout is None else timeout.ticks / SECOND,
    )


def past_request(
    entry: HistoryEntry, job: Job, collection: Collection, limits: Limits
) -> AttemptRequest | None:
    """Return the request of an attempt in history, as the job is defined now.

    Its request id is not known. None if the job has no such action any more, or if its texts have
    become too long.
    """
    action = job.definition.action
    if entry.is_error_action and action.error_action is None:
        return None
    run = Run(
        job_id=job.id,
        generation=job.generation,
        occurrence=entry.repeat_count,
        expected_at=entry.expected_at,
        phase=Phase.ERROR if entry.is_error_action else Phase.MAIN,
        attempt=entry.retry_count + 1,
        due_at=None,
        tag=entry.tag or "",
    )
    request = attempt_request(DueRun(run, job, collection), "", limits)
    return None if isinstance(request, Outcome) else request


def _filled_in(action: Action, due: DueRun, limits: Limits) -> Action:
    part = filled_in(action.part, _values(due, names_in(action.part)))
    if isinstance(part, HttpRequest) and isinstance(action.part, HttpRequest):
        check_request(part, action.part, ("request",), limits)
    return structs.replace(action, part=part)


def _values(due: DueRun, names: frozenset[str]) -> TemplateValues:
    run, job = due.run, due.job
    # It is searched, so only a text that has it pays for it.
    has_previous = "previous" in names
    return TemplateValues(
        planned=run.expected_at,
        previous=previous_before(timetable_of(job), run.expected_at) if has_previous else None,
        tag=run.tag,
        attempt=run.attempt,
        occurrence=run.occurrence,
        job=job.name,
        collection=due.collection.key.name,
        zone=zone_of(job.definition.recurrence),
    )
