"""Runs: across collections and of one job, with filters; one run; rerun, retry, cancel."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import Struct, structs
from starlette.responses import Response

from foliot.app.listing_page import Page
from foliot.app.run_records import AnyRun, RunsOf, key_of
from foliot.app.run_retries import RetryStart
from foliot.app.runs import Cancellation
from foliot.core.errors import (
    CollectionNotFound,
    JobNotFound,
    RunNotFound,
    RunRecordNotFound,
)
from foliot.core.instant import parse_instant
from foliot.core.model.history import RunOutcome
from foliot.core.model.job import JobState
from foliot.core.rules.repeated_runs import Obstacle
from foliot.portal import urls
from foliot.portal.collection_names import naming_of
from foliot.portal.failure_rows import OF_JOB, OF_RUNS, rerun_address, retry_address
from foliot.portal.page_request import BAD, GOOD, PageRequest, fingerprint_of
from foliot.portal.pages import job
from foliot.portal.pages.errors import back_address
from foliot.portal.run_filters import PRESETS, REASONS, SHOWN_OUTCOMES, RunQuery, Viewer, read_query
from foliot.portal.run_rows import (
    TRIGGER_WORDS,
    RunRow,
    changing_values,
    name_of,
    parse_name,
    row_of,
)
from foliot.ports.random_ids import new_id

PATH: Final = "/runs"
_PER_PAGE: Final = 50
_COLLECTIONS: Final = 200
_WRONG: Final = 400
_WAITS: Final = "The run is planned. It begins when the job is enabled."
_RETRY_WORDS: Final = {
    RetryStart.NOW: "The run is retried now.",
    RetryStart.WHEN_ENABLED: "The run is retried when the job is enabled.",
}
_NOT_RERUN: Final = {
    Obstacle.NO_RUN: "history no longer has a run of this planned time.",
    Obstacle.DID_NOT_FAIL: "this run did not fail.",
    Obstacle.ERROR_ACTION: "the error action of this run has not ended yet.",
    Obstacle.IS_REPEATED: "this run is being rerun already.",
    Obstacle.WAS_REPEATED: "this run has been rerun since.",
}


class RunList(Struct, frozen=True):
    """A page of runs, the name of its last run if more follow, and what is wrong with filters."""

    rows: Sequence[RunRow] = ()
    last: str = ""
    problems: Sequence[str] = ()


async def show(request: PageRequest) -> Response:
    """Show runs of all collections: open ones first, each the newest first."""
    query = read_query(request.query, viewer_of(request))
    found = await _list(request, query)
    values = {**await filter_values(request, query, PATH), **_list_values(request, query, found)}
    return _render(request, "runs.html", values, found)


async def show_job(request: PageRequest) -> Response:
    """Show the runs of a job, with a chart of its last attempts on the first page."""
    query = _query_of_job(request)
    found, details = await _list(request, query), await job.load(request)
    path = urls.job(details.collection.key, details.job.name, "runs")
    values = {
        **job.job_values(details),
        **_choices(query, path),
        **_list_values(request, query, found, path),
        "tab": "runs",
        "charted": job.charted(details),
    }
    return _render(request, "job_runs.html", values, found)


async def show_run(request: PageRequest) -> Response:
    """Show everything of a run."""
    key = parse_name(request.names["run"])
    if key is None:
        raise RunRecordNotFound(request.names["run"])
    found = await request.use_cases.run_records.get_run(request.who, request.key, request.job, key)
    if key.is_open and not key_of(found).is_open:
        name = name_of(key_of(found))
        return request.redirect(urls.run(request.key, request.job, name))
    row, details = row_of(found), await job.load(request)
    values: dict[str, Any] = {"tab": "runs", "row": row, **job.job_values(details)}
    fingerprint = fingerprint_of(changing_values(row))
    if request.is_partial:
        return request.render_part_if_changed("run_live.html", fingerprint, **values)
    return request.render_page("run.html", fingerprint=fingerprint, **values)


async def redirect_history(request: PageRequest) -> Response:
    """Redirect from the address that the runs of a job had before."""
    outcome = "failed" if request.query.get("status") == "failed" else ""
    address = urls.job(request.key, request.job, "runs")
    return request.redirect(urls.with_query(address, outcome=outcome))


async def rerun(request: PageRequest) -> Response:
    """Make the failed run of a planned time again."""
    planned_at = parse_instant(request.form.get("planned"))
    repeated = await request.use_cases.repeated_runs.redrive(
        request.who, request.key, request.job, frozenset({planned_at}), new_id
    )
    if repeated.obstacle is not None:
        words = f"No run was started: {_NOT_RERUN[repeated.obstacle]}"
        return request.redirect(back_address(request.http), (BAD, words))
    details = await job.load(request)
    words = _WAITS if details.job.state is JobState.DISABLED else "Run started."
    return request.redirect(back_address(request.http), (GOOD, words))


async def cancel(request: PageRequest) -> Response:
    """Cancel an open run."""
    wanted = Cancellation(tag=request.form.get("tag"))
    try:
        await request.use_cases.runs.cancel_runs(request.who, request.key, request.job, wanted)
    except RunNotFound:
        return request.redirect(back_address(request.http), (BAD, "The run has ended already."))
    return request.redirect(back_address(request.http), (GOOD, "Run canceled."))


async def retry(request: PageRequest) -> Response:
    """Retry a run now that waits for its retry."""
    tag, due_at = request.form.get("tag"), request.form.instant("due")
    try:
        start = await request.use_cases.run_retries.retry_run(
            request.who, request.key, request.job, tag, due_at
        )
    except RunNotFound:
        return request.redirect(back_address(request.http), (BAD, "The run has ended already."))
    return request.redirect(back_address(request.http), (GOOD, _RETRY_WORDS[start]))


def viewer_of(request: PageRequest) -> Viewer:
    """Return when the visitor looks, and in which time zone."""
    return Viewer(request.now, request.zone)


async def filter_values(request: PageRequest, query: RunQuery, path: str) -> dict[str, Any]:
    """Return the template values of the filters across collections."""
    listed = await request.use_cases.dashboard.collections(request.who, limit=_COLLECTIONS)
    keys = [each.collection.key for each in listed]
    chosen = query.of.key
    if chosen is not None and chosen.folded not in {key.folded for key in keys}:
        keys.append(chosen)
    return {**_choices(query, path), "collections": keys, "naming": naming_of(keys)}


def _choices(query: RunQuery, path: str) -> dict[str, Any]:
    return {
        "path_of_list": path,
        "query": query,
        "given": query.given,
        "presets": {
            words: (query.address(path, since=since, until=""), query.given["since"] == since)
            for since, words in PRESETS.items()
        },
        "outcomes": list(SHOWN_OUTCOMES),
        "triggers": {each.value: words for each, words in TRIGGER_WORDS.items()},
        "reasons": REASONS,
        "collections": None,
    }


def _query_of_job(request: PageRequest) -> RunQuery:
    query = read_query(request.query, viewer_of(request))
    given = {**query.given, "collection": "", "job": ""}
    of = RunsOf(None, request.key, request.job)
    problems = [each for each in query.problems if not each.startswith(("job:", "collection:"))]
    return structs.replace(query, given=given, of=of, problems=tuple(problems))


async def _list(request: PageRequest, query: RunQuery) -> RunList:
    text = request.query.get("after")
    after = parse_name(text)
    if text and after is None:
        return RunList(problems=["The address of this page is not valid; open the newest runs."])
    if query.problems:
        return RunList(problems=query.problems)
    try:
        found: Sequence[AnyRun] = await request.use_cases.run_records.list_runs(
            request.who, query.of, query.wanted, Page(_PER_PAGE + 1, after=after)
        )
    except (CollectionNotFound, JobNotFound) as refusal:
        if "job" in request.names:
            raise
        return RunList(problems=[str(refusal)])
    rows = [row_of(each) for each in found[:_PER_PAGE]]
    return RunList(rows, rows[-1].name if len(found) > _PER_PAGE else "")


def _list_values(
    request: PageRequest, query: RunQuery, found: RunList, path: str = PATH
) -> dict[str, Any]:
    is_first = not request.query.get("after")
    of_list = OF_RUNS if path == PATH else OF_JOB
    fingerprint = fingerprint_of([changing_values(row) for row in found.rows])
    return {
        "rows": found.rows,
        "problems": found.problems,
        "is_first": is_first,
        "newest": "" if is_first else query.address(path),
        "following": query.address(path, after=found.last) if found.last else "",
        "fingerprint": fingerprint,
        "live": query.address(path, seen=fingerprint) if is_first and not found.problems else "",
        "row_naming": naming_of([row.key for row in found.rows]),
        "rerun_all": rerun_address(query, of_list)
        if query.wanted.outcome is RunOutcome.FAILED and any(row.may_be_rerun for row in found.rows)
        else "",
        "retry_all": retry_address(query, of_list)
        if any(row.may_be_retried for row in found.rows)
        else "",
    }


def _render(
    request: PageRequest, template: str, values: Mapping[str, Any], found: RunList
) -> Response:
    if request.is_partial:
        rest = {name: value for name, value in values.items() if name != "fingerprint"}
        return request.render_part_if_changed("run_list.html", values["fingerprint"], **rest)
    return request.render_page(template, http_status=_WRONG if found.problems else 200, **values)
