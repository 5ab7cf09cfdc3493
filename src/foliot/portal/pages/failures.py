"""Failures by reason and host: those for good, those that recovered; mute, rerun."""

from typing import Any, Final

from msgspec import structs
from starlette.responses import Response

from foliot.app.failure_reruns import MOST_RERUN, RerunPlan, RerunResult
from foliot.app.failures import MOST_COUNTED, FailureReport, RetryReport
from foliot.core.errors import CollectionNotFound, Invalid, JobNotFound
from foliot.core.model.history import RunOutcome
from foliot.core.model.token import Scope
from foliot.core.plurals import how_many
from foliot.portal.collection_names import naming_of
from foliot.portal.failure_rows import (
    OF_JOB,
    OF_RUNS,
    RERUN_PATH,
    RETRY_PATH,
    group_row,
    kind_of,
    list_address,
    reruns_address,
    retried_address,
)
from foliot.portal.forms.job import JOB_FORM
from foliot.portal.forms.posted import Form
from foliot.portal.forms.problems import explain
from foliot.portal.page_request import BAD, GOOD, Notice, PageRequest, fingerprint_of
from foliot.portal.pages.errors import back_address
from foliot.portal.pages.runs import filter_values, viewer_of
from foliot.portal.run_filters import RunQuery, read_query
from foliot.portal.shown_runs import FIELD, read_shown_runs, write_shown_runs
from foliot.ports.random_ids import new_id

PATH: Final = "/failures"
_SINCE: Final = "24h"
_PER_PAGE: Final = 50
_RECOVERED: Final = 20
_RETRIED: Final = 20
_NAMED: Final = 5
_LISTED_JOBS: Final = 100
_WRONG = 400
_NOBODY: Final = FailureReport(groups=())


async def show(request: PageRequest) -> Response:
    """Show failures of a period by reason and host, the most frequent first."""
    query = _read(request, request.query)
    problems = list(query.problems)
    failed = recovered = _NOBODY
    retries = RetryReport()
    if not problems:
        try:
            failed = await _report(request, query, RunOutcome.FAILED)
            recovered = await _report(request, query, RunOutcome.RECOVERED)
            retries = await request.use_cases.failures.retries(request.who, query.of, query.wanted)
        except (CollectionNotFound, JobNotFound) as refusal:
            problems.append(str(refusal))
    values = _values(request, query, failed, recovered, retries)
    if request.is_partial:
        return request.render_part_if_changed(
            "failure_list.html", values.pop("fingerprint"), query=query, **values
        )
    filters = await filter_values(request, query, PATH)
    status = _WRONG if problems else 200
    return request.render_page(
        "failures.html", http_status=status, problems=problems, **filters | values
    )


async def mute(request: PageRequest) -> Response:
    """Mute a group for a day, for everybody."""
    query = _read(request, request.form)
    kind = kind_of(query.given["reason"], query.given["host"])
    if query.problems or not any((query.given["reason"], query.given["host"])):
        raise Invalid((), "the group is not known any more; reload the page.")
    of = query.of._replace(job=None)
    await request.use_cases.failures.mute(request.who, of, kind)
    words = f"{kind.text} is muted for a day, for everybody."
    return request.redirect(back_address(request.http), (GOOD, words))


async def unmute(request: PageRequest) -> Response:
    """End the mute of a group."""
    form = request.form
    scope = Scope(
        subscription=form.get("subscription") or None,
        group=form.get("group") or None,
        collection=form.get("in_collection") or None,
    )
    kind = kind_of(form.get("reason"), form.get("host"))
    was_muted = await request.use_cases.failures.unmute(request.who, scope, kind)
    words = f"{kind.text} is no longer muted."
    notice = (GOOD, words) if was_muted else (BAD, f"{kind.text} was not muted.")
    return request.redirect(back_address(request.http), notice)


async def ask_rerun(request: PageRequest) -> Response:
    """Ask whether the failed runs that pass the filters are to be made again; tell how many."""
    query = _read(request, request.query, default_since="")
    if query.problems:
        return request.redirect(query.address(PATH))
    plan = await request.use_cases.failure_reruns.plan(request.who, query.of, query.wanted)
    return _render_question(request, query, plan)


