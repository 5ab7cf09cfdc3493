"""All jobs that failed in the last 24 hours, page by page."""

from starlette.responses import Response

from foliot.app.dashboard import COUNTED_TO
from foliot.core.model.dashboard import FailurePage
from foliot.portal import urls
from foliot.portal.collection_names import naming_of
from foliot.portal.page_request import Visit

PATH = "/failures"
_PER_PAGE = 50
# The jobs of as many of the newest failures are found; the page says when there are more.
_SAMPLE = COUNTED_TO
_COLLECTIONS = 200


async def show(visit: Visit) -> Response:
    """Show the jobs that failed, the last to fail first."""
    search, skip, watch = visit.query.get("q").strip(), visit.skip, visit.use_cases.dashboard
    wanted = FailurePage(search=search, skip=skip, limit=_PER_PAGE + 1, sample=_SAMPLE)
    found = await watch.failing(visit.who, visit.within, wanted)
    seen = await watch.overview(visit.who)
    of = visit.query.get("of")
    collections = [
        each.collection.key for each in await watch.collections(visit.who, limit=_COLLECTIONS)
    ]
    return visit.page(
        "failures.html",
        failing=found[:_PER_PAGE],
        first=skip + 1,
        search=search,
        scope=visit.within,
        collections=collections,
        naming=naming_of([*collections, *(each.key for each in found)]),
        is_whole=seen.tally.failed < COUNTED_TO,
        sample=_SAMPLE,
        previous=_page(search, of, max(0, skip - _PER_PAGE)) if skip else "",
        following=_page(search, of, skip + _PER_PAGE) if len(found) > _PER_PAGE else "",
    )


def _page(search: str, of: str, skip: int) -> str:
    return urls.with_query(PATH, q=search, of=of, skip=str(skip or ""))
