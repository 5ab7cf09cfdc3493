"""Error pages: the reason and a link back, without internal details."""

import re
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from foliot.api.errors import refusal
from foliot.core.errors import Conflict, FoliotError, Invalid, JobNotFound
from foliot.portal.forms.job import JOB_FORM
from foliot.portal.forms.problems import explain
from foliot.portal.missing_jobs import Link, find_missing_job, link_to, move_words
from foliot.portal.page_request import BAD, PageRequest
from foliot.portal.templating import render

_FORBIDDEN, _NOT_FOUND, _FAILED = 403, 404, 500
# With any other status, the message is the title.
_TITLES = {
    _FORBIDDEN: "You don't have permission",
    _NOT_FOUND: "Not found",
    _FAILED: "Something went wrong",
    503: "Service unavailable",
}
FAILURE = (
    "The server's log has the details. Your change may not have been saved: check, then try again."
)
_PAGE = r"(/collections(?:/[^/]+){3}/jobs/[^/]+|/collections(?:/[^/]+){3}|/collections|/tokens)"
_ABOUT = re.compile(_PAGE)
_ABOVE = re.compile(_PAGE + "(?=/.)")


def status_of(error: FoliotError) -> int:
    """Return the HTTP status that the API uses for an error."""
    return refusal(error).status


def redirect_back_if_refused(
    action: Callable[[PageRequest], Awaitable[Response]],
) -> Callable[[PageRequest], Awaitable[Response]]:
    """Wrap an action: if it is refused, redirect to the page it came from, with the reason."""

    async def answer(request: PageRequest) -> Response:
        try:
            return await action(request)
        except (Conflict, Invalid) as reason:
            return request.redirect(back_address(request.http), (BAD, explain(reason, JOB_FORM)))

    return answer


async def missing_job_page(error: JobNotFound, request: PageRequest) -> Response:
    """Return an error page for the address of a job, which says where the job was moved to."""
    missing = await find_missing_job(request)
    if missing.place is None:
        return error_page(request.http, _NOT_FOUND, explain(error), request)
    words, link = f"{move_words(request, missing.place)}.", link_to(missing.place)
    return error_page(request.http, _NOT_FOUND, words, request, link)


def error_page(
    http: Request,
    status: int,
    words: str,
    request: PageRequest | None = None,
    now_at: Link | None = None,
) -> Response:
    """Return an error page, in the portal's layout if the visitor is signed in."""
    if http.headers.get("hx-request") == "true":
        return PlainTextResponse(words, status)
    title = _TITLES.get(status)
    values: dict[str, Any] = {
        "status": status,
        "title": title or words,
        "words": words if title else "",
        "back": back_address(http, status),
        "now_at": now_at,
    }
    if request is not None:
        return request.render_page("problem.html", http_status=status, **values)
    return HTMLResponse(render("bare_problem.html", **values), status)


def back_address(http: Request, status: int = 200) -> str:
    """Return the page that the visitor came from, or else the parent page."""
    here = http.scope["raw_path"].decode("ascii", "replace")
    came_from = _came_from(http)
    is_elsewhere = came_from.partition("?")[0] != here or http.method == "POST"
    if came_from and is_elsewhere and status != _NOT_FOUND:
        return came_from
    missing = _ABOUT.match(here) if status == _NOT_FOUND else None
    above = _ABOVE.match(missing[1] if missing else here)
    return above[1] if above else "/"


def _came_from(http: Request) -> str:
    try:
        address = urlsplit(http.headers.get("referer", ""))
    except ValueError:
        return ""
    is_ours = address.netloc == http.headers.get("host") and address.path[:2] != "//"
    return urlunsplit(("", "", address.path, address.query, "")) if is_ours else ""