async def rerun(request: PageRequest) -> Response:
    """Make those of the failed runs again that were shown and confirmed."""
    query = _read(request, request.form, default_since="")
    if query.problems:
        raise Invalid((), " ".join(query.problems))
    confirmed = read_shown_runs(request.form.get(FIELD))
    reruns = request.use_cases.failure_reruns
    plan = await reruns.plan(request.who, query.of, query.wanted, confirmed)
    result = await reruns.rerun(request.who, plan, new_id)
    started = reruns_address(query.given, request.now)
    back = list_address(query, request.form.get("list"), PATH)
    return request.redirect(back, *_notices(len(confirmed), result, started))


def _read(request: PageRequest, fields: Form, *, default_since: str = _SINCE) -> RunQuery:
    query = read_query(fields, viewer_of(request), default_since=default_since)
    return structs.replace(query, given={**query.given, "outcome": ""})


async def _report(request: PageRequest, query: RunQuery, outcome: RunOutcome) -> FailureReport:
    wanted = structs.replace(query.wanted, outcome=outcome)
    return await request.use_cases.failures.report(request.who, query.of, wanted)


def _values(
    request: PageRequest,
    query: RunQuery,
    failed: FailureReport,
    recovered: FailureReport,
    retries: RetryReport,
) -> dict[str, Any]:
    skip, given = request.skip, query.given
    more = len(failed.groups) > skip + _PER_PAGE
    fingerprint = fingerprint_of(
        [(each.newest, each.runs, each.rerun) for each in (*failed.groups, *recovered.groups)],
        [(each.mute, each.group.runs) for each in failed.muted],
        retries,
    )
    return {
        "failed": failed,
        "recovered": recovered,
        "groups": [group_row(each, given) for each in failed.groups[skip : skip + _PER_PAGE]],
        "retries": retries,
        "retried_groups": [
            (group_row(each.group, given), each.next_at) for each in retries.groups[:_RETRIED]
        ],
        "all_retried": retried_address(given),
        "retry_address": query.address(RETRY_PATH),
        "muted": [(group_row(each.group, given), each.mute) for each in failed.muted],
        "recovered_groups": [group_row(each, given) for each in recovered.groups[:_RECOVERED]],
        "previous": _page(query, max(0, skip - _PER_PAGE)) if skip else "",
        "following": _page(query, skip + _PER_PAGE) if more else "",
        "reruns": reruns_address(given, failed.first_at) if failed.rerun else "",
        "rerun_address": query.address(RERUN_PATH),
        "most_counted": MOST_COUNTED,
        "given": given,
        "fingerprint": fingerprint,
        "live": query.address(PATH, seen=fingerprint, skip=str(skip or "")),
    }


def _page(query: RunQuery, skip: int) -> str:
    return query.address(PATH, skip=str(skip or ""))


def _render_question(request: PageRequest, query: RunQuery, plan: RerunPlan) -> Response:
    of_list = request.query.get("list") or request.form.get("list")
    return request.render_page(
        "failure_rerun.html",
        plan=plan,
        jobs=plan.jobs[:_LISTED_JOBS],
        given={**query.given, "list": of_list},
        shown=write_shown_runs(plan.planned),
        most=MOST_RERUN,
        back=list_address(query, of_list, PATH),
        back_name="Runs" if of_list in (OF_RUNS, OF_JOB) else "Failures",
        naming=naming_of([each.key for each in plan.jobs]),
    )


def _notices(confirmed: int, result: RerunResult, reruns: str) -> list[Notice]:
    notices: list[Notice] = []
    if result.started:
        words = f"{how_many(result.started, 'run')} started."
        notices.append((GOOD, words, "Show these runs", reruns))
    if result.refusals:
        runs = sum(len(each.of.planned) for each in result.refusals)
        told = [
            f"{each.of.job}: {explain(each.reason, JOB_FORM)}" for each in result.refusals[:_NAMED]
        ]
        more = len(result.refusals) - _NAMED
        rest = f" And {how_many(more, 'more job')}." if more > 0 else ""
        jobs = how_many(len(result.refusals), "job")
        refused = f"{how_many(runs, 'run')} of {jobs} not started."
        notices.append((BAD, f"{refused} {' '.join(told)}{rest}"))
    left = confirmed - result.started - sum(len(each.of.planned) for each in result.refusals)
    if left > 0:
        notices.append((BAD, f"{how_many(left, 'run')} had been rerun since you looked."))
    return notices
