"""The pages of the portal that `bench_portal.py` asks for: every page that the routes know."""

import re
from typing import Final

from foliot.portal.routes import PAGES as ROUTES

_COLLECTION: Final = "/collections/bench/g/c7"
_JOB: Final = f"{_COLLECTION}/jobs/j7000"
_ALERT: Final = f"{_COLLECTION}/alerts/a1"
_LIST: Final = "list of 1,000 jobs"
_ALL: Final = "list of all jobs"
TIMELINE_OF_A_WEEK: Final = "timeline of a week"

# `str.format` fills in what is known only when the database is filled.
PAGES: Final = {
    "overview": "/",
    "overview, live part": "/live",
    "runs": "/runs",
    "runs, a part in the middle": "/runs?after={middle}",
    "runs of the last night": "/runs?since=last-night",
    "runs, failed": "/runs?outcome=failed&since=30d",
    "runs, failed, of a host": "/runs?outcome=failed&host=api-7.example.com",
    "runs, skipped": "/runs?outcome=skipped",
    "runs, canceled: none": "/runs?outcome=canceled",
    "runs of a collection": "/runs?collection=bench/g/c7",
    "failures of a day": "/failures",
    "failures of 30 days": "/failures?since=30d",
    "failures of a collection": "/failures?since=30d&collection=bench/g/c7",
    "rerun failures of a day: the question": "/failures/rerun?since=24h",
    "retry all that wait: the question": "/runs/retry",
    "collections": "/collections",
    "collections, searched": "/collections?q=c77",
    "new collection": "/collections/new",
    _LIST: _COLLECTION,
    f"{_LIST}, sorted by next run": f"{_COLLECTION}?sort=next",
    f"{_LIST}, only failed": f"{_COLLECTION}?outcome=failed",
    f"{_LIST}, searched": f"{_COLLECTION}?q=j77",
    f"{_LIST}, searched by schedule": f"{_COLLECTION}?q=schedule:week",
    "collection, properties": f"{_COLLECTION}/properties",
    "collection, changes": f"{_COLLECTION}/changes",
    "collection, restore a version": f"{_COLLECTION}/changes/{{collection_entry}}",
    "collection, access": f"{_COLLECTION}/access",
    "collection, edit": f"{_COLLECTION}/edit",
    "collection, pause": f"{_COLLECTION}/disable",
    "collection, resume": "/collections/bench/g/c8/enable",
    "collection, delete": f"{_COLLECTION}/delete",
    "all alerts": "/alerts",
    "alerts": f"{_COLLECTION}/alerts",
    "alert": _ALERT,
    "alert, edit": f"{_ALERT}/edit",
    "alert, new": f"{_COLLECTION}/new-alert",
    "find, commands": "/find",
    "find a job by name": "/find?q=j77123",
    "find a host": "/find?q=api77.example",
    "find nothing": "/find?q=no-such-word",
    "find a collection to pause": "/find?q=pause+c77",
    _ALL: "/jobs",
    f"{_ALL}, a part in the middle": "/jobs?after=1/j5",
    f"{_ALL}, searched": "/jobs?q=host:api77.example+schedule:week",
    f"{_ALL}, searched for nothing": "/jobs?q=no-such-word",
    f"{_ALL}, none disabled": "/jobs?state=disabled",
    f"{_ALL}, only failed": "/jobs?outcome=failed",
    f"{_ALL}, none canceled": "/jobs?outcome=canceled",
    "new job": "/jobs/new",
    "new job of a collection": f"{_COLLECTION}/new",
    "preview": f"{_COLLECTION}/preview?{{schedule}}",
    "preview without a collection": "/jobs/preview?{schedule}",
    "job": _JOB,
    "job, live part": f"{_JOB}/live",
    "job, action": f"{_JOB}/action",
    "job, schedule": f"{_JOB}/schedule",
    "job, runs": f"{_JOB}/runs",
    "job, failed runs": f"{_JOB}/runs?outcome=failed",
    "job, a run": f"{_JOB}/runs/{{run}}",
    "job, an attempt": f"{_JOB}/attempts/{{attempt}}",
    "job, as code": f"{_JOB}/code",
    "job, changes": f"{_JOB}/changes",
    "job, restore a version": f"{_JOB}/changes/{{job_entry}}",
    "job, a version in the form": f"{_JOB}/changes/{{job_entry}}/form",
    "job, properties": f"{_JOB}/properties",
    "job, JSON": f"{_JOB}/json",
    "job, edit": f"{_JOB}/edit",
    "job, move": f"{_JOB}/move",
    "job, duplicate": f"{_JOB}/duplicate",
    "job, delete": f"{_JOB}/delete",
    "timeline of a day": "/timeline?zoom=day",
    TIMELINE_OF_A_WEEK: "/timeline",
    "timeline of the week before": "/timeline?date={week_ago}",
    "timeline of a collection": "/timeline?of=bench/g/c7",
    "jobs that run at a time": "/timeline?date={tomorrow}&time=03:00",
    "explain a time": f"{_JOB}/explain",
    "explain a time, choose the job": "/explain?of=bench/g/c7",
    "changes": "/audit",
    "changes by somebody": "/audit?who=ci-7",
    "a change": "/audit/{job_entry}",
    "tokens": "/tokens",
    "settings": "/settings",
    "about": "/about",
}
# What answers no page, or none in an installation of this size.
_LEFT_OUT: Final = frozenset(
    {
        "/first-steps",
        "/alerts/new",
        "/calendar",
        "/collections/{subscription}/{group}/{collection}/jobs/{job}/history",
    }
)


def check_that_all_are_measured() -> None:
    """End if the portal has a page that is not measured."""
    paths = [re.sub(r"\?.*", "", path) for path in PAGES.values()]
    missing = [
        route
        for route, handlers in ROUTES.items()
        if "GET" in handlers
        and route not in _LEFT_OUT
        and not any(re.fullmatch(re.sub(r"{\w+}", "[^/]+", route), path) for path in paths)
    ]
    if missing:
        raise SystemExit(f"bench/portal_pages.py does not measure {', '.join(missing)}")
