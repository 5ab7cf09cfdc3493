"""The list of jobs that failed in the last 24 hours."""

from starlette.responses import Response

from foliot.app.dashboard import COUNTED_TO
from foliot.core.model.dashboard import FailurePage
from foliot.portal import urls
from foliot.portal.collection_names import naming_of
from foliot.portal.page_request import PageRequest

PATH = "/failures"
_PER_PAGE = 50
# The query reads this many of the newest failures; the page says when there are more.
_SAMPLE = COUNTED_TO
_COLLECTIONS = 200


async def show(request: PageRequest) -> Response:
    """Show the failed jobs, most recent failure first."""
    search, skip, dashboard = (
        request.query.get("q").strip(),
        request.skip,
        request.use_cases.dashboard,
    )
    wanted = FailurePage(search=search, skip=skip, limit=_PER_PAGE + 1, sample=_SAMPLE)
    found = await dashboard.failing(request.who, request.chosen_scope, wanted)
    seen = await dashboard.overview(request.who)
    of = request.query.get("of")
    collections = [
        each.collection.key for each in await dashboard.collections(request.who, limit=_COLLECTIONS)
    ]
    return request.render_page(
        "failures.html",
        failing=found[:_PER_PAGE],
        first=skip + 1,
        search=search,
        scope=request.chosen_scope,
        collections=collections,
        naming=naming_of([*collections, *(each.key for each in found)]),
        is_whole=seen.totals.failed < COUNTED_TO,
        sample=_SAMPLE,
        previous=_page(search, of, max(0, skip - _PER_PAGE)) if skip else "",
        following=_page(search, of, skip + _PER_PAGE) if len(found) > _PER_PAGE else "",
    )


def _page(search: str, of: str, skip: int) -> str:
    return urls.with_query(PATH, q=search, of=of, skip=str(skip or ""))
