"""Pages for what cannot be shown or done: with a way back, and without the inside of anything."""

from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from foliot.api.errors import refusal
from foliot.core.errors import FoliotError
from foliot.portal.templating import render
from foliot.portal.visit import Visit

_TITLES = {
    400: "That is not quite right",
    403: "You may not do this",
    404: "There is nothing here",
    405: "That cannot be done here",
    409: "That does not fit",
    500: "Something went wrong",
    503: "The database does not answer",
}
FAILURE = (
    "The server's log has the details. What you did may not have been saved: look, then retry."
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
