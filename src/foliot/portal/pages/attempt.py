"""One attempt of a job: request, response, timing, and the run it belongs to; run it again."""

from starlette.responses import Response

from foliot.app.dashboard import JobDetails
from foliot.app.history import AttemptDetails
from foliot.core.errors import AttemptNotFound
from foliot.core.model.history import HistoryEntry, RunOutcome
from foliot.core.rules.retries import waits_for_retry
from foliot.portal import urls
from foliot.portal.attempt_view import is_attempt, view_of_entry
from foliot.portal.charts.timing_bars import DRAWING
from foliot.portal.page_request import BAD, GOOD, PageRequest
from foliot.portal.pages.job import job_values
from foliot.ports.random_ids import new_id

_MOST_DIGITS = 18


async def show(request: PageRequest) -> Response:
    """Show an attempt."""
    found = await _load(request)
    entry, attempts = found.entry, found.attempts
    is_run = entry.run_id is not None and is_attempt(entry)
    open_run = next((run for run in found.runs if run.id == entry.run_id), None)
    details = JobDetails(found.collection, found.job, found.runs, ())
    return request.render_page(
        "attempt.html",
        tab="runs",
        entry=entry,
        view=view_of_entry(found, request.context.limits),
        record=found.record,
        is_attempt=is_attempt(entry),
        main=[each for each in attempts if not each.is_error_action] if is_run else [],
        errors=[each for each in attempts if each.is_error_action] if is_run else [],
        open_run=open_run,
        may_retry=open_run is not None and waits_for_retry(open_run),
        may_rerun=_end_of_run(found) is not None,
        **DRAWING,
        **job_values(details),
    )


async def rerun(request: PageRequest) -> Response:
    """Make the failed run of an attempt again."""
    found = await _load(request)
    key, job = found.collection.key, found.job.name
    end = _end_of_run(found)
    if end is None or end.tag is None:
        here = urls.attempt(key, job, found.entry.number)
        return request.redirect(here, (BAD, "Only a run that has failed can be run again."))
    await request.use_cases.repeated_runs.redrive(request.who, key, job, end.tag, new_id)
    return request.redirect(urls.job(key, job), (GOOD, "Run started."))


async def _load(request: PageRequest) -> AttemptDetails:
    text = request.names["number"]
    if not (text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS):
        raise AttemptNotFound(0)
    return await request.use_cases.history.get_attempt(
        request.who, request.key, request.job, int(text)
    )


def _end_of_run(found: AttemptDetails) -> HistoryEntry | None:
    """Return the entry that ended a failed run, which may be run again; None for any other."""
    ends = (each for each in found.attempts if each.outcome is RunOutcome.FAILED and each.tag)
    return next(ends, None)
