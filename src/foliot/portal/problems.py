"""Pages for what cannot be shown or done: with a way back, and without the inside of anything."""

from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from foliot.api.errors import refusal
from foliot.core.errors import FoliotError
from foliot.portal.templating import render
from foliot.portal.visit import Visit

_TITLES = {
    400: "Invalid request",
    403: "You don't have permission",
    404: "Not found",
    405: "Not allowed here",
    409: "Conflict",
    500: "Something went wrong",
    503: "Service unavailable",
}
FAILURE = (
    "The server's log has the details. Your change may not have been saved: check, then try again."
)


def status_of(error: FoliotError) -> int:
    """Return the status that the API has for a refusal."""
    return refusal(error).status


def problem(request: Request, status: int, words: str, visit: Visit | None = None) -> Response:
    """Answer with a page about what is wrong, in the layout if it is known who visits."""
    if request.headers.get("hx-request") == "true":
        return PlainTextResponse(words, status)
    values: dict[str, Any] = {
        "status": status,
        "title": _TITLES.get(status, _TITLES[500]),
        "words": words,
    }
    if visit is not None:
        return visit.page("problem.html", http_status=status, **values)
    return HTMLResponse(render("bare_problem.html", **values), status)
