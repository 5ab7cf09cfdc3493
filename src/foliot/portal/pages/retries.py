"""Retries of all waiting runs that pass filters: a question with their number, then the retry."""

from typing import Final

from msgspec import structs
from starlette.responses import Response

from foliot.app.failure_retries import MOST_RETRIED, RetryPlan, RetryResult
from foliot.core.access import require
from foliot.core.errors import CollectionNotFound, Invalid, JobNotFound
from foliot.core.instant import format_instant
from foliot.core.model.token import Role
from foliot.core.plurals import how_many
from foliot.portal import urls
from foliot.portal.collection_names import naming_of
from foliot.portal.failure_rows import OF_JOB, OF_RUNS, RETRY_PATH, list_address
from foliot.portal.forms.job import JOB_FORM
from foliot.portal.forms.posted import Form
from foliot.portal.forms.problems import explain
from foliot.portal.page_request import BAD, GOOD, WARN, Notice, PageRequest
from foliot.portal.pages import failures, runs
from foliot.portal.run_filters import RunQuery, read_query
from foliot.portal.shown_runs import FIELD, read_shown_runs, write_shown_runs

PATH: Final = RETRY_PATH
_NAMED: Final = 5
_LISTED_JOBS: Final = 100
_BEGUN: Final = "had begun, ended, or been retried since you looked."


async def ask(request: PageRequest) -> Response:
    """Ask whether the waiting runs that pass the filters are to be retried; tell how many."""
    require(request.who, Role.CONTRIBUTOR)
    query = _read(request, request.query)
    if query.problems:
        return request.redirect(_list_address(request, query))
    try:
        retries = request.use_cases.failure_retries
        plan = await retries.plan(request.who, query.of, query.wanted)
    except (CollectionNotFound, JobNotFound):
        return request.redirect(_list_address(request, query))
    return _render_question(request, query, plan)


async def retry(request: PageRequest) -> Response:
    """Retry those of the waiting runs that were shown and confirmed, and still wait."""
    require(request.who, Role.CONTRIBUTOR)
    query = _read(request, request.form)
    if query.problems:
        raise Invalid((), " ".join(query.problems))
    confirmed = read_shown_runs(request.form.get(FIELD))
    retries = request.use_cases.failure_retries
    plan = await retries.plan(request.who, query.of, query.wanted, confirmed)
    result = await retries.retry(request.who, plan)
    begun = len(confirmed) - plan.runs + result.count.changed
    notices = _notices(request, query, result)
    if begun:
        notices.append((WARN, f"{how_many(begun, 'run')} {_BEGUN}"))
    return request.redirect(_list_address(request, query), *notices)


def _read(request: PageRequest, fields: Form) -> RunQuery:
    query = read_query(fields, runs.viewer_of(request))
    # The page of failures has no filter by outcome.
    given = query.given if _of_list(request) else {**query.given, "outcome": ""}
    return structs.replace(query, given=given)


def _of_list(request: PageRequest) -> str:
    return request.query.get("list") or request.form.get("list")


def _list_address(request: PageRequest, query: RunQuery) -> str:
    """Return the list that led to the question, with its filters."""
    outcome = query.given["outcome"]
    return list_address(query, _of_list(request), failures.PATH, outcome=outcome)


def _render_question(request: PageRequest, query: RunQuery, plan: RetryPlan) -> Response:
    of_list = _of_list(request)
    return request.render_page(
        "run_retry.html",
        plan=plan,
        jobs=plan.jobs[:_LISTED_JOBS],
        given={**query.given, "list": of_list},
        shown=write_shown_runs(plan.due),
        most=MOST_RETRIED,
        back=_list_address(request, query),
        back_name="Runs" if of_list in (OF_RUNS, OF_JOB) else "Failures",
        naming=naming_of([each.key for each in plan.jobs]),
    )


def _notices(request: PageRequest, query: RunQuery, result: RetryResult) -> list[Notice]:
    notices: list[Notice] = []
    count = result.count
    if count.now:
        words = f"{_runs_are(count.now)} retried now."
        notices.append((GOOD, words, "Show runs since then", _retried_since(request, query)))
    if count.when_enabled:
        words = f"{_runs_are(count.when_enabled)} retried when the job is enabled."
        notices.append((GOOD, words))
    if result.refusals:
        runs_refused = how_many(sum(len(each.of.due) for each in result.refusals), "run")
        jobs = how_many(len(result.refusals), "job")
        told = [f"{each.of.job}: {explain(each.reason, JOB_FORM)}" for each in result.refusals]
        more = len(told) - _NAMED
        rest = f" And {how_many(more, 'more job')}." if more > 0 else ""
        notices.append(
            (BAD, f"{runs_refused} of {jobs} not retried. {' '.join(told[:_NAMED])}{rest}")
        )
    return notices


def _runs_are(number: int) -> str:
    return f"{how_many(number, 'run')} {'is' if number == 1 else 'are'}"


def _retried_since(request: PageRequest, query: RunQuery) -> str:
    """Return the list of runs that are open, or ended since the retry.

    Neither reason nor host are in it: a run that succeeds after its retry has no reason.
    """
    given = query.given
    return urls.with_query(
        runs.PATH,
        since=format_instant(request.now),
        trigger=given["trigger"],
        collection=given["collection"],
        job=given["job"],
    )
